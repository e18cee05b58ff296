// Triggers, pauses and policies that people use by hand.
#include <gtest/gtest.h>

#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

struct ByHand : ::testing::Test {
  SimWorld world;
  SimNode& a = world.add("a");
  WallTime from = world.wall();

  void SetUp() override {
    Job job;
    job.name = "job";
    job.schedule = {"* * * * *"};
    a.jobs = {define(job)};
    a.start();
    world.run_for(1min + 30s);
  }
};

TEST_F(ByHand, ATriggerRunsNowUnderItsOwnIdAndMovesNoCursor) {
  const RunId run = a.trigger("job");
  world.run_for(3s);
  ASSERT_EQ(a.replies.size(), 1u);
  EXPECT_TRUE(a.replies[0].ok);
  EXPECT_EQ(a.replies[0].run, run);
  EXPECT_EQ(world.starts.back().run, run);
  world.run_for(5min);
  EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 1min), "");
}

TEST_F(ByHand, ATriggerObeysOverlap) {
  a.takes["job"] = 40s;
  a.trigger("job");
  world.run_for(1s);
  a.trigger("job");
  world.run_for(1s);
  ASSERT_EQ(a.replies.size(), 2u);
  EXPECT_TRUE(a.replies[0].ok);
  EXPECT_FALSE(a.replies[1].ok);
  EXPECT_EQ(a.replies[1].text.substr(0, 16), "skipped: overlap");
  const std::string run = world.starts.back().run.text();
  EXPECT_NE(a.replies[1].text.find("run " + run.substr(run.size() - 12) + " of slot "), std::string::npos)
      << a.replies[1].text;
  EXPECT_NE(a.replies[1].text.find(" on a, started 20"), std::string::npos) << a.replies[1].text;
}

TEST_F(ByHand, ATriggerOfADisabledOrPausedJobWorks) {
  a.pause("job", true);
  world.run_for(1s);
  const std::size_t before = world.starts.size();
  a.trigger("job");
  world.run_for(2s);
  EXPECT_EQ(world.starts.size(), before + 1);
  Job job = a.jobs[0]->job;
  job.enabled = false;
  a.jobs = {define(job)};
  a.load();
  world.run_for(2s);
  a.trigger("job");
  world.run_for(2s);
  EXPECT_EQ(world.starts.size(), before + 2);
}

TEST_F(ByHand, ATriggerOfAnUnknownJobSaysSo) {
  a.trigger("nothing");
  ASSERT_EQ(a.replies.size(), 1u);
  EXPECT_EQ(a.replies[0].code, Errc::not_found);
}

TEST_F(ByHand, APausedJobStartsNothingAndItsSlotsAreSkippedOnResume) {
  a.pause("job", true);
  world.run_for(1s);
  ASSERT_EQ(a.replies.size(), 1u);
  EXPECT_TRUE(a.replies[0].ok);
  const std::size_t before = world.starts.size();
  world.run_for(200min);
  EXPECT_EQ(world.starts.size(), before);
  a.pause("job", false);
  world.run_for(1s);
  EXPECT_TRUE(a.replies[1].ok);
  world.run_for(5min);
  EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 1min), "");
  EXPECT_EQ(a.row("job", from + 100min)->reason, Reason::paused);
}

TEST_F(ByHand, APauseSurvivesARestart) {
  a.pause("job", true);
  world.run_for(1s);
  a.stop();
  world.run_for(2s);
  a.crash();
  a.start();
  const std::size_t before = world.starts.size();
  world.run_for(10min);
  EXPECT_EQ(world.starts.size(), before);
  a.pause("job", false);
  world.run_for(5min);
  EXPECT_GT(world.starts.size(), before);
  EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 1min), "");
}

}  // namespace
}  // namespace ballot
