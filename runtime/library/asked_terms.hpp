// asked_terms(): the end and the reason that a question gives a pause: `for`, a duration as in job files, or `until`, a
// time of RFC 3339; and `reason`. Other questions have none of these.
//
// Pure.
#pragma once

#include "ballot/error.hpp"
#include "core/record/pause_terms.hpp"
#include "io/message.hpp"

namespace ballot::library {

/// "do" of a question that a daemon must not take for a pause without terms.
inline constexpr const char* pause_with_terms = "pause_with_terms";

/// Errors: invalid, where one of them cannot be read, or both ends are given.
Result<core::PauseTerms> asked_terms(const io::Message& question, WallTime now);

}  // namespace ballot::library
