#include "http_client/json.hpp"

#include <algorithm>
#include <boost/json/src.hpp>
#include <charconv>
#include <cmath>

#include "support/bounds.hpp"

namespace ballot::http {

namespace {

/// Boost.JSON reads 1e999 as infinity, which it then writes as what it does not read.
bool is_finite(const json::value& value) {
  if (const double* const number = value.if_double()) return std::isfinite(*number);
  if (const json::array* const all = value.if_array()) return std::all_of(all->begin(), all->end(), is_finite);
  const json::object* const members = value.if_object();
  return members == nullptr ||
         std::all_of(members->begin(), members->end(), [](const auto& member) { return is_finite(member.value()); });
}

/// A text of JSON has at most so many values; for another text the number means nothing.
std::size_t count_values(std::string_view text) {
  std::size_t count = 1;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') in_string = !in_string;
    if (in_string)
      i += text[i] == '\\' ? 1 : 0;
    else
      count += text[i] == ',' || text[i] == '[' || text[i] == '{' ? 1 : 0;
  }
  return count;
}

}  // namespace

json::value parse_json(std::string_view text) {
  if (count_values(text) > support::bounds::json_values) return {};
  json::error_code error;
  json::parse_options options;
  options.max_depth = support::bounds::json_depth;
  json::value value = json::parse({text.data(), text.size()}, error, {}, options);
  return error || !is_finite(value) ? json::value() : value;
}

const json::value& member_of(const json::value& value, std::string_view name) {
  static const json::value none;
  const json::object* const object = value.if_object();
  const json::value* const found = object == nullptr ? nullptr : object->if_contains({name.data(), name.size()});
  return found == nullptr ? none : *found;
}

std::string_view text_of(const json::value& value) {
  const json::string* const text = value.if_string();
  return text == nullptr ? std::string_view() : std::string_view(text->data(), text->size());
}

std::uint64_t number_of(const json::value& value) {
  if (const auto* const number = value.if_uint64()) return *number;
  if (const auto* const number = value.if_int64()) return *number < 0 ? 0 : static_cast<std::uint64_t>(*number);
  const std::string_view text = text_of(value);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

bool truth_of(const json::value& value) {
  const bool* const truth = value.if_bool();
  return truth != nullptr && *truth;
}

const json::array& array_of(const json::value& value) {
  static const json::array none;
  const json::array* const array = value.if_array();
  return array == nullptr ? none : *array;
}

}  // namespace ballot::http
