// Places: max_running of a node and of a group delays runs, higher priority first, then by time.
#include <gtest/gtest.h>

#include <map>

#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

struct Places : ::testing::Test {
  SimWorld world;
  SimNode& a = world.add("a");
  WallTime from = world.wall();

  void add(const std::string& name, int priority, const std::string& group = "default") {
    Job job = minutely();
    job.name = name;
    job.schedule = {"0 * * * *"};
    job.details.edit().priority = priority;
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
  /// Of the last hour's slots, one after the other.
  std::string became(const std::string& job) const {
    std::map<WallTime, std::string> slots;
    for (const Row& row : a.rows())
      if (row.job == job && row.slot >= std::chrono::floor<std::chrono::hours>(world.wall()))
        slots[row.slot] = std::string(to_string(row.status)) + ": " + std::string(to_string(row.reason));
    std::string text;
    for (const auto& [slot, what] : slots) text += (text.empty() ? "" : ", ") + what;
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

TEST_F(Places, GoToHigherPriorityFirstHoweverManyAreDueAtOnce) {
  a.max_running = 1;
  for (int i = 0; i < 250; ++i) add("low-" + std::to_string(i), -5);
  add("high", 7);
  begin();
  world.run_for(30s);
  EXPECT_EQ(order().substr(0, 8), "high low");
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

/// What waits is granted none before all that is due has been asked, however many events come at once.
TEST_F(Places, GoToHigherPriorityFirstAlsoWhereOneIsFreeBeforeTheDaemonIsBack) {
  a.max_running = 1;
  add("long", 9), add("low", -5), add("high", 7);
  Job high = a.jobs.back()->job;
  high.schedule = {"1 * * * *"};
  a.jobs.back() = define(high);
  a.takes["long"] = 60'100ms;
  begin();
  world.run_for(59'900ms);
  a.freeze();
  world.run_for(350ms);  // its session is not in doubt
  ASSERT_EQ(a.open_children(), 0) << "it has ended, and a later slot is due";
  a.thaw();
  world.run_for(1min);
  EXPECT_EQ(order(), "long high low");
  expect_all_is_well();
}

TEST_F(Places, OfAGroupAreMoreOrFewerOnceItsFileSaysSo) {
  Group group;
  group.name = "narrow";
  group.max_running = 1;
  a.groups = {group};
  for (int i = 0; i < 6; ++i) add("job" + std::to_string(i), 0, "narrow");
  begin();
  world.run_for(5s);
  EXPECT_EQ(a.open_children(), 1);
  a.groups[0].max_running = 3;
  a.load();
  world.run_for(1s);
  EXPECT_EQ(a.open_children(), 3);
  a.groups[0].max_running = 1;
  a.load();
  world.run_for(15s);
  EXPECT_EQ(a.open_children(), 2) << "the first has ended, and nothing has begun";
  a.groups.clear();
  a.load();
  world.run_for(1s);
  EXPECT_EQ(a.open_children(), 5) << "all that is left";
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

TEST_F(Places, WhatWaitsLongForOneIsSettledByTheMisfirePolicyOnceLaterSlotsAreDue) {
  a.max_running = 1;
  add("long", 1);
  a.takes["long"] = 200s;
  Job latest = minutely("latest"), all = minutely("all");
  latest.schedule = all.schedule = {"0-9 * * * *"};
  all.misfire = Misfire::all;
  all.details.edit().misfire_limit = 2;
  a.jobs.push_back(define(latest)), a.jobs.push_back(define(all));
  begin();
  world.run_for(20min);
  const auto became = [&](const std::string& job) {
    std::map<WallTime, std::string_view> slots;
    for (const Row& row : a.rows())
      if (row.job == job && row.slot >= from + 1h && row.slot < from + 1h + 5min)
        slots[row.slot] = row.status == Status::succeeded ? "ran" : to_string(row.reason);
    std::string text;
    for (const auto& [slot, what] : slots) text += (text.empty() ? "" : ", ") + std::string(what);
    return text;
  };
  EXPECT_EQ(became("latest"), "misfire, misfire, misfire, ran, ran") << "the newest that waits";
  EXPECT_EQ(became("all"), "misfire, misfire, ran, ran, ran") << "the newest two that wait";
  expect_all_is_well();
}

/// No run of the job goes on while its slots wait: none of them overlaps.
TEST_F(Places, AreTakenByTheNewestSlotThatWaitsAndTheOthersAreMisfires) {
  Group group;
  group.name = "narrow";
  group.max_running = world.oracle.group_limits["narrow"] = 1;
  a.groups = {group};
  add("long", 1, "narrow");
  a.takes["long"] = 17s;
  for (const auto& [name, misfire] : {std::pair("latest", Misfire::latest), std::pair("skip", Misfire::skip)}) {
    Job job = minutely(name);
    job.schedule = {"5,10,15 0 * * * *"};
    job.misfire = misfire;
    job.group = "narrow";
    a.jobs.push_back(define(job));
  }
  begin();
  world.run_for(10min);
  for (const char* name : {"latest", "skip"}) {
    EXPECT_EQ(became(name), "missed: misfire, missed: misfire, succeeded: ") << name;
  }
  EXPECT_EQ(order(), "long latest skip");
  expect_all_is_well();
}

/// A slot that is superseded while it waits leaves its turn to its successor: jobs that are due often do not wait for
/// ever behind others like them.
TEST_F(Places, GoToTheJobThatHasWaitedLongestThoughNewerSlotsOfItAreDue) {
  a.max_running = 1;
  for (const char* name : {"a", "b", "c"}) {
    Job job = minutely(name);
    job.schedule = {"*/5 * * * * *"};
    a.jobs.push_back(define(job));
    a.takes[name] = 17s;
  }
  begin();
  const std::size_t before[] = {world.starts_of("a"), world.starts_of("b"), world.starts_of("c")};
  world.run_for(10min);
  EXPECT_NEAR(static_cast<double>(world.starts_of("a") - before[0]), 11, 2);
  EXPECT_NEAR(static_cast<double>(world.starts_of("b") - before[1]), 11, 2);
  EXPECT_NEAR(static_cast<double>(world.starts_of("c") - before[2]), 11, 2);
  expect_all_is_well();
}

/// Of `replace` too, a slot overlaps only beside a run.
TEST_F(Places, OfAJobThatReplacesAreTakenByItsNewestSlot) {
  a.max_running = 1;
  add("long", 1);
  a.takes["long"] = 150s;
  Job job = minutely("replaces");
  job.schedule = {"0-2 * * * *"};
  job.concurrency = Concurrency::replace;
  a.jobs.push_back(define(job));
  begin();
  world.run_for(10min);
  EXPECT_EQ(became("replaces"), "missed: misfire, missed: misfire, succeeded: ");
  expect_all_is_well();
}

TEST_F(Places, AJobAtItsOwnLimitTakesNoneFromWhatCountsLess) {
  a.max_running = 3;
  Job allows = minutely("allows");
  allows.schedule = {"*/15 * * * * *"};
  allows.concurrency = Concurrency::allow;
  allows.max_running = world.oracle.at_once["allows"] = 2;
  allows.details.edit().priority = 1;
  a.jobs.push_back(define(allows));
  a.takes["allows"] = 40s;
  Job low = minutely("low");
  a.jobs.push_back(define(low));
  a.start();
  world.run_for(10min);
  for (int i = 0; i < 12; ++i) {  // also while the runs that take its places go on
    world.run_for(5s);
    world.judge.judge_quiet({allows, low}, {from + 1min, world.wall(), 1s, true});
  }
  EXPECT_GE(world.starts_of("low"), 10u);
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

TEST_F(Places, AreTakenByARunOfADaemonBeforeWhoseRegisterCannotBeRead) {
  a.max_running = 1;
  add("one", 1), add("two", 0);
  a.takes["one"] = 5s;
  begin();
  world.run_for(1s);
  ASSERT_EQ(order(), "one");
  world.judge.spoiled("one");
  world.store.spoil(core::job_register("one"));
  a.crash();
  a.start();  // within the term, and its runner has the run
  world.run_for(3s);
  ASSERT_TRUE(a.leads("default"));
  EXPECT_EQ(order(), "one");
  world.run_for(2s);
  EXPECT_EQ(order(), "one two") << "it has ended";
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Places, AreTakenOnceByARunThatADaemonGoesOnWith) {
  a.max_running = 2;
  add("one", 0), add("two", 0);
  Job two = a.jobs.back()->job;
  two.schedule = {"1 * * * *"};
  a.jobs.back() = define(two);
  a.takes["one"] = 90s;
  begin();
  world.run_for(30s);
  a.crash();
  a.start();
  world.run_for(35s);
  EXPECT_EQ(order(), "one two");
  EXPECT_EQ(a.open_children(), 2);
  world.run_for(1min);
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
