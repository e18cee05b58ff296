// Files change: edited, disabled, moved to another group, deleted and added again. Nothing of it launches anything.
#include <gtest/gtest.h>

#include "support/sim/core_views.hpp"
#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

struct Definitions : ::testing::Test {
  SimWorld world;
  SimNode& a = world.add("a");
  WallTime from = world.wall();

  void SetUp() override {
    a.jobs = {define(minutely())};
    a.start();
    world.run_for(5min + 10s);
  }
  void restart_after(Millis down) {
    a.stop();
    world.run_for(2s);
    ASSERT_TRUE(a.stopped());
    a.crash();
    world.run_for(down);
  }
};

TEST_F(Definitions, AnEditLaunchesNothingAndTheNewScheduleCounts) {
  const auto old = a.jobs[0];
  Job job = minutely();
  job.schedule = {"*/2 * * * *"};
  a.jobs = {define(job)};
  const std::size_t before = world.starts.size();
  a.load();
  world.run_for(40s);
  EXPECT_EQ(world.starts.size(), before);
  world.run_for(10min);
  EXPECT_EQ(world.unaccounted(*old, from, from + 5min), "");
  EXPECT_EQ(world.unaccounted(*a.jobs[0], from + 5min, world.wall() - 2min), "");
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Definitions, AnEditWhileARunIsUnderWayLetsItEndUnderTheOldDefinition) {
  a.takes["job"] = 90s;
  world.run_for(1min);
  ASSERT_EQ(a.open_children(), 1);
  Job job = minutely();
  job.description = "edited";
  job.details.edit().success_codes = {1};
  a.jobs = {define(job)};
  a.load();
  world.run_for(2min);
  ASSERT_TRUE(a.row("job", from + 6min));
  EXPECT_EQ(a.row("job", from + 6min)->status, Status::succeeded);
}

TEST_F(Definitions, AnEditWhileTheDaemonIsDownMissesTheOldSlotsAsUndefined) {
  const auto old = a.jobs[0];
  restart_after(3min);
  Job job = minutely();
  job.schedule = {"*/10 * * * *"};
  a.jobs = {define(job)};
  const std::size_t before = world.starts.size();
  a.start();
  world.run_for(20s);
  EXPECT_EQ(world.starts.size(), before);
  EXPECT_EQ(world.unaccounted(*old, from, world.wall() - 21s), "");
  EXPECT_EQ(a.row("job", from + 7min)->reason, Reason::no_definition);
}

TEST_F(Definitions, ADisabledJobIsNeverDueAndEnablingItLaunchesNothing) {
  Job job = minutely();
  job.enabled = false;
  const auto on = a.jobs[0];
  a.jobs = {define(job)};
  a.load();
  const std::size_t before = world.starts.size();
  world.run_for(10min);
  EXPECT_EQ(world.starts.size(), before);
  a.jobs = {on};
  a.load();
  world.run_for(20s);
  EXPECT_EQ(world.starts.size(), before);
  const WallTime again = world.wall();
  world.run_for(5min);
  EXPECT_EQ(world.unaccounted(*on, again, world.wall() - 1min), "");
}

TEST_F(Definitions, ADeletedJobLeavesNothingUnsettledAndComesBackAsNew) {
  const auto old = a.jobs[0];
  a.jobs = {};
  a.load();
  const std::size_t before = world.starts.size();
  world.run_for(10min);
  EXPECT_EQ(world.starts.size(), before);
  EXPECT_EQ(world.unaccounted(*old, from, from + 5min), "");
  a.jobs = {old};
  a.load();
  const WallTime again = world.wall();
  world.run_for(5min);
  EXPECT_EQ(world.unaccounted(*old, again, world.wall() - 1min), "");
  EXPECT_EQ(world.broken_promises(), "") << "its fence goes on";
}

