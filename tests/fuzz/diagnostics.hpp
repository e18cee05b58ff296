// What must be true of findings in any text.
#pragma once

#include <algorithm>
#include <string_view>

#include "config/diagnostics.hpp"
#include "harness.hpp"

namespace ballot::fuzz {

inline void look_at(const config::Diagnostics& diagnostics, std::string_view input) {
  const auto lines = std::count(input.begin(), input.end(), '\n') + 1;
  for (const config::Diagnostic& one : diagnostics) {
    require(is_harmless(one.text()), "a finding can be shown", one.text());
    if (one.line == 0) continue;
    require(one.line >= 1 && one.line <= lines, "a finding is in a line of the file", one.text());
    std::string_view rest = input;
    for (int line = 1; line < one.line; ++line) rest.remove_prefix(rest.find('\n') + 1);
    const std::size_t size = std::min(rest.find('\n'), rest.size());
    require(one.column >= 1 && static_cast<std::size_t>(one.column) <= size + 1, "a finding is within its line",
            one.text());
  }
}

}  // namespace ballot::fuzz
