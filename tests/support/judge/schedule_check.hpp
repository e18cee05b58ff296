// What a ledger must show of a job: each slot of the recomputed schedule once.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ballot/ledger.hpp"
#include "base/wall_text.hpp"
#include "schedule/plan.hpp"

namespace ballot::testing {

inline schedule::Plan every_second() {
  return std::get<schedule::Plan>(schedule::Plan::make({.expressions = {"* * * * * *"}}));
}

/// Of every second: of a job that is led by now. A slot at the very instant of its definition is not due.
inline WallTime first_slot_after(WallTime now) { return std::chrono::ceil<std::chrono::seconds>(now + Millis(200)); }

/// "" or what is wrong with the rows of `job` between two instants, both included. Manual runs do not count.
inline std::string unaccounted(const std::vector<Row>& rows, const std::string& job, const schedule::Plan& plan,
                               WallTime from, WallTime to) {
  std::map<WallTime, int> seen;
  for (const Row& row : rows) {
    if (row.job != job || row.trigger == Trigger::manual || row.attempt > 1) continue;
    auto slot = plan.next(row.slot - std::chrono::seconds(1), {});
    std::int64_t covered = 0;
    for (; slot && slot->at <= row.slot_until.value_or(row.slot); slot = plan.next(slot->at, {}))
      ++seen[slot->at], ++covered;
    if (covered != row.slots) return "the row at " + format_slot(row.slot) + " stands for another number of slots";
  }
  for (auto slot = plan.next(from - Millis(1), {}); slot && slot->at <= to; slot = plan.next(slot->at, {}))
    if (seen[slot->at] != 1)
      return "slot " + format_slot(slot->at) + " stands in the ledger " + std::to_string(seen[slot->at]) + " times";
  return "";
}

}  // namespace ballot::testing
