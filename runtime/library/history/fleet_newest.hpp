// The newest rows of many jobs, as the ledgers of a fleet have them: each is asked once for all of the jobs.
//
// Thread: that of the FleetAnswers; blocks.
//
//   const auto read = read_newest(fleet, {.jobs = {"backup", "trim"}, .limit = 12}, show, walk, visit);
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ballot/error.hpp"
#include "library/history/fleet_answers.hpp"
#include "storage/page_merge.hpp"

namespace ballot::library {

/// Shows those of the rows that count. False: no more are wanted.
using ShowRows = std::function<Result<bool>(const std::vector<storage::PlacedRow>&, const storage::Filter&,
                                            const LedgerView::VisitPlacedRow&)>;
/// Shows a job's rows by pages.
using WalkRows =
    std::function<Result<std::optional<storage::Position>>(const storage::Filter&, const LedgerView::VisitPlacedRow&)>;

/// As LedgerView::newest_rows(). Each ledger is asked for as many rows of each job, and for as many jobs at once as an
/// answer has room for; a node of before this question for one job after the other. Where too few of them count, the
/// rest is walked. Errors: those of this node's ledger.
Result<void> read_newest(FleetAnswers& fleet, storage::Filter filter, const ShowRows& show, const WalkRows& walk,
                         const LedgerView::VisitPlacedRow& visit);

}  // namespace ballot::library
