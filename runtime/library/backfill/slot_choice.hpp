// SlotChoice: which past slots of a job a backfill is to run, by what the ledgers say of each.
//
//   which     | the slots whose runs, of the schedule or of a backfill before,
//   none said | have not succeeded: those of the next two lines
//   failed    | have failed, timed out, were killed or lost
//   missed    | are not there: the slot was missed or skipped, or no ledger has a row of it
//   all       | have ended in any way, or are not there
//
// Slots whose run goes on, or is to be tried again, are none of them. Slots are those of the job's present schedule.
//
// Pure but for the ledger that is asked.
//
//   const auto choice = choose_slots(*ledger, asked, slots);
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ballot/error.hpp"
#include "core/record/backfill.hpp"
#include "library/history/ledger_view.hpp"
#include "schedule/plan.hpp"

namespace ballot::library {

inline constexpr std::size_t most_slots_considered = 10'000;

enum class WhichSlots { unsuccessful, failed, missed, all };
std::optional<WhichSlots> parse_which(std::string_view word);  // "", "failed", "missed", "all"

/// A job's slots in [since, until), by its plan.
struct SlotsAsked {
  std::string job;
  WallTime since{}, until{};
  WhichSlots which = WhichSlots::unsuccessful;
};

struct ChosenSlot {
  WallTime slot{};
  std::string why;  // "failed: exit_code", "no row"
};

struct SlotChoice {
  std::vector<ChosenSlot> chosen;  // oldest first
  core::SlotRanges ranges;         // the same: of others none lies within
  std::size_t considered = 0;      // so many slots are between the two instants,
  std::size_t going_on = 0;        // and of so many a run goes on
};

/// Errors: invalid, where there are more than can be considered. `anchors`: as Plan::next() wants them.
Result<std::vector<WallTime>> slots_of_plan(const schedule::Plan& plan, const std::vector<WallTime>& anchors,
                                            WallTime since, WallTime until);

/// Of these slots, oldest first. `open`: slots with an open run, by the job's register. Errors: those of the ledger;
/// unavailable, where a node that has not answered may have run some of them, refused, where the rows of some may have
/// been deleted; but for all slots.
Result<SlotChoice> choose_slots(LedgerView& ledger, const SlotsAsked& asked, const std::vector<WallTime>& slots,
                                const std::set<WallTime>& open);

}  // namespace ballot::library
