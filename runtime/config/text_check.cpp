#include "config/text_check.hpp"

namespace ballot::config {
namespace {

/// How many bytes the UTF-8 character at the front of `text` has; 0 if there is none. Requires: text not empty.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto follows = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xc0) == 0x80; };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return follows(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    if (!follows(1) || !follows(2)) return 0;
    const bool overlong = lead == 0xe0 && byte(1) < 0xa0, surrogate = lead == 0xed && byte(1) > 0x9f;
    return overlong || surrogate ? 0 : 3;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    const bool overlong = lead == 0xf0 && byte(1) < 0x90, too_large = lead == 0xf4 && byte(1) > 0x8f;
    return overlong || too_large ? 0 : 4;
  }
  return 0;
}

/// Walks over a text, and knows as much of TOML as it takes to tell a key's dots from those of a string.
class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) {}

  std::optional<TextProblem> run() {
    while (at_ < text_.size()) {
      if (const char* problem = step()) return TextProblem{{line_, column_}, problem};
    }
    return std::nullopt;
  }

 private:
  enum class Quote { none, comment, basic, literal, long_basic, long_literal };

  const char* step() {
    const char c = text_[at_];
    if (c == '\0') return "a NUL byte: this is no text file";
    if (c == '\n') return next_line(), nullptr;
    if (at_ - line_start_ >= longest_line)
      return "the line is longer than 64 KiB; break it, or use a multi-line string";
    if (static_cast<unsigned char>(c) >= 0x80) return wide();
    if (quote_ != Quote::none) return inside(c), nullptr;
    return outside(c);
  }

  const char* wide() {
    const std::size_t length = character_length(text_.substr(at_));
    if (length == 0) return "this is not UTF-8; save the file as UTF-8";
    at_ += length;
    ++column_;
    return nullptr;
  }

  const char* outside(char c) {
    switch (c) {
      case '.':
        if (++dots_ > deepest_key) return "the key has more than 16 dots";
        break;
      case '=':
      case ',':
      case '[':
      case ']':
      case '{':
      case '}': dots_ = 0; break;
      case '#': quote_ = Quote::comment; break;
      case '"': return open(c, Quote::basic, Quote::long_basic), nullptr;
      case '\'': return open(c, Quote::literal, Quote::long_literal), nullptr;
      default: break;
    }
    return skip(1), nullptr;
  }

  void open(char mark, Quote one_line, Quote many_lines) {
    const bool is_long = three(mark);
    quote_ = is_long ? many_lines : one_line;
    skip(is_long ? 3 : 1);
  }

  void inside(char c) {
    if (quote_ == Quote::comment) return skip(1);
    const bool escapes = quote_ == Quote::basic || quote_ == Quote::long_basic;
    if (escapes && c == '\\' && at_ + 1 < text_.size() && (text_[at_ + 1] == '"' || text_[at_ + 1] == '\\'))
      return skip(2);
    if (c != (escapes ? '"' : '\'')) return skip(1);
    if (quote_ == Quote::long_basic || quote_ == Quote::long_literal) return close_long(c);
    quote_ = Quote::none;
    skip(1);
  }

  /// Up to two of the marks before the closing three belong to the text.
  void close_long(char mark) {
    if (!three(mark)) return skip(1);
    for (int i = 0; i < 2 && at_ + 3 < text_.size() && text_[at_ + 3] == mark; ++i) skip(1);
    quote_ = Quote::none;
    skip(3);
  }

  bool three(char mark) const {
    return at_ + 2 < text_.size() && text_[at_] == mark && text_[at_ + 1] == mark && text_[at_ + 2] == mark;
  }

  void next_line() {
    line_start_ = ++at_;
    ++line_;
    column_ = 1;
    dots_ = 0;
    if (quote_ != Quote::long_basic && quote_ != Quote::long_literal) quote_ = Quote::none;
  }

  void skip(std::size_t characters) {
    at_ += characters;
    column_ += static_cast<int>(characters);
  }

  std::string_view text_;
  std::size_t at_ = 0, line_start_ = 0;
  int line_ = 1, column_ = 1;
  Quote quote_ = Quote::none;
  int dots_ = 0;
};

}  // namespace

std::optional<TextProblem> check_text(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return Walk(text).run();
}

}  // namespace ballot::config
