// Places: max_running of a node and of a group holds runs back, higher priority first, then by time.
#include <gtest/gtest.h>

#include "support/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

struct Places : testing::Test {
  SimWorld world;
  SimNode& a = world.add("a");
  WallTime from = world.wall();

  void add(const std::string& name, int priority, const std::string& group = "default") {
    Job job = minutely();
    job.name = name;
    job.schedule = {"0 * * * *"};
    job.priority = priority;
    job.group = group;
    a.jobs.push_back(define(job));
    a.takes[name] = 20s;
  }
  void begin() {
    a.start();
    world.run_for(1h);
    world.run_for(std::chrono::floor<std::chrono::hours>(world.wall()) + 1h - world.wall());
  }
  std::string order() const {
    std::string text;
    for (const Start& start : world.starts)
      if (start.at > SteadyTime{} + 1h + 30min) text += (text.empty() ? "" : " ") + start.job;
    return text;
  }
  void expect_all_is_well() {
    for (const auto& job : a.jobs) EXPECT_EQ(world.unaccounted(*job, from, world.wall() - 10min), "");
    EXPECT_EQ(world.broken_promises(), "");
  }
};

TEST_F(Places, OfANodeGoToHigherPriorityFirstAndThenByName) {
  a.max_running = 1;
  add("low", -5), add("one", 0), add("two", 0), add("high", 7);
  begin();
  world.run_for(30s);
  EXPECT_EQ(a.open_children(), 1);
  world.run_for(20min);
  EXPECT_EQ(order(), "high one two low");
  for (const Row& row : world.merged()) EXPECT_EQ(row.status, Status::succeeded);
  expect_all_is_well();
}

TEST_F(Places, OfAGroupHoldBackItsOwnJobsOnly) {
  Group group;
  group.name = "narrow";
  group.max_running = 1;
  a.groups = {group};
  world.oracle.group_limits["narrow"] = 1;
  add("one", 0, "narrow"), add("two", 0, "narrow"), add("free", -9), add("other", -9);
  begin();
  world.run_for(5s);
  EXPECT_EQ(a.open_children(), 3);
  world.run_for(20min);
  expect_all_is_well();
}

TEST_F(Places, ASlotThatFindsNoneInTimeIsMissed) {
  a.max_running = 1;
  for (int i = 0; i < 20; ++i) add("job" + std::to_string(i), 0);
  begin();
  world.run_for(20min);
  int succeeded = 0, missed = 0;
  for (const Row& row : world.merged()) {
    if (row.slot <= from + 1h) continue;
    if (row.status == Status::succeeded) ++succeeded;
    if (row.status == Status::missed && row.reason == Reason::start_deadline) ++missed;
  }
  EXPECT_GE(succeeded, 15);
  EXPECT_EQ(succeeded + missed, 20);
  expect_all_is_well();
}

TEST_F(Places, AreFreeAgainWhenARunIsLostWithItsRunner) {
  a.max_running = 1;
  add("one", 1), add("two", 0);
  begin();
  world.run_for(5s);
  a.runner.crash();
  world.run_for(10s);
  EXPECT_EQ(order(), "one two");
  expect_all_is_well();
}

TEST_F(Places, AWaitingTriggerGetsOneToo) {
  a.max_running = 1;
  add("one", 0), add("two", 0);
  a.start();
  world.run_for(1min);
  a.trigger("one"), a.trigger("two");
  world.run_for(5s);
  EXPECT_EQ(a.open_children(), 1);
  world.run_for(20s);
  EXPECT_EQ(world.starts.size(), 2u);
}

}  // namespace
}  // namespace ballot
