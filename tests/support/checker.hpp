// The checker: judges, from what is left when a test is over, whether everything that ballot promises was kept. An
// independent look: the schedule is computed anew, the launches are those that the oracle was told of.
//
//   EXPECT_EQ(check(evidence), Findings{});
//
// | what | holds |
// | --- | --- |
// | slots | each slot of the schedule has exactly one disposition in the merged ledgers, and no other slot has one;
// nothing is left open | | launches | one START for each attempt of a run and for each attempt of a slot; each has a
// row of its fence, epoch and node, none came after that row had ended | | attempts | a further one only after one that
// failed or timed out and within `retries`; `at-least-once`: also after a lost one | | ends | a run that succeeded or
// failed has its START and its END, with that code; `at-least-once`: each claimed slot has an END, or is not `lost` |
// | lives | no process outlives its row; runs of a job that does not `allow` it, with `terminate`, are never two at
// once, over all nodes | | fences | grow with every claim of a job: from slot to slot, from term to term, from START to
// START | | terms | no two nodes share an epoch of a group | | triggers | each run that a command was told of is there
// | | databases | are sound |
#pragma once

#include <string>
#include <vector>

#include "support/evidence.hpp"

namespace ballot::testing {

/// A line each: job, slot, what is wrong, then the rows and STARTs concerned.
using Findings = std::vector<std::string>;

Findings check(const Evidence& evidence);

}  // namespace ballot::testing
