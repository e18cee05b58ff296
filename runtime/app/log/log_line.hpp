// A line of the log as text: for people, as JSON, or as logfmt; the same keys in each: time level msg, then fields.
#pragma once

#include <string>
#include <string_view>

#include "ballot/log.hpp"
#include "ballot/time.hpp"

namespace ballot::app {

struct LogLine {
  WallTime time{};
  Level level = Level::info;
  std::string_view text;
  const LogFields& fields;
};

enum class Colours { off, on };

/// Without the line's end.
std::string human_line(const LogLine& line, Colours colours);
/// Of that the text and the fields, for where time and level are kept otherwise.
std::string human_text(const LogLine& line, Colours colours);
std::string json_line(const LogLine& line);
std::string raw_line(const LogLine& line);

}  // namespace ballot::app
