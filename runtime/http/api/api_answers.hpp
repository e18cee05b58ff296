// Answers of /api/v1: a request is put as its question, and the lines of the answer become the response.
//
// Thread: the server's.
//
//   answer(route, exchange);
#pragma once

#include "http/api/api_table.hpp"

namespace ballot::web {

void answer(const ApiRoute& route, const ExchangePtr& exchange);

}  // namespace ballot::web
