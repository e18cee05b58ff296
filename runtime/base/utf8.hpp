// UTF-8 as it comes from files, children and sockets: where it is whole, and where it is not.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ballot {

/// Bytes of the well-formed character at the front of `text` (1 to 4); 0 if there is none: not UTF-8, or empty.
inline std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xbf) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned lead = byte(0);
  if (text.empty()) return 0;
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return follows(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef)
    return follows(1, lead == 0xe0 ? 0xa0 : 0x80, lead == 0xed ? 0x9f : 0xbf) && follows(2) ? 3 : 0;
  if (lead >= 0xf0 && lead <= 0xf4)
    return follows(1, lead == 0xf0 ? 0x90 : 0x80, lead == 0xf4 ? 0x8f : 0xbf) && follows(2) && follows(3) ? 4 : 0;
  return 0;
}

/// The character at the front of `text`. Requires: utf8_length(text) is `length`, and not 0.
inline char32_t utf8_character(std::string_view text, std::size_t length) {
  constexpr unsigned char lead_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  char32_t character = static_cast<unsigned char>(text[0]) & lead_bits[length];
  for (std::size_t i = 1; i < length; ++i) character = character << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
  return character;
}

/// Characters that show nothing and change how others are shown: controls of ASCII and of C1, ends of lines and
/// paragraphs, and those that set the direction of text, by which a name or a command can be made to look like another.
constexpr bool is_display_control(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200e || c == 0x200f ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/// `text` with U+FFFD for each byte that is not UTF-8.
inline std::string valid_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    result += length != 0 ? text.substr(0, length) : std::string_view("\xEF\xBF\xBD");
    text.remove_prefix(length != 0 ? length : 1);
  }
  return result;
}

}  // namespace ballot
