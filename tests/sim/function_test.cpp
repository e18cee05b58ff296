// Jobs that are functions of the daemon's own process: they die with it and not with the runner, and nothing can end
// one that does not want to.
#include <gtest/gtest.h>

#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

struct Functions : ::testing::Test {
  SimWorld world;
  SimNode& a = world.add("a");
  WallTime from = world.wall();

  static Job function() {
    Job job = minutely();
    job.details.edit().function = "work";
    return job;
  }
  void begin(const Job& job, Millis takes) {
    a.jobs = {define(job)};
    a.takes["job"] = takes;
    a.start();
  }
  void stop_and_start(Millis wait, bool leave, Millis within) {
    a.stop(wait, leave);
    world.run_for(within);
    ASSERT_TRUE(a.stopped());
    a.crash();
    a.start();
  }
  /// "1 succeeded, ..." of a slot's attempts, by what all ledgers say.
  std::string attempts(WallTime slot) const {
    std::string text;
    for (const Row& row : world.merged()) {
      if (row.slot != slot) continue;
      text += (text.empty() ? "" : ", ") + std::to_string(row.attempt) + " " + std::string(to_string(row.status));
      if (row.reason != Reason::none) text += ": " + std::string(to_string(row.reason));
    }
    return text;
  }
  WallTime first_slot() const { return std::chrono::floor<std::chrono::minutes>(from) + 1min; }
  void expect_all_is_well() {
    for (auto& node : world.nodes)
      for (const auto& job : node->jobs) EXPECT_EQ(world.unaccounted(*job, from, world.wall() - 1min), "");
    EXPECT_EQ(world.broken_promises(), "");
  }
};

TEST_F(Functions, SucceedWithoutACode) {
  begin(function(), 1s);
  world.run_for(3min);
  EXPECT_EQ(attempts(first_slot()), "1 succeeded");
  EXPECT_FALSE(a.row("job", first_slot())->exit_code);
  expect_all_is_well();
}

TEST_F(Functions, AreTriedAgainUnlessTheySayThatItIsNoUse) {
  const std::pair<int, const char*> results[] = {
      {1, "1 failed: permanent"},
      {2, "1 failed: temporary, 2 failed: temporary"},
      {3, "1 failed: exception, 2 failed: exception"},
  };
  Job job = function();
  job.retries = 1;
  job.details.edit().retry_delay = 1s;
  begin(job, 1s);
  for (const auto& [result, expected] : results) {
    a.exits["job"] = result;
    const WallTime slot = std::chrono::floor<std::chrono::minutes>(world.wall()) + 1min;
    world.run_for(slot + 30s - world.wall());
    EXPECT_EQ(attempts(slot), expected);
  }
  expect_all_is_well();
}

TEST_F(Functions, AreLostWithTheirProcessThoughTheRunnerGoesOn) {
  begin(function(), 40s);
  world.run_for(first_slot() + 5s - world.wall());
  ASSERT_EQ(a.open_children(), 1);
  a.crash();
  EXPECT_EQ(a.open_children(), 0);
  world.run_for(1s);
  a.start();
  world.run_for(3min);
  EXPECT_EQ(attempts(first_slot()), "1 lost: node_died");
  expect_all_is_well();
}

TEST_F(Functions, ThatAreLostAreRepeatedWhereTheJobSaysSo) {
  Job job = function();
  job.guarantee = Guarantee::at_least_once;
  begin(job, 20s);
  world.run_for(first_slot() + 5s - world.wall());
  a.crash();
  world.run_for(1s);
  a.start();
  world.run_for(3min);
  EXPECT_EQ(attempts(first_slot()), "1 lost: node_died, 2 succeeded");
  expect_all_is_well();
}

TEST_F(Functions, EndWithTheirProcessThoughTheirTermIsLeft) {
  begin(function(), 40s);
  world.run_for(first_slot() + 5s - world.wall());
  stop_and_start(30s, true, 3s);
  world.run_for(3min);
  EXPECT_EQ(attempts(first_slot()), "1 killed: shutdown");
  expect_all_is_well();
}

TEST_F(Functions, EndWithTheirProcessThoughTheyOutliveTheirTerm) {
  Job job = function();
  job.on_leadership_lost = OnLeadershipLost::finish;
  begin(job, 40s);
  world.run_for(first_slot() + 5s - world.wall());
  stop_and_start(1s, false, 5s);
  world.run_for(3min);
  EXPECT_EQ(attempts(first_slot()), "1 killed: shutdown");
  expect_all_is_well();
}

TEST_F(Functions, ThatDoNotStopDelayAStopThatLeavesTheRestOnlySoLong) {
  begin(function(), 10min);
  a.runner.habits.stubborn.insert("job");
  world.run_for(first_slot() + 5s - world.wall());
  stop_and_start(30s, true, 12s);
  world.run_for(10min);
  EXPECT_EQ(attempts(first_slot()), "1 lost: node_died");
  expect_all_is_well();
}

TEST_F(Functions, GoOnThoughTheRunnerDies) {
  begin(function(), 40s);
  world.run_for(first_slot() + 5s - world.wall());
  a.runner.crash();
  world.run_for(3min);
  EXPECT_EQ(attempts(first_slot()), "1 succeeded");
  expect_all_is_well();
}

TEST_F(Functions, AreStoppedBeforeTheirTermEnds) {
  SimNode& b = world.add("b");
  begin(function(), 50s);
  b.jobs = a.jobs;
  b.takes["job"] = 1s;
  world.run_for(first_slot() + 2s - world.wall());
  b.start();
  a.link.cut = true;
  world.run_for(3min);
  EXPECT_EQ(world.starts.front().node, "a");
  EXPECT_EQ(attempts(first_slot()), "1 killed: leadership_lost");
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Functions, ThatDoNotStopGoOnBesideTheNextTermWithAnOlderFence) {
  SimNode& b = world.add("b");
  begin(function(), 10min);
  a.runner.habits.stubborn.insert("job");
  b.jobs = a.jobs;
  b.takes["job"] = 1s;
  world.run_for(first_slot() + 2s - world.wall());
  b.start();
  a.link.cut = true;
  world.run_for(5min);
  ASSERT_GE(world.starts.size(), 2u);
  EXPECT_EQ(a.open_children(), 1) << "nobody can end it";
  for (const Start& start : world.starts) EXPECT_TRUE(start.node == "a" || start.fence > world.starts.front().fence);
  a.link.cut = false;
  world.run_for(10min);
  EXPECT_EQ(a.open_children(), 0);
  EXPECT_EQ(world.broken_promises(), "");
}

}  // namespace
}  // namespace ballot
