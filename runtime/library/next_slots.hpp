// NextSlots: of the slots that many jobs have ahead, the first so many, in order. Whoever walks the jobs asks it how
// far it is worth to look: no further than the last of those that are kept.
//
// Pure.
//
//   NextSlots next(until, 1000);
//   for (const auto& job : jobs)
//     for (auto slot = first(job); slot < next.until(); slot = after(job, slot)) next.add({slot, job.name, job.group,
//     leader});
//   print(next.slots());
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ballot/time.hpp"
#include "schedule/plan.hpp"

namespace ballot::library {

struct PlannedSlot {
  WallTime slot{};
  std::string job, group;
  std::string node;  // that leads it; "": nobody does, as far as is known
};

/// The slots of a plan after `after` and before `until`, at most `most`. `phase`: as of Plan::next().
std::vector<WallTime> slots_of_plan(const schedule::Plan& plan, const std::vector<WallTime>& phase, WallTime after,
                                    WallTime until, std::size_t most);

class NextSlots {
 public:
  /// Slots before `until`, at most `most` of them. Requires: most > 0.
  NextSlots(WallTime until, std::size_t most) : until_(until), most_(most) {}

  /// Slots from there on are not kept.
  WallTime until() const { return until_; }
  void add(PlannedSlot slot);
  /// There may be more than are kept.
  bool is_full() const { return heap_.size() == most_; }
  /// In order of their times, then of their jobs' names.
  std::vector<PlannedSlot> slots() const;

 private:
  WallTime until_;
  std::size_t most_;
  std::vector<PlannedSlot> heap_;  // the last one first
};

}  // namespace ballot::library
