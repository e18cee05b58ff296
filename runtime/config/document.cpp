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
    findings.error({std::max(1, static_cast<int>(at.line)), std::max(1, static_cast<int>(at.column))},
                   "this is not TOML: " + std::string(without_preamble(error.description())));
    return std::nullopt;
  }
}

}  // namespace ballot::config
