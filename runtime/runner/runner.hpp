// Runner: starts, watches and kills the children of one daemon, and outlives it.
//
// It keeps every run, and the end of every run until it is acknowledged; a daemon that connects, and whoever watches,
// is sent both. It keeps the terms' deadlines, and ends their `terminate` runs, whether a daemon is connected or
// not. When its daemon is gone for 1 s it starts `ballot resign` (Resigner).
//
// When it exits:
//   - with a daemon connected: never, but after Leave, once no run is left and all ends are sent;
//   - after Leave, without a daemon: once no run is left;
//   - not by itself while a process that a run has left behind (`background = "leave"`) can write to that run's output;
//   - on SIGTERM: its runs get TERM, and KILL 2 s later (`shutdown`); once none is left;
//   - else, without a daemon: once no run is left, after `linger` where every end was acknowledged (a daemon that is
//     restarted finds it), after a week where not (a daemon that comes back still finds how its runs ended).
//
// Thread: the only one of its process. Requires what Launcher requires, and to be the process's only waiter for
// children; orphans of its runs are reaped if the process is their subreaper.
//
// Nothing that a run's user does makes it wait: a child is not waited for until it has exec'd (launch.hpp).
//
// Each run has a cgroup of its own where the system gives us one; else its processes are searched for in /proc.
//
//   Runner(std::move(listening_socket), linger, Cgroups::find(standing)).run();
#pragma once

#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "base/runner_wire.hpp"
#include "base/unique_fd.hpp"
#include "runner/cgroup.hpp"
#include "runner/descendants.hpp"
#include "runner/left_outputs.hpp"
#include "runner/link.hpp"
#include "runner/poller.hpp"
#include "runner/resigner.hpp"
#include "runner/run_table.hpp"
#include "runner/starter.hpp"
#include "runner/term_deadlines.hpp"

namespace ballot::runner {

/// | mode    | meaning                                        | moves to                                  |
/// | serving | starts what the daemon asks for                | leaving: Leave; ending: SIGTERM           |
/// | leaving | the same; exits when no run is left            | serving: a new connection; ending: SIGTERM|
/// | ending  | starts nothing (Refused); its runs are killed  | none; exits when no run is left           |
class Runner {
 public:
  /// `cgroups`: what runs are put into, or why there are none.
  Runner(UniqueFd listener, Millis linger, Result<std::unique_ptr<Cgroups>> cgroups);

  /// Until there is nothing left to do.
  void run();

 private:
  enum class Mode { serving, leaving, ending };

  void run_once();
  void daemon_went();
  bool is_done();
  SteadyTime leaves_at() const;
  void set_timer();
  void take_timer();

  void handle(Start&& start) { waiting_.push_back(std::move(start)); }
  void handle(Kill&& kill);
  void handle(Deadline&& deadline) { deadlines_.set(deadline); }
  void handle(Ack&& ack);
  void handle(Ping&&) { link_.send(Pong{}); }
  void handle(Leave&&);
  void handle(Command&&) {}  // it commands already
  void handle(Watch&&) {}
  void handle(ShowOutput&&) {}  // who commands is sent what it needs
  void handle(Successor&& successor);
  void take_messages();

  void admit();
  void greet();
  void greet(Peer& watcher, bool resigns);
  void send_ends();
  void stream(HeldRun& held, std::string_view bytes);

  void launch_some();
  void launch(const Start& start);
  std::optional<SteadyTime> limit_of(const Start& start) const;
  void answer_again(const HeldRun& held);
  void read_report(HeldRun& held);
  bool report_started(HeldRun& held);
  void count_as_started(HeldRun& held);
  bool was_started(HeldRun& held);
  void forget_launch(HeldRun& held);

  void take_output(HeldRun& held);
  void read_output(HeldRun& held);
  void take_signals();
  void reap();
  void do_what_is_due();
  void end_with_term(HeldRun& held, SteadyTime time);
  void begin_ending();
  void settle(HeldRun& held);
  void finish(HeldRun& held);
  void retire(HeldRun& held);

  Poller poller_;
  Link link_;
  Orphans orphans_;
  Starter starter_;
  LeftOutputs left_outputs_;
  UniqueFd signals_, timer_;
  const Millis linger_;

  Mode mode_ = Mode::serving;
  TermDeadlines deadlines_;
  std::deque<Start> waiting_;  // asked for, not started yet
  RunTable runs_;
  Resigner resigner_;
  std::deque<AttemptId> unsent_ends_;  // to be sent over this connection
  bool greets_ = false;                // Ready is still to be sent
  SteadyTime quiet_since_{};           // when the last run ended or the daemon went
  SteadyTime looks_for_socket_{};      // when its file is looked for next
  SteadyTime timer_set_for_ = SteadyTime::max();
  std::string buffer_;
};

}  // namespace ballot::runner
