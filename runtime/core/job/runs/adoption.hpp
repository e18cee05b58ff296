// Adoption: the end of a run that somebody else began: a daemon before this one, or another node in a term before.
//
//   LiveRun run = run_of(job, open);
//   if (adopt(c, job, run)) ...it has ended, and its row says how
//
// Pure. Knows nothing of the other runs; used by RunSet only.
#pragma once

#include <algorithm>
#include <vector>

#include "core/job/job_facts.hpp"
#include "core/job/runs/live_run.hpp"

namespace ballot::core {

template <class T>
const T* find_attempt(const std::vector<T>& list, const runner::AttemptId& id) {
  const auto it = std::find_if(list.begin(), list.end(), [&](const T& known) { return known.id == id; });
  return it == list.end() ? nullptr : &*it;
}

/// As the register shows it,
LiveRun run_of(const JobFacts& job, const OpenRun& open);
/// or, where no register does, a ledger.
LiveRun run_of(const JobFacts& job, const Row& row);

/// The runner has reported its end: the row says how it was.
void conclude(Context& c, const JobFacts& job, LiveRun& run, const runner::Ended& end);
/// Of one that could not be started, why: in the log, and in place of its output, so that whoever asks later finds it.
void conclude(Context& c, const JobFacts& job, LiveRun& run, const runner::CannotStart& event);

/// A run of the register that this node goes on with: it waits, is this runner's, or another node's. True where it has
/// ended.
bool adopt(Context& c, const JobFacts& job, LiveRun& run);

/// A run of this node that no register is known to show. True where it has ended: what the runner does not know is
/// lost.
bool adopt_unclaimed(Context& c, const JobFacts& job, LiveRun& run);

}  // namespace ballot::core
