// The newest rows of many jobs, as the ledgers of a fleet have them: each is asked once for all of the jobs.
//
// Thread: that of the FleetAnswers; blocks.
//
//   const auto read = read_newest(fleet, {.jobs = {"backup", "trim"}, .limit = 12}, show);
#pragma once

#include <functional>
#include <vector>

#include "ballot/error.hpp"
#include "library/history/fleet_answers.hpp"
#include "storage/page_merge.hpp"

namespace ballot::library {

/// Called with rows of ledgers and of the store, whether they count or not: of one job after the other, newest first,
/// as many of each job as the filter's limit says at most. False: no more.
using ShowNewest = std::function<Result<bool>(const std::vector<storage::PlacedRow>&, const storage::Filter&)>;

/// Asks for as many jobs at once as an answer has room for. Errors: those of this node's ledger, and of `show`.
Result<void> read_newest(FleetAnswers& fleet, storage::Filter filter, const ShowNewest& show);

}  // namespace ballot::library
