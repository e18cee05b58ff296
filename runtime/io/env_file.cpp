#include "io/env_file.hpp"

#include <algorithm>
#include <optional>

namespace ballot::io {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

bool is_name(std::string_view text) {
  constexpr std::string_view digits = "0123456789";
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
  return !text.empty() && digits.find(text.front()) == std::string_view::npos &&
         std::all_of(text.begin(), text.end(), [&](char c) {
           return digits.find(c) != std::string_view::npos || letters.find(c) != std::string_view::npos;
         });
}

/// None where a quote is not closed, or something follows it.
std::optional<std::string_view> unquoted(std::string_view value) {
  if (value.empty() || (value.front() != '\'' && value.front() != '"')) return value;
  if (value.size() < 2 || value.find(value.front(), 1) != value.size() - 1) return std::nullopt;
  return value.substr(1, value.size() - 2);
}

}  // namespace

Result<std::vector<std::pair<std::string, std::string>>> parse_env_file(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> all;
  for (int number = 1; !text.empty(); ++number) {
    const auto wrong = [number](const std::string& what) {
      return Error{Errc::invalid, "line " + std::to_string(number) + " " + what};
    };
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    const std::size_t equals = line.find('=');
    const std::string_view name = trimmed(line.substr(0, equals));
    if (equals == std::string_view::npos || !is_name(name)) return wrong("is no NAME=VALUE");
    if (name.starts_with("BALLOT_")) return wrong("sets a variable that ballot itself sets");
    const auto value = unquoted(trimmed(line.substr(equals + 1)));
    if (!value) return wrong("has a quote that is not closed, or something behind it");
    if (value->find('\0') != std::string_view::npos) return wrong("contains a NUL byte");
    all.emplace_back(name, *value);
  }
  return all;
}

}  // namespace ballot::io
