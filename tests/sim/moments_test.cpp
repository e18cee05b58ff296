// Particular moments: an event that comes just while a write is in flight, an answer is lost, or a stop has begun.
#include <gtest/gtest.h>

#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

TEST(Deposed, WhileAWriteIsInFlightRunsNothingTwiceAndLosesNothing) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SimWorld world(seed);
    SimNode& a = world.add("a");
    a.jobs = {define(minutely())};
    a.link.delay_min = 5ms;
    a.link.delay_max = 250ms;
    a.start();
    const WallTime from = world.wall();
    world.run_for(1min + 30s);
    world.run_for(30s - 400ms + Millis(seed * 2));
    world.store.depose("default", Cause::superseded);
    world.run_for(6min);
    std::string u = world.unaccounted(*a.jobs[0], from, world.wall() - 2min), p = world.broken_promises();
    EXPECT_EQ(u + p, "") << "seed " << seed;
  }
}

// S7 sim
TEST(Deposed, WithLostAnswersRunsNothingTwiceAndLosesNothing) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SimWorld world(seed);
    SimNode& a = world.add("a");
    a.jobs = {define(minutely())};
    a.start();
    const WallTime from = world.wall();
    world.run_for(1min + 59s + 500ms);
    a.link.lose_answer = 500;
    a.link.late_request = 200;
    a.link.late_max = 2s;
    world.run_for(400ms + Millis(seed * 3));
    world.store.depose("default", Cause::superseded);
    world.run_for(1s);
    world.store.depose("default", Cause::superseded);
    world.run_for(500ms);
    a.link.lose_answer = 0;
    a.link.late_request = 0;
    world.run_for(6min);
    std::string u = world.unaccounted(*a.jobs[0], from, world.wall() - 2min), p = world.broken_promises();
    EXPECT_EQ(u + p, "") << "seed " << seed;
  }
}

TEST(Stopping, WhileAClaimIsInFlightStartsNothing) {
  SimWorld world;
  SimNode& a = world.add("a");
  a.jobs = {define(minutely())};
  a.takes["job"] = 24h;
  a.link.delay_min = a.link.delay_max = 20ms;
  a.start();
  const WallTime slot = std::chrono::ceil<std::chrono::minutes>(world.wall() + 5s);
  world.run_for(slot - world.wall() + 10ms);
  ASSERT_EQ(world.starts.size(), 0u);
  a.stop(0s);
  world.run_for(10min);
  EXPECT_TRUE(a.stopped());
  EXPECT_EQ(a.open_children(), 0);
}

TEST(Stopping, RefusesATriggerThatWaits) {
  SimWorld world;
  SimNode& a = world.add("a");
  Job j = minutely();
  j.schedule = {"0 0 1 1 *"};
  a.jobs = {define(j)};
  a.takes["job"] = 24h;
  a.link.delay_min = a.link.delay_max = 20ms;
  a.start();
  world.run_for(10s);
  a.pause("job", true);
  a.trigger("job");
  world.run_for(1ms);
  a.stop(0s);
  world.run_for(10min);
  EXPECT_EQ(world.starts.size(), 0u);
  EXPECT_TRUE(a.stopped());
}

TEST(ManySlots, AResumeAfterALongPauseIsAnsweredAndTheJobGoesOn) {
  SimWorld world(1, {.timeout = 1h});
  SimNode& a = world.add("a");
  Job j = minutely();
  j.schedule = {"* * * * * *"};
  a.takes["job"] = 100ms;
  a.jobs = {define(j)};
  a.start();
  world.run_for(10s);
  a.pause("job", true);
  world.run_for(1s);
  ASSERT_EQ(a.replies.size(), 1u);
  world.run_for(6h);
  const auto before = world.starts.size();
  a.pause("job", false);
  world.run_for(30min);
  EXPECT_EQ(a.replies.size(), 2u);
  EXPECT_GT(world.starts.size(), before);
}

