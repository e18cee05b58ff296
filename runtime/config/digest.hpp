// Digest: what a definition says, as 32 hexadecimal digits. Nodes compare it, registers remember it: it must come out
// the same for the same meaning, in every release.
//
// It is FNV-1a with 128 bits over a canonical text, which has a line KEY=VALUE\n for each key whose value is not the
// default, in byte order of the keys, after a first line `job=NAME`. How the file writes it (order, comments, units,
// quotes, the file's name) does not count; `shell` counts as the `command` that it stands for, and `timezone` is always
// there, resolved. A job with calendars has a last line, days=TEXT, with all that they say. A new key with a default
// does not change the digest of jobs that do not use it. Values:
//   bool             true, false
//   integer          decimal
//   number           the shortest decimal that reads back the same
//   duration         milliseconds, decimal
//   date-time        milliseconds since 1970, decimal
//   one of a set     its word, as written in the file
//   string           LENGTH:BYTES, length in bytes, decimal
//   list             [ then each value and a comma, then ]
//   table            { then for each key in byte order the key as a string and the value, then }
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ballot/optional_time.hpp"
#include "ballot/shared.hpp"
#include "ballot/time.hpp"
#include "config/words.hpp"

namespace ballot::config {

class Digest {
 public:
  void bytes(std::string_view text);

  void put(bool value) { bytes(value ? "true" : "false"); }
  void put(double value);
  void put(const std::string& value);
  void put(Millis value) { put(value.count()); }
  void put(WallTime value) { put(value.time_since_epoch()); }

  template <std::integral T>
  void put(T value) {
    char text[24];
    bytes({text, std::to_chars(text, text + sizeof text, value).ptr});
  }

  template <class E>
  requires std::is_enum_v<E>
  void put(E value) { bytes(word_of(value)); }

  template <class T>
  void put(const std::vector<T>& values) {
    bytes("[");
    for (const T& value : values) put(value), bytes(",");
    bytes("]");
  }

  void put(const std::map<std::string, std::string>& values) {
    bytes("{");
    for (const auto& [key, value] : values) put(key), put(value);
    bytes("}");
  }

  /// Requires: a value.
  template <class T>
  void put(const std::optional<T>& value) {
    put(*value);
  }

  template <class Time>
  void put(const OptionalTime<Time>& value) {
    put(*value);
  }

  template <class T>
  void put(const Shared<T>& value) {
    put(*value);
  }

  std::string hex() const;

 private:
  __extension__ using Word = unsigned __int128;
  Word state_ = (Word{0x6c62272e07bb0142} << 64) | 0x62b821756295c58d;
};

}  // namespace ballot::config
