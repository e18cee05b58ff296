#include "config/document.hpp"

#include <algorithm>

#include "config/text_check.hpp"

namespace ballot::config {
namespace {

/// "Error while parsing string: encountered end-of-file" -> "string: encountered end-of-file".
std::string_view without_preamble(std::string_view text) {
  constexpr std::string_view preamble = "Error while parsing ";
  if (text.starts_with(preamble)) text.remove_prefix(preamble.size());
  return text;
}

/// Where a text ends within a value, toml++ counts the end of its last line as a character of it.
Position within_line(Position at, std::string_view text) {
  for (int line = 1; line < at.line && !text.empty(); ++line)
    text.remove_prefix(std::min(text.find('\n') + 1, text.size()));
  const std::string_view line = text.substr(0, text.find('\n'));
  const auto characters = std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; });
  return {at.line, std::min(at.column, static_cast<int>(characters) + 1)};
}

}  // namespace

std::optional<toml::table> parse_toml(std::string_view text, Findings& findings) {
  if (const auto problem = check_text(text)) {
    findings.error(problem->at, problem->message);
    return std::nullopt;
  }
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    const Position place{std::max(1, static_cast<int>(at.line)), std::max(1, static_cast<int>(at.column))};
    findings.error(within_line(place, text), "this is not TOML: " + std::string(without_preamble(error.description())));
    return std::nullopt;
  }
}

}  // namespace ballot::config
