// A node dies or is cut off: its groups go to others, every slot is accounted for, and no run begins beside another.
#include <gtest/gtest.h>

#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

// S10 sim
TEST(Outage, PastTheDeadlineNothingIsLaunchedAndAfterItTheSlotsAreAccountedFor) {
  SimWorld world;
  SimNode& a = world.add("a");
  a.jobs = {define(minutely("job"))};
  a.start();
  const WallTime from = world.wall();
  world.run_for(5min + 10s);
  const std::size_t before = world.starts.size();
  a.link.cut = true;
  world.run_for(3min);
  EXPECT_EQ(world.starts.size(), before);
  EXPECT_FALSE(a.leads("default"));
  a.link.cut = false;
  world.run_for(5min);
  EXPECT_TRUE(a.leads("default"));
  EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 1min), "");
  EXPECT_EQ(world.broken_promises(), "");
}

TEST(Outage, AShortDoubtDelaysAClaimAndTheSlotIsCaughtUp) {
  SimWorld world;
  SimNode& a = world.add("a");
  a.jobs = {define(minutely("job"))};
  a.start();
  const WallTime from = world.wall();
  world.run_for(1min + 57s);
  a.link.cut = true;
  world.run_for(4s);
  a.link.cut = false;
  world.run_for(3min);
  EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 30s), "");
  ASSERT_TRUE(a.row("job", from + 2min));
  EXPECT_EQ(a.row("job", from + 2min)->status, Status::succeeded);
}

// S1 sim
TEST(TwoNodes, ACrashHandsOverAndEverySlotIsAccountedFor) {
  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");
  a.jobs = b.jobs = {define(minutely("job"))};
  a.start();
  world.run_for(100ms);
  b.start();
  const WallTime from = world.wall();
  world.run_for(5min + 1ms);
  ASSERT_TRUE(a.leads("default"));
  a.reboot();
  world.run_for(5min);
  EXPECT_TRUE(b.leads("default"));
  EXPECT_EQ(world.unaccounted(*b.jobs[0], from, world.wall() - 1min), "");
  EXPECT_EQ(world.broken_promises(), "");
}

TEST(Failover, ARunWhoseAttemptsAreRecordedLateIsClosedAllTheSame) {
  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");
  Job job = minutely();
  job.guarantee = Guarantee::at_least_once;
  job.details.edit().lost_limit = 2;
  job.kill_grace = 1s;
  a.jobs = b.jobs = {define(job)};
  a.takes["job"] = b.takes["job"] = 50s;
  a.start();
  world.run_for(1s);
  b.start();
  world.run_for(1min + 2s);
  ASSERT_EQ(a.open_children(), 1);
  a.ledger.frozen = true;
  a.link.cut = true;
  world.run_for(20s);
  ASSERT_EQ(b.open_children(), 1) << "the run of the lost term is repeated";
  a.link.cut = false;
  world.run_for(5s);
  b.crash();
  world.run_for(15s);
  ASSERT_TRUE(a.leads("default"));
  ASSERT_EQ(world.oracle.job_register("job")->runs.front().attempt, 2);
  a.ledger.frozen = false;
  world.run_for(10s);
  for (const core::OpenRun& open : world.oracle.job_register("job")->runs)
    EXPECT_NE(open.id, world.starts.front().run) << "both of its attempts are over and recorded";
  EXPECT_EQ(world.broken_promises(), "");
}

TEST(OneHost, TheNextLeaderIsThereAtOnceAndWaitsForTheRunsOfTheDeadTerm) {
  SimWorld world(1, {.death_frees = true});
  SimNode& a = world.add("a");
  SimNode& b = world.add("b", a.machine);
  a.jobs = b.jobs = {define(minutely("long")), define(minutely("short"))};
  a.takes["long"] = 90s;
  a.runner.habits.stubborn = {"long"};
  a.start();
  world.run_for(100ms);
  b.start();
  const WallTime from = world.wall();
  world.run_for(1min + 58s - 100ms);
  ASSERT_EQ(a.open_children(), 1);
  a.crash();
  world.run_for(2s + 200ms);
  EXPECT_TRUE(b.leads("default"));
  EXPECT_EQ(world.starts.back().node, "b");
  EXPECT_EQ(world.starts.back().job, "short") << "all other jobs start at once";
  EXPECT_EQ(world.starts_of("long"), 1u);
  world.run_for(10s);
  EXPECT_EQ(world.starts_of("long"), 1u) << "its slot is skipped: the dead daemon's runner says that the run goes on";
  world.run_for(5min);
  EXPECT_GT(world.starts_of("long"), 2u);
  for (const auto& job : b.jobs) EXPECT_EQ(world.unaccounted(*job, from, world.wall() - 2min), "");
  EXPECT_EQ(world.broken_promises(), "");
}

TEST(OneHost, ATermInBetweenDoesNotHideTheRunsOfTheDeadOneBeforeIt) {
  SimWorld world(1, {.death_frees = true});
  SimNode& a = world.add("a");
  SimNode& b = world.add("b", a.machine);
  SimNode& c = world.add("c", a.machine);
  Job job = minutely("long");
  job.schedule = {"* * * * * *"};
  job.kill_grace = 100ms;
  a.jobs = b.jobs = c.jobs = {define(job)};
  a.takes["long"] = 90s;
  a.runner.habits.stubborn = {"long"};
  a.start();
  world.run_for(100ms);
  b.start();
  world.run_for(100ms);
  c.start();
  world.run_for(10s);
  ASSERT_EQ(a.open_children(), 1);
  a.crash();
  world.run_for(200ms);
  ASSERT_TRUE(b.leads("default"));
  world.store.resign(world.store.leader("default")->session, "default");
  world.run_for(200ms);
  ASSERT_TRUE(c.leads("default"));
  ASSERT_EQ(a.open_children(), 1) << "until the deadline of its term";
  world.run_for(1min);
  EXPECT_GT(world.starts_of("long"), 5u);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST(Lease, IsCountedFromTheSendingOfARenewalHoweverLateItsAnswer) {
  SimWorld world;
  SimNode& a = world.add("a");
  a.jobs = {define(minutely("long"))};
  a.takes["long"] = 1h;
  a.runner.habits.stubborn = {"long"};
  a.link.slow_answers = 780ms;
  a.start();
  for (int cut = 0; cut < 20; ++cut) {
    ASSERT_TRUE(world.run_while_not([&] { return a.open_children() == 1; }, 3min));
    world.run_for(2s + 90ms * cut);
    a.link.cut = true;
    world.run_for(10s);
    EXPECT_EQ(a.open_children(), 0);
    a.link.cut = false;
  }
  EXPECT_EQ(world.broken_promises(), "");
}

// S2 sim
TEST(TwoNodes, ASlotClaimedByADeadNodeIsLostAndTheNextOnesRun) {
  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");
  a.jobs = b.jobs = {define(minutely("job"))};
  a.takes["job"] = 20s;
  a.start();
  world.run_for(100ms);
  b.start();
  const WallTime from = std::chrono::floor<std::chrono::minutes>(world.wall());
  world.run_for(2min + 10s);
  a.reboot();
  world.run_for(5min);
  bool lost = false;
  for (const Row& row : world.merged()) lost = lost || (row.slot == from + 2min && row.status == Status::lost);
  EXPECT_TRUE(lost);
  EXPECT_EQ(world.unaccounted(*b.jobs[0], from, world.wall() - 1min), "");
  EXPECT_EQ(world.broken_promises(), "");
}

}  // namespace
}  // namespace ballot
