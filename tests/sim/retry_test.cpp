// Retries: attempts after ones that failed, what waits between them, and what becomes of it when its leader goes.
#include <gtest/gtest.h>

#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

Job retried(int retries, Millis delay) {
  Job job = minutely();
  job.schedule = {"0 * * * *"};
  job.retries = retries;
  job.details.edit().retry_delay = delay;
  return job;
}

struct Retries : ::testing::Test {
  SimWorld world;
  SimNode& a = world.add("a");
  WallTime from = world.wall();

  void begin(const Job& job) {
    a.jobs = {define(job)};
    a.exits["job"] = 7;
    a.start();
    world.run_for(1h);
    slot = std::chrono::floor<std::chrono::hours>(world.wall());
    world.run_for(slot + 1s + 500ms - world.wall());
  }
  /// What the ledgers say of the slot's attempts, one after the other.
  std::string attempts() const {
    std::string text;
    for (const Row& row : world.merged())
      if (row.slot == slot) {
        text += std::to_string(row.attempt) + " " + std::string(to_string(row.status));
        if (row.reason != Reason::none) text += ": " + std::string(to_string(row.reason));
        text += ", ";
      }
    return text.empty() ? text : text.substr(0, text.size() - 2);
  }
  std::optional<Row> attempt(int number) const {
    for (const Row& row : world.merged())
      if (row.slot == slot && row.attempt == number) return row;
    return std::nullopt;
  }
  void kill(const RunId& run) {
    core::Request request;
    request.kind = core::Request::Kind::kill;
    a.ask(request, run.text());
  }
  /// The first attempt fails on `a`, whose host goes down while the next one waits; b, which succeeds, is there.
  SimNode& fail_on_a_that_reboots(int retries) {
    SimNode& b = world.add("b");
    b.jobs = {define(retried(retries, 5min))};
    b.exits["job"] = 0;
    begin(retried(retries, 5min));
    b.start();
    world.run_for(10s);
    EXPECT_EQ(attempts(), "1 failed: exit_code");
    a.reboot();
    return b;
  }
  void expect_success_in_time() {
    EXPECT_EQ(attempts(), "1 failed: exit_code, 2 succeeded");
    EXPECT_GE(pause_before(2), 5min) << "the new leader keeps to the time";
    EXPECT_LE(pause_before(2), 5min + 31s);
    expect_all_is_well();
  }
  Millis pause_before(int number) const { return *attempt(number)->started_at - *attempt(number - 1)->ended_at; }
  void expect_all_is_well() {
    for (auto& node : world.nodes)
      for (const auto& job : node->jobs) EXPECT_EQ(world.unaccounted(*job, from, world.wall() - 1min), "");
    EXPECT_EQ(world.broken_promises(), "");
  }

  WallTime slot{};
};

TEST_F(Retries, FollowAttemptsThatFailEachAfterALongerDelay) {
  begin(retried(2, 10s));
  world.run_for(5min);
  EXPECT_EQ(attempts(), "1 failed: exit_code, 2 failed: exit_code, 3 failed: exit_code");
  EXPECT_EQ(attempt(1)->run, attempt(3)->run) << "one run";
  EXPECT_GT(attempt(3)->fence, attempt(2)->fence);
  EXPECT_GE(pause_before(2), 10s);
  EXPECT_LE(pause_before(2), 11s + 500ms) << "up to a tenth longer";
  EXPECT_GE(pause_before(3), 20s);
  EXPECT_LE(pause_before(3), 22s + 500ms);
  expect_all_is_well();
}

/// Wherever the wall clock is set while the delay goes by: before the register shows the next attempt, and after.
TEST_F(Retries, WaitByTheBootClockHoweverTheWallClockIsSet) {
  for (const Millis by : {Millis(8s), Millis(-8s), Millis(-1h)})
    for (const Millis later : {Millis(0), Millis(1500)}) {
      SimWorld world;
      SimNode& a = world.add("a");
      a.jobs = {define(retried(1, 10s))};
      a.exits["job"] = 7;
      a.start();
      world.run_for(1s);
      a.trigger("job");
      ASSERT_TRUE(world.run_while_not([&] { return !world.starts.empty() && world.starts[0].ended; }, 1min));
      world.run_for(2ms + later);
      a.step_clock(by);
      world.run_for(30s);
      ASSERT_EQ(world.starts.size(), 2u) << by.count() << " " << later.count();
      const Millis pause = world.starts[1].at - *world.starts[0].ended;
      EXPECT_GE(pause, 10s) << by.count() << " " << later.count();
      EXPECT_LE(pause, 11s + 700ms) << by.count() << " " << later.count();
    }
}

/// The store has the instant, by the clock of whoever wrote it: how far the two clocks differ is not known.
TEST_F(Retries, WaitNoLongerThanTheirDelayUnderALeaderWhoseClockIsBehind) {
  SimNode& b = world.add("b");
  b.jobs = {define(retried(1, 2min))};
  b.exits["job"] = 0;
  begin(retried(1, 2min));
  b.start();
  world.run_for(5s);
  b.step_clock(-30min);
  world.run_for(5s);
  a.reboot();
  world.run_for(2min + 12s + 31s);
  ASSERT_EQ(world.starts.size(), 2u);
  EXPECT_EQ(world.starts[1].node, "b");
  EXPECT_EQ(world.starts[1].attempt, 2);
}

TEST_F(Retries, WaitNoLongerThanTheLongestDelay) {
  Job job = retried(3, 1min);
  job.details.edit().retry_max_delay = 70s;
  begin(job);
  world.run_for(10min);
  EXPECT_GE(pause_before(4), 70s);
  EXPECT_LE(pause_before(4), 77s + 500ms);
}

