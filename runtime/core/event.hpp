// What the core is told. Each is given to Core::step together with `now`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "ballot/backend.hpp"
#include "base/runner_wire.hpp"
#include "schedule/definition.hpp"

namespace ballot::core {

/// Names whoever asked; answered by exactly one Reply.
using Asker = std::uint64_t;

/// Time has passed: what Core::wake() asked for.
struct Tick {};

/// The jobs and groups that the files define now. Complete: what is not in it is not defined any more.
struct Load {
  std::vector<schedule::DefinitionPtr> jobs;
  std::vector<Group> groups;
};

/// What the runner had when the daemon connected to it. Comes before the first session is opened, and again after each
/// time that the runner was lost: what was started and is not in it then is lost too.
struct Inventory {
  std::vector<runner::Running> running;
  std::vector<runner::Ended> ended;
};

/// The runner was lost; an Inventory comes when it, or another one, is there again.
struct RunnerGone {};

/// The last row of these attempts is durable.
struct Recorded {
  std::vector<runner::AttemptId> ids;
};

/// Run `job` now, by hand. `run` is chosen by whoever asks, so that asking again is harmless.
struct TriggerJob {
  Asker asker = 0;
  RunId run;
  std::string job;
};

struct PauseJob {
  Asker asker = 0;
  std::string job;
  bool paused = true;  // false: resume
};

/// Stop cleanly. Groups without open runs are resigned at once, the others when their runs have ended, or after `wait`,
/// when they are killed. `leave`: everything stays with the runner, and the terms are kept for a restart.
struct Stop {
  Millis wait{0};
  bool leave = false;
};

using Event = std::variant<Tick, Load, Inventory, RunnerGone, BackendEvent, runner::Started, runner::Refused,
                           runner::CannotStart, runner::Ended, Recorded, TriggerJob, PauseJob, Stop>;

}  // namespace ballot::core
