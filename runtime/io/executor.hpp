// Executor: what starts, watches and ends runs for an engine. The runner is one (RunnerExecutor); functions inside a
// process can be another.
//
// Thread: the loop's. What becomes of runs comes as events of the core: Inventory first, once the executor knows what
// it has, then Started, Refused, CannotStart and Ended of each launch; RunnerGone where the link to it breaks (an
// Inventory follows), and RunnerSilence where it does not answer.
#pragma once

#include "ballot/error.hpp"
#include "core/action.hpp"

namespace ballot::io {

class Executor {
 public:
  virtual ~Executor() = default;

  virtual Result<void> start() = 0;
  virtual void launch(const core::Launch& launch) = 0;
  /// Runs of this term that end with it are ended by then, whatever becomes of the engine.
  virtual void set_deadline(const core::TermDeadline& deadline) = 0;
  virtual void kill(const core::KillRun& kill) = 0;
  /// The run's end is known to all who need it: nothing need be kept of it.
  virtual void forget(const runner::AttemptId& id) = 0;
  /// The engine stops. `keeps`: runs go on, and the terms last until `deadline`. No event comes after it.
  virtual void leave(bool keeps, SteadyTime deadline) = 0;
};

}  // namespace ballot::io