TEST_F(Definitions, ADeletedJobIsReleasedOnlyOnceTheEndOfItsLastRunIsDurable) {
  a.jobs.push_back(define(minutely("other")));  // the group goes on
  a.load();
  a.takes["job"] = 5s;
  world.run_for(50s + 1s);
  ASSERT_GE(a.open_children(), 1);
  const auto old = a.jobs;
  a.jobs = {old[1]};
  a.load();
  a.ledger.frozen = true;
  world.run_for(10s);
  EXPECT_EQ(a.open_children(), 0);
  a.ledger.frozen = false;
  world.run_for(30s);
  a.jobs = old;
  a.load();
  world.run_for(30s);
  EXPECT_EQ(a.row("job", from + 6min)->status, Status::succeeded);
  EXPECT_TRUE(world.store.list("o/").empty()) << "nobody but its own leader had to know";
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Definitions, AJobWhoseFileWasBrokenForAWhileKeepsItsPauseAndItsPhase) {
  Job job = minutely();
  job.name = "every";
  job.schedule = {"@every 90s"};
  const auto every = define(job), paused = a.jobs[0];
  a.jobs = {every, paused};
  a.load();
  a.pause("job", true);
  world.run_for(5min);
  const WallTime phase = world.starts.back().slot;
  restart_after(7s);
  a.jobs = {};
  a.start();
  world.run_for(11s);
  a.jobs = {every, paused};
  a.load();
  const std::size_t before = world.starts_of("job");
  world.run_for(5min);
  EXPECT_EQ(world.starts_of("job"), before);
  EXPECT_TRUE(jobs_of(a)[1].state == "paused");
  EXPECT_EQ(world.starts.back().job, "every");
  EXPECT_EQ((world.starts.back().slot - phase) % 90s, 0s);
}

TEST_F(Definitions, AJobDeletedWhileTheDaemonIsDownIsSettledByTheNextTerm) {
  const auto old = a.jobs[0];
  restart_after(3min);
  a.jobs = {};
  a.start();
  world.run_for(30s);
  EXPECT_EQ(world.unaccounted(*old, from, world.wall() - 1min), "");
  EXPECT_EQ(a.row("job", from + 7min)->reason, Reason::no_definition);
}

// S28 sim
TEST_F(Definitions, AJobMovedToAnotherGroupIsReleasedAndGoesOnThere) {
  const auto old = a.jobs[0];
  Job job = minutely();
  job.group = "other";
  a.jobs = {define(job)};
  a.load();
  world.run_for(20s);
  const WallTime moved = world.wall();
  world.run_for(10min);
  EXPECT_EQ(world.unaccounted(*old, from, from + 5min), "");
  EXPECT_EQ(world.unaccounted(*a.jobs[0], moved, world.wall() - 1min), "");
  EXPECT_EQ(world.broken_promises(), "");
  EXPECT_EQ(world.starts.back().epoch > 0, true);
}

TEST_F(Definitions, AJobMovedWhileTheDaemonIsDownIsReleasedFirst) {
  restart_after(3min);
  const auto old = a.jobs[0];
  Job job = minutely();
  job.group = "other";
  a.jobs = {define(job)};
  a.start();
  world.run_for(20s);
  const WallTime moved = world.wall();
  world.run_for(5min);
  EXPECT_EQ(world.unaccounted(*old, from, moved - 21s), "");
  EXPECT_EQ(world.unaccounted(*a.jobs[0], moved, world.wall() - 1min), "");
}

