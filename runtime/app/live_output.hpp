// LiveOutput: what runs have printed so far, as this node's runner knows it. Blocking, with a time limit; no daemon is
// asked, and none disturbed.
//
// Threads: one.
//
//   auto live = LiveOutput::connect(config.run_dir + "/runner.sock");
//   const auto shown = live->ask({run, 1}, printer.at());
#pragma once

#include <optional>
#include <string>

#include "ballot/error.hpp"
#include "base/runner_wire.hpp"
#include "base/unique_fd.hpp"

namespace ballot::app {

class LiveOutput {
 public:
  /// Errors: not_found (no runner there), refused (it is of another user, or this user may not talk to it).
  static Result<LiveOutput> connect(const std::string& socket);

  /// Errors: unavailable: it does not answer, or does not know how to.
  Result<runner::Shown> ask(const runner::AttemptId& attempt, std::int64_t from);

 private:
  explicit LiveOutput(UniqueFd connection) : connection_(std::move(connection)) {}

  UniqueFd connection_;
  runner::FrameReader frames_;
};

}  // namespace ballot::app
