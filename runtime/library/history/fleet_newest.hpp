// The newest rows of many jobs, as the ledgers of a fleet have them: each is asked once for all of the jobs.
//
// Thread: that of the FleetAnswers; blocks.
//
//   const auto read = read_newest(fleet, {.jobs = {"backup", "trim"}, .limit = 12}, show);
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ballot/error.hpp"
#include "library/history/fleet_answers.hpp"
#include "storage/page_merge.hpp"

namespace ballot::library {

/// Rows of ledgers and of the store, whether they count or not: of one job after the other, newest first.
struct NewestRows {
  std::vector<storage::PlacedRow> rows;
  /// Jobs of which some ledger may have more, and the last of their rows that is here; none: it is not known which row
  /// is their newest.
  std::map<std::string, std::optional<storage::Position>> unfinished;
};
/// Called with what is known of the filter's jobs; a node that answers has given as many rows of each job as its limit
/// says, or all. False: no more.
using ShowNewest = std::function<Result<bool>(const NewestRows&, const storage::Filter&)>;

/// Asks for as many jobs at once as an answer has room for; a node of before this question for one after the other.
/// Errors: those of this node's ledger, and of `show`.
Result<void> read_newest(FleetAnswers& fleet, storage::Filter filter, const ShowNewest& show);

}  // namespace ballot::library
