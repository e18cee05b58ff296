// What comes after a run: on_success and on_error say rerun or reelect.
#include <gtest/gtest.h>

#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

struct AfterRuns : ::testing::Test {
  SimWorld world;
  SimNode& a = world.add("a");
  Job job = minutely();

  AfterRuns() { job.schedule.clear(); }
  void begin() {
    a.jobs = {define(job)};
    a.start();
    world.run_for(1min);
    a.trigger("job");
  }
  std::string rows() const {
    std::map<WallTime, std::string> texts;
    for (const Row& row : world.merged())
      texts[row.slot] = std::string(to_string(row.trigger)) + " " + std::string(to_string(row.status)) +
                        (row.reason == Reason::none ? "" : ": " + std::string(to_string(row.reason)));
    std::string all;
    for (const auto& [slot, text] : texts) all += (all.empty() ? "" : ", ") + text;
    return all;
  }
};

TEST_F(AfterRuns, AfterSuccessARerunBeginsAtOnce) {
  job.on_success = AfterRun::rerun;
  a.takes["job"] = 10s;
  begin();
  world.run_for(25s);
  EXPECT_EQ(rows(), "manual succeeded, rerun succeeded, rerun running");
  ASSERT_EQ(world.starts.size(), 3u);
  EXPECT_LT(world.starts[1].at - *world.starts[0].ended, 1s);
  EXPECT_NE(world.starts[0].run, world.starts[1].run) << "a run of its own";
  EXPECT_EQ(world.starts[1].attempt, 1);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(AfterRuns, AfterAFailureARerunWaitsForTheRetryDelay) {
  job.on_error = AfterRun::rerun;
  job.details.edit().retry_delay = 30s;
  a.exits["job"] = 1;
  begin();
  world.run_for(20s);
  EXPECT_EQ(world.starts.size(), 1u);
  world.run_for(20s);
  EXPECT_EQ(rows(), "manual failed: exit_code, rerun failed: exit_code");
  EXPECT_GE(world.starts[1].at - *world.starts[0].ended, 30s);
}

TEST_F(AfterRuns, RetriesComeBeforeTheRerun) {
  job.on_error = AfterRun::rerun;
  job.retries = 1;
  job.details.edit().retry_delay = 10s;
  a.exits["job"] = 1;
  begin();
  world.run_for(26s);
  ASSERT_EQ(world.starts.size(), 3u);
  EXPECT_EQ(world.starts[1].run, world.starts[0].run);
  EXPECT_EQ(world.starts[1].attempt, 2);
  EXPECT_EQ(world.starts[2].trigger, Trigger::rerun);
}

TEST_F(AfterRuns, ARerunSurvivesTheLeaderThatOwedIt) {
  job.on_error = AfterRun::rerun;
  job.details.edit().retry_delay = 1min;
  a.exits["job"] = 1;
  SimNode& b = world.add("b");
  b.jobs = {define(job)};
  begin();
  b.start();
  world.run_for(20s);
  a.crash();
  world.run_for(1min);
  ASSERT_EQ(world.starts.size(), 2u);
  EXPECT_EQ(world.starts[1].node, "b");
  EXPECT_EQ(world.starts[1].trigger, Trigger::rerun);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(AfterRuns, NothingIsRunAgainOnceItWasKilledOrPaused) {
  job.on_success = job.on_error = AfterRun::rerun;
  a.takes["job"] = 10min;
  begin();
  world.run_for(5s);
  core::Request request;
  request.kind = core::Request::Kind::kill;
  a.ask(request, world.starts[0].run.text());
  world.run_for(5min);
  EXPECT_EQ(rows(), "manual killed: operator");
  a.takes["job"] = 10s;
  a.trigger("job");
  world.run_for(5s);
  a.pause("job", true);
  world.run_for(10min);
  EXPECT_EQ(world.starts.size(), 2u);
  a.pause("job", false);
  world.run_for(5s);
  EXPECT_EQ(world.starts.size(), 3u);
}

TEST_F(AfterRuns, ReelectHandsTheGroupOverWhenNoneOfItsRunsGoesOn) {
  job.on_success = AfterRun::reelect;
  a.takes["job"] = 5s;
  Job other = minutely();
  other.name = "other";
  other.schedule.clear();
  SimNode& b = world.add("b");
  b.jobs = {define(job), define(other)};
  a.takes["other"] = 30s;
  begin();
  b.start();
  a.jobs = b.jobs;
  a.load();
  a.trigger("other");
  world.run_for(20s);
  EXPECT_TRUE(a.leads("default")) << "the other job's run goes on";
  world.run_for(20s);
  EXPECT_TRUE(b.leads("default"));
  EXPECT_EQ(rows(), "manual succeeded, manual succeeded");
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(AfterRuns, ReelectLosesNoSlot) {
  job.schedule = {"* * * * *"};
  job.on_success = AfterRun::reelect;
  SimNode& b = world.add("b");
  b.jobs = a.jobs = {define(job)};
  const WallTime from = world.wall();
  a.start(), b.start();
  world.run_for(20min);
  std::set<std::string> nodes;
  for (const Start& start : world.starts) nodes.insert(start.node);
  EXPECT_EQ(nodes.size(), 2u) << "the lead goes round";
  EXPECT_GE(world.starts.size(), 18u);
  EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 1min), "");
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(AfterRuns, ALeaderWithoutAnotherCandidateLeadsOn) {
  job.on_success = AfterRun::reelect;
  begin();
  world.run_for(20s);
  EXPECT_TRUE(a.leads("default"));
}

}  // namespace
}  // namespace ballot
