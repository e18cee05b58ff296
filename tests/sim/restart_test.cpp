// The daemon goes and comes back: what was running is found again, lost or ended, and no slot is lost or run twice.
#include <gtest/gtest.h>

#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

// S22 sim
TEST(Restart, WithinTheDeadlineGoesOnWithTheTermAndAdoptsItsRuns) {
  SimWorld world;
  SimNode& a = world.add("a");
  a.jobs = {define(minutely("job"))};
  a.takes["job"] = 30s;
  a.exits["job"] = 7;
  a.start();
  const WallTime from = world.wall();
  world.run_for(5min + 5s);
  ASSERT_EQ(a.open_children(), 1);
  a.crash();
  world.run_for(1s);
  a.start();
  world.run_for(5min);
  EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 1min), "");
  EXPECT_EQ(world.broken_promises(), "");
  for (const Row& row : a.rows())
    if (is_final(row.status)) {
      EXPECT_EQ(row.status, Status::failed);
      EXPECT_EQ(row.exit_code, 7) << "the exit code of the adopted run is exact";
    }
}

TEST(Restart, FindsWhatEndedMeanwhile) {
  SimWorld world;
  SimNode& a = world.add("a");
  Job job = minutely();
  job.on_leadership_lost = OnLeadershipLost::finish;
  a.jobs = {define(job)};
  a.takes["job"] = 3s;
  a.start();
  world.run_for(1min + 1s);
  ASSERT_EQ(a.open_children(), 1);
  a.crash();
  world.run_for(30s);
  a.start();
  world.run_for(5s);
  ASSERT_EQ(a.rows().size(), 1u);
  EXPECT_EQ(a.rows()[0].status, Status::succeeded);
}

// S22b sim
TEST(Restart, PastTheDeadlineTheRunnerHasEndedTheRuns) {
  SimWorld world;
  SimNode& a = world.add("a");
  a.jobs = {define(minutely("job"))};
  a.takes["job"] = 50s;
  a.start();
  const WallTime from = world.wall();
  world.run_for(1min + 1s);
  a.crash();
  world.run_for(10s);
  EXPECT_EQ(a.open_children(), 0) << "the runner ends terminate runs without the daemon";
  a.start();
  world.run_for(5min);
  EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 1min), "");
  const Row* row = a.row("job", from + 1min);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->status, Status::killed);
  EXPECT_EQ(row->reason, Reason::leadership_lost);
}

// S3 sim
TEST(Restart, AfterARebootAnOpenRunIsLostAndNotRepeated) {
  SimWorld world;
  SimNode& a = world.add("a");
  a.jobs = {define(minutely("job"))};
  a.takes["job"] = 20s;
  a.start();
  const WallTime from = world.wall();
  world.run_for(3min + 5s);
  a.reboot();
  world.run_for(30s);
  a.start();
  world.run_for(5min);
  EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 1min), "");
  EXPECT_EQ(world.broken_promises(), "");
  const Row* row = a.row("job", from + 3min);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->status, Status::lost);
  EXPECT_EQ(row->reason, Reason::node_died);
}

TEST(Restart, AfterARebootARunThatTheLedgerHasAsEndedIsNotRepeated) {
  SimWorld world;
  SimNode& a = world.add("a");
  Job job = minutely("job");
  job.guarantee = Guarantee::at_least_once;
  job.details.edit().lost_limit = 2;
  job.kill_grace = 200ms;
  a.jobs = {define(job)};
  a.takes["job"] = 1s;
  a.start();
  const WallTime from = world.wall();
  ASSERT_TRUE(world.run_while_not([&] { return a.open_children() == 1; }, 2min));
  a.link.cut = true;  // the register shows it as open, also once it has ended
  world.run_for(2s);
  ASSERT_EQ(a.open_children(), 0);
  a.reboot();
  a.link.cut = false;
  a.start();
  world.run_for(3min);
  const RunId run = world.starts[0].run;
  EXPECT_EQ(std::count_if(world.starts.begin(), world.starts.end(), [&](const auto& one) { return one.run == run; }),
            1);
  EXPECT_EQ(a.ledger.row(run, 1)->status, Status::succeeded);
  EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 1min), "");
  EXPECT_EQ(world.broken_promises(), "");
}

