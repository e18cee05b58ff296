// A fact on a line of its own, after its name: what `status` and `show` print.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ballot::app {

/// Characters of a line before its text.
inline constexpr std::size_t fact_indent = 12;

/// To stdout. name "": one more of the name before.
void print_fact(std::string_view name, const std::string& text);

}  // namespace ballot::app
