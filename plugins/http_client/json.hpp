// Json: what plugins of HTTP read and write: Boost.JSON, and how values are found in what a server says. An absent
// field is no error: servers leave out what is 0, false or empty. Pure; does not throw but for want of memory.
//
//   const json::value answer = parse_json(event.body);            // null where it is no JSON
//   number_at(answer, "header", "revision");                      // 7; also of "7", as servers write 64 bits
//   for (const json::value& kv : array_at(answer, "kvs")) text_at(kv, "key");
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <string>
#include <string_view>

namespace ballot::http {

namespace json = boost::json;

/// null: the text is no JSON, has a number that no double holds, or is beyond bounds::json_values or json_depth.
json::value parse_json(std::string_view text);

/// Null where it is not there.
const json::value& member_of(const json::value& value, std::string_view name);
/// "" where it is not there, or no text.
std::string_view text_of(const json::value& value);
/// 0 where it is not there, no number, or below 0.
std::uint64_t number_of(const json::value& value);
bool truth_of(const json::value& value);
/// Empty where it is not there.
const json::array& array_of(const json::value& value);

inline const json::value& at(const json::value& value) { return value; }
template <class... Names>
const json::value& at(const json::value& value, std::string_view name, Names... names) {
  return at(member_of(value, name), names...);
}
template <class... Names>
std::string_view text_at(const json::value& value, Names... names) {
  return text_of(at(value, names...));
}
template <class... Names>
std::uint64_t number_at(const json::value& value, Names... names) {
  return number_of(at(value, names...));
}
template <class... Names>
bool truth_at(const json::value& value, Names... names) {
  return truth_of(at(value, names...));
}
template <class... Names>
const json::array& array_at(const json::value& value, Names... names) {
  return array_of(at(value, names...));
}

}  // namespace ballot::http