/// The daemon of `a` dies with a run going on, and `b` settles it as lost.
void settle_elsewhere(SimWorld& world, SimNode& a, SimNode& b) {
  a.jobs = b.jobs = {define(minutely())};
  a.takes["job"] = 30s;
  a.start();
  world.run_for(100ms);
  b.start();
  world.run_for(1min + 5s);
  ASSERT_EQ(a.open_children(), 1);
  a.crash();
}

TEST(Restart, WhatAnotherNodeHasSettledIsForgottenByTheRunner) {
  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");
  settle_elsewhere(world, a, b);
  world.run_for(20s);
  ASSERT_EQ(a.runner.unacknowledged().size(), 1u);
  a.start();
  world.run_for(20s);
  EXPECT_EQ(a.runner.unacknowledged().size(), 0u);
  EXPECT_EQ(world.broken_promises(), "");
}

/// The register of another job, which cannot be read, names the run: it may have begun one after it.
TEST(Restart, WhatAnotherNodeHasSettledIsForgottenOnceARegisterThatNamesItIsRepaired) {
  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");
  Job other = minutely();
  other.name = "other";
  other.schedule = {"0 0 1 1 *"};
  a.jobs = b.jobs = {define(minutely()), define(other)};
  a.takes["job"] = 2s;
  a.start();
  world.run_for(1s);
  b.start();
  ASSERT_TRUE(world.run_while_not([&] { return !world.starts.empty(); }, 2min));
  a.link.cut = true;
  world.run_for(3s);
  ASSERT_EQ(a.ledger.row(world.starts[0].run, 1)->status, Status::succeeded);
  a.crash();
  a.link.cut = false;
  world.run_for(20s);
  ASSERT_EQ(a.runner.unacknowledged().size(), 1u);
  const std::string sound = world.store.list("j/other").front().value;
  std::string unreadable = sound;
  unreadable.insert(unreadable.find("\nfence ") + 7, world.starts[0].run.text() + " ");
  world.store.forge("j/other", unreadable);
  a.start();
  world.run_for(20s);
  EXPECT_EQ(a.runner.unacknowledged().size(), 1u);
  world.store.forge("j/other", sound);
  world.run_for(1min);
  EXPECT_EQ(a.runner.unacknowledged().size(), 0u);
}

TEST(Restart, WhatAnotherNodeHasSettledIsForgottenAlsoWhereItEndsLater) {
  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");
  a.runner.habits.stubborn = {"job"};
  settle_elsewhere(world, a, b);
  world.store.expire("a");  // at once, so that the run goes on
  world.run_for(1s);
  a.start();
  world.run_for(100ms);
  ASSERT_EQ(a.open_children(), 1);
  world.run_for(20s);
  EXPECT_EQ(a.open_children(), 0);
  EXPECT_EQ(a.runner.unacknowledged().size(), 0u);
}

TEST(Restart, HowARunEndedMeanwhileIsRecordedThoughOthersHaveClosedIt) {
  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");
  a.jobs = b.jobs = {define(minutely())};
  a.takes["job"] = 3s;
  a.exits["job"] = 7;
  a.start();
  world.run_for(1s);
  b.start();
  ASSERT_TRUE(world.run_while_not([&] { return !world.starts.empty(); }, 2min));
  const Start start = world.starts[0];
  world.run_for(1s);
  a.crash();  // the command ends by itself, before its term does
  world.run_for(20s);
  ASSERT_EQ(b.ledger.row(start.run, 1)->status, Status::lost);
  ASSERT_TRUE(world.store.list("j/job").front().value.find("\nrun " + start.run.text()) == std::string::npos);
  ASSERT_EQ(a.ledger.row(start.run, 1)->status, Status::running);
  a.start();
  world.run_for(5s);
  const Row* row = a.ledger.row(start.run, 1);
  EXPECT_EQ(row->status, Status::failed);
  EXPECT_EQ(row->exit_code, 7);
  EXPECT_EQ(a.runner.unacknowledged().size(), 0u);
  EXPECT_EQ(world.broken_promises(), "");
}

