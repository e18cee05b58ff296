// The policies at a run's end: the next attempt, another run, another leader.
//
//   follow_up(c, job, run, slots);  // sets run.repeat, or run.next
//
// Pure. Knows nothing of the other runs; used by RunSet only.
#pragma once

#include <algorithm>

#include "core/job/job_facts.hpp"
#include "core/job/runs/live_run.hpp"

namespace ballot::core {

/// Runs that no schedule wants have slots of their own: when they were asked for, each a later one than the last.
class SlotsByHand {
 public:
  WallTime next(WallTime at) { return last_ = std::max(at, last_ + Millis(1)); }

 private:
  WallTime last_{};
};

/// Requires: it has ended.
void follow_up(Context& c, const JobFacts& job, LiveRun& run, SlotsByHand& slots);

/// A run of its own, whose slot is when it is to start.
OpenRun make_rerun(Context& c, Millis in, SlotsByHand& slots);

}  // namespace ballot::core
