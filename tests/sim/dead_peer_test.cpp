// A daemon dies and another one of its host succeeds it: what became of the runs its runner reports.
#include <gtest/gtest.h>

#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

/// Two daemons of one host; the first leads, and has a run of `job` going on when it dies.
struct DeadOnOneHost : ::testing::Test {
  SimWorld world{1, {.death_frees = true}};
  SimNode& a = world.add("a");
  SimNode& b = world.add("b", a.machine);

  void begin(Job job, Millis takes, Millis since_slot) {
    a.jobs = b.jobs = {define(job)};
    a.takes["job"] = takes;
    a.exits["job"] = 7;
    a.start();
    world.run_for(100ms);
    b.start();
    world.run_for(1min - 100ms + since_slot);
    ASSERT_EQ(world.starts_of("job"), 1u);
  }
  const Row& row_of_b() {
    static const Row none;
    const Row* row = b.row("job", world.starts.front().slot);
    EXPECT_TRUE(row) << "the successor has closed it";
    return row ? *row : none;
  }
};

TEST_F(DeadOnOneHost, ItsRunThatHasEndedIsClosedAtOnceAsItEnded) {
  begin(minutely(), 5s, 5s + 20ms);
  a.crash();
  world.run_for(500ms);
  ASSERT_TRUE(b.leads("default"));
  EXPECT_EQ(row_of_b().status, Status::failed);
  EXPECT_EQ(row_of_b().exit_code, 7);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(DeadOnOneHost, ItsRunThatGoesOnIsClosedAsItEnds) {
  Job job = minutely();
  job.on_leadership_lost = OnLeadershipLost::finish;
  begin(job, 40s, 5s);
  a.crash();
  world.run_for(30s);
  ASSERT_TRUE(b.leads("default"));
  ASSERT_EQ(a.open_children(), 1);
  ASSERT_FALSE(world.oracle.job_register("job")->runs.empty()) << "it goes on";
  world.run_for(6s);
  EXPECT_EQ(row_of_b().status, Status::failed);
  EXPECT_EQ(row_of_b().exit_code, 7);
  EXPECT_EQ(world.broken_promises(), "");
}

/// Its term is long over when somebody repairs the job, and its runner is asked all the same.
TEST_F(DeadOnOneHost, ItsRunIsClosedAsItEndedByARepairToo) {
  begin(minutely(), 5s, 2s);
  a.crash();
  world.judge.spoiled("job");
  world.store.spoil(core::job_register("job"));
  world.run_for(40s);
  ASSERT_TRUE(b.leads("default"));
  core::Request repair;
  repair.kind = core::Request::Kind::repair;
  repair.job = "job";
  b.ask(repair);
  world.run_for(10s);
  EXPECT_EQ(row_of_b().status, Status::failed);
  EXPECT_EQ(row_of_b().exit_code, 7);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(DeadOnOneHost, ItsRunIsEndedByItsDeadlineAndClosedAsKilled) {
  begin(minutely(), 50s, 5s);
  a.crash();
  world.run_for(10s);
  EXPECT_EQ(row_of_b().status, Status::killed);
  EXPECT_EQ(row_of_b().reason, Reason::leadership_lost);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(DeadOnOneHost, ARunThatItsRunnerDoesNotKnowIsLostAtOnce) {
  begin(minutely(), 50s, 5s);
  a.crash();
  a.runner.power_cut();  // another one listens there, which knows nothing
  world.run_for(500ms);
  EXPECT_EQ(row_of_b().status, Status::lost);
  EXPECT_EQ(row_of_b().reason, Reason::node_died);
}

TEST_F(DeadOnOneHost, ARunIsWaitedForWhereItsRunnerIsGone) {
  begin(minutely(), 50s, 5s);
  a.crash();
  a.runner.crash();
  world.run_for(500ms);
  ASSERT_TRUE(b.leads("default"));
  ASSERT_FALSE(world.oracle.job_register("job")->runs.empty()) << "until the deadline";
  world.run_for(10s);
  EXPECT_EQ(row_of_b().status, Status::lost);
}

TEST_F(DeadOnOneHost, OfARunThatItsRunnerSaidToGoOnNothingIsKnownOnceThatIsGoneToo) {
  Job job = minutely();
  job.schedule = {"* 1-59 * * * *"};
  begin(job, 50s, 5s);
  a.crash();
  world.run_for(1500ms);
  ASSERT_TRUE(b.leads("default"));
  a.runner.crash();
  const WallTime gone = world.wall();
  world.run_for(20s);
  EXPECT_EQ(row_of_b().status, Status::lost);
  for (const Row& row : b.rows())
    if (row.slot > gone && row.reason == Reason::overlap) {
      EXPECT_TRUE(std::any_of(world.starts.begin(), world.starts.end(), [&](const Start& start) {
        return start.node == "b" && start.slot < row.slot;
      })) << "beside a run that has died";
    }
  EXPECT_EQ(world.broken_promises(), "");
}

/// Its daemon may start what it has claimed, for all that its runner knows.
TEST_F(DeadOnOneHost, ARunOfADaemonThatLivesIsNotLostBecauseItsRunnerDoesNotKnowItYet) {
  a.runner.habits.slowest_start = 300ms;
  begin(minutely(), 20s, 400ms);
  world.run_for(1min - 390ms);  // the next one is claimed, and not started yet
  ASSERT_EQ(world.oracle.job_register("job")->runs.size(), 1u);
  const RunId claimed = world.oracle.job_register("job")->runs.front().id;
  world.store.depose("default", Cause::evicted);
  world.run_for(5s);
  ASSERT_TRUE(b.leads("default"));
  for (const Row& row : b.rows())
    if (row.run == claimed) {
      EXPECT_NE(row.status, Status::lost);
    }
  EXPECT_EQ(world.broken_promises(), "");
}

TEST(TwoNodes, OfOneNameAreOneAndWhoeverHasLedIsNotEndedByTheOther) {
  SimWorld world;
  SimNode& a = world.add("a");
  a.jobs = {define(minutely("job"))};
  a.start();
  world.run_for(2min + 30s);
  ASSERT_TRUE(a.leads("default"));
  SessionRequest request;
  request.node = "a";
  request.host = "elsewhere";
  world.store.expire("a");
  const auto other = world.store.open({request, 9999, Millis(0), [](SimStore::Event) {}});
  ASSERT_NE(other.session, 0u);
  world.run_for(1s);
  EXPECT_FALSE(a.stopped()) << "it has led";
  EXPECT_TRUE(std::any_of(a.notices.begin(), a.notices.end(), [](const core::Notice& notice) {
    return notice.level == Level::error && notice.text.find("is in use by process") != std::string::npos;
  }));
  world.store.end(other.session, Cause::shutdown);
  world.run_for(3min);
  EXPECT_FALSE(a.stopped());
  EXPECT_TRUE(a.leads("default"));
  SimNode& b = world.add("b");
  request.node = "b";
  ASSERT_NE(world.store.open({request, 9999, Millis(0), [](SimStore::Event) {}}).session, 0u);
  b.start();
  world.run_for(5s);
  EXPECT_TRUE(b.stopped()) << "it has never had a session";
}

}  // namespace
}  // namespace ballot
