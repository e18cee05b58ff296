#include "core/group/handover_planner.hpp"

#include <gtest/gtest.h>

namespace ballot::core {
namespace {

using namespace std::chrono_literals;

struct PlannerOfThreeGroups : ::testing::Test {
  const Peers::Best nobody_better{"", "self", {}}, better{"s2", "n2", {}};
  HandoverPlanner planner;
  GroupEntry a{"a", {}}, b{"b", {}}, c{"c", {}};

  static SteadyTime at(Millis t) { return SteadyTime(t); }
  static Peers::Best better_from(Millis t, const std::string& session = "") { return {session, "n3", at(t)}; }
  /// A scan of `a` by a node that has published the same for long.
  void scan(Millis t, const Peers::Best& best) {
    planner.begin_scan();
    planner.consider(a, best, at(t), at(0s));
    planner.end_scan(at(t));
  }
};

TEST_F(PlannerOfThreeGroups, LooksASecondAfterATakeoverAtTheEarliest) {
  EXPECT_FALSE(planner.is_scan_due(SteadyTime::max()));
  planner.on_taken_over(at(60s));
  EXPECT_FALSE(planner.is_scan_due(at(60'999ms)));
  EXPECT_TRUE(planner.is_scan_due(at(61s)));
}

TEST_F(PlannerOfThreeGroups, LooksOnceForTakeoversThatComeTogether) {
  planner.on_taken_over(at(60s));
  planner.on_taken_over(at(60'900ms));
  EXPECT_EQ(planner.scan_at(), at(61s)) << "the first one counts: they may come on and on";
}

TEST_F(PlannerOfThreeGroups, LooksAtOnceWhereNodesAreComparedAnew) {
  planner.on_taken_over(at(60s));
  planner.scan_now(at(60'100ms));
  EXPECT_TRUE(planner.is_scan_due(at(60'100ms)));
}

TEST_F(PlannerOfThreeGroups, LooksNoMoreWhereNobodyIsBetter) {
  planner.scan_now(at(60s));
  scan(60s, nobody_better);
  EXPECT_FALSE(planner.scan_at());
  EXPECT_FALSE(planner.move_at());
  EXPECT_EQ(planner.next(), nullptr);
}

TEST_F(PlannerOfThreeGroups, HandsOverAtOnceAndLooksEveryTenSecondsWhileSomebodyIs) {
  scan(60s, better);
  EXPECT_TRUE(planner.is_move_due(at(60s)));
  EXPECT_EQ(planner.scan_at(), at(70s));
  EXPECT_EQ(planner.next(), &a);
  EXPECT_EQ(planner.next(), nullptr);
}

TEST_F(PlannerOfThreeGroups, HandsNothingOverBeforeThisNodeHasToldTheSameForThirtySeconds) {
  planner.begin_scan();
  planner.consider(a, better, at(39'999ms), at(10s));
  planner.end_scan(at(39'999ms));
  EXPECT_FALSE(planner.move_at());
  EXPECT_EQ(planner.next(), nullptr);
  EXPECT_EQ(planner.scan_at(), at(40s)) << "then it does";
  planner.begin_scan();
  planner.consider(a, better, at(40s), at(10s));
  planner.end_scan(at(40s));
  EXPECT_TRUE(planner.is_move_due(at(40s)));
  EXPECT_EQ(planner.next(), &a);
}

TEST_F(PlannerOfThreeGroups, WaitsForTheBestRatherThanMoveAGroupTwice) {
  scan(60s, better_from(75s));
  EXPECT_FALSE(planner.move_at());
  EXPECT_EQ(planner.scan_at(), at(75s));
  scan(60s, better_from(75s, "s2"));
  EXPECT_FALSE(planner.move_at()) << "nor to the second best meanwhile";
  EXPECT_EQ(planner.next(), nullptr);
  EXPECT_EQ(planner.scan_at(), at(75s));
}

TEST_F(PlannerOfThreeGroups, LooksAgainAtTheEarliestOfWhatItWaitsFor) {
  planner.begin_scan();
  planner.consider(a, better_from(75s), at(60s), at(0s));
  planner.consider(b, better_from(62s), at(60s), at(0s));
  planner.consider(c, better, at(60s), at(0s));
  planner.end_scan(at(60s));
  EXPECT_EQ(planner.scan_at(), at(62s));
  EXPECT_EQ(planner.next(), &c) << "which nobody has to wait for";
  EXPECT_EQ(planner.next(), nullptr);
}

TEST_F(PlannerOfThreeGroups, HandsOverOneAtATimeFiftyASecondAtMost) {
  planner.begin_scan();
  for (GroupEntry* group : {&b, &a}) planner.consider(*group, better, at(60s), at(0s));
  planner.end_scan(at(60s));
  planner.begin_move();
  EXPECT_FALSE(planner.is_move_due(SteadyTime::max()));
  EXPECT_EQ(planner.next(), &b) << "in the order in which they were considered";
  planner.on_moved(at(60s));
  EXPECT_FALSE(planner.is_move_due(at(60'019ms)));
  EXPECT_TRUE(planner.is_move_due(at(60'020ms)));
  EXPECT_EQ(planner.next(), &a);
}

TEST_F(PlannerOfThreeGroups, LooksSoonAgainWhereAGroupWasBusy) {
  scan(60s, better);
  planner.begin_move();
  ASSERT_EQ(planner.next(), &a);
  planner.on_busy(at(60s));
  EXPECT_EQ(planner.scan_at(), at(60'730ms)) << "and not only after ten seconds";
  EXPECT_EQ(planner.next(), nullptr);
}

TEST_F(PlannerOfThreeGroups, GoesOnOnceItIsKnownWhatAHandOverWasPutOffFor) {
  planner.go_on(at(59s));
  EXPECT_FALSE(planner.move_at()) << "none is planned";
  scan(60s, better);
  planner.begin_move();
  EXPECT_FALSE(planner.move_at());
  planner.go_on(at(63s));
  EXPECT_TRUE(planner.is_move_due(at(63s)));
  planner.begin_move();
  EXPECT_EQ(planner.next(), &a);
  planner.on_moved(at(63s));
  planner.go_on(at(64s));
  EXPECT_FALSE(planner.move_at()) << "it was the last one";
}

TEST_F(PlannerOfThreeGroups, DoesNotHandOverSoonerForWhatBecomesKnownMeanwhile) {
  planner.begin_scan();
  for (GroupEntry* group : {&a, &b}) planner.consider(*group, better, at(60s), at(0s));
  planner.end_scan(at(60s));
  planner.begin_move();
  ASSERT_EQ(planner.next(), &a);
  planner.on_moved(at(60s));
  planner.go_on(at(60'005ms));
  EXPECT_EQ(planner.move_at(), at(60'020ms));
}

TEST_F(PlannerOfThreeGroups, ForgetsWhatALookBeforeFound) {
  scan(60s, better);
  scan(61s, nobody_better);
  EXPECT_EQ(planner.next(), nullptr);
  EXPECT_FALSE(planner.scan_at());
}

TEST_F(PlannerOfThreeGroups, PlansNothingOnceTheSessionIsOver) {
  scan(60s, better);
  planner.clear();
  EXPECT_FALSE(planner.scan_at());
  EXPECT_FALSE(planner.move_at());
  EXPECT_EQ(planner.next(), nullptr);
}

}  // namespace
}  // namespace ballot::core
