// The SQL of `history`: each filter, and each combination, walks an index in the order of the answer, newest first, so
// that nothing is sorted and the first rows come at once, however long the ledger is.
//
// A filter with several values, or one whose index has the status before the slot, becomes one arm a value; SQLite
// merges the arms as they come. Knows nothing of names: a Selection has their ids.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ballot/run.hpp"

namespace ballot::storage {

/// What rows must match. Empty: any.
struct Selection {
  std::optional<RunId> run;
  std::vector<std::int64_t> jobs, groups, nodes;
  std::vector<Status> statuses;
  std::vector<Reason> reasons;
  std::vector<std::int64_t> newer_statuses{};  // that rows may have besides those that this version knows
  bool is_of_one_job = false;                  // whose id is parameter ?6; `jobs` do not count
};

/// Columns `row_columns`, by slot, attempt and id, newest first. Parameters: ?1 the first slot; ?2 ?3 ?4 the slot,
/// attempt and id that all rows lie before; ?5 the limit.
std::string history_sql(const Selection& selection);

/// Columns `row_columns`, in no order: the rows of several slots that have one among them. Parameters: ?1 the job's
/// name; ?2 the slot.
std::string ranges_sql();

/// Columns `row_columns`, by change. Parameters: ?1 the change that all come after; ?2 the last one; ?3 the limit.
std::string changes_sql(const Selection& selection);

}  // namespace ballot::storage
