// The claim: unknown outcomes, lost answers, a store that refuses, another term.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

struct OneNode : ::testing::Test {
  SimWorld world;
  SimNode& a = world.add("a");
  WallTime from = world.wall();

  void SetUp() override {
    a.jobs = {define(minutely())};
    a.start();
    world.run_for(1min + 30s);
  }
  void expect_all_is_well() {
    EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 1min), "");
    EXPECT_EQ(world.broken_promises(), "");
  }
};
using Claim = OneNode;

TEST_F(Claim, WhoseAnswerIsLostIsFoundToHaveLandedAndRunsOnce) {
  world.run_for(29s);
  a.link.lose_answer = 1000;
  world.run_for(1500ms);
  a.takes["job"] = 30s;
  EXPECT_EQ(world.starts.size(), 1u) << "no acknowledged claim, no exec";
  a.link.lose_answer = 0;
  world.run_for(2s);
  EXPECT_EQ(world.starts.size(), 2u);
  EXPECT_EQ(a.row("job", from + 2min)->status, Status::running);
  world.run_for(3min);
  expect_all_is_well();
}

TEST(Crowd, OfMoreJobsThanMayWriteAtOnceIsClaimedInTurnsAndNoneIsLeftOut) {
  constexpr int jobs = 60;
  SimWorld world;
  SimNode& a = world.add("a");
  a.most_writes = 7;
  for (int i = 0; i < jobs; ++i) a.jobs.push_back(define(minutely("job" + std::to_string(i))));
  a.start();
  const WallTime from = world.wall();
  world.run_for(2min + 30s);
  EXPECT_EQ(world.starts.size(), 2u * jobs);
  for (const auto& job : a.jobs) ASSERT_EQ(world.unaccounted(*job, from, world.wall() - 1min), "");
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Claim, ThatNeverArrivedIsRepeatedAndRunsOnce) {
  world.run_for(29s);
  a.link.lose_request = 1000;
  world.run_for(1500ms);
  EXPECT_EQ(world.starts.size(), 1u);
  a.link.lose_request = 0;
  world.run_for(2s);
  EXPECT_EQ(world.starts.size(), 2u);
  world.run_for(3min);
  expect_all_is_well();
}

TEST_F(Claim, ThatArrivesLateAndTwiceRunsOnce) {
  a.link.late_request = 300;
  a.link.duplicate = 300;
  a.link.late_max = 2s;
  world.run_for(30min);
  a.link.late_request = a.link.duplicate = 0;
  world.run_for(5min);
  expect_all_is_well();
}

TEST_F(Claim, RefusedForWantOfSpaceLaunchesNothingAndIsUnclaimed) {
  a.link.refuse_write = 1000;
  world.run_for(20min);
  EXPECT_EQ(world.starts.size(), 1u);
  EXPECT_TRUE(a.leads("default"));
  a.link.refuse_write = 0;
  world.run_for(5min);
  expect_all_is_well();
  EXPECT_EQ(a.row("job", from + 5min)->reason, Reason::unclaimed);
}

TEST_F(Claim, RefusedForWantOfSpaceIsWhatTheNodeSaysUntilAWriteIsDone) {
  const auto told = [this](const std::string& text) {
    return std::count_if(a.notices.begin(), a.notices.end(), [&](const auto& one) { return one.text == text; });
  };
  EXPECT_FALSE(a.core().refused_writes());
  a.link.refuse_write = 1000;
  world.run_for(32s);
  ASSERT_TRUE(a.core().refused_writes());
  const WallTime since = a.core().refused_writes()->since;
  EXPECT_GE(since, from + 2min);
  world.run_for(5min + 30s);
  ASSERT_TRUE(a.core().refused_writes());
  EXPECT_EQ(a.core().refused_writes()->text, "the store is full");
  EXPECT_EQ(a.core().refused_writes()->since, since);
  EXPECT_EQ(told("the store refused a write: the store is full"), 6) << "at first, and then once a minute";
  EXPECT_EQ(told("the store takes writes again"), 0);
  EXPECT_EQ(world.starts.size(), 1u);
  a.link.refuse_write = 0;
  ASSERT_TRUE(world.run_while_not([&] { return !a.core().refused_writes(); }, 10s));
  EXPECT_EQ(told("the store takes writes again"), 1);
  world.run_for(5min);
  EXPECT_FALSE(a.core().refused_writes());
  EXPECT_EQ(world.broken_promises(), "");
}

/// Only a request was refused, which nobody asks a second time.
TEST_F(Claim, AStoreThatHadRefusedAWriteIsKnownToTakeThemAgainWhereNothingIsDue) {
  world.run_for(20s);
  a.link.refuse_write = 1000;
  a.trigger("job");
  world.run_for(3s);
  ASSERT_TRUE(a.core().refused_writes());
  a.link.refuse_write = 0;
  world.run_for(10s);
  EXPECT_FALSE(a.core().refused_writes());
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Claim, LostToAnotherTermIsNotOursAndLeavesNoRow) {
  SimNode& b = world.add("b");
  b.jobs = a.jobs;
  b.start();
  world.run_for(29s + 500ms);
  a.link.answers_cut = true;  // what a sends arrives; nothing comes back
  world.run_for(499ms);
  world.store.depose("default", Cause::superseded);
  world.run_for(2min);
  a.link.answers_cut = false;
  world.run_for(5min);
  expect_all_is_well();
  EXPECT_GT(b.rows().size(), 0u);
}

TEST(Lease, IsCountedFromTheSendingHoweverLongTheAnswerTakes) {
  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");
  Job job = minutely();
  job.kill_grace = 200ms;
  a.jobs = b.jobs = {define(job)};
  a.takes["job"] = 50s;
  a.runner.habits.stubborn = {"job"};
  a.start();
  world.run_for(1s);
  b.start();
  world.run_for(1min);
  ASSERT_EQ(a.open_children(), 1);
  a.link.request_timeout = 6s;
  a.link.slow_answers = 2s;
  world.run_for(20s);
  ASSERT_EQ(a.open_children(), 1) << "slow answers do not end a term";
  a.link.lose_renewal = 1000;
  world.run_for(20s);
  EXPECT_EQ(a.open_children(), 0);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Claim, ConfirmedTooLateToLaunchIsStale) {
  world.run_for(29s + 800ms);
  a.link.answers_cut = true;
  world.run_for(10s);  // the claim landed, the term is over
  a.link.answers_cut = false;
  world.run_for(5min);
  expect_all_is_well();
  ASSERT_TRUE(a.row("job", from + 2min));
  EXPECT_EQ(a.row("job", from + 2min)->status, Status::missed);
  EXPECT_EQ(a.row("job", from + 2min)->reason, Reason::stale);
}

}  // namespace
}  // namespace ballot