TEST(ManySlots, AnEditWhileTheDaemonWasDownForLongGoesThrough) {
  SimWorld world(1, {.timeout = 1h});
  SimNode& a = world.add("a");
  Job j = minutely();
  j.schedule = {"* * * * * *"};
  a.takes["job"] = 100ms;
  a.jobs = {define(j)};
  a.start();
  world.run_for(10s);
  a.stop();
  world.run_for(2s);
  ASSERT_TRUE(a.stopped());
  a.crash();
  world.run_for(6h);
  j.description = "edited";
  a.jobs = {define(j)};
  const auto before = world.starts.size();
  a.start();
  world.run_for(30min);
  EXPECT_GT(world.starts.size(), before);
}

// S7 sim
TEST(Answers, RefusedAfterAnUnknownOutcomeIsStillFoundToHaveLanded) {
  SimWorld world;
  SimNode& a = world.add("a");
  a.jobs = {define(minutely())};
  a.start();
  const WallTime from = world.wall();
  world.run_for(1min + 59'950ms);
  a.link.lose_answer = 1000;
  world.run_for(100ms);  // claim landed, answer lost; for so short a time no term is in doubt
  a.link.lose_answer = 0;
  a.link.refuse_write = 1000;
  world.run_for(1500ms);
  a.link.refuse_write = 0;
  world.run_for(6min);
  ASSERT_TRUE(a.row("job", from + 2min));
  EXPECT_EQ(a.row("job", from + 2min)->status, Status::succeeded);
  EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 2min), "");
}

TEST(Reads, ANewJobWhoseRegisterCouldNotBeReadIsReadAgain) {
  SimWorld world;
  SimNode& a = world.add("a");
  a.jobs = {define(minutely())};
  a.start();
  world.run_for(1min + 10s);
  a.jobs.push_back(define(minutely("new")));
  a.link.lose_answer = 1000;
  a.load();
  world.run_for(50ms);
  a.link.lose_answer = 0;
  world.run_for(30min);
  EXPECT_TRUE(a.leads("default"));
  EXPECT_GT(world.starts_of("job"), 20u);
  EXPECT_GT(world.starts_of("new"), 20u);
}

TEST(Restart, AtAnyMomentWithinTheDeadlineKeepsItsRuns) {
  int all = 0;
  for (int at = 0; at < 1700; at += 50) {
    SimWorld world;
    SimNode& a = world.add("a");
    a.jobs = {define(minutely())};
    a.takes["job"] = 30s;
    a.start();
    world.run_for(1min + 5s + Millis(at));
    if (a.open_children() != 1) continue;
    a.crash();
    world.run_for(700ms);  // before the runner begins to end them: deadline - g
    a.start();
    world.run_for(29s);
    ++all;
    for (const Row& r : a.rows()) EXPECT_NE(r.status, Status::killed) << at;
  }
  EXPECT_GT(all, 20);
}

TEST(Stopping, WithAHaltedJobComesToAnEnd) {
  SimWorld world;
  SimNode& a = world.add("a");
  a.jobs = {define(minutely())};
  a.takes["job"] = 10s;
  a.start();
  world.run_for(1min + 5s);
  ASSERT_EQ(a.open_children(), 1);
  world.store.depose("default", Cause::superseded);
  // the register turns unreadable while the run is going (a newer node wrote it)
  auto c = world.store.contents();
  c.registers.at("j/job").value = "ballot 99\n";
  world.store.restore(c);
  world.run_for(30s);
  ASSERT_TRUE(a.leads("default"));
  a.stop(5s);
  world.run_for(10min);
  EXPECT_TRUE(a.stopped());
}

