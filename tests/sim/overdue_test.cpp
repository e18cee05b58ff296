// Jobs that are expected to succeed within a time: that none has is told once until it is over, whoever leads by then.
#include "sim/expected.hpp"

namespace ballot {
namespace {

struct Overdue : Expected {};

TEST_F(Overdue, IsAJobThatHasNotSucceededInTimeAndItIsToldOnceUntilItIsOver) {
  start(expecting_success(150s));
  world.run_for(2min + 5s);
  a.exits["job"] = 1;
  world.run_for(2min + 20s);
  EXPECT_EQ(told(Event::overdue), 0u);
  world.run_for(15s);
  ASSERT_EQ(told(Event::overdue), 1u);
  const core::Notify& notice = a.notified.back();
  EXPECT_EQ(notice.event, Event::overdue);
  EXPECT_TRUE(notice.last_success);
  EXPECT_FALSE(notice.row.run);
  world.run_for(10min);
  EXPECT_EQ(told(Event::overdue), 1u);
  a.exits["job"] = 0;
  world.run_for(1min);
  EXPECT_FALSE(stored().kept->success->overdue) << "it is over";
  a.exits["job"] = 1;
  world.run_for(4min);
  EXPECT_EQ(told(Event::overdue), 2u) << "and is so again";
  expect_all_is_well();
}

TEST_F(Overdue, EndsWithARecoveryAlsoWhereNoRunHadFailed) {
  Job job = expecting_success(20s, "0 * * * *");
  job.details.edit().on_recovery = {"/bin/true"};
  start(job);
  world.run_for(30s);
  EXPECT_EQ(told(Event::overdue), 1u);
  a.trigger("job");
  world.run_for(5s);
  ASSERT_FALSE(a.notified.empty());
  EXPECT_TRUE(a.notified.back().recovered);
  expect_all_is_well();
}

TEST_F(Overdue, EndsWithASuccessAlsoWhereTheClockWasSetBackSinceItWasNoticed) {
  Job job = expecting_success(1h, "0 0 1 1 *");
  job.details.edit().on_recovery = {"/bin/true"};
  start(job);
  a.step_clock(2h);
  world.run_for(30s);
  EXPECT_EQ(told(Event::overdue), 1u);
  a.step_clock(-2h);
  world.run_for(30s);
  a.trigger("job");
  world.run_for(5s);
  EXPECT_FALSE(stored().kept->success->overdue);
  ASSERT_FALSE(a.notified.empty());
  EXPECT_TRUE(a.notified.back().recovered);
  a.trigger("job");
  world.run_for(5s);
  EXPECT_FALSE(a.notified.back().recovered) << "once";
  world.run_for(1h + 1min);
  EXPECT_EQ(told(Event::overdue), 2u) << "and is so again";
}

/// Its daemon was stopped meanwhile: it is overdue all along.
TEST_F(Overdue, IsStillAJobWhoseSuccessIsKnownOnlyWhenItWasTooLongAgo) {
  Job job = expecting_success(40s, "0 0 1 1 *");
  job.on_leadership_lost = OnLeadershipLost::finish;
  a.jobs = {define(job)};
  a.start();
  a.takes["job"] = 10s;
  world.run_for(45s);
  EXPECT_EQ(told(Event::overdue), 1u);
  a.trigger("job");
  world.run_for(5s);
  a.freeze();
  world.run_for(1min);
  a.thaw();
  world.run_for(30s);
  EXPECT_TRUE(stored().last_end->last_success);
  EXPECT_TRUE(stored().kept->success->overdue);
  a.trigger("job");
  world.run_for(15s);
  EXPECT_FALSE(stored().kept->success->overdue);
  EXPECT_EQ(told(Event::overdue), 1u);
  expect_all_is_well();
}

TEST_F(Overdue, IsNoJobThatSucceedsRightAtTheLimit) {
  a.takes["job"] = b.takes["job"] = 10s;
  start(expecting_success(1min + 50ms));
  world.run_for(100ms);
  a.trigger("job");
  world.run_for(5min);
  EXPECT_EQ(told(Event::overdue), 0u);
  expect_all_is_well();
}

/// It is known, and cannot be written before its row is durable.
TEST_F(Overdue, IsNoJobWhoseSuccessALedgerIsSlowToKeep) {
  a.takes["job"] = b.takes["job"] = 10s;
  a.ledger.slowest = b.ledger.slowest = 4s;
  start(expecting_success(1min + 50ms));
  world.run_for(100ms);
  a.trigger("job");
  world.run_for(20min);
  EXPECT_EQ(told(Event::overdue), 0u);
  expect_all_is_well();
}

TEST_F(Overdue, IsCountedFromWhenTheJobBecameKnownWhereNoRunHasSucceeded) {
  start(expecting_success(90s, "0 12 1 1 *"));
  world.run_for(85s);
  EXPECT_EQ(told(Event::overdue), 0u);
  world.run_for(10s);
  EXPECT_EQ(told(Event::overdue), 1u);
  EXPECT_FALSE(a.notified.back().last_success);
  expect_all_is_well();
}

TEST_F(Overdue, IsToldByTheNextLeaderWhoNeitherForgetsNorRepeatsIt) {
  start(expecting_success(2min));
  a.exits["job"] = b.exits["job"] = 1;
  world.run_for(1min + 50s);
  world.reboot(a.machine);
  world.run_for(30s);
  ASSERT_TRUE(b.leads("default"));
  EXPECT_EQ(told(Event::overdue), 1u);
  EXPECT_EQ(b.notified.back().event, Event::overdue);
  a.start();
  world.run_for(5s);
  b.stop(0s);
  world.run_for(3min);
  ASSERT_TRUE(a.leads("default"));
  EXPECT_EQ(told(Event::overdue), 1u);
  EXPECT_TRUE(stored().kept->success->overdue);
  expect_all_is_well();
}

TEST_F(Overdue, IsNoPausedJobAndSuccessIsExpectedAnewFromWhenItIsResumed) {
  start(expecting_success(2min));
  world.run_for(1min + 30s);
  pause(true);
  world.run_for(10min);
  EXPECT_EQ(told(Event::overdue), 0u);
  a.exits["job"] = 1;
  pause(false);
  world.run_for(1min + 50s);
  EXPECT_EQ(told(Event::overdue), 0u);
  world.run_for(20s);
  EXPECT_EQ(told(Event::overdue), 1u);
  pause(true);
  world.run_for(1min);
  pause(false);
  EXPECT_FALSE(stored().kept->success->overdue);
  world.run_for(3min);
  EXPECT_EQ(told(Event::overdue), 2u);
  expect_all_is_well();
}

TEST_F(Overdue, IsNoJobOfAPausedGroup) {
  start(expecting_success(2min));
  world.run_for(1min + 30s);
  pause(true, "default");
  world.run_for(10min);
  EXPECT_EQ(told(Event::overdue), 0u);
  a.exits["job"] = 1;
  pause(false, "default");
  world.run_for(1min + 50s);
  EXPECT_EQ(told(Event::overdue), 0u);
  world.run_for(20s);
  EXPECT_EQ(told(Event::overdue), 1u);
  expect_all_is_well();
}

TEST_F(Overdue, IsNoJobOfAGroupWhosePauseHasPassedNoSlotOfIt) {
  start(expecting_success(90s, "0 12 1 1 *"));
  world.run_for(1min);
  pause(true, "default");
  world.run_for(5min);
  pause(false, "default");
  world.run_for(80s);
  EXPECT_EQ(told(Event::overdue), 0u);
  world.run_for(15s);
  EXPECT_EQ(told(Event::overdue), 1u);
  expect_all_is_well();
}

TEST_F(Overdue, IsCountedOnThroughAnEditAndEndsWithOneThatExpectsMoreTime) {
  start(expecting_success(3min));
  a.exits["job"] = 1;
  world.run_for(2min);
  Job job = expecting_success(3min);
  job.description = "with another text";
  edit(job);
  world.run_for(1min + 10s);
  EXPECT_EQ(told(Event::overdue), 1u) << "an edit is no success";
  job.description = "once more";
  edit(job);
  EXPECT_TRUE(stored().kept->success->overdue);
  edit(expecting_success(5min));
  EXPECT_FALSE(stored().kept->success->overdue) << "it has time yet";
  world.run_for(3min);
  EXPECT_EQ(told(Event::overdue), 2u);
  edit(expecting());
  EXPECT_EQ(stored().kept->success->from, WallTime{}) << "nothing is expected any more";
  world.run_for(2min);
  edit(expecting_success(3min));
  world.run_for(2min);
  EXPECT_EQ(told(Event::overdue), 2u) << "it is from now on";
  expect_all_is_well();
}

TEST_F(Overdue, IsNoDisabledJob) {
  Job job = expecting_success(2min);
  start(job);
  world.run_for(90s);
  job.enabled = false;
  edit(job);
  world.run_for(10min);
  EXPECT_EQ(told(Event::overdue), 0u);
  expect_all_is_well();
}

TEST_F(Overdue, IsAJobThatNobodyHasRunForSoLongOnceSomebodyLeadsIt) {
  start(expecting_success(5min));
  world.run_for(90s);
  a.stop(), b.stop();
  world.run_for(10min);
  a.crash(), b.crash();
  a.start();
  a.exits["job"] = 1;
  world.run_for(20s);
  EXPECT_EQ(told(Event::overdue), 1u);
  EXPECT_EQ(world.broken_promises(), "");
}

/// Life begins on Thursday, 2026-01-01, 00:00 UTC.
struct OverDays : Expected {
  OverDays() : Expected({.timeout = 1h}) {}  // few renewals, many days

