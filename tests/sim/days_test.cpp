// Calendars: slots on days that they leave out are settled whatever else happens, and moved slots are slots like any
// other.
#include <gtest/gtest.h>

#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

/// Life begins on Thursday, 2026-01-01, 00:00 UTC.
struct Days : ::testing::Test {
  SimWorld world{1, {.timeout = 1h}};  // few renewals, many days
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");
  WallTime from = world.wall();

  static Job hourly(const std::string& days) {
    Job job;
    job.name = "job";
    job.schedule = {"0 */2 * * *"};
    job.details.edit().days = days;
    return job;
  }
  void begin(const Job& job) {
    for (SimNode* const node : {&a, &b}) node->jobs = {define(job)}, node->start();
  }
  std::size_t count(Status status, Reason reason) const {
    std::int64_t slots = 0;
    for (const auto& node : world.nodes)
      for (const Row& row : node->rows())
        if (row.status == status && row.reason == reason) slots += row.slots;
    return static_cast<std::size_t>(slots);
  }
  const Row* row(WallTime slot) const {
    for (const auto& node : world.nodes)
      if (const Row* const found = node->row("job", slot)) return found;
    return nullptr;
  }
  void expect_no_broken_promise() const {
    EXPECT_EQ(world.unaccounted(), "");
    EXPECT_EQ(world.broken_promises(), "");
  }
};

TEST_F(Days, ThatAreLeftOutHaveARowForEachSlotAndNoRun) {
  begin(hourly("except weekend=sat,sun"));
  world.run_for(24h * 7 + 30min);
  EXPECT_EQ(count(Status::skipped, Reason::calendar), 24u);
  EXPECT_EQ(count(Status::succeeded, Reason::none), 60u);
  EXPECT_EQ(world.starts.size(), 60u);
  ASSERT_TRUE(row(from + 24h * 2));
  EXPECT_EQ(row(from + 24h * 2)->reason, Reason::calendar);
  expect_no_broken_promise();
}

TEST_F(Days, AreNeverMissedWhateverKeepsTheJobFromRunning) {
  begin(hourly("except weekend=sat,sun"));
  world.run_for(24h + 30min);  // Friday
  for (SimNode* const node : {&a, &b}) node->crash();
  world.run_for(72h);  // Monday
  a.start();
  world.run_for(3h);
  EXPECT_EQ(count(Status::skipped, Reason::calendar), 24u);
  EXPECT_EQ(row(from + 24h * 2)->status, Status::skipped);
  EXPECT_EQ(row(from + 24h * 1 + 2h)->status, Status::missed);
  EXPECT_EQ(row(from + 24h * 4)->status, Status::missed) << "its start deadline is over";
  EXPECT_EQ(row(from + 24h * 4 + 2h)->status, Status::succeeded);
  expect_no_broken_promise();
}

TEST_F(Days, BetweenSlotsThatAreCaughtUpKeepTheirOrder) {
  Job job = hourly("except weekend=sat,sun");
  job.misfire = Misfire::all;
  job.start_deadline = 24h * 7;
  begin(job);
  world.run_for(24h + 30min);
  for (SimNode* const node : {&a, &b}) node->crash();
  world.run_for(72h);
  a.start();
  world.run_for(3h);
  EXPECT_EQ(count(Status::skipped, Reason::calendar), 24u);
  EXPECT_EQ(count(Status::missed, Reason::no_leader), 0u);
  EXPECT_EQ(row(from + 24h + 2h)->trigger, Trigger::catch_up);
  EXPECT_EQ(row(from + 24h * 4)->trigger, Trigger::catch_up);
  EXPECT_EQ(count(Status::skipped, Reason::overlap), 0u);
  expect_no_broken_promise();
}

TEST_F(Days, MoveASlotToTheNextOneThatIsAllowed) {
  Job job = hourly("except weekend=sat,sun shift=next");
  job.schedule = {"30 6 3 1 *"};  // a Saturday
  begin(job);
  world.run_for(24h * 6);
  EXPECT_EQ(world.starts.size(), 1u);
  ASSERT_TRUE(row(from + 24h * 4 + 6h + 30min));
  EXPECT_EQ(row(from + 24h * 4 + 6h + 30min)->status, Status::succeeded);
  EXPECT_FALSE(row(from + 24h * 2 + 6h + 30min));
  expect_no_broken_promise();
}

/// The leader that would have run it on Monday is gone by then.
TEST_F(Days, MoveASlotOverAFailover) {
  Job job = hourly("except weekend=sat,sun shift=next");
  job.schedule = {"30 6 3 1 *"};
  begin(job);
  world.run_for(24h * 4);
  SimNode& leader = a.leads("default") ? a : b;
  leader.crash();
  world.run_for(24h);
  EXPECT_EQ(world.starts.size(), 1u);
  EXPECT_EQ(row(from + 24h * 4 + 6h + 30min)->status, Status::succeeded);
  expect_no_broken_promise();
}

TEST_F(Days, ThatAnEditLeavesOutCountFromTheEditOn) {
  const Job job = hourly("except weekend=sat,sun");
  begin(job);
  world.run_for(24h * 2 + 11h);  // Saturday, 11:00
  Job edited = hourly("except weekend=sun");
  for (SimNode* const node : {&a, &b}) node->jobs = {define(edited)}, node->load();
  world.run_for(24h * 3);
  EXPECT_EQ(row(from + 24h * 2 + 10h)->reason, Reason::calendar);
  EXPECT_EQ(row(from + 24h * 2 + 12h)->status, Status::succeeded);
  EXPECT_EQ(count(Status::skipped, Reason::calendar), 6u + 12u);
  expect_no_broken_promise();
}

/// The next leader never had the definition that was in force: the register says what its slots were.
TEST_F(Days, OfADefinitionThatIsGoneAreInTheRegister) {
  begin(hourly("except weekend=sat,sun"));
  world.run_for(24h + 30min);
  for (SimNode* const node : {&a, &b}) node->crash();
  world.run_for(24h * 3);
  b.jobs = {define(hourly("except other=wed"))};
  b.start();
  world.run_for(3h);
  EXPECT_EQ(count(Status::skipped, Reason::calendar), 24u);
  EXPECT_EQ(row(from + 24h * 1 + 2h)->reason, Reason::no_definition);
  expect_no_broken_promise();
}

TEST_F(Days, InAPauseAreNotSkippedForIt) {
  begin(hourly("except weekend=sat,sun"));
  world.run_for(24h + 30min);
  SimNode& leader = a.leads("default") ? a : b;
  leader.pause("job", true);
  world.run_for(24h * 3);
  leader.pause("job", false);
  world.run_for(1h);
  EXPECT_EQ(count(Status::skipped, Reason::calendar), 24u);
  EXPECT_EQ(count(Status::skipped, Reason::paused), 12u);
  expect_no_broken_promise();
}

}  // namespace
}  // namespace ballot
