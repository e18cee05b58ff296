// The text of registers and records: a heading with the format, then a line a field: a key, a space, its words. What a
// newer version added is kept, not understood. Pure; used by register.cpp, request.cpp, outcome.cpp, peers.cpp and
// ticks.cpp.
//
// Whoever can write to the store can write anything here, so each field has its bounds, each field without which the
// rest makes no sense is required, and whatever does not fit makes the whole text unreadable. What was read can be
// reckoned with: no sum of a time and a duration overflows, no number wraps when it is raised.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ballot/error.hpp"
#include "base/duration.hpp"
#include "base/rare_list.hpp"
#include "base/utf8.hpp"
#include "base/wall_text.hpp"

namespace ballot::core {

inline constexpr std::string_view heading = "ballot 1";

inline constexpr std::size_t largest_text = 32 * 1024;                    // bytes; what nodes write is smaller
inline constexpr std::size_t longest_name = 129;                          // of a job or a group
inline constexpr std::size_t longest_word = 256, longest_line = 2048;     // bytes
inline constexpr std::uint64_t largest_counter = std::uint64_t{1} << 62;  // of fences and epochs
inline constexpr int largest_count = 10'000'000;                          // of attempts and the like
inline constexpr Millis longest_span{std::int64_t{100} * 365 * 86'400'000};
inline constexpr WallTime first_time{}, last_time{Millis(253'402'300'799'999)};  // 1970 to 9999

inline bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

/// A name of a job or a group, as the store may have it.
inline bool is_stored_name(std::string_view text) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); };
  return !text.empty() && text.size() <= longest_name && plain(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return plain(c) || c == '_' || c == '-' || c == '.' || c == '@'; });
}

inline void line(std::string& text, std::string_view key, std::string_view value) {
  text.append(key).append(" ").append(value).append("\n");
}

/// A line of what people or systems have said: in one line, and not longer than it is read.
inline void free_line(std::string& text, std::string_view key, std::string_view value) {
  std::string plain = valid_utf8(value.substr(0, longest_line / 2));
  while (plain.size() > longest_line / 2) {  // what is not UTF-8 is three bytes for one
    while ((plain.back() & 0xc0) == 0x80) plain.pop_back();
    plain.pop_back();
  }
  std::replace_if(plain.begin(), plain.end(), is_control, ' ');
  line(text, key, plain);
}

/// Words with spaces between, as a text with one more of them, and as a list.
inline void add_word(std::string& text, std::string_view word) {
  if (!text.empty()) text += ' ';
  text += word;
}
inline std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

/// Reads words from the front of a line; one that is missing, wrong or out of bounds makes `ok` false.
struct Words {
  std::string_view rest;
  bool ok = true;

  std::string_view word() {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return require(!word.empty() && word.size() <= longest_word), word;
  }
  std::string_view name() {
    const std::string_view text = word();
    return require(is_stored_name(text)), text;
  }
  /// All that is left of the line.
  std::string_view line() { return require(rest.size() <= longest_line), rest; }

  template <class T>
  T keep(std::optional<T> value) {
    require(value.has_value());
    return value.value_or(T{});
  }
  template <std::integral Number>
  Number number(Number low, Number high) {
    const auto value = as<Number>(word());
    return require(value >= low && value <= high), value;
  }
  double factor(double low, double high) {
    const auto value = as<double>(word());
    return require(std::isfinite(value) && value >= low && value <= high), value;
  }
  std::uint64_t counter() { return number<std::uint64_t>(0, largest_counter); }
  int count(int low = 0) { return number<int>(low, largest_count); }
  WallTime time() {
    const WallTime at = keep(parse_wall(word()));
    return require(at >= first_time && at <= last_time), at;
  }
  Millis span() {
    const Millis span = keep(parse_duration(word()));
    return require(span <= longest_span), span;
  }
  template <class T>
  T one_of(std::string_view first_word, T first, std::string_view second_word, T second) {
    const std::string_view text = word();
    return require(text == first_word || text == second_word), text == second_word ? second : first;
  }
  void require(bool good) { ok = ok && good; }

 private:
  template <class Number>
  Number as(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    require(error == std::errc{} && end == text.data() + text.size());
    return value;
  }
};

enum class Times { once, at_most_once, often };

/// A field of a text: how often it may occur, and how its words are read.
template <class R>
struct Field {
  std::string_view key;
  Times times;
  void (*read)(R&, Words&);
};

/// How a text is read into an R.
template <class R>
struct TextForm {
  std::string_view what;  // names it in errors: "the register"
  std::span<const Field<R>> fields;
  std::string_view (*fault)(const R&);  // what cannot be, of all fields together; "" where it can
  RareList<std::string> R::*unknown{};  // where lines of other keys are kept
};

