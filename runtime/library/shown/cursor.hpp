// Cursor: where a list goes on, as a text for whoever asks for its next page. The text means nothing to its reader: it
// has a version, the place, and a check over both and over what was asked, so that a text that was cut, made up, or is
// of another question is refused instead of answered with a wrong page.
//
// Pure. The check keeps mistakes out, not people: whoever may read the list may make a cursor of any place in it.
//
//   answer.set("next", cursor_text(to_message(position), asked_for));
//   const auto place = cursor_place(*question.text("cursor"), asked_for);  // invalid: it is none of these
#pragma once

#include <string>
#include <string_view>

#include "ballot/error.hpp"
#include "io/message.hpp"

namespace ballot::library {

inline constexpr std::size_t longest_cursor = 1024;

/// `of`: the list that it is of, such as a filter as text. Letters, digits and '-' only.
std::string cursor_text(const io::Message& place, std::string_view of);

/// Errors: invalid (no cursor, one of another version, or of another list).
Result<io::Message> cursor_place(std::string_view text, std::string_view of);

}  // namespace ballot::library
