// Message: what goes over the control socket, one JSON object a line.
//
// Plain values, so that no other room depends on JSON. Threads: none of its own.
//
//   Message request;
//   request.set("do", "trigger").set("job", "nightly-backup");
//   auto line = encode(request);               // {"do":"trigger","job":"nightly-backup"}
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ballot/error.hpp"

namespace ballot::io {

class Message {
 public:
  /// null, true or false, a whole number, text, a list of texts, a list of objects.
  using Value =
      std::variant<std::monostate, bool, std::int64_t, std::string, std::vector<std::string>, std::vector<Message>>;

  Message& set(std::string key, Value value);
  /// Absent is null.
  template <class T>
  Message& set(std::string key, const std::optional<T>& value) {
    return set(std::move(key), value ? Value(*value) : Value());
  }
  Message& remove(const std::string& key) { return fields_.erase(key), *this; }

  /// The value of `key`; none (or empty) where it is absent, null or of another type.
  std::optional<bool> flag(const std::string& key) const;
  std::optional<std::int64_t> integer(const std::string& key) const;
  std::optional<std::string> text(const std::string& key) const;
  std::vector<std::string> texts(const std::string& key) const;
  std::vector<Message> objects(const std::string& key) const;

  const std::map<std::string, Value>& fields() const { return fields_; }
  bool operator==(const Message&) const = default;

 private:
  std::map<std::string, Value> fields_;
};

/// Without the line's end. What is not UTF-8 in a text goes as U+FFFD, and characters that turn text round or move a
/// cursor as \uXXXX.
std::string encode(const Message& message);

/// How many values `line` may have: each but the first follows one of `,[{`. Reads no JSON.
std::size_t count_values(std::string_view line);
inline bool has_at_most(std::size_t most, std::string_view line) { return count_values(line) <= most; }

/// One JSON object, nothing after it. invalid: it is something else, contains what a Message cannot, or has a key twice
/// in one object: another reader may take the first.
Result<Message> decode(std::string_view line);

/// An error as the last line of an answer, and back; none if `message` says nothing of an error.
Message to_message(const Error& error);
std::optional<Error> to_error(const Message& message);

}  // namespace ballot::io