  void begin(const std::string& schedule, const std::string& days, Millis within) {
    Job job = expecting_success(within, schedule);
    job.details.edit().days = days;
    job.misfire = Misfire::skip;
    start(job);
  }
};

TEST_F(OverDays, TheTimeFromASlotThatIsLeftOutToTheNextIsNotCounted) {
  begin("0 2 * * *", "except weekend=sat,sun", 26h);
  world.run_for(24h * 5 + 1h);  // Tuesday, 01:00
  EXPECT_EQ(told(Event::overdue), 0u);
  a.exits["job"] = b.exits["job"] = 1;
  world.run_for(2h);  // Monday has succeeded
  EXPECT_EQ(told(Event::overdue), 0u);
  world.run_for(2h);
  EXPECT_EQ(told(Event::overdue), 1u);
}

TEST_F(OverDays, AFailureBeforeAWeekendIsToldOnceTheWeekHasBegun) {
  begin("0 2 * * *", "except weekend=sat,sun", 26h);
  world.run_for(24h);
  a.exits["job"] = b.exits["job"] = 1;
  world.run_for(3h);  // Friday, 03:00
  EXPECT_EQ(told(Event::overdue), 0u);
  world.run_for(2h);
  EXPECT_EQ(told(Event::overdue), 1u);
  a.exits["job"] = b.exits["job"] = 0;
}

}  // namespace
}  // namespace ballot
