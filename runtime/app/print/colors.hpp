// Colors: what a terminal shows in colour: the words of a status or a state, and headings. Nothing is said by colour
// alone.
//
//   const Colors colors = terminal_colors();
//   out << painted("failed", "failed: exit_code", colors);
#pragma once

#include <string>
#include <string_view>

namespace ballot::app {

enum class Colors { off, on };

/// On where stdout is a terminal that has colours, and neither NO_COLOR nor TERM=dumb says otherwise.
Colors terminal_colors();

/// `text` in the colour that its first word has, as a status ("failed: exit_code") or a job's state.
std::string painted(std::string_view text, Colors colors);
/// As a heading.
std::string headed(std::string_view text, Colors colors);

}  // namespace ballot::app
