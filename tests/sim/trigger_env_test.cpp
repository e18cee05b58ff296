// Variables that a trigger gives its run: every attempt has them, whoever leads by then, and no others.
#include <gtest/gtest.h>

#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

struct TriggerEnv : ::testing::Test {
  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");
  Job job = minutely("hand");

  TriggerEnv() {
    job.schedule.clear();
    job.details.edit().trigger_env = {"DAY", "NOTE"};
  }
  void begin() {
    a.jobs = b.jobs = {define(job)};
    a.start();
    world.run_for(5s);
    b.start();
    world.run_for(10s);
  }
  std::string refusal_of(const std::string& env) {
    a.replies.clear();
    a.trigger_with("hand", env);
    world.run_for(5s);
    return a.replies.empty() || a.replies.back().ok ? "" : a.replies.back().text;
  }
};

TEST_F(TriggerEnv, OfARunThatIsTriedAgainUnderTheNextLeaderAreTheSame) {
  job.retries = 1;
  job.details.edit().retry_delay = 20s;
  a.exits["hand"] = 1;
  begin();
  const RunId run = a.trigger_with("hand", "DAY=2026-01-01 NOTE=two%20words");
  world.run_for(5s);
  ASSERT_EQ(world.starts_of("hand"), 1u);
  a.crash();
  world.run_for(1min);
  ASSERT_EQ(world.starts_of("hand"), 2u);
  EXPECT_EQ(world.starts.back().run, run);
  EXPECT_EQ(world.starts.back().node, "b");
  EXPECT_EQ(world.broken_promises(), "") << "the oracle knows with which variables it was triggered";
}

TEST_F(TriggerEnv, AreKeptWhileARunIsQueuedForTheNextLeader) {
  job.concurrency = Concurrency::queue;
  a.takes["hand"] = b.takes["hand"] = 30s;
  begin();
  a.trigger_with("hand", "DAY=1");
  world.run_for(2s);
  a.trigger_with("hand", "DAY=2");
  world.run_for(2s);
  a.crash();
  world.run_for(2min);
  EXPECT_EQ(world.starts_of("hand"), 2u);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(TriggerEnv, ThatTheJobDoesNotAllowAreRefusedByName) {
  begin();
  EXPECT_EQ(refusal_of("DAY=1 PATH=/tmp"),
            "env: a trigger of job hand may not set PATH: its trigger_env allows DAY, NOTE");
  EXPECT_EQ(world.starts_of("hand"), 0u);
  EXPECT_EQ(refusal_of("DAY=1"), "");
  EXPECT_EQ(world.starts_of("hand"), 1u);
}

TEST_F(TriggerEnv, OfAJobWithoutTriggerEnvAreRefused) {
  job.details.edit().trigger_env.clear();
  begin();
  EXPECT_EQ(refusal_of("DAY=1"),
            "env: a trigger of job hand may not set DAY: it has no trigger_env, and so none is allowed");
}

/// Else the job's register would have no room for its next claim, and the job stand still.
TEST_F(TriggerEnv, ThatTheRegisterHasNoRoomForWaitForRunsToEnd) {
  job.concurrency = Concurrency::allow;
  world.oracle.at_once["hand"] = 16;
  a.takes["hand"] = b.takes["hand"] = 20s;
  begin();
  const std::string large = "DAY=" + [] {
    std::string text;
    for (int i = 0; i < 1000; ++i) text += "%0A";
    return text;
  }();
  for (int i = 0; i < 3; ++i) a.trigger_with("hand", large);
  world.run_for(5s);
  EXPECT_EQ(world.starts_of("hand"), 1u);
  world.run_for(10s);
  a.trigger_with("hand", "DAY=1");
  world.run_for(1min);
  EXPECT_GE(world.starts_of("hand"), 2u);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(TriggerEnv, OfAnIdThatIsUnderWayMayNotBeOthers) {
  a.takes["hand"] = b.takes["hand"] = 20s;
  begin();
  const RunId run = a.trigger_with("hand", "DAY=1");
  core::Request again;
  again.job = "hand";
  again.id = run;
  again.env = "DAY=2";
  a.ask(again);
  world.run_for(5s);
  ASSERT_EQ(a.replies.size(), 2u);
  EXPECT_NE(a.replies[0].ok, a.replies[1].ok);
  EXPECT_EQ(world.starts_of("hand"), 1u);
}

}  // namespace
}  // namespace ballot
