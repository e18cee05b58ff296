#include "io/message.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <boost/json/src.hpp>
#include <cstdio>

#include "base/utf8.hpp"

namespace ballot::io {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 9> error_words{"invalid", "not_found", "conflict", "refused", "unavailable",
                                                      "timeout", "io",        "corrupt",  "denied"};
static_assert(error_words.size() == static_cast<std::size_t>(Errc::denied) + 1);

constexpr std::size_t deepest = 8;

Result<Message> from_json(const json::object& object);

Result<Message::Value> list_from_json(const std::string& key, const json::array& array) {
  std::vector<std::string> texts;
  std::vector<Message> objects;
  for (const json::value& item : array) {
    if (item.is_string()) {
      texts.emplace_back(item.get_string());
    } else if (item.is_object()) {
      auto object = from_json(item.get_object());
      if (!object) return object.error();
      objects.push_back(*std::move(object));
    }
  }
  if (texts.size() == array.size()) return Message::Value(std::move(texts));
  if (objects.size() == array.size()) return Message::Value(std::move(objects));
  return Error{Errc::invalid, "the list '" + key + "' contains something else than texts only, or objects only"};
}

Result<Message::Value> value_from_json(const std::string& key, const json::value& value) {
  switch (value.kind()) {
    case json::kind::null: return Message::Value();
    case json::kind::bool_: return Message::Value(value.get_bool());
    case json::kind::int64: return Message::Value(value.get_int64());
    case json::kind::string: return Message::Value(std::string(value.get_string()));
    case json::kind::array: return list_from_json(key, value.get_array());
    default: return Error{Errc::invalid, "'" + key + "' is no null, true, false, whole number, text or list"};
  }
}

Result<Message> from_json(const json::object& object) {
  Message message;
  for (const auto& member : object) {
    std::string key(member.key());
    auto value = value_from_json(key, member.value());
    if (!value) return value.error();
    message.set(std::move(key), *std::move(value));
  }
  return message;
}

/// Of the text of valid JSON: each member has one colon outside of texts.
std::size_t written_members(std::string_view line) {
  std::size_t members = 0;
  bool is_text = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') is_text = !is_text;
    if (line[i] == '\\') ++i;
    if (line[i] == ':' && !is_text) ++members;
  }
  return members;
}

/// A key that is there twice is read once.
std::size_t read_members(const json::value& value) {
  std::size_t members = 0;
  if (const auto* const array = value.if_array())
    for (const json::value& item : *array) members += read_members(item);
  if (const auto* const object = value.if_object())
    for (const auto& member : *object) members += 1 + read_members(member.value());
  return members;
}

/// Text of others is shown as it is by whoever prints JSON. Requires: UTF-8; what is not ASCII is within texts.
std::string without_display_controls(std::string line) {
  std::string clean;
  std::size_t done = 0;
  for (std::size_t i = 0; i < line.size();) {
    const std::string_view rest = std::string_view(line).substr(i);
    const std::size_t length = static_cast<unsigned char>(rest[0]) < 0x7f ? 1 : utf8_length(rest);
    if (const char32_t c = utf8_character(rest, length); is_display_control(c)) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(c));
      clean.append(line, done, i - done).append(code.data());
      done = i + length;
    }
    i += length;
  }
  return done == 0 ? line : std::move(clean.append(line, done));
}

/// Appends to it. Long answers are encoded: no values of the library's are made of them.
struct ToJson {
  std::string& json;

  void operator()(std::monostate) { json += "null"; }
  void operator()(bool value) { json += value ? "true" : "false"; }
  void operator()(std::int64_t value) { json += std::to_string(value); }
  void operator()(const std::string& text) {
    const auto is_plain = [](char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; };
    if (std::all_of(text.begin(), text.end(), is_plain))
      json.append(1, '"').append(text).append(1, '"');
    else
      json += without_display_controls(json::serialize(json::string(valid_utf8(text))));
  }
  void operator()(const std::vector<std::string>& texts) { list(texts); }
  void operator()(const std::vector<Message>& objects) { list(objects); }
  void operator()(const Message& object) {
    json += '{';
    for (const auto& [key, value] : object.fields()) {
      (*this)(key);
      json += ':';
      std::visit(*this, value);
      json += ',';
    }
    end(object.fields().empty(), '}');
  }

 private:
  template <class T>
  void list(const std::vector<T>& items) {
    json += '[';
    for (const T& item : items) {
      (*this)(item);
      json += ',';
    }
    end(items.empty(), ']');
  }
  /// In place of the comma after the last one.
  void end(bool is_empty, char bracket) { is_empty ? json.push_back(bracket) : void(json.back() = bracket); }
};

template <class T>
std::optional<T> find(const std::map<std::string, Message::Value>& fields, const std::string& key) {
  const auto field = fields.find(key);
  const T* value = field != fields.end() ? std::get_if<T>(&field->second) : nullptr;
  return value != nullptr ? std::optional<T>(*value) : std::nullopt;
}

}  // namespace

Message& Message::set(std::string key, Value value) {
  fields_.insert_or_assign(std::move(key), std::move(value));
  return *this;
}

std::optional<bool> Message::flag(const std::string& key) const { return find<bool>(fields_, key); }
std::optional<std::int64_t> Message::integer(const std::string& key) const { return find<std::int64_t>(fields_, key); }
std::optional<std::string> Message::text(const std::string& key) const { return find<std::string>(fields_, key); }
std::vector<std::string> Message::texts(const std::string& key) const {
  return find<std::vector<std::string>>(fields_, key).value_or(std::vector<std::string>());
}
std::vector<Message> Message::objects(const std::string& key) const {
  return find<std::vector<Message>>(fields_, key).value_or(std::vector<Message>());
}

std::string encode(const Message& message) {
  std::string json;
  ToJson{json}(message);
  return json;
}

std::size_t count_values(std::string_view line) {
  const auto begins_value = [](char c) { return c == ',' || c == '[' || c == '{'; };
  return 1 + static_cast<std::size_t>(std::count_if(line.begin(), line.end(), begins_value));
}

Result<Message> decode(std::string_view line) {
  json::error_code error;
  const json::value value = json::parse(line, error, {}, {.max_depth = deepest});
  if (error) return Error{Errc::invalid, "this is not JSON: " + error.message()};
  if (!value.is_object()) return Error{Errc::invalid, "this is JSON, but no object"};
  if (read_members(value) != written_members(line))
    return Error{Errc::invalid, "this is JSON, but a key stands twice in one of its objects"};
  return from_json(value.get_object());
}

Message to_message(const Error& error) {
  Message message;
  message.set("error", std::string(error_words[static_cast<std::size_t>(error.code)])).set("text", error.what);
  return message;
}

std::optional<Error> to_error(const Message& message) {
  const auto word = message.text("error");
  if (!word) return std::nullopt;
  Error error{Errc::invalid, message.text("text").value_or("the daemon refused without saying why")};
  for (std::size_t i = 0; i < error_words.size(); ++i)
    if (error_words[i] == *word) error.code = static_cast<Errc>(i);
  return error;
}

}  // namespace ballot::io
