// One node over simulated years: every slot is accounted for, through restarts, misfire policies and clock steps.
#include <gtest/gtest.h>

#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

TEST(Slots, TenYearsOfADailyJobRunOnceEach) {
  SimWorld world(1, {.timeout = 24h});  // few renewals, many years
  SimNode& a = world.add("a");
  Job job;
  job.name = "nightly";
  job.schedule = {"30 2 * * *"};
  job.timezone = "Europe/Paris";
  a.jobs = {define(job)};
  a.start();
  const WallTime from = world.wall();
  world.run_for(std::chrono::hours(24) * 3652);
  EXPECT_EQ(world.starts_of("nightly"), 3652u);
  EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 1h), "");
  EXPECT_EQ(world.broken_promises(), "");
  for (const Row& row : a.rows()) EXPECT_EQ(row.status, Status::succeeded);
}

TEST(Slots, ASlotOfARunThatHasNotEndedIsSkipped) {
  SimWorld world;
  SimNode& a = world.add("a");
  a.jobs = {define(minutely("long"))};
  a.takes["long"] = 150s;
  a.start();
  const WallTime from = world.wall();
  world.run_for(1h);
  EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 5min), "");
  int skipped = 0, succeeded = 0;
  for (const Row& row : a.rows()) {
    skipped += row.status == Status::skipped && row.reason == Reason::overlap;
    succeeded += row.status == Status::succeeded;
  }
  EXPECT_GE(succeeded, 19);
  EXPECT_GE(skipped, 38);
}

struct MisfireCase {
  Misfire misfire;
  int limit;
  std::size_t caught_up;
};
class AfterADowntime : public ::testing::TestWithParam<MisfireCase> {};

// Down from 00:10:30 to 00:20:30: ten slots were missed, five of them within the start deadline of 5 min.
TEST_P(AfterADowntime, OpenSlotsAreCaughtUpByPolicyAndTheRestIsMissed) {
  SimWorld world;
  SimNode& a = world.add("a");
  Job job = minutely("job");
  job.misfire = GetParam().misfire;
  job.details.edit().misfire_limit = GetParam().limit;
  a.jobs = {define(job)};
  a.start();
  const WallTime from = world.wall();
  world.run_for(10min + 30s);
  a.stop();
  world.run_for(10min);
  ASSERT_TRUE(a.stopped());
  a.crash();
  const std::size_t before = world.starts.size();
  a.start();
  world.run_for(20s);
  EXPECT_EQ(world.starts.size() - before, GetParam().caught_up);
  world.run_for(10min);
  EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 1min), "");
  EXPECT_EQ(world.broken_promises(), "");
  int no_leader = 0, caught_up = 0;
  for (const Row& row : a.rows()) {
    no_leader += row.status == Status::missed && row.reason == Reason::no_leader;
    caught_up += row.trigger == Trigger::catch_up;
  }
  EXPECT_EQ(caught_up, static_cast<int>(GetParam().caught_up));
  EXPECT_EQ(no_leader, 10 - caught_up);
}

INSTANTIATE_TEST_SUITE_P(Misfire, AfterADowntime,
                         ::testing::Values(MisfireCase{Misfire::latest, 100, 1}, MisfireCase{Misfire::all, 100, 5},
                                           MisfireCase{Misfire::all, 2, 2}, MisfireCase{Misfire::skip, 100, 0}));

/// A leader that stands still for longer than its lease, and goes on after another has taken over.
struct AStoppedLeader : ::testing::Test {
  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");

  AStoppedLeader() {
    Job job = minutely("job");
    job.schedule = {"* * * * * *"};
    job.misfire = Misfire::skip;
    a.jobs = b.jobs = {define(job)};
    a.takes["job"] = b.takes["job"] = 100ms;
    a.start();
    world.run_for(1s);
    b.start();
  }
  void stop_it_for(Millis span) {
    world.run_for(9s + 500ms);
    a.freeze();
    world.run_for(span);
    a.thaw();
    world.run_for(10s);
    ASSERT_EQ(a.terms().size(), 1u);
    ASSERT_EQ(b.terms().size(), 1u);
  }
};

