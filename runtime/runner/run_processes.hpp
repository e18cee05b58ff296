// RunProcesses: all the processes of one run, to be signalled together: its process group, and what left that, by the
// run's cgroup where it has one, else as /proc shows it.
#pragma once

#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>

#include <memory>

#include "runner/cgroup.hpp"
#include "runner/descendants.hpp"

namespace ballot::runner {

class RunProcesses {
 public:
  RunProcesses(Descendants descendants, pid_t leader, std::unique_ptr<RunCgroup> cgroup)
      : descendants_(std::move(descendants)), leader_(leader), cgroup_(std::move(cgroup)) {}

  pid_t leader() const { return leader_; }
  /// The child has ended, and may not be reaped yet: no signal can have been what ended it.
  bool has_leader_ended() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(leader_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == leader_;
  }
  /// The child has its group, or is gone.
  void leader_executed() { leader_executed_ = true; }
  void leader_reaped() {
    descendants_.leader_reaped();
    leader_executed_ = true;
  }

  /// To all; 0 sends nothing. Returns what is left of them.
  Left signal(int signal, SteadyTime now) {
    if (!leader_executed_) ::kill(leader_, signal);  // it may not have made its group yet
    if (!cgroup_) return descendants_.signal(signal, now);
    const bool in_group =
        descendants_.signal_group(signal);  // one that root has moved to another cgroup is there still
    const bool in_cgroup = cgroup_->populated();
    if (in_cgroup && signal == SIGKILL) cgroup_->kill();
    if (in_cgroup && signal != SIGKILL && signal != 0) cgroup_->signal_others(signal, leader_);
    return in_group || in_cgroup ? Left::some : Left::nothing;
  }

  /// Asked when the child has ended by KILL that nobody here sent.
  bool killed_for_memory() const { return cgroup_ && cgroup_->killed_for_memory(); }

  /// As of the last signal().
  bool may_have_escaped() const { return !cgroup_ && descendants_.may_have_escaped(); }

  /// Processes that are left go on, whatever becomes of this process.
  void leave() {
    if (cgroup_) cgroup_->leave();
  }

  /// The run is over.
  void release() { cgroup_.reset(); }

 private:
  Descendants descendants_;
  pid_t leader_;
  bool leader_executed_ = false;
  std::unique_ptr<RunCgroup> cgroup_;
};

}  // namespace ballot::runner
