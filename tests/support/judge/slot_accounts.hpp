// SlotAccounts: which slots of a job were due, and what became of each by the merged ledgers: the one way to count
// slots, for the judge of the simulation, the checker of real daemons and tests of one daemon. Pure. It knows no
// schedule: whoever asks says which slots were due (by a plan, or by what a register's cursor has passed), and which of
// them a row stands for.
//
//   SlotAccounts accounts;
//   accounts.due(slots_between(plan, {}, from, until));
//   for (const Entry* entry : merged.entries()) accounts.add(*entry, ...);
//   for (const Discrepancy& one : accounts.discrepancies()) ...
//
//   fate          | what the ledgers have of the slot
//   nothing       | no row: wrong where it was due
//   claimed_run   | a run that was claimed: one
//   without_run   | skipped or missed: one row in each ledger that has one, and all say the same
//   unclaimed_run | a run that was started ahead of its claim, which nobody made: one
//
// One fate alone. But runs without a claim are further attempts where the slot has one of the other fates; and `halted`
// yields to any other row: it is what a repair says of slots that it knows nothing of.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "schedule/plan.hpp"
#include "support/judge/merged_ledger.hpp"

namespace ballot::testing {

using Slots = std::vector<WallTime>;

enum class Fate { nothing, claimed_run, without_run, unclaimed_run };

/// A slot, what is wrong with it, and the rows that say so.
struct Discrepancy {
  WallTime slot{};
  std::string what;
  std::vector<const Entry*> entries;
  /// The slot, and all of it.
  std::string text() const;
};

class SlotAccounts {
 public:
  void due(const Slots& slots);
  /// The row stands for these slots, whether or not they were due. What the schedule did not ask for counts as none.
  /// The entry outlives this.
  void add(const Entry& entry, const Slots& slots);

  Fate fate(WallTime slot) const;
  /// Of those that were due.
  Slots due_between(WallTime from, WallTime until) const;
  /// By slot.
  std::vector<Discrepancy> discrepancies() const;

 private:
  struct Account {
    bool due = false;
    std::map<RunId, const Entry*> claimed, unclaimed;  // by run, one attempt of each
    std::vector<const Entry*> without_run;

    Fate fate() const;
    /// Leaves out what yields to other rows.
    Account settled() const;
  };

  static std::optional<Discrepancy> wrong(WallTime slot, const Account& account);
  static std::optional<Discrepancy> wrong_without_run(WallTime slot, const Account& account);

  std::map<WallTime, Account> accounts_;
};

/// Of a run that the schedule asked for, whose slot is one of the plan's.
constexpr bool is_scheduled(Trigger trigger) { return trigger == Trigger::schedule || trigger == Trigger::catch_up; }

/// A row says how many slots it stands for: "", or that these are more or fewer.
std::string miscounted(const Row& row, const Slots& slots);

/// Both included. `anchors`: one for each `@every`.
Slots slots_between(const schedule::Plan& plan, const std::vector<WallTime>& anchors, WallTime from, WallTime until);

}  // namespace ballot::testing