TEST_F(AStoppedLeader, LedUntilItsLeaseWasOver) {
  stop_it_for(40s);
  ASSERT_TRUE(a.terms()[0].ended_at);
  EXPECT_LE(*a.terms()[0].ended_at, b.terms()[0].elected_at);
  EXPECT_GT(*a.terms()[0].ended_at, b.terms()[0].elected_at - 2s);
}

TEST_F(AStoppedLeader, LeavesTheSlotsOfItsLeaseUnclaimed) {
  stop_it_for(40s);
  int unclaimed = 0;
  for (const Row& row : world.merged()) {
    if (row.status != Status::missed || row.slot > b.terms()[0].elected_at) continue;
    const WallTime ended = *a.terms()[0].ended_at;
    if (row.slot > ended && row.slot <= ended + 1s)
      continue;  // the answer to its last renewal is one that it never saw
    const bool led = row.slot <= ended;
    EXPECT_EQ(row.reason, led ? Reason::unclaimed : Reason::no_leader) << line_of(row);
    unclaimed += led;
  }
  EXPECT_GE(unclaimed, 3);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST(Slots, MoreThanAHundredLikeMissesAreOneRow) {
  SimWorld world;
  SimNode& a = world.add("a");
  Job job = minutely("job");
  job.start_deadline = 1min;
  a.jobs = {define(job)};
  a.start();
  const WallTime from = world.wall();
  world.run_for(5min + 1s);
  a.stop();
  world.run_for(1s);
  a.crash();
  world.run_for(240min);
  a.start();
  world.run_for(10min);
  EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 1min), "");
  int wide = 0;
  for (const Row& row : a.rows())
    if (row.slots > 1) {
      ++wide;
      EXPECT_GT(row.slots, 100);
      EXPECT_EQ(row.reason, Reason::no_leader);
      EXPECT_TRUE(row.slot_until);
    }
  EXPECT_EQ(wide, 1);
}

TEST(Slots, AMonthOfSecondsIsSettledWithoutHoldingUpOtherJobs) {
  SimWorld world(1, {.timeout = 1h});
  SimNode& a = world.add("a");
  Job job = minutely("each-second");
  job.schedule = {"* * * * * *"};
  a.jobs = {define(job), define(minutely("other"))};
  a.start();
  const WallTime from = world.wall();
  world.run_for(10s);
  a.stop();
  world.run_for(2s);
  a.crash();
  world.run_for(std::chrono::hours(24 * 30));
  a.start();
  world.run_for(2min);
  EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 10s), "");
  EXPECT_EQ(world.unaccounted(*a.jobs[1], from, world.wall() - 1min), "");
}

// S16 sim
TEST(Clock, SetBackFiresNothingTwice) {
  SimWorld world;
  SimNode& a = world.add("a");
  a.jobs = {define(minutely("job"))};
  a.start();
  world.run_for(30min + 10s);
  const std::size_t before = world.starts.size();
  a.step_clock(-10min);
  world.run_for(9min);
  EXPECT_EQ(world.starts.size(), before);
  EXPECT_TRUE(a.running());
  world.run_for(11min);
  EXPECT_GT(world.starts.size(), before);
  EXPECT_EQ(world.broken_promises(), "");
}

// S16 sim
TEST(Clock, SetForwardMakesThePassedSlotsMisfires) {
  SimWorld world;
  SimNode& a = world.add("a");
  a.jobs = {define(minutely("job"))};
  a.start();
  const WallTime from = world.wall();
  world.run_for(10min + 10s);
  a.step_clock(1h);
  world.run_for(10min);
  EXPECT_EQ(world.unaccounted(*a.jobs[0], from, a.clock.now().wall - 1min), "");
  EXPECT_EQ(world.broken_promises(), "");
  int late = 0, misfire = 0, caught_up = 0;
  for (const Row& row : a.rows()) {
    late += row.reason == Reason::start_deadline;
    misfire += row.reason == Reason::misfire;
    caught_up += row.trigger == Trigger::catch_up;
  }
  EXPECT_EQ(caught_up, 1);
  EXPECT_EQ(misfire, 4);
  EXPECT_EQ(late, 55);
}

// S16 sim
TEST(Clock, AStepPutsTheTermInDoubtUntilItIsRenewed) {
  SimWorld world;
  SimNode& a = world.add("a");
  a.jobs = {define(minutely("job"))};
  a.start();
  world.run_for(1min);
  a.link.cut = true;
  a.step_clock(5s);
  EXPECT_TRUE(a.core().session().in_doubt());
  a.link.cut = false;
  world.run_for(3s);
  EXPECT_FALSE(a.core().session().in_doubt());
}

