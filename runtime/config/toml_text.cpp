#include "config/toml_text.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace ballot::config {
namespace {

std::string escaped_character(std::string_view character) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  if (character == "\"") return "\\\"";
  if (character == "\\") return "\\\\";
  if (character == "\n") return "\\n";
  if (character == "\t") return "\\t";
  const char32_t code = utf8_character(character, character.size());
  if (!is_display_control(code)) return std::string(character);
  std::string text = "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) text += digits[code >> shift & 15];
  return text;
}

}  // namespace

/// A byte that is no UTF-8 stays as it is, and the reader of the file refuses it.
std::string toml_string(std::string_view text) {
  const bool has_single_quote = text.find('\'') != std::string_view::npos;
  bool has_control = false, has_double_quote = false;
  std::string escaped;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = utf8_length(rest);
    const std::string_view character = rest.substr(0, std::max<std::size_t>(length, 1));
    rest.remove_prefix(character.size());
    escaped += length == 0 ? std::string(character) : escaped_character(character);
    has_double_quote |= character == "\"" || character == "\\";
    has_control |= length != 0 && is_display_control(utf8_character(character, length));
  }
  if (has_double_quote && !has_single_quote && !has_control) return "'" + std::string(text) + "'";
  return '"' + escaped + '"';
}

}  // namespace ballot::config
