// A request of /api/v1 as the question that it is. What is not asked for in the right form is refused here, with the
// name of the value; what the values mean is the daemon's to say.
//
// Pure.
//
//   const auto question = question_of(route, exchange->request());
//   if (!question) return exchange->finish(problem(question.error()));
#pragma once

#include "ballot/error.hpp"
#include "http/api/api_table.hpp"
#include "io/message.hpp"

namespace ballot::web {

/// Errors: invalid (a value that is not known, or is not of its kind; a body that is no JSON object).
Result<io::Message> question_of(const ApiRoute& route, const HttpRequest& request);

}  // namespace ballot::web
