// RunLimits: where only so many runs may go on at once, on this node or in a group: how many do, which jobs wait for a
// place, and which of them is next: jobs of higher priority come first, then those that wait longer.
//
//   limits.count(job);            // after its runs have changed
//   limits.wait(job, priority, waits_since);
//   while (JobEntry* next = limits.next()) limits.leave(*next), ...
//
// Pure; used by Core only.
#pragma once

#include <set>

#include "core/group/group_entry.hpp"
#include "core/jobs/job_table.hpp"

namespace ballot::core {

class RunLimits {
 public:
  /// `most`: runs of this node at once; 0: no limit.
  explicit RunLimits(int most) : most_(most) {}

  bool limits_node() const { return most_ > 0; }
  /// A job's runs count in the group that owns its register; those that this node has, also here.
  void count(JobEntry& job);
  /// Its register is another group's now, or nobody's.
  void move(JobEntry& job, GroupEntry* before);
  /// Requires: it does not wait.
  void wait(JobEntry& job, int priority, WallTime waits_since);
  void leave(JobEntry& job);
  /// The group's own limit has changed.
  void review(GroupEntry& group);
  /// Of all jobs whose group has a place, the one that comes first; none while this node has none. `unknown`: runs that
  /// this node has and no job counts.
  JobEntry* next(int unknown = 0) const;
  /// The group is among these.
  bool lets_go(GroupEntry& group) const { return open_groups_.contains(&group); }

 private:
  const int most_;
  int own_running_ = 0;                        // runs of this node
  std::set<GroupEntry*, ByName> open_groups_;  // where a job waits, and there is a place
};

}  // namespace ballot::core
