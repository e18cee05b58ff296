// Attempt: one child, from clone until its end is sent and acknowledged: its output, how it is stopped, what it leaves.
// Knows nothing of sockets and terms; the caller passes the time, and that the child has ended.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <optional>
#include <string_view>

#include "base/kept_output.hpp"
#include "base/runner_wire.hpp"
#include "base/unique_fd.hpp"
#include "runner/run_processes.hpp"

namespace ballot::runner {

/// | state    | meaning                                                | moves to                                   |
/// | running  | the child lives, nobody wants it to end                | stopping; draining when it ends            |
/// | stopping | its signal was sent                                    | killed when the grace is over; draining    |
/// | killed   | KILL was sent                                          | draining; ended (unkillable) after 2 s     |
/// | draining | the child is reaped; its output is read to the end or  | sweeping: at once, or, being stopped, not  |
/// |          | for 2 s                                                | before all is gone or KILL is due; ended,  |
/// |          |                                                        | where it leaves what is left, and nobody   |
/// |          |                                                        | stopped it: its output is read as far as   |
/// |          |                                                        | it is there                                |
/// | sweeping | KILL was sent to what is left of its processes         | ended: when nothing is, or after 2 s       |
/// | ended    | outcome() is what is sent, until it is acknowledged    |                                            |
class Attempt {
 public:
  /// `output`: the non-blocking end of the pipe that the child writes to. `started`: read before the child was made.
  Attempt(const Start& start, RunProcesses processes, UniqueFd output, Now started);

  const AttemptId& id() const { return id_; }
  pid_t pid() const { return processes_.leader(); }
  std::uint64_t term_key() const { return term_key_; }
  bool terminate() const { return terminate_; }
  Millis kill_grace() const { return kill_grace_; }
  bool streams() const { return streams_; }
  bool has_ended() const { return state_ == State::ended; }
  /// The child is reaped, the run goes on: its other processes may end at any time.
  bool has_output() const { return static_cast<bool>(output_); }  // its end has not been read
  bool lingers() const { return state_ == State::draining || state_ == State::sweeping; }
  Running running() const { return {id_, job_, pid(), started_.wall}; }
  Started started() const { return {id_, pid(), started_.wall}; }
  /// Requires: has_ended().
  const Ended& outcome() const { return outcome_; }

  /// What is kept of its output: see ShowOutput.
  Shown show_output(std::int64_t from) const;

  /// Reads once, into `buffer`; keeps and returns what came. Empty: nothing for now, or the output is at its end.
  std::string_view read(std::string& buffer);

  /// The child has exec'd, or counts as if it had.
  void executed() { processes_.leader_executed(); }

  /// Whether somebody wants it to end: it was given its signal.
  bool is_being_stopped() const { return reason_ != Reason::none; }

  /// The child has ended, and is not reaped yet: nothing is due till then.
  bool is_over() const { return is_over_; }
  bool find_over() { return is_over_ = is_over_ || processes_.has_leader_ended(); }

  /// KILL to all of it, without a reason of its own: it has not exec'd in time.
  void kill(SteadyTime now) { processes_.signal(SIGKILL, now); }
  /// Why it was killed so, where it counts as started all the same.
  void killed_for(Reason reason) { reason_ = reason_ == Reason::none ? reason : reason_; }

  /// The child was reaped.
  void child_ended(int wait_status, Now now);

  /// Sends the run's own signal or `signal`, and KILL at `kill_at`. A second one only shortens. What had ended by then
  /// has ended by itself, though that is reaped later: this process may have stood still.
  void stop(Reason reason, SteadyTime kill_at, SteadyTime now) { stop(reason, kill_signal_, kill_at, now); }
  void stop(Reason reason, int signal, SteadyTime kill_at, SteadyTime now);

  /// The pipe that processes which the attempt has left behind may still write to; once. Requires: has_ended().
  UniqueFd take_left_output() { return std::move(output_); }

  /// Does what is due by `now`. To be called after each change, and at wake().
  void advance(SteadyTime now);

  /// When something is due next; max(): nothing is.
  SteadyTime wake(SteadyTime now) const;

 private:
  enum class State { running, stopping, killed, draining, sweeping, ended };

  void sweep(SteadyTime now);
  void sweep_when_drained(SteadyTime now);
  void leave_behind();
  SteadyTime next_poll(SteadyTime now) const;
  void end(Leftover leftover);

  const AttemptId id_;
  const std::string job_;
  const Now started_;
  const int kill_signal_;
  const Millis kill_grace_;
  const std::optional<SteadyTime> deadline_;
  const std::uint64_t term_key_;
  const bool terminate_, streams_, leaves_;

  State state_ = State::running;
  RunProcesses processes_;
  UniqueFd output_;
  KeptOutput kept_;
  Reason reason_ = Reason::none;  // why it is being stopped
  bool is_over_ = false;
  SteadyTime kill_at_ = SteadyTime::max();
  SteadyTime drain_until_{}, give_up_at_{};
  SteadyTime lingers_since_{};
  Ended outcome_;
};

}  // namespace ballot::runner
