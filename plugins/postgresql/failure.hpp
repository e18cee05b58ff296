// Failure: what ends a call inside the plugin; its outermost function makes a Result of it. by_state() says which error
// of ballot/history.hpp an error of the server is.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "ballot/error.hpp"

namespace ballot::postgresql {

struct Failure {
  Error error;
};

[[noreturn]] inline void fail(Errc code, std::string what) { throw Failure{Error{code, std::move(what)}}; }

/// `state`: the SQLSTATE; "": libpq has none, as the connection is lost. `place`: whose error it is.
Error by_state(std::string_view state, const std::string& place, const std::string& message);

}  // namespace ballot::postgresql
