// RunCountReads: how runs have ended, counted by the server: see History::counts(). Failures are as those of
// Connection.
//
// What succeeded at once has an index of its own and is counted row by row, or by whole days. Of the others days that
// are over are counted already (day_counts.hpp); in the time before and after it is decided by run: all rows of one are
// next to each other in the index that begins with slot and run, so one pass over it does, and none is looked up. Where
// more are left than can be read by their ids they are not counted.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ballot/history_rows.hpp"
#include "connection.hpp"

namespace ballot::postgresql {

/// Whole days, by their numbers since 1970, from `first` to before `end`.
struct Days {
  std::int64_t first = 0, end = 0;
};

class RunCountReads {
 public:
  /// The connection outlives it.
  explicit RunCountReads(Connection& connection) : connection_(connection) {}

  RunCounts counts(const HistoryFilter& filter, CountPer per, const std::vector<RunId>& but);

 private:
  bool has_replaced(const std::optional<WallTime>& since);
  void add_at_once(RunCounts& counts, const HistoryFilter& filter, CountPer per);
  void add_others(RunCounts& counts, const HistoryFilter& filter, CountPer per, const std::vector<RunId>& but);

  Days counted_days(const HistoryFilter& filter, const std::vector<RunId>& but);

  Connection& connection_;
};

}  // namespace ballot::postgresql
