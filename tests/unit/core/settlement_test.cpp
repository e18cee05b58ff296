#include "core/job/slots/settlement.hpp"

#include <gtest/gtest.h>

namespace ballot::core {
namespace {

using namespace std::chrono_literals;

const WallTime start{Millis(1'767'225'600'000)};  // 2026-01-01T00:00:00Z

struct Minutes : ::testing::Test {
  schedule::Plan plan = std::get<schedule::Plan>(schedule::Plan::make({.expressions = {"* * * * *"}}));
  AnchoredPlan anchored{&plan, {}, {}};
  Settlement settlement;
  ScanRules rules;

  void SetUp() override {
    settlement.reset(start);
    rules.start_deadline = 5min;
    rules.coverage.elected_at = start;
  }
};

TEST_F(Minutes, ASlotThatIsDueWaitsToBeClaimed) {
  EXPECT_TRUE(settlement.scan(anchored, rules, start + 1min));
  ASSERT_TRUE(settlement.first_due());
  EXPECT_EQ(settlement.first_due()->at, start + 1min);
  EXPECT_EQ(settlement.first_due()->trigger, Trigger::schedule);
  EXPECT_FALSE(settlement.has_decided());
}

TEST_F(Minutes, NothingIsDueBeforeItsTime) {
  settlement.scan(anchored, rules, start + 59s);
  EXPECT_FALSE(settlement.first_due());
}

TEST_F(Minutes, OfPassedSlotsTheLatestIsCaughtUpAndTheOthersAreMissedByReason) {
  settlement.scan(anchored, rules, start + 10min + 30s);
  ASSERT_TRUE(settlement.first_due());
  EXPECT_EQ(settlement.first_due()->at, start + 10min);
  EXPECT_EQ(settlement.first_due()->trigger, Trigger::catch_up);
  const std::vector<Disposition> expected{{start + 1min, start + 5min, 5, Status::missed, Reason::start_deadline},
                                          {start + 6min, start + 9min, 4, Status::missed, Reason::misfire}};
  EXPECT_EQ(settlement.decided(32), expected);
}

TEST_F(Minutes, PrecedenceIsNoLeaderThenUnclaimedThenTheRest) {
  rules.coverage.elected_at = start + 6min;
  const LedSpan led{start + 2min, start + 3min + 30s};
  rules.coverage.led_before = {&led, 1};
  rules.coverage.blocked_since = start + 8min;
  settlement.scan(anchored, rules, start + 10min + 30s);
  const std::vector<Disposition> expected{{start + 1min, start + 1min, 1, Status::missed, Reason::no_leader},
                                          {start + 2min, start + 3min, 2, Status::missed, Reason::unclaimed},
                                          {start + 4min, start + 6min, 3, Status::missed, Reason::no_leader},
                                          {start + 7min, start + 7min, 1, Status::missed, Reason::misfire},
                                          {start + 8min, start + 9min, 2, Status::missed, Reason::unclaimed}};
  EXPECT_EQ(settlement.decided(32), expected);
}

TEST_F(Minutes, AllCatchesUpOldestFirstAtMostTheLimit) {
  rules.misfire = Misfire::all;
  rules.misfire_limit = 3;
  settlement.scan(anchored, rules, start + 5min + 30s);
  std::vector<WallTime> due;
  while (const DueSlot* first = settlement.first_due()) {
    due.push_back(first->at);
    settlement.drop_first_due();
  }
  EXPECT_EQ(due, (std::vector<WallTime>{start + 3min, start + 4min, start + 5min}));
}

/// As a clock that was ahead leaves them, or somebody who can write to the store.
TEST_F(Minutes, CenturiesOfSlotsThatARegisterShowsAsClaimedAreNotVisitedOneByOne) {
  const auto seconds = std::get<schedule::Plan>(schedule::Plan::make({.expressions = {"* * * * * *"}}));
  const WallTime far = start + 24h * 365 * 300;
  JobRegister stored;
  stored.claimed_until = far;
  const AnchoredPlan all{&seconds, {}, {}, nullptr, &stored};
  EXPECT_EQ(all.next(start)->at, far + 1s);
  stored.passed_over.push_back({start + 1h, far - 1h});
  EXPECT_EQ(all.next(start)->at, start + 1h);
  EXPECT_EQ(all.next(start + 1h)->at, start + 1h + 1s) << "no run has claimed these";
  EXPECT_EQ(all.next(far - 1h)->at, far + 1s);
  EXPECT_EQ(stored.alike_until(start + 1h), far - 1h);
}

TEST_F(Minutes, WhileThePreviousRunHasNotEndedASlotIsSkipped) {
  rules.busy = true;
  settlement.scan(anchored, rules, start + 1min);
  EXPECT_FALSE(settlement.first_due());
  ASSERT_EQ(settlement.decided_count(), 1u);
  EXPECT_EQ(settlement.decided(1)[0].reason, Reason::overlap);
}

TEST_F(Minutes, WhatIsDecidedBehindAWaitingSlotIsNotWrittenBeforeIt) {
  rules.misfire = Misfire::all;
  rules.misfire_limit = 2;
  settlement.scan(anchored, rules, start + 1min);
  settlement.scan(anchored, rules, start + 2min);
  EXPECT_FALSE(settlement.has_decided());
  EXPECT_EQ(settlement.settled_until(), start);
  settlement.drop_first_due();
  settlement.decide_first(Status::missed, Reason::misfire);
  ASSERT_EQ(settlement.decided_count(), 1u);
  EXPECT_EQ(settlement.decided(1)[0].from, start + 2min);
}

TEST_F(Minutes, ALaterSlotTakesThePlaceAndTheTurnOfTheOneThatWaits) {
  for (const Misfire misfire : {Misfire::latest, Misfire::skip}) {
    settlement.reset(start);
    rules.misfire = misfire;
    settlement.scan(anchored, rules, start + 1min);
    settlement.scan(anchored, rules, start + 2min);
    settlement.scan(anchored, rules, start + 3min);
    EXPECT_FALSE(settlement.leaves_due());
    EXPECT_EQ(settlement.waiting(), std::vector<WallTime>{start + 3min});
    EXPECT_EQ(settlement.first_due()->trigger, Trigger::schedule);
    EXPECT_EQ(settlement.first_due()->due, start + 3min);
    EXPECT_EQ(settlement.first_due()->waits_since, start + 1min);
    const std::vector<Disposition> expected{{start + 1min, start + 2min, 2, Status::missed, Reason::misfire}};
    EXPECT_EQ(settlement.decided(32), expected);
  }
}

TEST_F(Minutes, BesideARunThatBeganWhileASlotWaitsALaterOneIsSkipped) {
  settlement.scan(anchored, rules, start + 1min);
  rules.busy = true;
  settlement.scan(anchored, rules, start + 2min);
  EXPECT_EQ(settlement.waiting(), std::vector<WallTime>{start + 1min});
  settlement.drop_first_due();
  ASSERT_EQ(settlement.decided_count(), 1u);
  EXPECT_EQ(settlement.decided(1)[0].reason, Reason::overlap);
}

TEST_F(Minutes, OfReplaceASlotThatIsSupersededOverlapsOnlyBesideARun) {
  rules.concurrency = Concurrency::replace;
  settlement.scan(anchored, rules, start + 1min);
  settlement.scan(anchored, rules, start + 2min);
  rules.busy = true;
  settlement.scan(anchored, rules, start + 3min);
  EXPECT_EQ(settlement.waiting(), std::vector<WallTime>{start + 3min});
  const std::vector<Disposition> expected{{start + 1min, start + 1min, 1, Status::missed, Reason::misfire},
                                          {start + 2min, start + 2min, 1, Status::skipped, Reason::overlap}};
  EXPECT_EQ(settlement.decided(32), expected);
}

TEST_F(Minutes, WhileItIsNotKnownWhetherThePreviousRunGoesOnSlotsWaitUntilTheirStartDeadline) {
  rules.fate_unknown = true;
  rules.start_deadline = 90s;
  settlement.scan(anchored, rules, start + 2min);
  EXPECT_TRUE(settlement.leaves_due());
  EXPECT_FALSE(settlement.has_decided());
  settlement.scan(anchored, rules, start + 3min);
  ASSERT_EQ(settlement.decided_count(), 1u);
  EXPECT_EQ(settlement.decided(1)[0].to, start + 1min);
  EXPECT_EQ(settlement.decided(1)[0].reason, Reason::start_deadline);
  rules.fate_unknown = false;
  settlement.scan(anchored, rules, start + 3min + 10s);
  ASSERT_TRUE(settlement.first_due());
  EXPECT_EQ(settlement.first_due()->at, start + 3min);
  EXPECT_EQ(settlement.first_due()->trigger, Trigger::catch_up);
}

TEST_F(Minutes, WhatBecomesDueDuringACatchUpOfAllJoinsIt) {
  rules.misfire = Misfire::all;
  rules.misfire_limit = 3;
  rules.busy = rules.catching_up = true;
  settlement.scan(anchored, rules, start + 1min);
  settlement.scan(anchored, rules, start + 2min);
  EXPECT_EQ(settlement.waiting(), (std::vector<WallTime>{start + 1min, start + 2min}));
  EXPECT_EQ(settlement.first_due()->trigger, Trigger::catch_up);
  settlement.scan(anchored, rules, start + 3min);
  settlement.scan(anchored, rules, start + 4min);
  EXPECT_EQ(settlement.due_count(), 3u) << "misfire_limit";
  ASSERT_EQ(settlement.decided_count(), 1u);
  EXPECT_EQ(settlement.decided(1)[0].reason, Reason::misfire);
  rules.catching_up = false;
  settlement.reset(start + 4min);
  settlement.scan(anchored, rules, start + 5min);
  EXPECT_EQ(settlement.decided(1)[0].reason, Reason::overlap) << "beside a run that is no catch-up";
}

TEST_F(Minutes, RewindForgetsTheWaitingSlotAndEverythingAfterIt) {
  rules.misfire = Misfire::all;
  rules.busy = true;
  settlement.scan(anchored, rules, start + 1min);
  rules.busy = false;
  settlement.scan(anchored, rules, start + 2min);
  settlement.scan(anchored, rules, start + 3min);
  settlement.rewind();
  EXPECT_EQ(settlement.position(), start + 1min);
  EXPECT_FALSE(settlement.first_due());
  EXPECT_EQ(settlement.decided_count(), 1u);
}

TEST_F(Minutes, AStepLooksAtABoundedNumberOfSlots) {
  const WallTime far = start + 1min * (scan_budget + 10);
  rules.mode = ScanRules::Mode::paused;
  EXPECT_FALSE(settlement.scan(anchored, rules, far));
  EXPECT_TRUE(settlement.scan(anchored, rules, far));
  ASSERT_EQ(settlement.decided_count(), 1u);
  EXPECT_EQ(settlement.decided(1)[0].slots, scan_budget + 10);
  EXPECT_EQ(settlement.decided(1)[0].reason, Reason::paused);
}

/// Each minute but those of the first of January, which all tests of Minutes lie in: Fridays are others.
struct LeftOut : ::testing::Test {
  schedule::Plan plan = *schedule::Plan::of_stored({.expressions = {"* * * * *", "@days except new-year=2026-01-01"}});
  AnchoredPlan anchored{&plan, {}, {}};
  Settlement settlement;
  ScanRules rules;
  const WallTime midnight = start + 24h;

