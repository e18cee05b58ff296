// The checker: judges, from what is left when a test is over, whether everything that ballot promises was kept. An
// independent check: the schedule is computed anew, the launches are those that were reported to the oracle.
//
//   EXPECT_EQ(check(evidence), Findings{});
//
//   what      | must be true
//   slots     | each slot of the schedule has exactly one disposition in the merged ledgers, no other slot has one,
//             | and nothing is left open
//   launches  | one START for each attempt of a run, and of a slot; each has a row of its fence, epoch and node, and
//             | none came after that row had ended
//   attempts  | a further one only within `retries`, after one that failed or timed out; where the guarantee is
//             | at-least-once, also after a lost or stale one, and there it must (but for `lost_limit`)
//   ends      | a run that succeeded or failed has its START, and its END with that code
//   reasons   | of slots: `no_leader` where no term covers it; `misfire`, `unclaimed` where something was in the way;
//             | `overlap` beside a run; `paused` within a pause, and nothing else and no START there; `halted` where a
//             | halt was; no other reason than the job's file allows. A term's elections and deadlines are allowed for.
//             | of runs: lost where its node or the store was let down; killed where somebody did it, or its term ended
//   launched  | of a job whose slots are due while nothing is in their way, some are started
//   lives     | no process outlives its row; runs of a job that does not `allow` it and is ended with its term
//             | (`terminate`) are never two at once, over all nodes
//   fences    | grow with every claim of a job: from slot to slot, from term to term, from START to START
//   terms     | no two nodes share an epoch of a group
//   triggers  | each run that a command was answered with is there
//   databases | are sound
#pragma once

#include <string>
#include <vector>

#include "support/judge/evidence.hpp"

namespace ballot::testing {

/// A line each: job, slot, what is wrong, then the rows and STARTs concerned.
using Findings = std::vector<std::string>;

Findings check(const Evidence& evidence);

}  // namespace ballot::testing