template <class R>
std::optional<std::size_t> find_field(std::span<const Field<R>> fields, std::string_view key) {
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (fields[i].key == key) return i;
  return std::nullopt;
}

/// Which fields have been read; false where one comes a second time that may not.
template <class R>
struct FieldsRead {
  std::uint64_t fields = 0;

  bool add(const TextForm<R>& form, std::size_t index) {
    const std::uint64_t bit = std::uint64_t{1} << index;
    const bool again = (fields & bit) != 0 && form.fields[index].times != Times::often;
    fields |= bit;
    return !again;
  }
  std::string_view missing(const TextForm<R>& form) const {
    for (std::size_t i = 0; i < form.fields.size(); ++i)
      if (form.fields[i].times == Times::once && (fields >> i & 1) == 0) return form.fields[i].key;
    return {};
  }
};

inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view whole = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return whole;
}

inline bool is_plain(std::string_view text) {
  for (std::size_t length = 0; !text.empty(); text.remove_prefix(length)) {
    length = utf8_length(text);
    if (length == 0 || is_control(text.front())) return false;
  }
  return true;
}

/// Reads a line into `result`; false where it makes no sense.
template <class R>
bool read_line(const TextForm<R>& form, std::string_view whole, R& result, FieldsRead<R>& seen) {
  if (!is_plain(whole)) return false;
  Words words{whole};
  const auto field = find_field(form.fields, words.word());
  if (!field) {
    if (form.unknown) (result.*form.unknown).emplace_back(whole);
    return words.ok;
  }
  form.fields[*field].read(result, words);
  return words.ok && seen.add(form, *field);
}

/// Formats are counted from 1; anything else was not written by any node, and a repair may write it anew.
inline bool is_newer_heading(std::string_view line) {
  constexpr std::string_view before = "ballot ";
  constexpr std::size_t most_digits = 6;
  if (!line.starts_with(before) || line == heading) return false;
  line.remove_prefix(before.size());
  return !line.empty() && line.size() <= most_digits && line[0] != '0' &&
         std::all_of(line.begin(), line.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Errors: Errc::corrupt where it cannot be read, Errc::refused where its format is newer than this program's.
template <class R>
Result<R> parse_text(const TextForm<R>& form, std::string_view text) {
  const auto corrupt = [&](std::string why) { return Error{Errc::corrupt, std::string(form.what) + why}; };
  if (text.empty()) return corrupt(" is empty");
  const std::size_t size = text.size();
  const std::string_view first = take_line(text);
  if (is_newer_heading(first))
    return Error{Errc::refused,
                 std::string(form.what) + " has a newer format (" + std::string(first) + "); upgrade this node"};
  if (first != heading) return corrupt(" is unreadable at line 1");
  if (size > largest_text) return corrupt(" is unreadable: " + std::to_string(size) + " bytes");
  R result;
  FieldsRead<R> seen;
  for (std::size_t number = 2; !text.empty(); ++number)
    if (!read_line(form, take_line(text), result, seen))
      return corrupt(" is unreadable at line " + std::to_string(number));
  if (const auto missing = seen.missing(form); !missing.empty())
    return corrupt(" is unreadable: it has no " + std::string(missing));
  if (const auto fault = form.fault ? form.fault(result) : ""; !fault.empty())
    return corrupt(" is unreadable: " + std::string(fault));
  return result;
}

/// The lines that make sense beside those before them. `left_out`: gets the keys of the others, "" where none has it,
/// and those of fields that it lacks.
template <class R>
R salvage_text(const TextForm<R>& form, std::string_view text, std::vector<std::string>* left_out) {
  R result;
  if (text.starts_with(heading)) take_line(text);
  FieldsRead<R> seen;
  if (left_out && (text.empty() || text.size() > largest_text)) left_out->emplace_back();
  text = text.substr(0, largest_text);
  while (!text.empty()) {
    R with = result;
    FieldsRead<R> with_seen = seen;
    const std::string_view whole = take_line(text);
    Words words{whole};
    const std::string_view key = words.word();
    const bool is_known = find_field(form.fields, key).has_value();
    if (!is_known || !read_line(form, whole, with, with_seen) || (form.fault && !form.fault(with).empty())) {
      if (left_out) left_out->emplace_back(is_known ? key : "");
      continue;
    }
    result = std::move(with);
    seen = with_seen;
  }
  const auto is_named = [&](std::string_view key) {
    return std::find(left_out->begin(), left_out->end(), key) != left_out->end();
  };
  for (std::size_t i = 0; left_out && i < form.fields.size(); ++i)
    if (form.fields[i].times == Times::once && (seen.fields >> i & 1) == 0 && !is_named(form.fields[i].key))
      left_out->emplace_back(form.fields[i].key);
  return result;
}

}  // namespace ballot::core
