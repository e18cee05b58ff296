// Rows of many slots, and what a repair leaves of them.
#include "unit/audit/audited.hpp"

namespace ballot::audit {
namespace {

class AuditedRanges : public Audited {};

/// Only the cursor at which this node's next term took the register over says so, and it has passed some slots again.
TEST_F(AuditedRanges, KnowThatAnotherNodesRepairBringsACursorBackAmongManySlots) {
  define();
  ran("12:01:00");
  missed("12:02:00", "12:10:00", 9);  // by a clock that was ahead
  epoch_ = 3;
  ran("12:04:00");  // of the node that has repaired it: this one records that it was lost
  epoch_ = 4;
  define("12:04:00", Basis::taken_over).before = 3;
  ran("12:05:00");
  EXPECT_EQ(findings(), Texts{});
  rows_[2].first.epoch = 1;
  EXPECT_EQ(findings(), Texts{"twice 12:04:00"}) << "of the term that the many are of";
}

/// That the slot was passed is in this ledger, and its run, which was claimed by the node that has repaired the job; of
/// the repair there is no more than the clocks of the two say.
TEST_F(AuditedRanges, KnowThatASlotRanThatAClockHadPassedWhichWasAheadOfAnotherNodesRepair) {
  define();
  elected("11:50:00");
  ran("12:01:00");
  missed("12:02:00", Reason::start_deadline);
  epoch_ = 3;
  Row& run = claimed(ran("12:02:00"), "12:06:00");
  run.node = "n2";
  epoch_ = 4;
  define("12:02:00", Basis::taken_over).before = 3;
  missed("12:03:00", "12:06:00", 4);
  claimed(ran("12:07:00"), "12:07:00");
  EXPECT_EQ(findings(), Texts{});
  definitions_[1].row.before = 1;
  EXPECT_EQ(findings(), Texts{"twice 12:02:00"}) << "nobody else has written the register";
  definitions_[1].row.before = 3;
  terms_.begin()->second.elected_at = at("12:06:30");
  EXPECT_EQ(findings(), Texts{}) << "by the clock that was ahead";
  run.attempt = 2;
  EXPECT_EQ(findings(), (Texts{"relaunch 12:02:00", "twice 12:02:00"})) << "it may have been claimed by a term before";
  run.attempt = 1;
  terms_.begin()->second.elected_at = at("11:50:00");
  run.epoch = 1;
  EXPECT_EQ(findings(), Texts{"twice 12:02:00"}) << "of the term that has passed it";
  run.epoch = 3;
  definitions_[0].row.start_deadline = std::chrono::minutes(3);
  EXPECT_EQ(findings(), Texts{"twice 12:02:00"}) << "past its deadline by both clocks";
}

TEST_F(AuditedRanges, KnowThatASlotRanOnTimeThatAClockHadPassedWhichWasAheadOfAnotherNodesRepair) {
  define();
  elected("11:50:00");
  ran("12:01:00");
  missed("12:02:00");
  epoch_ = 3;
  Row& run = claimed(ran("12:02:00"), "12:02:00");
  run.node = "n2";
  epoch_ = 4;
  define("12:02:00", Basis::taken_over).before = 3;
  claimed(ran("12:03:00"), "12:03:00");
  for (const Reason reason : {Reason::misfire, Reason::unclaimed}) {
    rows_[1].first.reason = reason;
    EXPECT_EQ(findings(), Texts{}) << to_string(reason);
  }
  terms_.begin()->second.elected_at = at("12:03:00");
  EXPECT_EQ(findings(), Texts{}) << "by the clock that was ahead";
  claimed(run, "12:02:01");
  EXPECT_EQ(findings(), Texts{}) << "it was due on time, and waited for the run before";
  run.trigger = Trigger::catch_up;
  EXPECT_EQ(findings(), Texts{"twice 12:02:00"}) << "later than it could be missed";
}

TEST_F(AuditedRanges, KnowThatOneOfManySlotsRanOnTimeThatAClockHadPassedWhichWasAheadOfAnotherNodesRepair) {
  define();
  elected("11:50:00");
  ran("12:01:00");
  missed("12:02:00", "12:10:00", 9);
  epoch_ = 3;
  Row& run = claimed(ran("12:04:00"), "12:04:00");
  epoch_ = 4;
  define("12:10:00", Basis::taken_over).before = 3;
  claimed(ran("12:11:00"), "12:11:00");
  EXPECT_EQ(findings(), Texts{});
  claimed(run, "12:04:01").trigger = Trigger::catch_up;
  EXPECT_EQ(findings(), Texts{"twice 12:04:00"}) << "later than it could be missed";
}

/// Its clock had been set back when it repaired the job, which keeps the slot that it had claimed behind the many.
TEST_F(AuditedRanges, KnowThatSlotsAreDecidedAgainThatATermHadPassedWhichWasElectedByAClockThatWasAhead) {
  define();
  elected("12:11:30");
  missed("12:01:00", "12:10:00", 10);
  claimed(ran("12:11:00"), "12:11:30").trigger = Trigger::catch_up;
  define("12:11:00", Basis::repaired).digest = "d0";
  Row& run = claimed(ran("12:04:00"), "12:04:00");
  missed("12:05:00", Reason::start_deadline);
  EXPECT_EQ(findings(), Texts{});
  terms_.begin()->second.elected_at = at("12:10:30");
  claimed(run, "12:11:40");
  EXPECT_EQ(findings(), (Texts{"twice 12:04:00", "late 12:04:00", "twice 12:05:00"})) << "the clock was right by then";
}

}  // namespace
}  // namespace ballot::audit