TEST_F(Definitions, AMovedJobWaitsForTheRunThatIsUnderWay) {
  a.takes["job"] = 3min;
  world.run_for(1min);
  ASSERT_EQ(a.open_children(), 1);
  Job job = minutely();
  job.group = "other";
  a.jobs = {define(job)};
  a.load();
  world.run_for(1min);
  EXPECT_EQ(jobs_of(a)[0].state, "waiting for group default");
  world.run_for(5min);
  EXPECT_EQ(jobs_of(a)[0].state, "active");
  EXPECT_EQ(a.row("job", from + 6min)->status, Status::succeeded);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Definitions, ATriggerOfAJobThatMovesWaitsForTheLeaderOfItsNewGroup) {
  a.takes["job"] = 20s;
  world.run_for(65s - world.wall().time_since_epoch() % 1min);
  ASSERT_EQ(a.open_children(), 1);
  Job job = minutely();
  job.group = "other";
  a.jobs = {define(job)};
  a.load();
  world.run_for(2s);
  ASSERT_EQ(jobs_of(a)[0].state, "waiting for group default");
  const RunId run = a.trigger_with("job", "", false);
  world.run_for(5s);
  EXPECT_TRUE(a.replies.empty()) << a.replies[0].text;
  world.run_for(15s);
  ASSERT_EQ(a.replies.size(), 1u);
  EXPECT_TRUE(a.replies[0].ok) << a.replies[0].text;
  EXPECT_EQ(world.starts.back().run, run);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Definitions, AMovedJobIsTakenAlsoWhereItsOldGroupIsHandedOverMeanwhile) {
  Job job = minutely();
  job.on_leadership_lost = OnLeadershipLost::finish;
  a.takes["job"] = 3min;
  a.jobs = {define(job)};
  a.load();
  SimNode& b = world.add("b");
  b.jobs = a.jobs;
  b.start();
  world.run_for(1min);
  ASSERT_EQ(a.open_children(), 1);
  job.group = "other";
  a.jobs = {define(job)};
  b.jobs = a.jobs;
  a.load();
  world.run_for(100ms);  // a leads both; the run of the old group goes on
  core::Request request;
  request.kind = core::Request::Kind::evict;
  request.group = "default";
  b.load();
  b.ask(request);
  world.run_for(10min);
  const core::JobRegister* stored = world.oracle.job_register("job");
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->group, "other");
  EXPECT_FALSE(stored->released);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Definitions, AnUnreadableRegisterHaltsItsJobOnly) {
  Job other = minutely();
  other.name = "other";
  a.jobs.push_back(define(other));
  a.load();
  world.run_for(1min);
  restart_after(1s);
  auto contents = world.store.contents();
  contents.registers.at("j/job").value = "ballot 99\n";
  world.store.restore(contents);
  const std::size_t before = world.starts_of("job");
  a.start();
  world.run_for(5min);
  EXPECT_EQ(world.starts_of("job"), before);
  EXPECT_GT(world.starts_of("other"), 3u);
  EXPECT_EQ(jobs_of(a)[0].state, "halted");
  EXPECT_EQ(world.store.contents().registers.at("j/job").value, "ballot 99\n");
}

/// The old group's leader dies before it has released the register, and the next one has never seen the job there.
TEST(Move, IsCompletedByALeaderWhoseFilesNeverHadTheJobInTheOldGroup) {
  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");
  SimNode& c = world.add("c");
  std::vector<Group> groups(2);
  groups[0].name = "old", groups[0].candidates = {"a", "b"};
  groups[1].name = "new", groups[1].candidates = {"c"};
  for (SimNode* node : {&a, &b, &c}) {
    node->groups = groups;
    node->start();
    world.run_for(100ms);
  }
  Job job = minutely();
  job.group = "old";
  a.jobs = {define(job)};
  a.load();
  world.run_for(2min);
  ASSERT_EQ(world.starts_of("job"), 2u);
  job.group = "new";
  b.jobs = c.jobs = {define(job)};
  b.load(), c.load();
  world.run_for(10s);
  a.crash();
  world.run_for(3min);
  EXPECT_TRUE(b.leads("old"));
  EXPECT_TRUE(c.leads("new"));
  EXPECT_EQ(world.oracle.job_register("job")->group, "new");
  EXPECT_EQ(world.starts.back().node, "c");
  EXPECT_EQ(world.broken_promises(), "");
  world.run_for(2min);
  EXPECT_EQ(world.store.list("q/").size(), 0u) << "the request is gone";
  EXPECT_EQ(world.unaccounted(), "") << "also between the release and the adoption";
}

}  // namespace
}  // namespace ballot
