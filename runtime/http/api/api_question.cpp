#include "http/api/api_question.hpp"

#include <algorithm>
#include <charconv>

#include "base/quoted.hpp"
#include "base/wall_text.hpp"

namespace ballot::web {
namespace {

using Kind = Parameter::Kind;
using Value = io::Message::Value;

std::string names_of(std::span<const Parameter> parameters) {
  std::string names;
  for (const Parameter& one : parameters) names.append(names.empty() ? "" : ", ").append(one.name);
  return names.empty() ? "there are none" : "there are " + names;
}

const Parameter* find(std::span<const Parameter> parameters, std::string_view name) {
  const auto found =
      std::find_if(parameters.begin(), parameters.end(), [&](const auto& one) { return one.name == name; });
  return found == parameters.end() ? nullptr : &*found;
}

Error wrong(const Parameter& parameter, const std::string& text, const char* what) {
  return {Errc::invalid, std::string(parameter.name) + ": " + quoted(text) + " is no " + what};
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    if (comma > at) words.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return words;
}

Result<Value> value_of(const Parameter& parameter, const std::string& text) {
  switch (parameter.kind) {
    case Kind::text: return Value(text);
    case Kind::list: return Value(split(text));
    case Kind::whole:
    case Kind::count: {
      const bool is_count = parameter.kind == Kind::count;
      std::int64_t number = 0;
      const char* const end = text.data() + text.size();
      const auto [at, error] = std::from_chars(text.data(), end, number);
      if (error == std::errc{} && at == end && number >= (is_count ? 1 : 0)) return Value(number);
      return wrong(parameter, text, is_count ? "whole number from 1 on" : "whole number from 0 on");
    }
    case Kind::time: {
      const auto time = parse_wall(text);
      if (time) return Value(std::int64_t{time->time_since_epoch().count()});
      return wrong(parameter, text, "time as 2025-03-09T07:00:00Z (RFC 3339; a '+' is %2B in a URL)");
    }
    case Kind::yes_no:
      if (text == "true" || text == "false") return Value(text == "true");
      return wrong(parameter, text, "true or false");
  }
  return Value();
}

std::string field_of(const Parameter& parameter) {
  return std::string(parameter.field.empty() ? parameter.name : parameter.field);
}

Result<void> add_query(const ApiRoute& route, const Pairs& query, io::Message& question) {
  for (const auto& [name, text] : query) {
    const Parameter* const parameter = find(route.query, name);
    if (parameter == nullptr)
      return Error{Errc::invalid, "the query has no " + quoted(name) + ": " + names_of(route.query)};
    auto value = value_of(*parameter, text);
    if (!value) return value.error();
    const std::string field = field_of(*parameter);
    if (auto* const more = std::get_if<std::vector<std::string>>(&*value); more && parameter->kind == Kind::list) {
      const auto before = question.texts(field);
      more->insert(more->begin(), before.begin(), before.end());
    }
    question.set(field, *std::move(value));
  }
  return {};
}

/// "": the value is of that kind.
std::string_view wanted_in_body(Kind kind, const Value& value) {
  if (kind == Kind::whole) return std::holds_alternative<std::int64_t>(value) ? "" : "a whole number";
  if (kind == Kind::yes_no) return std::holds_alternative<bool>(value) ? "" : "true or false";
  return std::holds_alternative<std::string>(value) ? "" : "a text";
}

Result<void> add_body(const ApiRoute& route, const std::string& body, io::Message& question) {
  if (body.empty()) return {};
  const auto given = io::decode(body);
  if (!given) return Error{Errc::invalid, "the body: " + given.error().what};
  for (const auto& [name, value] : given->fields()) {
    const Parameter* const parameter = find(route.body, name);
    if (parameter == nullptr)
      return Error{Errc::invalid, "the body has no " + quoted(name) + ": " + names_of(route.body)};
    if (const std::string_view wanted = wanted_in_body(parameter->kind, value); !wanted.empty())
      return Error{Errc::invalid, "the body's '" + name + "' must be " + std::string(wanted)};
    question.set(field_of(*parameter), value);
  }
  return {};
}

}  // namespace

Result<io::Message> question_of(const ApiRoute& route, const HttpRequest& request) {
  io::Message question;
  question.set("do", std::string(route.word)).set("form", std::string("shown"));
  if (!route.ask.empty()) question.set("ask", std::string(route.ask));
  if (find(route.query, "scope") != nullptr) question.set("scope", std::string("fleet"));
  if (!route.path_field.empty())
    question.set(std::string(route.path_field), request.parameters.empty() ? "" : request.parameters.front().second);
  if (const auto added = add_query(route, request.query, question); !added) return added.error();
  if (const auto scope = question.text("scope"); scope && scope != "fleet" && scope != "node")
    return Error{Errc::invalid, "scope: " + quoted(*scope) + " is neither fleet nor node"};
  if (const auto added = add_body(route, request.body, question); !added) return added.error();
  return question;
}

}  // namespace ballot::web
