// Clocks that were wrong for a while, as rows, terms and ids of runs show it.
#include "unit/audit/audited.hpp"

namespace ballot::audit {
namespace {

class AuditedClocks : public Audited {};

/// It was set back before the repair: the term has claimed a slot at a time before its election.
TEST_F(AuditedClocks, MayHaveBeenAheadWhenATermWasElectedThatRepairsWhatItHadClaimed) {
  define("12:01:00");
  elected("12:04:30");
  ran("12:04:00");
  DefinitionRow& repaired = define("12:04:00", Basis::repaired);
  repaired.digest = "d0";
  claimed(ran("12:02:00"), "12:02:00");
  Row& last = claimed(ran("12:03:00"), "12:03:00");
  EXPECT_EQ(findings(), Texts{});
  claimed(last, "12:04:40");
  EXPECT_EQ(findings(), Texts{"fence 12:04:00"}) << "the clock was right when the term was elected";
  claimed(last, "12:03:00");
  last.epoch = 2;
  EXPECT_EQ(findings(), Texts{"fence 12:04:00"}) << "of another term";
}

/// The slot before it was claimed late, but by then not as late as the term had been elected.
TEST_F(AuditedClocks, WereAheadOfASlotThatARepairHasKeptWhereItsRunEndedBeforeIt) {
  define("12:02:00");
  elected("12:04:30");
  Row& kept = claimed(ran("12:04:00"), "12:04:30");
  kept.ended_at = at("12:02:30");
  define("12:04:00", Basis::repaired).digest = "d0";
  claimed(ran("12:03:00"), "12:04:10");
  EXPECT_EQ(findings(), Texts{});
  kept.ended_at = at("12:04:31");
  EXPECT_EQ(findings(), Texts{"fence 12:04:00"}) << "nothing says that the clock was ahead";
}

/// Another node has repaired the job since, whose term is not in this ledger.
TEST_F(AuditedClocks, WereAheadOfASlotThatATermHadPassedWhichWasOverBeforeIt) {
  define("12:01:00");
  elected("11:50:00");
  missed("12:02:00");
  epoch_ = 4;
  define("12:04:00", Basis::taken_over).before = 3;  // up to there slots were claimed
  claimed(ran("12:02:00"), "12:02:03").trigger = Trigger::catch_up;
  EXPECT_EQ(findings(), Texts{"twice 12:02:00"}) << "it may have been late";
  terms_.begin()->second.ended_at = at("12:01:30");
  EXPECT_EQ(findings(), Texts{});
  terms_.begin()->second.ended_at = at("12:02:30");
  EXPECT_EQ(findings(), Texts{"twice 12:02:00"});
}

/// The repair's own term was elected by that clock, which had been set back when the slot's run was claimed.
TEST_F(AuditedClocks, WereAheadOfASlotThatRanAfterARepairWhoseTermWasElectedByThem) {
  define("12:01:00");
  elected("11:50:00");
  missed("12:02:00");
  epoch_ = 2;
  elected("12:05:00");
  DefinitionRow& repaired = define("12:04:00", Basis::repaired);
  repaired.digest = "d0";
  epoch_ = 3;
  Row& run = claimed(ran("12:02:00"), "12:02:03");
  EXPECT_EQ(findings(), Texts{});
  claimed(run, "12:05:30");
  EXPECT_EQ(findings(), Texts{"twice 12:02:00"}) << "the term was elected by then";
  claimed(run, "12:02:03");
  run.epoch = 1;
  EXPECT_EQ(findings(), Texts{"twice 12:02:00"}) << "of the term before the repair";
}

/// The node that was asked was ahead of the one that led: by the run's id it was begun in the next term.
TEST_F(AuditedClocks, OfANodeThatIsAskedForARunAreNotThoseOfTheTermThatBeginsIt) {
  define().retries = 1;
  epoch_ = 3;
  define("12:01:30", Basis::taken_over).before = 2;  // another node's, which has the first attempt
  elected("12:03:00");
  Row& second = claimed(ran("12:02:00.250"), "12:04:00");
  second.trigger = Trigger::manual;
  second.attempt = 2;
  second.started_at = at("12:05:00"), second.ended_at = at("12:05:01");
  EXPECT_EQ(findings(), Texts{});
  second.slot = at("12:04:00.250");
  EXPECT_EQ(findings(), Texts{"missing 12:04:00"}) << "by both clocks in this term";
}

/// Of a term of another node no end is known; it was over when this node's next one was elected.
TEST_F(AuditedClocks, WereAheadOfASlotThatAnotherNodesTermHadPassedBeforeThisNodesNextOneWasElected) {
  define("12:01:00").retries = 1;
  missed("12:02:00").node = "n2";
  epoch_ = 2;
  elected("12:03:30");
  epoch_ = 4;
  define("12:04:00", Basis::taken_over).before = 3;
  Row& run = claimed(ran("12:02:00"), "12:02:03");
  run.trigger = Trigger::catch_up;
  EXPECT_EQ(findings(), Texts{"twice 12:02:00"}) << "it may have been late";
  terms_.begin()->second.elected_at = at("12:01:30");
  EXPECT_EQ(findings(), Texts{});
  run.attempt = 2;
  EXPECT_EQ(findings(), Texts{}) << "the run was claimed after that";
  terms_.begin()->second.elected_at = at("12:03:30");
  EXPECT_EQ(findings(), Texts{"twice 12:02:00"});
}

/// What it had passed may lie before the next term, too.
TEST_F(AuditedClocks, WereAheadInATermThatSaysThatItEndedAfterTheNextOneBegan) {
  define("12:01:00");
  elected("11:50:00");
  missed("12:02:00");
  epoch_ = 2;
  elected("12:02:01");
  epoch_ = 4;
  define("12:04:00", Basis::taken_over).before = 3;
  claimed(ran("12:02:00"), "12:02:03").trigger = Trigger::catch_up;
  terms_.begin()->second.ended_at = at("12:02:10");
  EXPECT_EQ(findings(), Texts{"twice 12:02:00"}) << "clocks of two nodes may differ by so much";
  terms_.begin()->second.ended_at = at("12:09:00");
  EXPECT_EQ(findings(), Texts{});
}

/// The newest slot that was claimed stays so; those before it are decided again.
TEST_F(AuditedClocks, MayHaveBeenBehindAtARepairSoThatSlotsBeforeTheNewestAreDecidedOnceMore) {
  define("12:00:00");
  elected("12:03:30");
  missed("12:01:00", Reason::no_leader);
  missed("12:02:00", Reason::no_leader);
  claimed(ran("12:03:00"), "12:03:31").trigger = Trigger::catch_up;
  DefinitionRow& repaired = define("12:03:00", Basis::repaired);
  repaired.digest = "d0";
  Row& again = claimed(ran("12:02:00"), "12:03:50");
  again.trigger = Trigger::catch_up;
  EXPECT_EQ(findings(), Texts{});
  rows_.back().second = 1;
  EXPECT_EQ(findings(), Texts{"twice 12:02:00"}) << "it had run before the repair";
  rows_.back().second = change_;
  claimed(again, "12:03:00");
  EXPECT_EQ(findings(), Texts{"fence 12:03:00"}) << "its run was claimed first";
  claimed(again, "12:03:50");
  repaired.from = at("12:04:00");
  EXPECT_EQ(findings(), (Texts{"twice 12:02:00", "fence 12:03:00"})) << "the clock was not behind";
}

TEST_F(AuditedClocks, WereAheadOfARunThatHadEndedBeforeALaterTermThatWasElectedBeforeItBegan) {
  define("12:01:00");
  elected("12:00:30");
  Row& run = claimed(ran("12:02:00"), "12:02:00");
  run.started_at = at("13:02:00"), run.ended_at = at("13:02:01");
  EXPECT_EQ(findings(), Texts{"late 12:02:00"});
  epoch_ = 3;
  elected("12:03:30");
  define("12:03:00", Basis::taken_over).before = 2;
  EXPECT_EQ(findings(), Texts{});
  rows_.back().second = change_ + 1;
  EXPECT_EQ(findings(), Texts{"late 12:02:00"}) << "it may have gone on";
}

/// The run was claimed in a term between, which another node has.
TEST_F(AuditedClocks, WereBehindAtAnElectionBeforeWhichThisNodesLastTermHadEndedLater) {
  elected("11:50:00");
  terms_.begin()->second.ended_at = at("12:01:00");
  epoch_ = 3;
  define("12:00:00", Basis::taken_over).retries = 1;
  definitions_[0].row.before = 2;
  elected("12:00:58");
  claimed(ran("12:01:30"), "12:01:30").attempt = 2;
  rows_.back().first.trigger = Trigger::manual;
  EXPECT_EQ(findings(), Texts{"missing 12:01:30"}) << "clocks of two nodes may differ by so much";
  terms_[{"nightly", 3}].elected_at = at("12:00:30");
  EXPECT_EQ(findings(), Texts{});
}

}  // namespace
}  // namespace ballot::audit
