// DigestText: the text of a definition's digest. Where it is 32 hexadecimal digits, as config makes it, it is kept as
// their 16 bytes: each job has one in its definition and one in its register. Any other text is kept as it is.
//
//   DigestText digest = "0f3a...";
//   if (digest == stored.definition) ...
//   line(text, "definition", digest.text());
//
// Plain values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "ballot/shared.hpp"

namespace ballot {

class DigestText {
 public:
  DigestText() = default;
  DigestText(std::string_view text) {
    if (const auto digits = digits_of(text))
      text_ = *digits;
    else
      text_ = Shared<std::string>(std::string(text));
  }
  DigestText(const std::string& text) : DigestText(std::string_view(text)) {}
  DigestText(const char* text) : DigestText(std::string_view(text)) {}

  std::string text() const {
    const Digits* const digits = std::get_if<Digits>(&text_);
    if (digits == nullptr) return *std::get<Shared<std::string>>(text_);
    std::string text;
    text.reserve(32);
    for (const std::uint64_t half : *digits)
      for (int shift = 60; shift >= 0; shift -= 4) text += hexadecimal[half >> shift & 15];
    return text;
  }
  operator std::string() const { return text(); }
  bool empty() const { return text_ == decltype(text_)(); }
  friend bool operator==(const DigestText&, const DigestText&) = default;

 private:
  using Digits = std::array<std::uint64_t, 2>;
  static constexpr std::string_view hexadecimal = "0123456789abcdef";

  static std::optional<Digits> digits_of(std::string_view text) {
    if (text.size() != 32) return std::nullopt;
    Digits digits{};
    for (std::size_t i = 0; i < text.size(); ++i) {
      const std::size_t value = hexadecimal.find(text[i]);
      if (value == std::string_view::npos) return std::nullopt;
      digits[i / 16] = digits[i / 16] << 4 | value;
    }
    return digits;
  }

  std::variant<Shared<std::string>, Digits> text_;
};

}  // namespace ballot
