// RunTable: the runs that a runner has, by their id, by their descriptors and by their child, and when each is due
// next. A run that has ended is known by its id alone, until it is erased. Does nothing with them.
//
//   HeldRun& held = runs.add(id, std::move(made));
//   runs.wake_at(held, held.wake(now));
//   while (HeldRun* due = runs.due(now)) ...
#pragma once

#include <sys/types.h>

#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runner/held_run.hpp"

namespace ballot::runner {

class RunTable {
 public:
  using Runs = std::map<AttemptId, HeldRun>;

  HeldRun& add(const AttemptId& id, HeldRun made);
  HeldRun* find(const AttemptId& id);
  /// All of them, also those that have ended.
  Runs& all() { return runs_; }
  const Runs& all() const { return runs_; }
  /// How many have not ended.
  std::size_t live() const { return live_; }

  /// The run whose output or report the descriptor is; null: none.
  HeldRun* of_descriptor(int fd) const;
  /// The run's report is read and closed.
  void close_report(const HeldRun& held) { of_descriptor_[static_cast<std::size_t>(held.report)] = nullptr; }
  /// The run whose child was reaped; null: none. Asked once for each child.
  HeldRun* take_child(pid_t pid);

  /// Reaped, and not ended.
  const std::vector<HeldRun*>& lingering() const { return lingering_; }
  void linger(HeldRun& held) { lingering_.push_back(&held); }

  /// max(): not by itself.
  void wake_at(HeldRun& held, SteadyTime at);
  SteadyTime next_wake() const { return wakes_.empty() ? SteadyTime::max() : wakes_.begin()->first; }
  /// The first that is due by now; null: none is.
  HeldRun* due(SteadyTime now) const;

  /// The run is live no more: it is found by its id alone.
  void retire(HeldRun& held);
  /// Requires: it is live no more.
  void erase(const AttemptId& id) { runs_.erase(id); }

 private:
  Runs runs_;
  std::size_t live_ = 0;
  std::vector<HeldRun*> of_descriptor_;
  std::unordered_map<pid_t, HeldRun*> of_child_;
  std::vector<HeldRun*> lingering_;
  std::set<std::pair<SteadyTime, HeldRun*>> wakes_;
};

}  // namespace ballot::runner
