// Waits: until when next attempts wait that this node has decided on, by the boot clock: however the wall clock moves
// meanwhile. Pure; used by RunSet.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "base/rare_list.hpp"
#include "core/job/runs/live_run.hpp"

namespace ballot::core {

class Waits {
 public:
  /// `run` has ended, and its next attempt is decided on, if there is one.
  void note(const LiveRun& run, const Now& now) {
    erase_if(ends_, [&](const auto& one) { return one.second <= now.steady; });
    if (!run.next || !run.next->waits_until) return;
    const runner::AttemptId next{run.next->id, run.next->attempt};
    erase_if(ends_, [&](const auto& one) { return one.first == next; });
    ends_.push_back({next, now.steady + (*run.next->waits_until - now.wall)});
  }
  std::optional<SteadyTime> end_of(const runner::AttemptId& id) const {
    for (const auto& [attempt, end] : ends_)
      if (attempt == id) return end;
    return std::nullopt;
  }

 private:
  RareList<std::pair<runner::AttemptId, SteadyTime>> ends_;
};

}  // namespace ballot::core
