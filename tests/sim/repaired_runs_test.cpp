// What becomes of runs whose register was repaired while they went on, or after they had ended.
#include <gtest/gtest.h>

#include "support/sim/core_views.hpp"
#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;
using Kind = core::Request::Kind;

struct Repaired : ::testing::Test {
  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");
  Job job = minutely();
  RunId run;

  void begin() {
    a.jobs = b.jobs = {define(job)};
    b.start();
    world.run_for(1s);
    a.start();
    ASSERT_TRUE(world.run_while_not([&] { return !world.starts.empty(); }, 1h));
    ASSERT_EQ(world.starts[0].node, "b");
    run = world.starts[0].run;
    world.run_for(2s);
  }
  void spoil() {
    world.judge.spoiled("job");
    world.store.spoil(core::job_register("job"));
  }
  void ask(SimNode& node, Kind kind, const std::string& name, const std::string& group) {
    core::Request request;
    request.kind = kind;
    request.job = name;
    request.group = group;
    node.replies.clear();
    node.ask(request);
    ASSERT_TRUE(world.run_while_not([&] { return !node.replies.empty(); }, 1min));
    EXPECT_TRUE(node.replies[0].ok) << node.replies[0].text;
  }
  void expect_all_is_well() {
    world.run_for(3min);
    EXPECT_EQ(world.unaccounted(), "");
    world.judge_ends();
    EXPECT_EQ(world.broken_promises(), "");
  }
};

TEST_F(Repaired, ByALeaderThatRemembersARunAsOpenItStaysAsItEnded) {
  job.on_leadership_lost = OnLeadershipLost::finish;
  a.takes["job"] = b.takes["job"] = 20s;
  begin();
  ask(a, Kind::evict, "", "default");  // it goes on under the next leader, which closes it
  world.run_for(25s);
  ASSERT_TRUE(a.leads("default"));
  ASSERT_EQ(b.ledger.row(run, 1)->status, Status::succeeded);
  ASSERT_EQ(world.store.list("j/job").front().value.find("\nrun " + run.text()), std::string::npos);
  spoil();
  a.reboot();
  ASSERT_TRUE(world.run_while_not([&] { return b.leads("default"); }, 1min));
  ask(b, Kind::repair, "job", "");
  world.run_for(10s);
  EXPECT_EQ(b.ledger.row(run, 1)->status, Status::succeeded);
  EXPECT_EQ(world.starts_of("job"), 1u);
  a.start();
  expect_all_is_well();
}

/// It had read the register while the run went on, and reads it again once nobody can.
TEST_F(Repaired, ByALeaderThatHadSeenARunGoOnItStaysEndedWhereTheRegisterNamesItsEnd) {
  job.on_leadership_lost = OnLeadershipLost::finish;
  job.schedule = {"@hourly"};
  a.takes["job"] = b.takes["job"] = 5min;
  begin();
  ask(a, Kind::evict, "", "default");
  ASSERT_TRUE(world.run_while_not([&] { return a.leads("default"); }, 1min));
  world.run_for(2min);
  ask(a, Kind::evict, "", "default");
  ASSERT_TRUE(world.run_while_not([&] { return b.leads("default"); }, 1min));
  world.run_for(3min);
  ASSERT_EQ(b.ledger.row(run, 1)->status, Status::succeeded);
  spoil();
  ask(b, Kind::evict, "", "default");
  ASSERT_TRUE(world.run_while_not([&] { return a.leads("default"); }, 1min));
  ask(a, Kind::repair, "job", "");
  world.run_for(1s);
  const std::string repaired = world.store.list("j/job").front().value;
  EXPECT_EQ(repaired.find("\nrun " + run.text()), std::string::npos) << repaired;
  EXPECT_NE(repaired.find("\nlast_end " + run.text()), std::string::npos) << repaired;
  EXPECT_NE(repaired.find("\nlast_success "), std::string::npos) << repaired;
  expect_all_is_well();
}

TEST_F(Repaired, WhileARunGoesOnThatFailsItIsNotTriedAgain) {
  job.retries = 2;
  job.details.edit().retry_delay = 1s;
  a.takes["job"] = b.takes["job"] = 20s;
  a.exits["job"] = b.exits["job"] = 1;
  begin();
  spoil();
  world.run_for(30s);  // it fails, and the next write finds the register unreadable
  ASSERT_TRUE(b.leads("default"));
  ask(b, Kind::repair, "job", "");
  world.run_for(10s);
  EXPECT_EQ(b.ledger.row(run, 1)->status, Status::failed);
  EXPECT_EQ(b.ledger.row(run, 2), nullptr) << "nobody knows whether it was tried again meanwhile";
  expect_all_is_well();
}

/// Only the runner's word says how it ended: the register shows it no more once it is repaired.
TEST_F(Repaired, AfterARunOfADaemonBeforeHasEndedItsEndIsWhatItsRunnerSaid) {
  a.takes["job"] = b.takes["job"] = 4s;
  begin();
  spoil();
  b.crash();
  b.start();  // its runner goes on with the run, which ends before the deadline that the runner knows
  world.run_for(30s);
  ASSERT_TRUE(b.leads("default"));
  ASSERT_TRUE(world.starts[0].ended);
  ask(b, Kind::repair, "job", "");
  world.run_for(2min);
  EXPECT_EQ(b.ledger.row(run, 1)->status, Status::succeeded);
  expect_all_is_well();
}