/// The node is not woken for it again and again while it may write nothing.
TEST(Full, ADeadTermsRunIsOverWhileTheStoreIsFull) {
  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");
  Job job = minutely();
  job.schedule = {"*/2 * * * * *"};
  a.jobs = b.jobs = {define(job)};
  a.takes["job"] = 30s;
  a.start();
  world.run_for(100ms);
  b.start();
  world.run_for(10s);
  a.crash();
  ASSERT_TRUE(world.run_while_not([&] { return b.leads("default"); }, 10s));
  b.link.refuse_write = 1000;
  world.run_for(15s);
  EXPECT_EQ(world.broken_promises(), "");
  b.link.refuse_write = 0;
  world.run_for(10s);
  EXPECT_GT(world.starts_of("job"), 1u);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST(Pause, OnceAcknowledgedNothingStartsThatWasClaimedBefore) {
  SimWorld world;
  SimNode& a = world.add("a");
  a.jobs = {define(minutely())};
  a.link.delay_min = a.link.delay_max = 20ms;
  a.start();
  const WallTime slot = std::chrono::ceil<std::chrono::minutes>(world.wall() + 5s);
  world.run_for(slot - world.wall() + 5ms);
  a.link.lose_renewal = 1000;
  a.step_clock(2s);  // in doubt: the claim's answer finds it so
  world.run_for(60ms);
  ASSERT_EQ(world.starts.size(), 0u);
  a.pause("job", true);
  world.run_for(500ms);
  ASSERT_EQ(a.replies.size(), 1u);
  ASSERT_TRUE(a.replies[0].ok);
  a.link.lose_renewal = 0;
  world.run_for(10s);
  EXPECT_EQ(world.starts.size(), 0u);
}

TEST(Pause, IsNotAcknowledgedBeforeWhatTheRunnerWasToldToStartHasStarted) {
  SimWorld world;
  SimNode& a = world.add("a");
  a.jobs = {define(minutely())};
  a.runner.habits.slowest_start = 3s;
  a.start();
  for (int i = 0; i < 10; ++i) {
    world.run_for(1min - Millis(world.loop.now().time_since_epoch() % 1min) + 100ms);
    a.pause("job", true);
    world.run_for(10s);
    a.pause("job", false);
    world.run_for(10s);
  }
  EXPECT_EQ(a.replies.size(), 20u);
  for (const core::Reply& reply : a.replies) EXPECT_TRUE(reply.ok) << reply.text;
  EXPECT_GT(world.starts.size(), 5u);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST(Manual, ATriggerThatWaitsWhenItsJobIsDeletedIsAnswered) {
  SimWorld world;
  SimNode& a = world.add("a");
  a.jobs = {define(minutely())};
  a.link.delay_min = a.link.delay_max = 20ms;
  a.start();
  world.run_for(1min + 30s);
  const auto old = a.jobs;
  const auto before = world.starts.size();
  a.pause("job", true);
  a.trigger("job");
  a.jobs = {};
  a.load();  // all within one round trip
  world.run_for(30min);
  EXPECT_EQ(a.replies.size(), 2u) << "the trigger is never answered";
  a.jobs = old;
  a.load();
  world.run_for(5s);
  EXPECT_EQ(world.starts.size(), before) << "adding a job launched something";
}

TEST(Group, NotWantedForAWhileIsLedAgain) {
  SimWorld world;
  SimNode& a = world.add("a");
  Job j = minutely();
  j.group = "g";
  const auto d = define(j);
  a.jobs = {d};
  a.start();
  world.run_for(1min + 30s);
  a.jobs = {};
  a.load();
  world.run_for(10s);
  world.store.depose("g", Cause::superseded);
  world.run_for(10s);
  a.jobs = {d};
  a.load();
  const auto before = world.starts.size();
  world.run_for(30min);
  EXPECT_GT(world.starts.size(), before);
}

TEST(Terms, AResumedTermKeepsTheTimeOfItsElection) {
  SimWorld world;
  SimNode& a = world.add("a");
  a.jobs = {define(minutely())};
  a.start();
  world.run_for(1min + 30s);
  const WallTime first = a.terms()[0].elected_at;
  a.crash();
  world.run_for(1s);
  a.start();
  world.run_for(1min);
  a.stop();
  world.run_for(3s);
  ASSERT_EQ(a.terms().size(), 1u);
  EXPECT_EQ(a.terms()[0].elected_at, first);
}

TEST(Runner, ThatWasLostAndIsThereAgainIsToldTheDeadlineAndLaunchesOnlyThen) {
  SimWorld world;
  SimNode& a = world.add("a");
  a.jobs = {define(minutely())};
  a.start();
  world.run_for(1min + 30s);
  a.feed(core::RunnerGone{});
  world.run_for(1min);
  EXPECT_EQ(world.starts.size(), 1u) << "nothing is claimed while there is no runner";
  a.feed(core::Inventory{});
  world.run_for(1s);
  EXPECT_EQ(world.starts.size(), 2u);
  EXPECT_EQ(a.row("job", world.starts[1].slot)->trigger, Trigger::catch_up);
}

/// A job each minute whose link breaks as `moment` comes, seen from the start of its first slot.
struct BrokenLink : ::testing::Test {
  void live(Millis moment, Millis noticed, Millis takes) {
    a.jobs = {define(minutely())};
    a.takes["job"] = takes;
    a.start();
    const WallTime first = world.wall() - world.wall().time_since_epoch() % 1min + 1min;
    world.run_for(first - world.wall() + moment);
    a.runner.break_link(noticed, 500ms);
    world.run_for(10s);
    row = a.row("job", first);
  }

  SimWorld world;
  SimNode& a = world.add("a");
  const Row* row = nullptr;
};

TEST_F(BrokenLink, LosesNoRunThatGoesOnMeanwhile) {
  live(2s, 100ms, 5s);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->status, Status::succeeded);
  EXPECT_EQ(world.starts.size(), 1u);
}

TEST_F(BrokenLink, LosesNoEndOfARunThatEndsMeanwhile) {
  live(2s, 100ms, 2200ms);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->status, Status::succeeded);
  EXPECT_EQ(row->duration, 2200ms);
}

