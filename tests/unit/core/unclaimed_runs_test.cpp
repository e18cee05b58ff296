#include "core/job/runs/unclaimed_runs.hpp"

#include <gtest/gtest.h>

namespace ballot::core {
namespace {

using namespace std::chrono_literals;

const WallTime slots_from{Millis(1'767'268'800'000)};

/// Slots a minute apart: run n has slot n.
struct Ahead5 : ::testing::Test {
  UnclaimedRuns unclaimed;
  RunList runs;
  JobRegister stored;

  static RunId id_of(int n) { return *RunId::parse("00000000-0000-7000-8000-0000000000" + std::to_string(10 + n)); }
  static OpenRun open(int n) {
    OpenRun run;
    run.id = id_of(n);
    run.slot = slots_from + n * 1min;
    return run;
  }
  static Disposition skipped(int n) {
    return {slots_from + n * 1min, slots_from + n * 1min, 1, Status::skipped, Reason::overlap};
  }
  LiveRun& starts(int n) {
    LiveRun run;
    run.open = open(n);
    run.unclaimed = true;
    unclaimed.add({}, run.id());
    return runs.add(std::move(run));
  }
};

TEST_F(Ahead5, NothingAheadLeavesTheSlotsWhereTheRegisterHasThem) {
  stored.cursor = slots_from;
  unclaimed.add({}, std::nullopt);
  EXPECT_TRUE(unclaimed.empty());
  EXPECT_EQ(unclaimed.settled_until(stored, runs), slots_from);
}

TEST_F(Ahead5, SlotsGoOnBehindTheLastRunThatIsAhead) {
  stored.cursor = slots_from;
  starts(1);
  unclaimed.add({skipped(2)}, std::nullopt);
  starts(3);
  EXPECT_EQ(unclaimed.settled_until(stored, runs), slots_from + 3min);
}

TEST_F(Ahead5, WhatTheRegisterShowsIsForgottenInOrder) {
  starts(1).unclaimed = false;
  unclaimed.add({skipped(2)}, std::nullopt);
  starts(3).unclaimed = false;
  stored.cursor = slots_from + 1min;
  unclaimed.drop_entered(stored, runs);
  EXPECT_EQ(unclaimed.all().size(), 2U);  // the skipped slot is not in the register, nor what comes after it
  stored.cursor = slots_from + 3min;
  unclaimed.drop_entered(stored, runs);
  EXPECT_TRUE(unclaimed.empty());
}

TEST_F(Ahead5, ItIsFullWhenTheRegisterWouldBe) {
  std::vector<OpenRun> shown;
  for (int n = 1; n < static_cast<int>(open_run_limit); ++n) shown.push_back(open(n));
  starts(1);  // is shown already
  EXPECT_FALSE(unclaimed.is_full(shown));
  starts(50);
  EXPECT_TRUE(unclaimed.is_full(shown));
}

TEST_F(Ahead5, AClaimThatLandsBehindARunOfItsSlotNeverWas) {
  OpenRun claim = open(20);
  claim.slot = slots_from + 1min;
  stored.runs = {claim};
  starts(1);
  EXPECT_TRUE(unclaimed.superseded(stored, runs).empty());  // nobody gave it up
  unclaimed.note_given_up(claim.id);
  EXPECT_EQ(unclaimed.superseded(stored, runs), std::vector{claim.id});
  unclaimed.clear();
  EXPECT_TRUE(unclaimed.superseded(stored, runs).empty());
}

}  // namespace
}  // namespace ballot::core
