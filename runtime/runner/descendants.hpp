// Descendants: the processes of a run that has no cgroup, wherever they went: its process group, what descends from its
// child, and what was re-parented to this process (a sub-reaper) when its parent ended. Orphans: the latter, of all
// runs.
//
// An orphan belongs to a run that knows it from when its parent lived, whose group it is in, or whose id is in its
// environment. One that names no run may be anybody's: it is not killed, and each run of its time counts as one that
// something may have escaped from. That is decided after a while only: one that is just executing a program, or
// ending, shows no environment for a moment.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/runner_wire.hpp"
#include "runner/environments.hpp"
#include "runner/proc.hpp"

namespace ballot::runner {

/// This process's children that it did not start.
class Orphans {
 public:
  void started(pid_t child) { own_.insert(child); }
  void reaped(pid_t child) {
    own_.erase(child);
    environments.reaped(child);
  }

  /// At this moment.
  std::vector<pid_t> list();

  Environments environments;

 private:
  std::unordered_set<pid_t> own_;
};

/// Which processes of a run were found.
enum class Left { nothing, unsure, some };  // unsure: one whose run is not known yet

class Descendants {
 public:
  /// `leader`: the run's child, also of its process group. `orphans` outlives it.
  Descendants(const AttemptId& id, pid_t leader, SteadyTime started, Orphans& orphans);

  /// The child was reaped: its number is its group's only, as long as that has members.
  void leader_reaped() { leader_lives_ = false; }

  /// To all of them, KILL also to what they fork meanwhile; 0 sends nothing.
  Left signal(int signal, SteadyTime now);

  /// Whether the last signal() found an orphan that may be this run's or not.
  bool may_have_escaped() const { return !strangers_.empty(); }

  /// To the process group; whether it has members.
  bool signal_group(int signal) const;

 private:
  using Name = std::pair<pid_t, std::uint64_t>;  // and when it started
  using Known = std::set<Name>;
  using Strangers = std::map<Name, SteadyTime>;             // since when they are seen to be such
  enum class Whose { ours, of_another, unknown, pending };  // pending: it is being read

  std::vector<ProcessFacts> list(SteadyTime now);
  void add_orphans(std::vector<ProcessFacts>& all, SteadyTime now);
  void add_with_children(const ProcessFacts& root, std::vector<ProcessFacts>& all) const;
  Whose whose(const ProcessFacts& orphan, SteadyTime now);
  bool is_unsure(SteadyTime now) const;

  const std::string run_, attempt_;  // as in the environment
  const pid_t leader_;
  const std::uint64_t started_;  // clock ticks
  Orphans& orphans_;
  bool leader_lives_ = true;
  Strangers strangers_;
  bool list_is_incomplete_ = false;  // orphans come faster than they can be listed, or attributed to a run
  Known known_;
};

}  // namespace ballot::runner
