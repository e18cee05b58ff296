// Filter, RequestFilter, Position: what is asked of a ledger, in the words of ballot/history_rows.hpp.
#pragma once

#include <array>

#include "ballot/history_rows.hpp"
#include "ballot/ledger.hpp"

namespace ballot::storage {

using Filter = HistoryFilter;
using Position = HistoryPosition;
using ballot::RequestFilter;
using ballot::RequestPosition;

/// Somebody asked for a run, and there was to be none: no slot that a job was to run.
inline bool is_refused_trigger(const Row& row) {
  return row.trigger == Trigger::manual && row.status == Status::skipped;
}

/// Of runs that ended badly.
inline constexpr std::array ended_badly{Status::failed, Status::timed_out, Status::killed, Status::lost};

/// Of rows that are of a run; the others' slots never ran.
inline std::vector<Status> run_statuses() {
  return {Status::queued, Status::claimed,   Status::running, Status::succeeded,
          Status::failed, Status::timed_out, Status::killed,  Status::lost};
}

}  // namespace ballot::storage
