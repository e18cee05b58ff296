#include "core/jobs/run_limits.hpp"

#include <gtest/gtest.h>

#include "unit/core/runs_of_a_node.hpp"

namespace ballot::core {
namespace {

using namespace std::chrono_literals;

/// Jobs a1 and a2 in a group of one place, b1 and b2 in one of two, free in one without limit.
struct PlacesOfThreeGroups : ::testing::Test {
  JobTable table;
  GroupEntry a{"a", {}}, b{"b", {}}, unlimited{"c", {}};
  JobEntry &a1 = table.entry("a1"), &a2 = table.entry("a2"), &b1 = table.entry("b1"), &b2 = table.entry("b2"),
           &free = table.entry("free");
  RunsOfANode runs;
  RunLimits limits{0};

  PlacesOfThreeGroups() {
    a.settings.max_running = 1;
    b.settings.max_running = 2;
    a1.owner = a2.owner = &a;
    b1.owner = b2.owner = &b;
    free.owner = &unlimited;
  }

  static WallTime due(Millis t) { return WallTime(t); }
  RunId begin(JobEntry& job) { return begin(limits, job); }
  RunId begin(RunLimits& of, JobEntry& job) {
    const RunId run = runs.begin(job.machine);
    of.count(job);
    return run;
  }
  void end(JobEntry& job, const RunId& run) { end(limits, job, run); }
  void end(RunLimits& of, JobEntry& job, const RunId& run) {
    runs.end(job.machine, run);
    of.count(job);
  }
};

TEST_F(PlacesOfThreeGroups, AreNobodysWhereNobodyWaits) {
  EXPECT_FALSE(limits.limits_node());
  EXPECT_EQ(limits.next(), nullptr);
  limits.leave(a1);
  EXPECT_EQ(limits.next(), nullptr) << "whoever does not wait cannot leave";
}

TEST_F(PlacesOfThreeGroups, GoToTheJobOfTheHighestPriority) {
  limits.wait(b1, 0, due(1s));
  limits.wait(b2, 5, due(9s));
  EXPECT_EQ(limits.next(), &b2);
  limits.leave(b2);
  EXPECT_EQ(limits.next(), &b1);
  limits.wait(b2, -1, due(0s));
  EXPECT_EQ(limits.next(), &b1);
  limits.leave(b1);
  limits.leave(b1);
  EXPECT_EQ(limits.next(), &b2);
}

TEST_F(PlacesOfThreeGroups, GoToTheJobThatIsDueLongerAmongThoseOfOnePriority) {
  limits.wait(b1, 3, due(2s));
  limits.wait(b2, 3, due(1s));
  EXPECT_EQ(limits.next(), &b2);
}

TEST_F(PlacesOfThreeGroups, GoToTheJobThatWasKnownFirstWhereAllElseIsTheSame) {
  limits.wait(b2, 3, due(1s));
  limits.wait(a2, 3, due(1s));
  limits.wait(b1, 3, due(1s));
  EXPECT_EQ(limits.next(), &a2);
  limits.leave(a2);
  EXPECT_EQ(limits.next(), &b1);
}

TEST_F(PlacesOfThreeGroups, GoToTheFirstOverAllGroups) {
  limits.wait(a1, 0, due(2s));
  limits.wait(b1, 0, due(1s));
  limits.wait(free, 1, due(3s));
  EXPECT_EQ(limits.next(), &free);
  limits.leave(free);
  EXPECT_EQ(limits.next(), &b1);
  limits.leave(b1);
  EXPECT_EQ(limits.next(), &a1);
}

TEST_F(PlacesOfThreeGroups, OfAGroupThatIsFullAreNotWaitedForByOthers) {
  const RunId run = begin(a1);
  EXPECT_EQ(a.running, 1);
  limits.wait(a2, 9, due(0s));
  EXPECT_EQ(limits.next(), nullptr);
  limits.wait(b1, 0, due(5s));
  EXPECT_EQ(limits.next(), &b1);
  end(a1, run);
  EXPECT_EQ(a.running, 0);
  EXPECT_EQ(limits.next(), &a2);
}

TEST_F(PlacesOfThreeGroups, AreAsManyAsTheGroupHas) {
  begin(b1);
  limits.wait(b2, 0, due(0s));
  EXPECT_EQ(limits.next(), &b2) << "the second of two";
  limits.leave(b2);
  begin(b2);
  limits.wait(b1, 0, due(0s));
  EXPECT_EQ(limits.next(), nullptr);
}

TEST_F(PlacesOfThreeGroups, AreThereForAllInAGroupWithoutLimit) {
  for (int i = 0; i < 100; ++i) begin(free);
  EXPECT_EQ(unlimited.running, 100);
  limits.wait(free, 0, due(0s));
  EXPECT_EQ(limits.next(), &free);
}

TEST_F(PlacesOfThreeGroups, AreCountedOnceHoweverOftenAJobIs) {
  begin(b1);
  limits.count(b1);
  limits.count(b1);
  EXPECT_EQ(b.running, 1);
  begin(b1);
  EXPECT_EQ(b.running, 2);
}

TEST_F(PlacesOfThreeGroups, MoveWithAJobToItsNewGroupWhereItWaitsNoMore) {
  const RunId run = begin(b1);
  limits.wait(b1, 0, due(0s));
  b1.owner = &a;
  limits.move(b1, &b);
  EXPECT_EQ(b.running, 0);
  EXPECT_EQ(a.running, 1);
  EXPECT_EQ(b1.places->waits_in, nullptr);
  EXPECT_TRUE(b.waiters.empty());
  EXPECT_EQ(limits.next(), nullptr);
  end(b1, run);
  EXPECT_EQ(a.running, 0);
  EXPECT_EQ(b.running, 0);
}

TEST_F(PlacesOfThreeGroups, OfAJobThatIsNobodysAreFreeAndCountOnceItIsSomebodysAgain) {
  begin(a1);
  a1.owner = nullptr;
  limits.move(a1, &a);
  EXPECT_EQ(a.running, 0);
  begin(a1);
  EXPECT_EQ(a1.places->running, 2);
  a1.owner = &b;
  limits.move(a1, nullptr);
  EXPECT_EQ(b.running, 2);
}

TEST_F(PlacesOfThreeGroups, AreAsManyAsTheGroupsLimitSaysOnceThatHasChanged) {
  begin(a1);
  limits.wait(a2, 0, due(0s));
  ASSERT_EQ(limits.next(), nullptr);
  a.settings.max_running = 2;
  limits.review(a);
  EXPECT_EQ(limits.next(), &a2);
  a.settings.max_running = 1;
  limits.review(a);
  EXPECT_EQ(limits.next(), nullptr);
  a.settings.max_running = 0;
  limits.review(a);
  EXPECT_EQ(limits.next(), &a2) << "there is no limit any more";
  limits.leave(a2);
  limits.review(a);
  EXPECT_EQ(limits.next(), nullptr) << "nobody waits";
}

TEST_F(PlacesOfThreeGroups, OfAJobThatMovesAreFreeForThoseThatWaitAndTakenWhereItGoes) {
  begin(a1);
  limits.wait(a2, 0, due(1s));
  begin(b1);
  limits.wait(b2, 0, due(0s));
  a1.owner = &b;
  limits.move(a1, &a);
  EXPECT_EQ(limits.next(), &a2);
  limits.leave(a2);
  EXPECT_EQ(limits.next(), nullptr) << "two of two go on in b";
}

TEST_F(PlacesOfThreeGroups, OfThisNodeAreBoundOverAllGroups) {
  RunLimits two(2);
  EXPECT_TRUE(two.limits_node());
  begin(two, a1);
  two.wait(free, 0, due(0s));
  EXPECT_EQ(two.next(), &free);
  const RunId second = begin(two, b1);
  EXPECT_EQ(two.next(), nullptr) << "whatever the groups have";
  end(two, b1, second);
  EXPECT_EQ(two.next(), &free);
}

TEST_F(PlacesOfThreeGroups, OfThisNodeAreTakenByRunsOfJobsThatAreNobodysToo) {
  RunLimits one(1);
  a1.owner = nullptr;
  begin(one, a1);
  one.wait(free, 0, due(0s));
  EXPECT_EQ(one.next(), nullptr);
}

TEST_F(PlacesOfThreeGroups, OfThisNodeAreTakenByRunsThatNoJobCounts) {
  RunLimits two(2);
  begin(two, a1);
  two.wait(free, 0, due(0s));
  EXPECT_EQ(two.next(1), nullptr);
  EXPECT_EQ(two.next(0), &free);
  limits.wait(b1, 0, due(0s));
  EXPECT_EQ(limits.next(9), &b1) << "there is no limit";
}

TEST_F(PlacesOfThreeGroups, AreTakenInTheGroupAndNotOnThisNodeByRunsOfAnother) {
  RunLimits one(1);
  runs.take_over(a1.machine, 1);
  one.count(a1);
  EXPECT_EQ(a.running, 1);
  one.wait(a2, 0, due(0s));
  EXPECT_EQ(one.next(), nullptr);
  one.wait(free, 0, due(0s));
  EXPECT_EQ(one.next(), &free);
}

}  // namespace
}  // namespace ballot::core
