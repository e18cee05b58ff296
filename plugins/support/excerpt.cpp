#include "support/excerpt.hpp"

#include <cstdint>
#include <cstdio>
#include <variant>

#include "support/bounds.hpp"

namespace ballot::support {

namespace {

constexpr std::size_t longest_note = 32;  // " [N bytes]"

/// How many bytes the character at the head has in UTF-8; 0: none that may be shown.
std::size_t shown_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return byte(0) >= 0x20 && byte(0) != 0x7f ? 1 : 0;
  const std::size_t size = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || size > text.size()) return 0;
  std::uint32_t code = byte(0) & (0xffu >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fu);
  }
  const std::uint32_t smallest = size == 2 ? 0xa0 : size == 3 ? 0x800 : 0x10000;  // to 0x9f: control characters
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  const bool is_line_end = code == 0x2028 || code == 0x2029;
  const bool is_direction = code == 0x061c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
                            (code >= 0x2066 && code <= 0x2069);
  return code >= smallest && code <= 0x10ffff && !is_surrogate && !is_direction && !is_line_end ? size : 0;
}

}  // namespace

std::string excerpt(std::string_view text) {
  std::string out;
  std::size_t cut = 0;  // where the text is cut for the note, if it is too long
  for (std::size_t at = 0; at < text.size() && out.size() <= bounds::text;) {
    if (out.size() + longest_note <= bounds::text) cut = out.size();
    const std::size_t size = shown_size(text.substr(at));
    if (size > 0) {
      out.append(text.substr(at, size));
      at += size;
      continue;
    }
    char hex[5];
    std::snprintf(hex, sizeof hex, "\\x%02x", static_cast<unsigned char>(text[at++]));
    out += hex;
  }
  if (out.size() <= bounds::text) return out;
  return out.substr(0, cut) + " [" + std::to_string(text.size()) + " bytes]";
}

void shorten_texts(Event& event) {
  std::visit(
      [](auto& what) {
        if constexpr (requires { what.text; }) what.text = excerpt(what.text);
        if constexpr (requires { what.why; }) what.why = excerpt(what.why);
        if constexpr (requires { what.answers; })
          for (WriteAnswer& one : what.answers) one.text = excerpt(one.text);
        if constexpr (requires { what.store.facts; }) {
          for (auto& [name, value] : what.store.facts) name = excerpt(name), value = excerpt(value);
          for (std::string& warning : what.store.warnings) warning = excerpt(warning);
        }
      },
      event);
}

}  // namespace ballot::support