TEST_F(BrokenLink, HasALaunchThatNeverReachedTheRunnerBegunOnceWhenItIsTakenUp) {
  live(-10ms, 200ms, 1s);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->status, Status::succeeded) << "the runner never had it, so nothing is lost";
  EXPECT_EQ(row->attempt, 1);
  ASSERT_EQ(world.starts.size(), 1u);
}

TEST_F(BrokenLink, IsNoReasonToForgetThatARunWasToBeKilled) {
  a.jobs = {define(minutely())};
  a.takes["job"] = 1h;
  a.start();
  world.run_for(1min + 30s);
  ASSERT_EQ(world.starts.size(), 1u);
  a.runner.break_link(1s, 500ms);
  a.ask(core::Request::Kind::kill, "job");
  world.run_for(10s);
  EXPECT_EQ(a.row("job", world.starts[0].slot)->status, Status::killed);
}

TEST_F(BrokenLink, LeavesNothingWithTheRunnerThatNobodyAcknowledges) {
  live(1010ms, 5s, 1s);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->status, Status::succeeded);
  EXPECT_TRUE(a.runner.unacknowledged().empty());
}

TEST(Runner, ThatDoesNotAnswerIsGivenNothingToDoAndAfterLongTheGroupGoesToANodeThatCanLaunch) {
  SimWorld world;
  SimNode &a = world.add("a"), &b = world.add("b");
  for (SimNode* node : {&a, &b}) {
    node->jobs = {define(minutely())};
    node->start();
  }
  world.run_for(90s);
  SimNode& silent = a.leads("default") ? a : b;
  SimNode& other = a.leads("default") ? b : a;
  const std::size_t before = world.starts.size();
  silent.feed(core::RunnerSilence{true, false});
  EXPECT_FALSE(silent.core().has_runner());
  world.run_for(1min);
  EXPECT_EQ(world.starts.size(), before) << "nothing is claimed";
  EXPECT_TRUE(silent.leads("default"));
  silent.feed(core::RunnerSilence{true, true});
  world.run_for(1min);
  EXPECT_TRUE(other.leads("default"));
  EXPECT_GT(world.starts.size(), before);
  silent.feed(core::RunnerSilence{});
  other.stop();
  world.run_for(2min);
  EXPECT_TRUE(silent.leads("default")) << "it takes part again";
}

}  // namespace
}  // namespace ballot
