// Excerpt: a server's text as people are shown it: at most bounds::text bytes, on one line, without characters that
// move a cursor. Pure.
//
//   host.log(Level::warn, excerpt(answer.text));      // "no leader\x0a... [24000000 bytes]"
#pragma once

#include <string>
#include <string_view>

#include "support/calls.hpp"

namespace ballot::support {

/// Control characters and bytes that are no UTF-8 are written as \xNN; a text that is cut ends with its whole length.
std::string excerpt(std::string_view text);

/// Each text for people in the event becomes its excerpt.
void shorten_texts(Event& event);

}  // namespace ballot::support
