// Runner: starts, watches and kills the children of one daemon, and outlives it.
//
// It keeps every run, and the end of every run until it is acknowledged; a daemon that connects, and whoever watches,
// is told of both. It holds the sessions' deadlines, and ends their `terminate` runs, whether a daemon is connected or
// not. When its daemon is gone for 1 s it starts `ballot resign` (Resigner).
//
// When it exits:
//   - with a daemon connected: never, but after Leave, once no run is left and all ends are told;
//   - after Leave, without a daemon: once no run is left;
//   - on SIGTERM: its runs get TERM, and KILL 2 s later (`shutdown`); once none is left;
//   - else, without a daemon: once no run is left, after `linger` where every end was acknowledged (a daemon that is
//     restarted finds it), after a week where not (a daemon that comes back still finds how its runs ended).
//
// Thread: the only one of its process. Requires what Launcher requires, and to be the process's only waiter for
// children; orphans of its runs are reaped if the process is their subreaper.
//
// Nothing that a run's user does makes it wait: a child is not waited for until it has exec'd (launch.hpp).
//
// Each run has a cgroup of its own where the system gives us one; else its processes are looked for in /proc.
//
//   Runner(std::move(listening_socket), linger, Cgroups::find()).run();
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/runner_wire.hpp"
#include "base/unique_fd.hpp"
#include "runner/attempt.hpp"
#include "runner/cgroup.hpp"
#include "runner/descendants.hpp"
#include "runner/launch.hpp"
#include "runner/launcher.hpp"
#include "runner/link.hpp"
#include "runner/poller.hpp"
#include "runner/resigner.hpp"
#include "runner/sessions.hpp"

namespace ballot::runner {

/// | mode    | what holds                                     | moves to                                  |
/// | serving | starts what it is told to                      | leaving: Leave; ending: SIGTERM           |
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
  struct Held {
    Attempt attempt;
    int output, report;                        // the descriptors' numbers, as the poller tells them
    std::unique_ptr<Launch> launch;            // until it is known whether the child has exec'd
    SteadyTime wakes_at = SteadyTime::max();   // its place in wakes_
    SteadyTime signal_at = SteadyTime::max();  // when its session's deadline gives it its signal
    bool stream_cut = false;                   // the daemon was told that what it prints is not streamed for now
  };

  void turn();
  void daemon_went();
  bool is_done();
  SteadyTime leaves_at() const;
  void set_timer();
  void take_timer();

  void handle(Start&& start) { waiting_.push_back(std::move(start)); }
  void handle(Kill&& kill);
  void handle(Deadline&& deadline) { sessions_.set(deadline); }
  void handle(Ack&& ack);
  void handle(Ping&&) { link_.send(Pong{}); }
  void handle(Leave&&);
  void handle(Command&&) {}  // it commands already
  void handle(Watch&&) {}
  void handle(Successor&& successor);
  void take_messages();

  void admit();
  void greet();
  void greet(Peer& watcher);
  void tell_ends();
  void stream(Held& held, std::string_view bytes);

  void launch_some();
  void launch(const Start& start);
  std::optional<SteadyTime> limit_of(const Start& start) const;
  Cgroups::Made cgroup_for(const Start& start);
  void hold(const AttemptId& id, Held made);
  void tell_again(const Held& held);
  void read_report(Held& held);
  void count_as_started(Held& held);
  void end_late_launch(Held& held, SteadyTime time);
  void kill_launch(Held& held, SteadyTime time);
  SteadyTime wake_of(const Held& held, SteadyTime time) const;
  bool was_started(Held& held);
  void forget_launch(Held& held);

  void read_output(Held& held);
  void take_signals();
  void reap();
  void do_what_is_due();
  void end_with_session(Held& held, SteadyTime time);
  void begin_ending();
  void settle(Held& held);
  void finish(Held& held);
  void unlink(Held& held);

  Poller poller_;
  Link link_;
  Launcher launcher_;
  const Result<std::unique_ptr<Cgroups>> cgroups_;
  Orphans orphans_;
  UniqueFd signals_, timer_;
  const Millis linger_;

  Mode mode_ = Mode::serving;
  Sessions sessions_;
  std::deque<Start> waiting_;  // told to start, not started yet
  std::map<AttemptId, Held> attempts_;
  std::size_t live_ = 0;                     // of them, not ended
  std::vector<Held*> of_descriptor_;         // whose output or report it is
  std::unordered_map<pid_t, Held*> of_pid_;  // of children that were not reaped
  std::vector<Held*> lingering_;             // reaped, not ended
  Resigner resigner_;
  std::set<std::pair<SteadyTime, Held*>> wakes_;
  std::deque<AttemptId> untold_;  // ended, to be told over this connection
  bool greets_ = false;           // Ready is still to be said
  SteadyTime quiet_since_{};      // when the last run ended or the daemon went
  SteadyTime timer_set_for_ = SteadyTime::max();
  std::string buffer_;
};

}  // namespace ballot::runner
