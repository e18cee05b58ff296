// What the ledger of one daemon must show of a job: each slot of the schedule once.
//
//   EXPECT_EQ(unaccounted(daemon.rows("tick"), "tick", every_second(), from, until), "");
#pragma once

#include <string>
#include <vector>

#include "support/judge/slot_accounts.hpp"

namespace ballot::testing {

inline schedule::Plan every_second() {
  return std::get<schedule::Plan>(schedule::Plan::make({.expressions = {"* * * * * *"}}));
}

/// Of every second: of a job that is led by now. A slot at the very instant of its definition is not due.
inline WallTime first_slot_after(WallTime now) { return std::chrono::ceil<std::chrono::seconds>(now + Millis(200)); }

/// "" or what is wrong with the rows of `job` between two instants, both included.
inline std::string unaccounted(const std::vector<Row>& rows, const std::string& job, const schedule::Plan& plan,
                               WallTime from, WallTime to) {
  const MergedLedger ledger({{.node = "", .rows = rows}});
  SlotAccounts accounts;
  accounts.due(slots_between(plan, {}, from, to));
  for (const Entry* entry : ledger.entries()) {
    const Row& row = entry->row;
    if (row.job != job || !is_scheduled(row.trigger)) continue;
    const Slots slots = slots_between(plan, {}, row.slot, row.slot_until.value_or(row.slot));
    if (const std::string wrong = miscounted(row, slots); !wrong.empty()) return entry->text() + " " + wrong;
    accounts.add(*entry, slots);
  }
  const auto discrepancies = accounts.discrepancies();
  return discrepancies.empty() ? "" : discrepancies.front().text();
}

}  // namespace ballot::testing
