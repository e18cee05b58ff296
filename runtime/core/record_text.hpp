// The text of registers and records: a heading with the format, then a line a field: a key, a space, its words. What a
// newer version added is kept, not understood. Pure; used by register.cpp, request.cpp and outcome.cpp.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "ballot/error.hpp"
#include "base/wall_text.hpp"

namespace ballot::core {

inline constexpr std::string_view heading = "ballot 1";

inline void line(std::string& text, std::string_view key, std::string_view value) {
  text.append(key).append(" ").append(value).append("\n");
}

/// Reads words from the front of a line; a word that is missing or wrong makes `ok` false.
struct Words {
  std::string_view rest;
  bool ok = true;

  std::string_view word() {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    ok = ok && !word.empty();
    return word;
  }
  template <class T>
  T keep(std::optional<T> value) {
    ok = ok && value.has_value();
    return value.value_or(T{});
  }
  template <class Number>
  Number as(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    ok = ok && error == std::errc{} && end == text.data() + text.size() && !text.empty();
    return value;
  }
  WallTime time() { return keep(parse_wall(word())); }
  std::uint64_t number() { return as<std::uint64_t>(word()); }
};

/// Reads `text` line by line into an R with `read_line`. `what` names it in the error: "the register".
/// Errors: Errc::corrupt where it cannot be read, Errc::refused where its format is newer than this program's.
template <class R>
Result<R> parse_lines(std::string_view text, std::string_view what, void (*read_line)(R&, Words&, std::string_view)) {
  R result;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view whole = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (++number == 1) {
      if (whole == heading) continue;
      if (whole.starts_with("ballot "))
        return Error{Errc::refused,
                     std::string(what) + " has a newer format (" + std::string(whole) + "); upgrade this node"};
      return Error{Errc::corrupt, std::string(what) + " is unreadable at line 1"};
    }
    Words words{whole};
    read_line(result, words, whole);
    if (!words.ok) return Error{Errc::corrupt, std::string(what) + " is unreadable at line " + std::to_string(number)};
  }
  if (number == 0) return Error{Errc::corrupt, std::string(what) + " is empty"};
  return result;
}

}  // namespace ballot::core
