// What no configuration file may contain, found before it is parsed: NUL, what is not UTF-8, endless lines, keys so
// deep that a parser would run out of stack.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "config/diagnostics.hpp"

namespace ballot::config {

inline constexpr std::size_t longest_line = 64 * 1024;    // bytes
inline constexpr std::size_t largest_file = 1024 * 1024;  // bytes
inline constexpr int deepest_key = 16;                    // dots in one key

struct TextProblem {
  Position at;
  std::string message;
};

/// The first problem of a TOML text; none if there is none. One pass.
std::optional<TextProblem> check_text(std::string_view text);

}  // namespace ballot::config
