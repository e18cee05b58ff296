#include "config/digest.hpp"

namespace ballot::config {

void Digest::bytes(std::string_view text) {
  constexpr Word prime = (Word{1} << 88) | 0x13b;
  Word state = state_;
  for (const char c : text) {
    state ^= static_cast<unsigned char>(c);
    state *= prime;
  }
  state_ = state;
}

void Digest::put(double value) {
  char text[32];
  bytes({text, std::to_chars(text, text + sizeof text, value).ptr});
}

void Digest::put(const std::string& value) {
  put(value.size());
  bytes(":");
  bytes(value);
}

std::string Digest::hex() const {
  std::string text(32, '0');
  Word rest = state_;
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, rest >>= 4)
    *digit = "0123456789abcdef"[static_cast<unsigned>(rest) & 15];
  return text;
}

}  // namespace ballot::config