/// The daemon that was elected knew from the group's register when the term before had led: the next one in the same
/// term reads it there, too.
TEST(Restart, WithinItsTermKnowsWhenTheTermBeforeLed) {
  SimWorld world;
  SimNode& a = world.add("a");
  Job job = minutely();
  job.schedule = {"*/2 * * * * *"};
  job.misfire = Misfire::all;
  job.start_deadline = 20s;
  a.jobs = {define(job)};
  a.takes["job"] = 15s;
  a.start();
  world.run_for(3s);
  a.crash();
  world.run_for(17s);
  a.start();
  world.run_for(2s);
  a.crash();
  world.store.stop();  // no session ends meanwhile
  world.run_for(20s);
  world.store.start();
  a.start();
  world.run_for(60s);
  ASSERT_EQ(a.terms().size(), 2u) << "it goes on with its second term";
  const WallTime lease_ends = a.terms()[0].elected_at + 6s;  // it was renewed in between
  int within = 0;
  for (const Row& row : a.rows()) {
    if (row.status != Status::missed || row.slot > lease_ends) continue;
    EXPECT_EQ(row.reason, Reason::unclaimed) << line_of(row);
    ++within;
  }
  EXPECT_GT(within, 0);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST(Restart, WithinItsTermTakesWhatItPassedForMisfires) {
  SimWorld world;
  SimNode& a = world.add("a");
  Job job = minutely();
  job.schedule = {"* * * * * *"};
  a.jobs = {define(job)};
  a.takes["job"] = 100ms;
  a.start();
  const WallTime from = world.wall();
  world.run_for(10s + 400ms);
  a.crash();
  world.run_for(3s);
  a.start();
  world.run_for(10s);
  ASSERT_EQ(a.terms().size(), 1u) << "it goes on with its term";
  std::size_t misfired = 0;
  for (const Row& row : a.rows()) {
    EXPECT_NE(row.reason, Reason::unclaimed) << line_of(row);
    EXPECT_NE(row.reason, Reason::no_leader) << line_of(row);
    misfired += row.reason == Reason::misfire ? 1 : 0;
  }
  EXPECT_EQ(misfired, 2u) << "all of the three but the latest";
  EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 2s), "");
  EXPECT_EQ(world.broken_promises(), "");
}

// S14 sim
TEST(Stop, WaitsForRunsThenKillsThemAndRecordsEachOnce) {
  SimWorld world;
  SimNode& a = world.add("a");
  Job brief = minutely("brief"), endless = minutely("endless");
  endless.group = "other";
  a.jobs = {define(brief), define(endless)};
  a.takes["brief"] = 10s;
  a.takes["endless"] = 24h;
  a.start();
  const WallTime from = world.wall();
  world.run_for(1min + 1s);
  a.stop(30s);
  world.run_for(1s);
  EXPECT_FALSE(a.stopped());
  world.run_for(40s);
  EXPECT_TRUE(a.stopped());
  EXPECT_EQ(a.row("brief", from + 1min)->status, Status::succeeded);
  EXPECT_EQ(a.row("endless", from + 1min)->status, Status::killed);
  EXPECT_EQ(a.row("endless", from + 1min)->reason, Reason::shutdown);
  EXPECT_FALSE(world.store.leader("default"));
  for (const TermRow& term : a.terms()) EXPECT_EQ(term.cause, Cause::shutdown);
}

TEST(Stop, LeaveKeepsTheTermForARestart) {
  SimWorld world;
  SimNode& a = world.add("a");
  a.jobs = {define(minutely("job"))};
  a.takes["job"] = 30s;
  a.start();
  world.run_for(1min + 1s);
  a.stop(0s, true);
  world.run_for(1s);
  ASSERT_TRUE(a.stopped());
  EXPECT_EQ(a.open_children(), 1);
  a.crash();
  a.start();
  world.run_for(1min);
  EXPECT_EQ(world.starts.size(), 2u);
  int succeeded = 0;
  for (const Row& row : a.rows()) succeeded += row.status == Status::succeeded;
  EXPECT_EQ(succeeded, 1);
}

}  // namespace
}  // namespace ballot
