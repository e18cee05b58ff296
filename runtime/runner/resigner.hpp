// Resigner: starts `ballot resign` for a daemon that is gone, so that its groups are handed over and the ends of its
// runs are published. What that does is in app/commands/resign.cpp.
//
//   | state   | meaning                                     | moves to                                                |
//   | idle    | nothing is due                              | due: the daemon went, 1 s later; a run ended, once that |
//   |         |                                             | was done or somebody else has resigned                  |
//   | due     | it is started then, unless the lock is held | running; due a little later: the lock is held           |
//   | running | its process lives                           | idle; due: a run has ended meanwhile, or it ended with  |
//   |         |                                             | 69 (the store is away): after a pause that doubles      |
//
// With a daemon connected it is idle, and without a Successor, or after Leave, for ever. Thread: the runner's.
#pragma once

#include <sys/types.h>

#include <optional>

#include "base/runner_wire.hpp"
#include "runner/start_memory.hpp"

namespace ballot::runner {

class Resigner {
 public:
  void set(Successor&& successor, SteadyTime now);
  void forget();
  void daemon_came();
  void daemon_went(SteadyTime now);
  /// Also while a daemon is there.
  void run_ended(SteadyTime now);
  /// Somebody else resigns: whoever waits for the daemon need not wait any longer.
  void visited() { begun_ = true; }

  /// Starts it where it is due. The process, which the caller reaps; 0: none was started.
  pid_t advance(SteadyTime now);
  /// False: it is not ours.
  bool reaped(pid_t pid, int wait_status, SteadyTime now);

  /// When something is due; max(): nothing is.
  SteadyTime wake() const { return pid_ == 0 ? due_ : SteadyTime::max(); }
  /// `ballot resign` runs, or is still to be started for the first time.
  bool is_busy() const { return pid_ != 0 || (due_ != SteadyTime::max() && !begun_); }

 private:
  void make_due(SteadyTime at);
  bool is_locked() const;
  pid_t start() const;

  const HiddenHeap heap_;
  std::optional<Successor> successor_;
  bool alone_ = false;  // the daemon is gone
  bool begun_ = false;  // it was started since, or somebody else has resigned
  bool again_ = false;  // a run has ended while it runs
  pid_t pid_ = 0;
  SteadyTime due_ = SteadyTime::max();
  Millis pause_{0};  // before the next try
};

}  // namespace ballot::runner
