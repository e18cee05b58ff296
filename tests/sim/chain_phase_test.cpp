// Where a job counts its slots from that has those of an `@every` of another: whatever happens to that one's register.
#include <gtest/gtest.h>

#include "base/wall_text.hpp"
#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

struct ChainPhase : ::testing::Test {
  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");
  Job extract = minutely("extract");
  Job load = minutely("load");

  ChainPhase() {
    extract.schedule = load.schedule = {"@every 90s"};
    load.details.edit().after = {"extract"};
    load.details.edit().has_slots_of_first = true;
    for (SimNode* node : {&a, &b}) {
      node->takes["extract"] = node->takes["load"] = 1s;
      node->jobs = {define(extract), define(load)};
    }
    a.start();
    world.run_for(1s);
    b.start();
    world.run_for(5min + 20s);
  }

  void edit(const Job& job, std::size_t at) {
    for (SimNode* node : {&a, &b}) {
      node->jobs.at(at) = define(job);
      node->load();
    }
    world.run_for(10s);
  }
  void damage(const std::string& job) {
    world.store.forge("j/" + job, "nobody wrote this\n");
    world.run_for(1min);
  }
  std::string repair(const std::string& job) {
    a.ask(core::Request::Kind::repair, job);
    world.run_for(10s);
    return a.replies.empty() || !a.replies.back().ok ? "not repaired" : "repaired";
  }
  RareList<core::Anchor> anchors(const std::string& job) const { return world.oracle.job_register(job)->anchors; }
  int succeeded_since(const std::string& job, WallTime from) const {
    int count = 0;
    for (const Row& one : world.merged()) count += one.job == job && one.slot > from && one.status == Status::succeeded;
    return count;
  }
};

/// The daemons that have read the register were stopped before it was damaged.
TEST_F(ChainPhase, IsThatOfTheParentAgainAfterARepairOfIt) {
  const auto before = anchors("extract");
  ASSERT_EQ(anchors("load"), before);
  a.crash(), b.crash();
  world.store.forge("j/extract", "nobody wrote this\n");
  a.start(), b.start();
  world.run_for(2min);
  ASSERT_EQ(repair("extract"), "repaired");
  const WallTime repaired = world.wall();
  world.run_for(10min);
  ASSERT_NE(anchors("extract"), before) << "nobody knew where it had counted from";
  EXPECT_EQ(anchors("load"), anchors("extract"));
  EXPECT_GE(succeeded_since("extract", repaired), 5);
  EXPECT_GE(succeeded_since("load", repaired), 5);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(ChainPhase, StaysAsItIsWhereTheJobIsEditedWhileItsParentIsHalted) {
  const auto before = anchors("load");
  damage("extract");
  load.retries = 1;
  edit(load, 1);
  EXPECT_EQ(world.oracle.job_register("load")->definition, define(load)->digest);
  EXPECT_EQ(anchors("load"), before);
  const std::size_t starts = world.starts_of("load");
  a.ask(core::Request::Kind::trigger, "load");
  world.run_for(20s);
  EXPECT_EQ(world.starts_of("load"), starts + 1) << "a trigger waits for no parent";
  ASSERT_EQ(repair("extract"), "repaired");
  world.run_for(10min);
  EXPECT_EQ(anchors("load"), anchors("extract"));
  EXPECT_EQ(world.broken_promises(), "");
}

/// Nobody knows where the new period counts from before the parent's register says it.
TEST_F(ChainPhase, OfAnotherPeriodIsWaitedForAndATriggerSaysSo) {
  damage("extract");
  extract.schedule = load.schedule = {"@every 2m"};
  edit(extract, 0);
  edit(load, 1);
  EXPECT_NE(world.oracle.job_register("load")->definition, define(load)->digest);
  const std::size_t replies = a.replies.size();
  a.ask(core::Request::Kind::trigger, "load");
  world.run_for(10s);
  ASSERT_GT(a.replies.size(), replies);
  EXPECT_FALSE(a.replies.back().ok);
  EXPECT_NE(a.replies.back().text.find("load has the slots of extract, which is halted"), std::string::npos)
      << a.replies.back().text;
  ASSERT_EQ(repair("extract"), "repaired");
  world.run_for(10min);
  EXPECT_EQ(world.oracle.job_register("load")->definition, define(load)->digest);
  EXPECT_EQ(anchors("load"), anchors("extract"));
  EXPECT_EQ(world.broken_promises(), "");
}

}  // namespace
}  // namespace ballot
