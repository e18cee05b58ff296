// GuardProcess: what runs in the process between `ballot run` and its child. It starts the child, passes signals on,
// and ends it by the deadline of the lease, whether `ballot` still runs, is stopped or is gone. It knows nothing of
// elections.
//
// The child has a process group of its own. As it ends, what is left of its group is killed. It dies with the guard
// (PDEATHSIG); when `ballot` is gone it gets TERM, and KILL after the grace, no later than the deadline less 200 ms.
// Output after that is thrown away: the guard keeps the pipes open, and empties them once nobody else does.
//
// A child that goes on without a term is sent a signal when it is to know that it leads, and when that it does not, but
// only once it catches that signal: whoever does not would die of it.
//
//   | state   | event                                    | next                                  |
//   | none    | start                                    | running, or reported why not              |
//   | running | end(signal); lost; deadline less grace;  | ending: KILL after the grace          |
//   |         | `ballot` is gone                         |                                       |
//   | ending  | its time is over                         | ending: killed                        |
//   | any     | the child is reaped                      | none; ends where `ballot` is gone     |
//
// Where `ballot` was killed, its end is to start `ballot resign`, so that nobody waits for the end of its session: not
// before the child is gone, nor within a second, in which a supervisor may start it again.
//
// Thread: the only one of its process, which is a fork of `ballot` before that has any.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "ballot/time.hpp"
#include "base/unique_fd.hpp"
#include "io/child_guard.hpp"
#include "io/guard_wire.hpp"

namespace ballot::io {

class GuardProcess {
 public:
  /// `mask`: the signal mask that the child gets.
  GuardProcess(UniqueFd socket, const ChildGuardSettings& settings, const sigset_t& mask);

  /// Until `ballot` is gone, and the child too, and its election is left.
  void run();

 private:
  struct Descriptors {
    UniqueFd out, err, out_read, err_read;
  };

  void step();
  void arm();
  SteadyTime next() const;
  SteadyTime kill_due() const;
  void take_orders();
  void obey(const GuardOrder& order, std::string_view variables, Descriptors descriptors);
  void start(const GuardOrder& order, std::string_view variables, Descriptors descriptors);
  [[noreturn]] void become_child(const std::vector<char*>& environment, const Descriptors& descriptors,
                                 SteadyTime limit, int failed) const;
  void begin_end(int signal);
  void begin_lost();
  void want(bool leads);
  void tell();
  void do_what_is_due();
  void reap();
  void report(GuardReport report);
  void resign();
  int start_resign() const;
  void send(int signal) const;

  UniqueFd socket_;
  const ChildGuardSettings& settings_;
  const sigset_t mask_;
  UniqueFd children_, timer_;
  bool orphaned_ = false;  // `ballot` is gone,
  bool left_ = false;      // and has left its election before
  SteadyTime orphaned_at_{};
  pid_t pid_ = 0;                       // the child's and its group's; 0: none
  UniqueFd out_, err_;                  // the ends of its pipes that `ballot` reads
  bool leads_ = false, knows_ = false;  // whether `ballot` leads, and what the child was last signalled
  SteadyTime eager_until_{};            // the child's signals are polled often until then
  SteadyTime tell_at_ = SteadyTime::max();
  SteadyTime lease_ = SteadyTime::max();  // the deadline
  SteadyTime lost_at_ = SteadyTime::max();
  bool lost_ = false;  // on_lost has begun
  bool ending_ = false, killed_ = false;
  std::optional<SteadyTime> term_at_;  // after an INT
  SteadyTime kill_at_ = SteadyTime::max();
};

}  // namespace ballot::io