TEST_F(Retries, AreNotMadeOnceAnAttemptHasSucceeded) {
  begin(retried(5, 10s));
  a.exits["job"] = 0;
  world.run_for(10min);
  EXPECT_EQ(attempts(), "1 failed: exit_code, 2 succeeded");
  expect_all_is_well();
}

TEST_F(Retries, FollowAttemptsThatTimeOut) {
  Job job = retried(1, 10s);
  job.deadline = 5s;
  a.takes["job"] = 1h;
  begin(job);
  world.run_for(2min);
  EXPECT_EQ(attempts(), "1 timed_out: deadline, 2 timed_out: deadline");
  expect_all_is_well();
}

TEST_F(Retries, AreNotMadeOfARunThatIsKilled) {
  a.takes["job"] = 1h;
  begin(retried(3, 10s));
  kill(*attempt(1)->run);
  world.run_for(5min);
  EXPECT_EQ(attempts(), "1 killed: operator");
  expect_all_is_well();
}

TEST_F(Retries, CountAsTheRunThatSlotsOverlapWith) {
  Job job = retried(1, 90s);
  job.schedule = {"0,1 * * * *"};
  begin(job);
  world.run_for(3min);
  EXPECT_EQ(attempts(), "1 failed: exit_code, 2 failed: exit_code");
  EXPECT_EQ(a.row("job", slot + 1min)->reason, Reason::overlap);
  expect_all_is_well();
}

TEST_F(Retries, ThatWaitAreMadeByTheLeaderThatFollows) {
  fail_on_a_that_reboots(2);
  world.run_for(10min);
  expect_success_in_time();
  EXPECT_EQ(attempt(2)->node, "b");
  EXPECT_EQ(attempt(2)->run, attempt(1)->run);
  EXPECT_GT(attempt(2)->fence, attempt(1)->fence);
}

TEST_F(Retries, ThatAreTheLastAndWaitAreMadeNoSoonerByTheLeaderThatFollows) {
  SimNode& b = fail_on_a_that_reboots(1);
  world.run_for(1min);
  ASSERT_TRUE(b.leads("default"));
  const std::vector<Row> shown = b.core().views().runs_of_others({"job"});
  ASSERT_FALSE(shown.empty());
  EXPECT_EQ(shown[0].status, Status::queued) << "who asks is shown that it waits";
  EXPECT_EQ(shown[0].attempt, 2);
  EXPECT_EQ(shown[0].node, "") << "not that of the attempt before, which is dead";
  b.core().views().visit_runs("", 1, [](const core::RunView& run) { EXPECT_EQ(run.node, "") << run.state; });
  world.run_for(9min);
  expect_success_in_time();
}

TEST_F(Retries, ThatWaitGoOnAfterACleanStop) {
  begin(retried(1, 2min));
  world.run_for(5s);
  a.stop();
  world.run_for(1min);
  ASSERT_TRUE(a.stopped());
  a.crash();
  a.start();
  world.run_for(5min);
  EXPECT_EQ(attempts(), "1 failed: exit_code, 2 failed: exit_code");
  expect_all_is_well();
}

TEST_F(Retries, ThatWaitEndWithAKill) {
  begin(retried(3, 2min));
  world.run_for(5s);
  kill(*attempt(1)->run);
  world.run_for(10min);
  EXPECT_EQ(attempts(), "1 failed: exit_code, 2 killed: operator");
  ASSERT_EQ(a.replies.size(), 1u);
  EXPECT_TRUE(a.replies[0].ok) << a.replies[0].text;
  expect_all_is_well();
}

TEST_F(Retries, ThatWaitAreMissedWhenNoFileDefinesTheJobAnyMore) {
  begin(retried(3, 2min));
  world.run_for(5s);
  a.jobs.clear();
  a.load();
  world.run_for(10min);
  EXPECT_EQ(attempts(), "1 failed: exit_code, 2 missed: no_definition");
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Retries, ThatWaitWaitForTheEndOfAPause) {
  begin(retried(1, 30s));
  world.run_for(5s);
  a.pause("job", true);
  world.run_for(10min);
  EXPECT_EQ(attempts(), "1 failed: exit_code");
  a.pause("job", false);
  world.run_for(10s);
  EXPECT_EQ(attempts(), "1 failed: exit_code, 2 failed: exit_code");
  expect_all_is_well();
}

TEST_F(Retries, WhoseClaimTheStoreRefusesAreMadeLater) {
  begin(retried(1, 30s));
  world.run_for(20s);
  a.link.refuse_write = 1000;
  world.run_for(1min);
  EXPECT_EQ(world.starts.size(), 1u);
  a.link.refuse_write = 0;
  world.run_for(1min);
  EXPECT_EQ(attempts(), "1 failed: exit_code, 2 failed: exit_code");
  expect_all_is_well();
}

TEST_F(Retries, AreWaitedForByWhoeverTriggeredTheRun) {
  begin(retried(1, 30s));
  world.run_for(5min);
  core::Request request;
  request.kind = core::Request::Kind::trigger;
  request.job = "job";
  request.wait = true;
  a.ask(request);
  world.run_for(20s);
  EXPECT_TRUE(a.ends.empty()) << "it has not ended while an attempt is to come";
  a.exits["job"] = 0;
  world.run_for(1min);
  ASSERT_EQ(a.ends.size(), 1u);
  EXPECT_EQ(a.ends[0].row.status, Status::succeeded);
  EXPECT_EQ(a.ends[0].row.attempt, 2);
}

}  // namespace
}  // namespace ballot
