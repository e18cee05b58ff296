#include "base/env_words.hpp"

#include <algorithm>

#include "base/quoted.hpp"

namespace ballot {
namespace {

constexpr std::string_view digits = "0123456789ABCDEF";

bool is_plain_byte(char c) { return c > ' ' && c < 0x7f && c != '%'; }

std::string encoded(std::string_view value) {
  std::string text;
  text.reserve(value.size());
  for (const char c : value) {
    if (is_plain_byte(c)) {
      text += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    ((text += '%') += digits[byte >> 4]) += digits[byte & 15];
  }
  return text;
}

/// What encoded() has written, at least.
std::string decoded(std::string_view text) {
  std::string value;
  value.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t high = i + 2 < text.size() ? digits.find(text[i + 1]) : std::string_view::npos;
    const std::size_t low = i + 2 < text.size() ? digits.find(text[i + 2]) : std::string_view::npos;
    const bool is_code = text[i] == '%' && high != std::string_view::npos && low != std::string_view::npos;
    value += is_code ? static_cast<char>(high << 4 | low) : text[i];
    if (is_code) i += 2;
  }
  return value;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

}  // namespace

bool is_variable_name(std::string_view text) {
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

bool is_reserved_variable(std::string_view name) {
  return name.starts_with("BALLOT_") || name.starts_with("LD_") || name == "GLIBC_TUNABLES";
}

std::string fault_of_env(const Variables& env) {
  std::size_t bytes = 0;
  for (const auto& [name, value] : env) {
    bytes += name.size() + value.size() + 2;
    if (!is_variable_name(name))
      return "env: " + quoted(name) + " is no name of a variable: letters, digits and '_', no digit first";
    if (is_reserved_variable(name))
      return "env: " + name + " is a variable that ballot or the loader goes by, and nobody may give";
    if (value.find('\0') != std::string::npos) return "env: the value of " + name + " has a NUL byte";
  }
  if (bytes <= most_env_bytes) return "";
  return "env: its variables have " + std::to_string(bytes) + " bytes with their names, and may have " +
         std::to_string(most_env_bytes);
}

std::string env_words(const Variables& env) {
  std::string words;
  for (const auto& [name, value] : env) words += (words.empty() ? "" : " ") + name + "=" + encoded(value);
  return words;
}

std::optional<Variables> parse_env_words(std::string_view words) {
  Variables env;
  for (std::string_view rest = words; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t equals = std::min(word.find('='), word.size());
    if (!is_variable_name(word.substr(0, equals))) return std::nullopt;
    env.emplace(word.substr(0, equals), decoded(word.substr(std::min(equals + 1, word.size()))));
  }
  return env_words(env) == words ? std::optional(std::move(env)) : std::nullopt;
}

Result<Variables> read_assignments(const std::vector<std::string>& texts) {
  Variables env;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) return Error{Errc::invalid, "env: " + quoted(text) + " is not NAME=VALUE"};
    const std::string name = text.substr(0, equals);
    if (!env.emplace(name, text.substr(equals + 1)).second)
      return Error{Errc::invalid, "env: " + quoted(name) + " is given twice"};
  }
  return env;
}

}  // namespace ballot
