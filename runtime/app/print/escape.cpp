#include "app/print/escape.hpp"

#include <cstdio>

#include "base/utf8.hpp"

namespace ballot::app {
namespace {

void append_code(std::string& to, const char* format, unsigned code) {
  char text[16];
  to.append(text, static_cast<std::size_t>(std::snprintf(text, sizeof text, format, code)));
}

void append_ascii(std::string& to, char c, Escape how) {
  switch (c) {
    case '\n': to += "\\n"; return;
    case '\r': to += "\\r"; return;
    case '\t': to += "\\t"; return;
    case '"':
    case '\\':
      if (how != Escape::plain) to += '\\';
      to += c;
      return;
    default:
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
        append_code(to, "\\u%04x", static_cast<unsigned char>(c));
      else
        to += c;
  }
}

}  // namespace

void append_escaped(std::string& to, std::string_view text, Escape how) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0)
      append_code(to, how == Escape::json ? "\\\\x%02x" : "\\x%02x", static_cast<unsigned char>(text.front()));
    else if (length == 1)
      append_ascii(to, text.front(), how);
    else if (const char32_t character = utf8_character(text, length); is_display_control(character))
      append_code(to, "\\u%04x", static_cast<unsigned>(character));
    else
      to += text.substr(0, length);
    text.remove_prefix(length != 0 ? length : 1);
  }
}

std::string escaped(std::string_view text, Escape how) {
  std::string result;
  append_escaped(result, text, how);
  return result;
}

std::string json_text(std::string_view text) { return '"' + escaped(text, Escape::json) + '"'; }

}  // namespace ballot::app
