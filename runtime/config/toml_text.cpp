#include "config/toml_text.hpp"

#include <algorithm>

namespace ballot::config {
namespace {

bool is_control_character(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::string escaped_character(char c) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\n': return "\\n";
    case '\t': return "\\t";
    default: break;
  }
  if (!is_control_character(c)) return {c};
  const auto byte = static_cast<unsigned char>(c);
  return {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15]};
}

}  // namespace

std::string toml_string(std::string_view text) {
  const bool as_it_is = text.find('\'') == std::string_view::npos && text.find_first_of("\"\\") != text.npos &&
                        std::none_of(text.begin(), text.end(), is_control_character);
  if (as_it_is) return "'" + std::string(text) + "'";
  std::string quoted = "\"";
  for (const char c : text) quoted += escaped_character(c);
  return quoted + "\"";
}

}  // namespace ballot::config
