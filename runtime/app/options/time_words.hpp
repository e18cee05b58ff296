// TimeWords: times as people write them, in UTC as all that ballot prints.
//
//   parse_time_words("yesterday 22:30", now)   // of the day before that of `now`
//
// Pure; any thread.
#pragma once

#include <optional>
#include <string_view>

#include "ballot/time.hpp"

namespace ballot::app {

/// `now`; `today`, `yesterday`, `tomorrow` or a date, at midnight or at a time of day (`2025-03-09 22:30`, also with a
/// T or a final Z). Of a time of day alone (`22:30`, `22:30:15`), and of a date without its year, as tables have it
/// (`03-09 22:30:15`), the last one that has come. nullopt: it is something else.
std::optional<WallTime> parse_time_words(std::string_view text, WallTime now);

}  // namespace ballot::app