TEST(Every, KeepsItsPhaseOverRestarts) {
  SimWorld world;
  SimNode& a = world.add("a");
  Job job;
  job.name = "tick";
  job.schedule = {"@every 90s"};
  a.jobs = {define(job)};
  world.run_for(17s);
  a.start();
  world.run_for(10min);
  a.stop();
  world.run_for(31s);
  a.crash();
  a.start();
  world.run_for(10min);
  ASSERT_GT(world.starts.size(), 10u);
  for (const Start& start : world.starts)
    EXPECT_EQ((start.slot - world.starts[0].slot) % 90s, 0s) << start.slot.time_since_epoch().count();
}

TEST(Reboot, IsDueOncePerBoot) {
  SimWorld world;
  SimNode& a = world.add("a");
  Job job;
  job.name = "boot";
  job.schedule = {"@reboot"};
  job.misfire = Misfire::skip;
  a.jobs = {define(job)};
  a.start();
  world.run_for(1min);
  EXPECT_EQ(world.starts_of("boot"), 0u) << "adding a job launches nothing";
  a.stop();
  world.run_for(5s);
  a.reboot();
  world.run_for(20s);
  a.start();
  world.run_for(1min);
  EXPECT_EQ(world.starts_of("boot"), 1u);
  a.stop();
  world.run_for(5s);
  a.crash();
  a.start();
  world.run_for(1min);
  EXPECT_EQ(world.starts_of("boot"), 1u) << "a restart of the daemon is no boot";
}

TEST(Reboot, HasItsBootAsItsSlotAndIsMissedPastItsStartDeadline) {
  SimWorld world;
  SimNode& a = world.add("a");
  Job job;
  job.name = "boot";
  job.schedule = {"@reboot"};
  job.start_deadline = 30s;
  a.jobs = {define(job)};
  a.start();
  world.run_for(1min);
  const auto boots_and_is_away_for = [&](Millis away) {
    a.stop();
    world.run_for(5s);
    a.reboot();
    const WallTime boot = std::chrono::floor<std::chrono::seconds>(world.wall());
    world.run_for(away);
    a.start();
    world.run_for(1min);
    return boot;
  };
  const Row* in_time = a.row("boot", boots_and_is_away_for(25s));
  ASSERT_NE(in_time, nullptr);
  EXPECT_EQ(in_time->status, Status::succeeded);
  EXPECT_EQ(in_time->trigger, Trigger::reboot);
  const Row* late = a.row("boot", boots_and_is_away_for(35s));
  ASSERT_NE(late, nullptr);
  EXPECT_EQ(late->status, Status::missed);
  EXPECT_EQ(world.starts_of("boot"), 1u);
}

TEST(Reboot, IsNotDueForTheBootInWhichItsJobIsEdited) {
  SimWorld world;
  SimNode& a = world.add("a");
  Job job = minutely("boot");
  a.jobs = {define(job)};
  a.start();
  world.run_for(2min);
  a.stop();
  world.run_for(5s);
  a.reboot();
  a.start();
  world.run_for(30s);
  job.schedule = {"@reboot"};
  a.jobs = {define(job)};
  a.load();
  const std::size_t before = world.starts_of("boot");
  world.run_for(1min);
  EXPECT_EQ(world.starts_of("boot"), before);
  a.stop();
  world.run_for(5s);
  a.reboot();
  a.start();
  world.run_for(30s);
  EXPECT_EQ(world.starts_of("boot"), before + 1) << "the next one is";
}

TEST(DryRun, LaunchesNothingAndSaysSo) {
  SimWorld world;
  SimNode& a = world.add("a");
  a.dry_run = true;
  a.jobs = {define(minutely("job"))};
  a.start();
  const WallTime from = world.wall();
  world.run_for(10min);
  a.stop();
  world.run_for(1s);
  EXPECT_EQ(world.starts.size(), 0u);
  EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 1min), "");
  for (const Row& row : a.rows()) EXPECT_EQ(row.reason, Reason::dry_run);
}

}  // namespace
}  // namespace ballot
