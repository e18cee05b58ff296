// HeldRun: what the runner has of one attempt: the child, and, until that is known to have exec'd, its launch. Knows
// nothing of the daemon, and of other runs. The caller passes the time.
//
//   HeldRun held(Attempt(...), output_fd, report_fd, std::make_unique<Launch>(...));
//   if (held.launch) held.end_late_launch(now);
//   held.attempt.advance(now);
//   ... again at held.wake(now)
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "runner/attempt.hpp"
#include "runner/launch.hpp"

namespace ballot::runner {

class HeldRun {
 public:
  HeldRun(Attempt made, int output_fd, int report_fd, std::unique_ptr<Launch> begun)
      : attempt(std::move(made)), launch(std::move(begun)), output(output_fd), report(report_fd) {}

  /// KILL, as it has not exec'd in time. Requires: launch.
  void kill_launch(SteadyTime now);
  /// Ends a launch that is beyond its limit: the owner of the program, or its user, can make exec wait, or the child
  /// before it. Requires: launch.
  void end_late_launch(SteadyTime now);
  /// `kill_at`: when its term's deadline wants it killed, where its signal may be due by now. The run's signal comes
  /// its own grace before that, and not earlier.
  void end_with_term(std::optional<SteadyTime> kill_at, SteadyTime now);
  /// When something is due next; max(): nothing is.
  SteadyTime wake(SteadyTime now) const;
  /// Of a child that was reaped: whether there was no run. Requires: launch, whose report was read.
  bool was_in_vain() const;

  Attempt attempt;
  std::unique_ptr<Launch> launch;            // until it is known whether the child has exec'd
  const int output, report;                  // the descriptors' numbers, as the poller returns them
  SteadyTime wakes_at = SteadyTime::max();   // its place in RunTable
  SteadyTime signal_at = SteadyTime::max();  // when its term's deadline gives it its signal
  bool stream_cut = false;                   // the daemon was sent a notice that its output is not streamed for now
};

}  // namespace ballot::runner
