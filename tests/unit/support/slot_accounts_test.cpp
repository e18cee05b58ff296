#include "support/judge/slot_accounts.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "right_evidence.hpp"

namespace ballot::testing {
namespace {

/// Three slots were due, and what the ledgers have of them.
class SlotAccounting : public ::testing::Test {
 protected:
  SlotAccounting() { accounts.due({slot(0), slot(1), slot(2)}); }

  void add(const Row& row, const std::string& ledger = "n1") {
    entries.push_back({row, ledger});
    accounts.add(entries.back(), accounts.due_between(row.slot, row.slot_until.value_or(row.slot)));
  }
  /// The other two have each a run.
  std::vector<Discrepancy> with_the_others() {
    add(row_of(21, 1, "n1", 1));
    add(row_of(22, 2, "n1", 1));
    return accounts.discrepancies();
  }
  static Row unclaimed(int run) {
    Row row = row_of(run, 0, "n1", 1);
    row.fence = 0;
    return row;
  }

  SlotAccounts accounts;
  std::deque<Entry> entries;
};

TEST_F(SlotAccounting, WhatWasDueAndHasNoRowIsMissing) {
  const auto found = with_the_others();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].text(), "2025-03-09T12:00:00Z has no disposition");
  EXPECT_EQ(accounts.fate(slot(0)), Fate::nothing);
  EXPECT_EQ(accounts.fate(slot(1)), Fate::claimed_run);
}

TEST_F(SlotAccounting, WhatNobodyAskedForIsNotMissing) {
  add(row_of(1, 0, "n1", 1));
  EXPECT_TRUE(with_the_others().empty());
  EXPECT_EQ(accounts.fate(slot(7)), Fate::nothing);
}

TEST_F(SlotAccounting, ARowThatStandsForAllSettlesAll) {
  Row range = row_without_run(0, "n1", 1, Status::missed, Reason::no_leader);
  range.slot_until = slot(2), range.slots = 3;
  add(range);
  EXPECT_TRUE(accounts.discrepancies().empty());
  EXPECT_EQ(accounts.fate(slot(2)), Fate::without_run);
}

TEST_F(SlotAccounting, ARunByHandIsNoneOfTheSchedules) {
  Row by_hand = row_of(1, 0, "n1", 1);
  by_hand.trigger = Trigger::manual;
  add(by_hand);
  EXPECT_EQ(accounts.fate(slot(0)), Fate::nothing);
}

TEST_F(SlotAccounting, AttemptsOfARunAreOne) {
  Row second = row_of(1, 0, "n2", 2);
  second.attempt = 2;
  add(row_of(1, 0, "n1", 1));
  add(second, "n2");
  EXPECT_TRUE(with_the_others().empty());
}

TEST_F(SlotAccounting, RunsWithoutAClaimAreFurtherAttemptsOfTheOneThatHasIt) {
  add(unclaimed(1));
  add(unclaimed(2));
  add(row_of(3, 0, "n2", 2), "n2");
  EXPECT_TRUE(with_the_others().empty());
  EXPECT_EQ(accounts.fate(slot(0)), Fate::claimed_run);
}

TEST_F(SlotAccounting, RunsWithoutAClaimAreFurtherAttemptsAtASlotThatWasMissed) {
  add(unclaimed(1));
  add(unclaimed(2));
  add(row_without_run(0, "n2", 2, Status::missed, Reason::no_leader), "n2");
  EXPECT_TRUE(with_the_others().empty());
  EXPECT_EQ(accounts.fate(slot(0)), Fate::without_run);
}

TEST_F(SlotAccounting, ARunWithoutAClaimStandsForItsSlotWhereItIsAlone) {
  add(unclaimed(1));
  EXPECT_EQ(accounts.fate(slot(0)), Fate::unclaimed_run);
  EXPECT_TRUE(with_the_others().empty());
  add(unclaimed(2));
  EXPECT_EQ(accounts.discrepancies().at(0).what, "has two runs without a claim");
}

TEST_F(SlotAccounting, HaltedYieldsToEveryOtherRow) {
  add(row_without_run(0, "n1", 1, Status::missed, Reason::halted));
  EXPECT_EQ(accounts.fate(slot(0)), Fate::without_run);
  add(row_without_run(0, "n2", 2, Status::skipped, Reason::paused), "n2");
  EXPECT_TRUE(with_the_others().empty());
  add(row_of(1, 0, "n1", 1));
  ASSERT_EQ(accounts.discrepancies().size(), 1u);
  EXPECT_EQ(accounts.discrepancies()[0].what, "was claimed and has another disposition too");
  EXPECT_EQ(accounts.discrepancies()[0].entries.at(1)->row.reason, Reason::paused);
}

TEST_F(SlotAccounting, TwoLedgersSayTheSameAndOneSaysItOnce) {
  add(row_without_run(0, "n1", 1, Status::skipped, Reason::overlap));
  add(row_without_run(0, "n1", 1, Status::skipped, Reason::overlap), "n2");
  EXPECT_TRUE(with_the_others().empty());
  add(row_without_run(0, "n1", 1, Status::skipped, Reason::overlap), "n2");
  EXPECT_EQ(accounts.discrepancies().at(0).what, "has two dispositions");
}

TEST(Miscounted, IsARowThatStandsForAnotherNumberOfSlots) {
  Row row = row_without_run(0, "n1", 1, Status::missed, Reason::no_leader);
  EXPECT_EQ(miscounted(row, {slot(0)}), "");
  EXPECT_EQ(miscounted(row, {}), "is not in the schedule");
  row.slots = 3;
  EXPECT_EQ(miscounted(row, {slot(0), slot(1)}), "stands for 3 slots, the schedule has 2");
}

}  // namespace
}  // namespace ballot::testing
