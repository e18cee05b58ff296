// What metrics are made of: what a register carries from leader to leader, and what is said beside rows and terms.
#include <gtest/gtest.h>

#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

struct Figures : ::testing::Test {
  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");

  void start(const Job& job) {
    a.jobs = b.jobs = {define(job)};
    a.start();
    world.run_for(100ms);
    b.start();
  }
  static core::JobView shown(SimNode& node) {
    core::JobView view;
    node.core().views().visit_jobs(node.clock.now().wall, "", 1, [&](const core::JobView& job) { view = job; });
    return view;
  }
  static const Row& last_row(const SimNode& node, std::vector<Row>& rows) {
    rows = node.rows();
    return rows.back();
  }
};

TEST_F(Figures, OfTheLastSuccessAndTheSlotBeforeAreTheNextLeadersToo) {
  start(minutely());
  world.run_for(1min + 10s);
  std::vector<Row> rows;
  const Row succeeded = last_row(a, rows);
  ASSERT_EQ(succeeded.status, Status::succeeded);
  a.exits["job"] = 1;
  world.run_for(1min);
  EXPECT_EQ(shown(a).last_success, succeeded.ended_at);
  EXPECT_TRUE(shown(a).failing);
  a.stop();
  world.run_for(15s);
  ASSERT_TRUE(b.leads("default"));
  EXPECT_EQ(shown(b).last_success, succeeded.ended_at);
  EXPECT_TRUE(shown(b).failing);
  EXPECT_EQ(shown(b).previous, succeeded.slot + 1min);
  EXPECT_EQ(shown(b).next, succeeded.slot + 2min);
  EXPECT_EQ(shown(a).leader, "");
}

TEST_F(Figures, HowARunOfADeadNodeEndedTheRegisterSaysToWhoeverLeadsNext) {
  start(minutely());
  world.run_for(1min + 10s);
  a.exits["job"] = 3;
  world.run_for(1min);
  std::vector<Row> rows;
  const Row failed = last_row(a, rows);
  ASSERT_EQ(failed.status, Status::failed);
  EXPECT_TRUE(a.core().views().runs_of_others({}).empty()) << "its own ledger has what this node did";
  a.crash();
  world.run_for(30s);
  ASSERT_TRUE(b.leads("default"));
  for (const std::vector<std::string>& asked : {std::vector<std::string>(), {"job"}}) {
    const std::vector<Row> shown = b.core().views().runs_of_others(asked);
    ASSERT_EQ(shown.size(), 1u) << "of the slot there is no claim beside it";
    const Row& end = shown.front();
    EXPECT_EQ(end.run, failed.run);
    EXPECT_EQ(end.slot, failed.slot);
    EXPECT_EQ(end.status, Status::failed);
    EXPECT_EQ(end.reason, Reason::exit_code);
    EXPECT_EQ(end.exit_code, 3);
    EXPECT_EQ(end.ended_at, failed.ended_at);
    EXPECT_EQ(end.node, "a");
  }
  world.run_for(1min);
  EXPECT_TRUE(b.core().views().runs_of_others({}).empty()) << "the last run is its own by now";
}

TEST_F(Figures, OfAJobWithoutASlotAndASuccessAreNone) {
  start(minutely());
  world.run_for(1s);
  EXPECT_FALSE(shown(a).last_success);
  EXPECT_FALSE(shown(a).previous);
  EXPECT_EQ(shown(a).missed, 0u);
}

TEST_F(Figures, OfMissedSlotsCountThoseThatNobodyLedOnceOverAllLeaders) {
  Job job = minutely();
  job.misfire = Misfire::skip;
  a.jobs = {define(job)};
  a.start();
  world.run_for(1min + 5s);
  a.stop();
  world.run_for(3s);
  a.crash();
  world.run_for(5min);
  a.start();
  world.run_for(20s);
  EXPECT_EQ(shown(a).missed, 5u);
  b.jobs = a.jobs;
  b.start();
  a.stop();
  world.run_for(20s);
  ASSERT_TRUE(b.leads("default"));
  EXPECT_EQ(shown(b).missed, 5u);
}

TEST_F(Figures, OfARunThatIsClaimedAndCannotBeginInTimeCountAMissedSlot) {
  Job job = minutely();
  job.start_deadline = 2s;
  start(job);
  world.run_for(59s);
  a.runner.break_link(10s, 10s);
  world.run_for(40s);
  std::vector<Row> rows;
  ASSERT_EQ(last_row(a, rows).status, Status::missed);
  ASSERT_TRUE(last_row(a, rows).run);
  EXPECT_EQ(shown(a).missed, 1u);
}

TEST_F(Figures, OfAClaimSayHowLongTheStoreTookAndOfAStartHowLateItWas) {
  std::vector<core::RecordRow> claimed, started;
  a.on_row = [&](const core::RecordRow& record) {
    if (record.claim_took) claimed.push_back(record);
    if (record.start_lateness) started.push_back(record);
  };
  Job job = minutely();
  job.jitter = 20s;
  start(job);
  world.run_for(1min + 30s);
  ASSERT_EQ(claimed.size(), 1u);
  EXPECT_EQ(claimed[0].row.status, Status::claimed);
  EXPECT_GT(*claimed[0].claim_took, 0ms);
  EXPECT_LT(*claimed[0].claim_took, 1s);
  ASSERT_EQ(started.size(), 1u);
  EXPECT_EQ(started[0].row.status, Status::running);
  EXPECT_LT(*started[0].start_lateness, 1s) << "the job's jitter is no lateness";
  EXPECT_GE(*started[0].start_lateness, 0ms);
}

TEST_F(Figures, OfAnElectionSayWhyTheTermBeforeHasEnded) {
  std::vector<Cause> causes;
  a.on_term = b.on_term = [&](const core::RecordTerm& record) {
    if (record.elected_after) causes.push_back(*record.elected_after);
  };
  start(minutely());
  world.run_for(5s);
  a.stop();
  world.run_for(5s);
  ASSERT_TRUE(b.leads("default"));
  a.crash();
  a.start();
  world.run_for(5s);
  world.reboot(b.machine);
  world.run_for(60s);
  ASSERT_TRUE(a.leads("default"));
  EXPECT_EQ(causes, (std::vector{Cause::none, Cause::shutdown, Cause::expired}));
}

TEST_F(Figures, OfATermThatADaemonGoesOnWithSayNoElection) {
  int elections = 0;
  start(minutely());
  world.run_for(5s);
  a.on_term = [&](const core::RecordTerm& record) { elections += record.elected_after ? 1 : 0; };
  a.stop(0s, true);
  world.run_for(1s);
  a.crash();
  a.start();
  world.run_for(10s);
  ASSERT_TRUE(a.leads("default"));
  EXPECT_EQ(elections, 0);
}

}  // namespace
}  // namespace ballot
