// Where the runner of a state directory's daemon listens: the link STATE_DIR/runner. A runner goes on without its
// daemon, and the next daemon finds it by run_dir alone: with another one it would take the runs there for lost, and
// start others beside them.
//
//   if (const auto kept = keep_runner_place(config.state_dir, runner_socket(config)); !kept) return kept.error();
#pragma once

#include <string>

#include "ballot/error.hpp"

namespace ballot::library {

/// Keeps that the runner listens at `socket`. Errors: conflict, where one listens where the link has led until now; io,
/// where the link cannot be made. Thread: any.
Result<void> keep_runner_place(const std::string& state_dir, const std::string& socket);

}  // namespace ballot::library
