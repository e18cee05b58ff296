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

}  // namespace
}  // namespace ballot::audit
