// Ledgers that are wrong in one way each, and ones that only look so.
#include "unit/audit/audited.hpp"

namespace ballot::audit {
namespace {

class Audits : public Audited {};

TEST_F(Audits, FindNothingInALedgerThatIsRight) {
  define();
  ran("12:01:00");
  missed("12:02:00");
  ran("12:03:00");
  missed("12:04:00", "15:00:00", 177);
  ran("15:01:00");
  EXPECT_EQ(findings(), Texts{});
  EXPECT_EQ((totals_.at({static_cast<int>(Status::succeeded), 0}).count), 3);
  EXPECT_EQ((totals_.at({static_cast<int>(Status::missed), static_cast<int>(Reason::misfire)}).count), 178);
}

TEST_F(Audits, FindASlotWithoutARow) {
  define();
  ran("12:01:00");
  ran("12:03:00");
  EXPECT_EQ(findings(), Texts{"missing 12:02:00"});
  ASSERT_EQ(found_[0].rows.size(), 1u);
  EXPECT_EQ(found_[0].rows[0].slot, at("12:01:00"));
}

TEST_F(Audits, FindManySlotsInARowAsOne) {
  define();
  ran("12:05:00");
  EXPECT_EQ(findings(), Texts{"missing 12:01:00 x4"});
  EXPECT_EQ(found_[0].until, at("12:04:00"));
}

TEST_F(Audits, SayNothingOfSlotsAfterTheLastThatWasSettled) {
  define();
  ran("12:01:00");
  rows_.back().first.trigger = Trigger::manual;
  rows_.back().first.slot = at("12:30:00") + Millis(250);
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(Audits, FindASlotWithoutARowBeforeTheDefinitionWasChanged) {
  define();
  ran("12:01:00");
  define("12:02:30", Basis::defined).schedule = {"*/5 * * * *"};
  ran("12:05:00");
  ran("12:10:00");
  EXPECT_EQ(findings(), Texts{"missing 12:02:00"});
}

TEST_F(Audits, KnowThatOtherNodesSettleSlotsToo) {
  define();
  ran("12:01:00");
  epoch_ = 5;
  define("12:10:30", Basis::taken_over).before = 4;  // another node's
  ran("12:11:00");
  EXPECT_EQ(findings(), Texts{});
  ran("12:13:00");
  EXPECT_EQ(findings(), Texts{"missing 12:12:00"});
}

TEST_F(Audits, KnowTheSlotsOfATermOfThisNodeThatFollowsItsOwn) {
  define();
  ran("12:01:00");
  DefinitionRow& next = define("12:03:30", Basis::taken_over);
  next.digest = "d0";
  next.epoch = 5;
  epoch_ = 5;
  EXPECT_EQ(findings(), Texts{"missing 12:02:00 x2"});
}

/// It was written when the daemon was back: what was before it may have been lost with the daemon, and settled
/// elsewhere.
TEST_F(Audits, KnowThatARunMayBeRecordedLongAfterItsTerm) {
  define();
  ran("12:01:00");
  definitions_[0].sealed = ++change_;
  ran("12:05:00");
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(Audits, KnowThatRetentionDeletes) {
  define();
  missed("12:01:00", "12:10:00", 7);  // three of them were there once
  ran("12:12:00");
  kept_since_ = at("12:05:00");
  EXPECT_EQ(findings(), Texts{"missing 12:11:00"});
  kept_since_ = at("12:12:00");
  EXPECT_EQ(findings(), Texts{});
  kept_since_ = at("12:11:00") + Millis(1);
  EXPECT_EQ(findings(), Texts{}) << "the last slot whose row it has deleted";
}

TEST_F(Audits, ReportWhatIsAskedForOnly) {
  define();
  ran("12:01:00");
  ran("12:03:00");
  ran("12:05:00");
  EXPECT_EQ(findings({.since = at("12:03:00")}), Texts{"missing 12:04:00"});
  EXPECT_EQ(findings({.until = at("12:04:00")}), Texts{"missing 12:02:00"});
  EXPECT_EQ((totals_.at({static_cast<int>(Status::succeeded), 0}).count), 2);
}

TEST_F(Audits, SayOfWhichJobsNoDefinitionIsKept) {
  ran("12:01:00");
  ran("12:03:00");
  EXPECT_EQ(findings(), Texts{});
  EXPECT_EQ(undefined_, Texts{"backup"});
}

TEST_F(Audits, FindASlotThatTwoRunsHaveClaimed) {
  define();
  ran("12:01:00");
  ran("12:01:00");
  const Texts found = findings();
  EXPECT_EQ(found, Texts{"twice 12:01:00"});
  EXPECT_EQ(found_[0].rows.size(), 2u);
}

TEST_F(Audits, FindASlotThatRanAndWasMissed) {
  define();
  ran("12:01:00");
  missed("12:01:00");
  EXPECT_EQ(findings(), Texts{"twice 12:01:00"});
  rows_.back().first.reason = Reason::halted;  // a repair says it of all that it knows nothing of
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(Audits, FindASlotThatIsAmongManyToo) {
  define();
  missed("12:01:00", "12:10:00", 10);
  ran("12:05:00");
  EXPECT_EQ(findings(), Texts{"twice 12:05:00"});
}

TEST_F(Audits, KnowThatARepairBringsACursorBack) {
  define();
  ran("12:01:00");
  missed("12:02:00", "12:10:00", 9);  // by a clock that was ahead
  DefinitionRow& repaired = define("12:01:30", Basis::repaired);
  repaired.digest = "d0";
  ran("12:02:00");
  ran("12:03:00");
  EXPECT_EQ(findings(), Texts{});
}

/// A slot that was claimed ahead of the clock is kept, and those before it are decided again.
struct AuditsOfAClockThatWasAhead : Audits {
  AuditsOfAClockThatWasAhead() {
    define();
    elected("11:50:00");
    ran("12:01:00");
    missed("12:02:00");
    missed("12:03:00");
    ran("12:04:00");  // by that clock
  }
};

TEST_F(AuditsOfAClockThatWasAhead, KnowThatARepairKeepsWhatWasClaimed) {
  epoch_ = 2;
  elected("12:01:30");
  DefinitionRow& repaired = define("12:04:00", Basis::repaired);
  repaired.digest = "d0";
  ran("12:03:00");
  EXPECT_EQ(findings(), Texts{});
  terms_.clear();
  EXPECT_NE(findings(), Texts{}) << "of a repair that was made later";
}

TEST_F(AuditsOfAClockThatWasAhead, KnowThatARepairOfTheSameTermKeepsWhatWasClaimed) {
  DefinitionRow& repaired = define("12:04:00", Basis::repaired);
  repaired.digest = "d0";
  ran("12:03:00");
  EXPECT_EQ(findings(), Texts{});
  auto& [claimed, change] = rows_[3];
  change = change_;  // it has ended after the repair
  EXPECT_EQ(findings(), Texts{"fence 12:04:00"});
  claimed.started_at = claimed.ended_at = at("12:02:50");
  EXPECT_EQ(findings(), Texts{}) << "before it was due";
  missed("12:03:00");
  EXPECT_EQ(findings(), Texts{"twice 12:03:00"}) << "after it";
}

TEST_F(Audits, KnowThatAnotherNodesRepairBringsACursorBack) {
  define();
  ran("12:01:00");
  missed("12:02:00");
  missed("12:03:00");
  epoch_ = 5;
  define("12:01:30", Basis::taken_over).before = 4;  // of the node that has repaired it
  ran("12:02:00");
  EXPECT_EQ(findings(), Texts{});
  definitions_[1].change = 0;  // nobody has: it was there before those rows
  EXPECT_NE(findings(), Texts{});
}

/// A register that is taken over goes on behind what it shows as claimed only where it was repaired.
TEST_F(Audits, KnowThatAnotherNodesRepairKeepsWhatWasClaimed) {
  define();
  ran("12:01:00");
  epoch_ = 5;
  ran("12:04:00").node = "n2";  // by a clock that was ahead
  epoch_ = 6;
  define("12:04:00", Basis::taken_over).before = 5;
  ran("12:02:00");
  EXPECT_EQ(findings(), Texts{});
  definitions_[1].row.from = at("12:03:00");
  EXPECT_EQ(findings(), Texts{"fence 12:04:00"}) << "the term that claimed an earlier one did not know of it";
}

TEST_F(Audits, FindARowThatIsNotInTheSchedule) {
  define().schedule = {"*/5 * * * *"};
  ran("12:05:00");
  ran("12:07:00");
  ran("12:10:00");
  EXPECT_EQ(findings(), Texts{"not_due 12:07:00"});
}

TEST_F(Audits, FindARowOfAnotherNumberOfSlots) {
  define();
  missed("12:01:00", "12:10:00", 9);
  EXPECT_EQ(findings(), Texts{"count 12:01:00 x9"});
}

TEST_F(Audits, FindARunThatWasLaunchedAgain) {
  define();
  again(ran("12:01:00"));
  EXPECT_EQ(findings(), Texts{"relaunch 12:01:00"});
  rows_[0].first.status = Status::failed;
  EXPECT_EQ(findings(), Texts{"relaunch 12:01:00"}) << "which had failed, and has no retries";
  definitions_[0].row.retries = 1;
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(Audits, FindAnAttemptAfterOneThatHadSucceeded) {
  define().retries = 2;
  again(ran("12:01:00"));
  EXPECT_EQ(findings(), Texts{"relaunch 12:01:00"});
  rows_[0].first.status = Status::failed;
  EXPECT_EQ(findings(), Texts{});
  definitions_[0].row.at_least_once = true;
  rows_[0].first.status = Status::lost;
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(Audits, FindAnAttemptWithoutTheOneBefore) {
  define().retries = 2;
  ran("12:01:00").attempt = 2;
  EXPECT_EQ(findings(), Texts{"missing 12:01:00"});
  definitions_[0].row.basis = Basis::taken_over;  // another node's ledger may have it
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(Audits, FindAFenceThatDidNotGrow) {
  define();
  ran("12:01:00", 5);
  ran("12:02:00", 5);
  EXPECT_EQ(findings(), Texts{"fence 12:02:00"});
}

TEST_F(Audits, KnowThatAnotherStoreCountsFencesAnew) {
  define();
  ran("12:01:00", 5);
  define("12:01:30");
  ran("12:02:00", 1);
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(Audits, FindAnAttemptWithTheFenceOfTheOneBefore) {
  define().retries = 1;
  Row& first = ran("12:01:00");
  first.status = Status::failed;
  again(first).fence = first.fence;
  EXPECT_EQ(findings(), Texts{"fence 12:01:00"});
}

TEST_F(Audits, FindARunThatWasClaimedPastItsStartDeadline) {
  define();
  claimed(ran("12:01:00"), "12:06:00");
  EXPECT_EQ(findings(), Texts{});
  claimed(rows_[0].first, "12:06:01");
  EXPECT_EQ(findings(), Texts{"late 12:01:00"});
  EXPECT_EQ(found_[0].what, "was claimed at 2025-03-09T12:06:01.000Z, past its start deadline");
  definitions_[0].row.jitter = std::chrono::seconds(10);  // it counts from there
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(Audits, FindARunThatWasStartedPastItsStartDeadline) {
  define();
  Row& row = claimed(ran("12:01:00"), "12:05:59");
  row.started_at = at("12:07:30");  // its term gave it so long, and no longer
  row.ended_at = at("12:20:00");
  EXPECT_EQ(findings(), Texts{});
  row.started_at = at("12:08:01");
  EXPECT_EQ(findings(), Texts{"late 12:01:00"});
}

struct LateRun : Audited {
  LateRun() {
    define().retries = 2;
    claimed(ran("12:01:00"), "13:00:00").status = Status::failed;
  }
  Row& row() { return rows_[0].first; }
};

TEST_F(LateRun, IsFound) { EXPECT_EQ(findings(), Texts{"late 12:01:00"}); }

TEST_F(LateRun, MayBeAFurtherAttempt) {
  claimed(row(), "12:01:00");
  again(row()).started_at = at("14:00:00");
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(LateRun, MayHaveBeenAskedForByHand) {
  row().trigger = Trigger::manual;
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(LateRun, MayBeOfAnotherNodeWhoseFilesSayOtherwise) {
  row().node = "n2";
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(LateRun, MayBeOfAnotherTerm) {
  row().epoch = 2;
  EXPECT_EQ(findings(), Texts{});
}

/// Which of the two definitions it went by was lost with the daemon.
TEST_F(LateRun, MayHaveBeenRecordedByTheNextDaemon) {
  definitions_[0].sealed = 0;
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(LateRun, MayHaveAStartDeadlineThatNobodyKnows) {
  definitions_[0].row.start_deadline = Millis(0);
  EXPECT_EQ(findings(), Texts{});
}

struct AuditedInstance : Audited {
  AuditedInstance() {
    job_ = "trim@n1";
    define();
    elected("12:00:00", "nightly@n1");
    ran("12:01:00");
    missed("12:03:00", "12:10:00", 8);
  }
  /// The node has another name from now on.
  void move() {
    node_ = "n2";
    job_ = "trim@n2";
    elected("13:00:00", "nightly@n2");
    define("13:00:00");
    ran("13:01:00");
  }
};

TEST_F(AuditedInstance, OfThisNodeIsJudgedAsAnyOtherJob) {
  EXPECT_EQ(findings(), Texts{"missing 12:02:00"});
  EXPECT_TRUE(departed_.empty());
}

TEST_F(AuditedInstance, OfANodeThatIsNoMoreIsJudgedAndNamed) {
  move();
  EXPECT_EQ(findings(), Texts{"missing 12:02:00"});
  ASSERT_EQ(departed_.size(), 1u);
  EXPECT_EQ(departed_[0].job, "trim@n1");
  EXPECT_EQ(departed_[0].node, "n1");
  EXPECT_EQ(departed_[0].last_slot, at("12:10:00"));
}

TEST_F(AuditedInstance, OfANodeThatHasItsNameAgainIsNotNamed) {
  move();
  node_ = "n1";
  epoch_ = 2;
  elected("14:00:00", "nightly@n1");
  findings();
  ASSERT_EQ(departed_.size(), 1u);
  EXPECT_EQ(departed_[0].job, "trim@n2");
}

TEST_F(AuditedInstance, WithoutARowIsNamedToo) {
  rows_.clear();
  move();
  EXPECT_EQ(findings(), Texts{});
  ASSERT_EQ(departed_.size(), 1u);
  EXPECT_FALSE(departed_[0].last_slot);
}

TEST_F(Audits, FindARunWithoutItsEnd) {
  define();
  ran("12:01:00").ended_at.reset();
  EXPECT_EQ(findings(), Texts{"unended 12:01:00"});
  rows_[0].first.status = Status::running;
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(Audits, FindAnAttemptThatBeganBesideTheOneBefore) {
  define().retries = 1;
  Row& first = ran("12:01:00");
  first.status = Status::running;
  first.ended_at.reset();
  again(first).status = Status::running;
  EXPECT_EQ(findings(), Texts{"unended 12:01:00"});
}

TEST_F(Audits, ComputeEveryKindOfSchedule) {
  DefinitionRow& row = define();
  row.schedule = {"@every 90s", "30 14 * * *", "@reboot"};
  row.anchors = {at("12:00:00")};
  row.timezone = "Europe/Paris";
  ran("12:01:30");
  Row& boot = ran("12:02:11");
  boot.trigger = Trigger::reboot;
  ran("12:03:00");
  missed("12:04:30", "13:28:30", 57);
  ran("13:30:00");
  EXPECT_EQ(findings(), Texts{});
  rows_.erase(rows_.begin() + 2);
  EXPECT_EQ(findings(), Texts{"missing 12:03:00"});
}

TEST_F(Audits, ExpectNothingOfADisabledJob) {
  define();
  ran("12:01:00");
  define("12:01:30", Basis::defined).enabled = false;
  define("14:00:00", Basis::defined);
  ran("14:01:00");
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(Audits, ExpectNothingOfAZoneThatIsNotThere) {
  define().timezone = "Atlantis/Capital";
  ran("12:01:00");
  ran("12:05:00");
  EXPECT_EQ(findings(), Texts{});
}

}  // namespace
}  // namespace ballot::audit
