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

std::string_view line_of(Position at, std::string_view text) {
  for (int line = 1; line < at.line && !text.empty(); ++line)
    text.remove_prefix(std::min(text.find('\n') + 1, text.size()));
  return text.substr(0, text.find('\n'));
}

/// Where a text ends within a value, toml++ counts the end of its last line as a character of it.
Position within_line(Position at, std::string_view line) {
  const auto characters = std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; });
  return {at.line, std::min(at.column, static_cast<int>(characters) + 1)};
}

void replace(std::string& text, std::string_view what, std::string_view by) {
  if (const auto at = text.find(what); at != std::string::npos) text.replace(at, what.size(), by);
}

/// " (in the value of 'schedule')". No value is shown, as it may be a secret.
std::string key_of(std::string_view line) {
  const auto end = line.find('=');
  const auto first = line.find_first_not_of(" \t");
  if (end == std::string_view::npos || end <= first || line[first] == '#' || line[first] == '[') return {};
  const auto last = line.find_last_not_of(" \t", end - 1);
  return " (in the value of " + in_quotes(line.substr(first, last - first + 1)) + ")";
}

/// What toml++ says, where it says it in terms of the grammar.
std::string in_plain_words(std::string said, std::string_view line) {
  constexpr std::string_view control = "unescaped control characters other than TAB (U+0009) are explicitly prohibited";
  constexpr std::string_view twice = "cannot redefine existing ";
  replace(said, control, "it has no closing quote on its line, or a control character");
  replace(said, R"('\n')", "the end of the line");
  const bool is_twice = said.find(twice) != std::string::npos;
  return said + key_of(line) + (is_twice ? ": it stands here twice; rename or remove one" : "");
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
    const std::string said(without_preamble(error.description()));
    const std::string_view line = line_of(place, text);
    findings.error(within_line(place, line), "this is not TOML: " + in_plain_words(said, line));
    return std::nullopt;
  }
}

}  // namespace ballot::config