/// It knows how the run ends, and the register, which does not, is another node's to repair.
TEST_F(Repaired, WhereAnotherNodeLeadsARunOfANodeThatWasRestartedEndsAsItsRunnerSays) {
  job.on_leadership_lost = OnLeadershipLost::finish;
  job.schedule = {"@hourly"};
  a.takes["job"] = b.takes["job"] = 30s;
  begin();
  spoil();
  b.crash();
  ASSERT_TRUE(world.run_while_not([&] { return a.leads("default"); }, 1min));
  b.start();
  world.run_for(2s);
  EXPECT_EQ(b.ledger.row(run, 1)->status, Status::running);
  ASSERT_TRUE(world.run_while_not([&] { return world.starts[0].ended.has_value(); }, 1min));
  world.run_for(2s);
  EXPECT_EQ(b.ledger.row(run, 1)->status, Status::succeeded);
  ask(a, Kind::repair, "job", "");
  expect_all_is_well();
  EXPECT_EQ(b.ledger.row(run, 1)->status, Status::succeeded);
  EXPECT_EQ(world.starts_of("job"), 1u);
}

/// Files reach nodes one by one. Of a register that nobody can read, the leader of each group takes it for its own.
struct RepairedByTwoLeaders : ::testing::TestWithParam<int> {
  SimWorld world{static_cast<std::uint64_t>(GetParam())};
  SimNode &a = world.add("a"), &b = world.add("b");
  OnLeadershipLost policy = OnLeadershipLost::finish;
  std::vector<schedule::DefinitionPtr> others;

  void begin(const std::string& schedule) {
    std::vector<Group> groups(2);
    groups[0].name = "old", groups[0].candidates = {"a"};
    groups[1].name = "new", groups[1].candidates = {"b"};
    Job job = minutely();
    job.schedule = {schedule};
    job.on_leadership_lost = policy;
    job.details.edit().lost_after = 1min;
    for (SimNode* node : {&a, &b}) {
      job.group = node == &a ? "old" : "new";
      node->groups = groups, node->jobs = others;
      node->jobs.insert(node->jobs.begin(), define(job));
      node->start();
      world.run_for(1s);
    }
    world.run_for(1min);
    a.takes["job"] = b.takes["job"] = 4min;
    world.judge.spoiled("job");
    world.store.spoil(core::job_register("job"));
  }
  static bool halts(SimNode& node) { return jobs_of(node)[0].state == "halted"; }
  static void ask(SimNode& node, Kind kind) {
    core::Request request;
    request.kind = kind;
    request.job = "job";
    node.ask(request);
  }
  void expect_no_run_is_lost() {
    world.run_for(6min);
    EXPECT_GT(world.starts_of("job"), 0u);
    EXPECT_NE(jobs_of(a)[0].state == "active", jobs_of(b)[0].state == "active");
    for (const Row& row : world.merged()) EXPECT_NE(row.status, Status::lost);
    EXPECT_EQ(world.unaccounted(), "");
    EXPECT_EQ(world.broken_promises(), "");
  }
};

TEST_P(RepairedByTwoLeaders, ARegisterIsThatOnesWhoWasFirstAndTheOtherOneLeavesItsRuns) {
  begin("* * * * *");
  ASSERT_TRUE(world.run_while_not([&] { return halts(a) && halts(b); }, 2min));
  ask(a, Kind::repair);
  expect_no_run_is_lost();
  EXPECT_EQ(a.replies.size(), 1u);
}

/// The one that is cut off has not seen that anything was wrong.
TEST_P(RepairedByTwoLeaders, ARegisterIsThatOnesWhoWasFirstAlsoWhereTheOtherOneIsAskedLater) {
  begin("0 * * * *");
  ASSERT_TRUE(world.run_while_not([&] { return halts(b); }, 10s));
  a.link.cut = true;
  ask(b, Kind::repair);
  ASSERT_TRUE(world.run_while_not([&] { return !b.replies.empty(); }, 2s));
  ask(b, Kind::trigger);
  ASSERT_TRUE(world.run_while_not([&] { return b.open_children() == 1; }, 1s)) << b.replies.back().text;
  a.link.cut = false;
  world.run_for(1s);
  ask(a, Kind::repair);
  expect_no_run_is_lost();
}

/// The term goes on for the group's other jobs, so its deadline does not end the run.
TEST_P(RepairedByTwoLeaders, ARunThatEndsWithItsTermIsEndedByTheOneThatLeavesIt) {
  policy = OnLeadershipLost::terminate;
  Job other = minutely("other");
  other.group = "old";
  others = {define(other)};
  a.takes["job"] = a.takes["other"] = 10min;
  begin("* * * * *");
  ASSERT_EQ(a.open_children(), 2);
  ASSERT_TRUE(world.run_while_not([&] { return halts(b); }, 10s));
  ask(b, Kind::repair);  // each of them does it that hears of it in time
  world.run_for(500ms);
  EXPECT_EQ(a.open_children(), *world.oracle.job_register("job")->group == "old" ? 2 : 1);
  expect_no_run_is_lost();
}

INSTANTIATE_TEST_SUITE_P(Seeds, RepairedByTwoLeaders, ::testing::Range(1, 9));

}  // namespace
}  // namespace ballot
