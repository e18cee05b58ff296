// POST /api/v1/questions: a question of the control socket that takes the role viewer, and its answer, line by line, as
// the control socket has it. Nodes ask each other so.
#pragma once

#include "http/exchange.hpp"

namespace ballot::web {

/// `most_values`: of a body, but of admins'.
Route question_route(std::size_t most_values);

}  // namespace ballot::web
