// Finding: one thing in a ledger that cannot be right, with the rows that show it. And what an audit has counted.
//
// Plain values. Knows nothing of how it was found.
//
//   std::cout << to_string(finding.kind) << ": " << finding.what;
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ballot/ledger.hpp"

namespace ballot::audit {

enum class Kind {
  missing,   // a slot has no row
  twice,     // a slot has two dispositions
  not_due,   // a row's slot is not in the schedule
  count,     // a row of many slots says another number of them than the schedule has
  relaunch,  // a run has a further attempt that nothing allows
  fence,     // a fence did not grow
  late,      // a run was begun past its start deadline
  early,     // a run was begun, and the job that it comes after had not ended as it asks
  unended,   // what has a final status has no end
  reason,    // the reason of a row cannot be
  history    // the fleet's history has not what the ledger has
};
std::string_view to_string(Kind kind);

struct Finding {
  Kind kind = Kind::missing;
  std::string job;
  WallTime slot{};
  std::optional<WallTime> until;  // the last slot of several like it, in a row
  std::int64_t slots = 1;
  std::string what;
  std::vector<Row> rows;  // those that show it; of `missing`, the one before and the one after
};

/// Slots without a run and attempts of runs, of one status and reason.
struct Total {
  Named<Status> status = Status::missed;
  Named<Reason> reason = Reason::none;
  std::int64_t count = 0;
};
/// By the numbers of status and reason.
using Totals = std::map<std::pair<std::int32_t, std::int32_t>, Total>;

}  // namespace ballot::audit
