// The routes of /api/v1, each of them one question to the daemon in public form: which fields of it are in the path, in
// the query and in the body. Nothing is decided here; what is answered, and by whom, is the daemon's.
//
// Plain values. The OpenAPI document (openapi.json beside this file) says the same to others: a test compares the two.
//
//   for (const ApiRoute& route : api_table()) ...
#pragma once

#include <span>
#include <string_view>

#include "http/exchange.hpp"

namespace ballot::web {

/// A value of the URL or of the body, and the field of the question that it becomes.
struct Parameter {
  enum class Kind {
    text,
    list,    // in the query repeated, or with commas
    whole,   // a number, not below zero
    count,   // a number above zero
    time,    // RFC 3339; milliseconds since 1970 in the question
    yes_no,  // "true" or "false"
  };
  std::string_view name;
  Kind kind = Kind::text;
  std::string_view field = {};  // "": of the parameter's name
};

/// How an answer becomes a response.
enum class Shape {
  document,  // the answer's only message, as JSON
  tagged,    // the same with an ETag, and 304 for whoever has it
  made,      // the same of a run that was asked for: 201 where it is new
  output,    // bytes of a run's output
  events,    // lines as server-sent events, without end
};

struct ApiRoute {
  Method method = Method::get;
  std::string_view path;
  io::Role role = io::Role::viewer;
  std::string_view word;             // "do" of the question,
  std::string_view ask = {};         // and "ask", of one of the ledger
  std::string_view path_field = {};  // what the path's parameter becomes
  std::span<const Parameter> query = {};
  std::span<const Parameter> body = {};
  Shape shape = Shape::document;
};

std::span<const ApiRoute> api_table();

/// For the server.
Routes api_routes();

}  // namespace ballot::web