  void SetUp() override {
    settlement.reset(midnight - 5min - 30s);
    rules.start_deadline = 24h;
    rules.coverage.elected_at = midnight - 1h;
  }
  const Disposition left_out{midnight - 5min, midnight - 1min, 5, Status::skipped, Reason::calendar};
};

TEST_F(LeftOut, SlotsAreSkippedInEveryMode) {
  using Mode = ScanRules::Mode;
  for (const Mode mode : {Mode::due, Mode::paused, Mode::undefined, Mode::halted, Mode::dry_run}) {
    SetUp();
    rules.mode = mode;
    settlement.scan(anchored, rules, midnight - 30s);
    EXPECT_EQ(settlement.decided(32), std::vector{left_out}) << static_cast<int>(mode);
    EXPECT_FALSE(settlement.first_due());
  }
}

TEST_F(LeftOut, SlotsAreNoneThatMisfire) {
  rules.misfire = Misfire::skip;
  rules.start_deadline = 1ms;
  rules.coverage.elected_at = midnight + 1h;
  settlement.scan(anchored, rules, midnight + 1h);
  ASSERT_GE(settlement.decided_count(), 2u);
  EXPECT_EQ(settlement.decided(1), std::vector{left_out});
  EXPECT_EQ(settlement.decided(2)[1].reason, Reason::no_leader);
}

TEST_F(LeftOut, SlotsWaitTheirTurnBehindThoseThatMayBeChosen) {
  plan = *schedule::Plan::of_stored({.expressions = {"* * * * *", "@days except second=2026-01-02"}});
  rules.misfire = Misfire::all;
  rules.misfire_limit = 2;
  settlement.scan(anchored, rules, midnight + 3min + 30s);
  const std::vector<Disposition> missed{{midnight - 5min, midnight - 3min, 3, Status::missed, Reason::misfire}};
  EXPECT_EQ(settlement.decided(32), missed);
  ASSERT_TRUE(settlement.first_due());
  EXPECT_EQ(settlement.first_due()->at, midnight - 2min);
  settlement.drop_first_due();
  EXPECT_EQ(settlement.first_due()->at, midnight - 1min);
  settlement.drop_decided(1);
  EXPECT_FALSE(settlement.has_decided());
  settlement.drop_first_due();
  const std::vector<Disposition> after{{midnight, midnight + 3min, 4, Status::skipped, Reason::calendar}};
  EXPECT_EQ(settlement.decided(32), after);
  EXPECT_FALSE(settlement.first_due());
}

/// A year of minutes between two slots that may be chosen is one range.
TEST_F(LeftOut, SlotsBetweenTakeNoMemoryEach) {
  plan = *schedule::Plan::of_stored({.expressions = {"* * * * *", "@days except year=2026-01-02..2026-12-31"}});
  rules.misfire = Misfire::all;
  rules.start_deadline = 24h * 1000;
  const WallTime later = start + 24h * 365;  // 2027
  while (!settlement.scan(anchored, rules, later + 1min)) continue;
  for (int i = 0; i < 5; ++i) settlement.drop_first_due();
  ASSERT_EQ(settlement.decided_count(), 1u);
  EXPECT_EQ(settlement.decided(1)[0].slots, 364 * 1440);
  ASSERT_TRUE(settlement.first_due());
  EXPECT_EQ(settlement.first_due()->at, later);
}

TEST(Settlement, ADateThatDoesNotExistIsMissedOnceAndSplitsNothingElse) {
  const auto plan =
      std::get<schedule::Plan>(schedule::Plan::make({.expressions = {"0 9 * * *"}, .timezone = "Pacific/Apia"}));
  const WallTime before{std::chrono::sys_days(std::chrono::year(2011) / 12 / 28)};
  Settlement settlement;
  settlement.reset(before);
  ScanRules rules;
  rules.start_deadline = 1h;
  rules.coverage.elected_at = before;
  settlement.scan({&plan, {}, {}}, rules, before + 96h);
  int gaps = 0;
  for (const Disposition& d : settlement.decided(32))
    gaps += d.reason == Reason::dst_gap ? static_cast<int>(d.slots) : 0;
  EXPECT_EQ(gaps, 1);
}

}  // namespace
}  // namespace ballot::core
