// LiveOutput: what runs have printed so far, as this node's runner knows it. Blocking, with a time limit; the daemon's
// own connection to the runner is not used.
//
// Threads: one.
//
//   auto live = LiveOutput::connect(runner_socket(config));
//   const auto shown = live->ask({run, 1}, printer.at());
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "ballot/error.hpp"
#include "base/runner_wire.hpp"
#include "base/unique_fd.hpp"

namespace ballot::library {

class LiveOutput {
 public:
  /// Errors: not_found (no runner there), refused (it is of another user, or this user may not talk to it).
  static Result<LiveOutput> connect(const std::string& socket);

  /// `goes_on`: false ends the wait. Errors: unavailable (the runner does not answer, or does not know the question).
  Result<runner::Shown> ask(const runner::AttemptId& attempt, std::int64_t from,
                            const std::function<bool()>& goes_on = {});

 private:
  explicit LiveOutput(UniqueFd connection) : connection_(std::move(connection)) {}

  UniqueFd connection_;
  runner::FrameReader frames_;
};

}  // namespace ballot::library
