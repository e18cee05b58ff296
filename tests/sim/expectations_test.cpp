// What is expected of runs and slots: whatever is otherwise is told once, whoever leads by then, and never without
// cause.
#include "sim/expected.hpp"

namespace ballot {
namespace {

struct SlowRuns : Expected {};
struct LateSlots : Expected {};

TEST_F(SlowRuns, AreToldOfOnceWhileTheyGoOnAndAreNotEnded) {
  start(expecting_within(10s));
  a.takes["job"] = 45s;
  world.run_for(1min + 9s);
  EXPECT_EQ(told(Event::slow), 0u);
  world.run_for(2s);
  ASSERT_EQ(told(Event::slow), 1u);
  EXPECT_EQ(a.notified.back().row.status, Status::running);
  EXPECT_EQ(a.notified.back().expected, 10s);
  EXPECT_TRUE(shows_slow_run());
  world.run_for(40s);
  EXPECT_EQ(told(Event::slow), 1u);
  EXPECT_EQ(a.rows().back().status, Status::succeeded) << "it is not ended";
  world.run_for(1min);
  EXPECT_EQ(told(Event::slow), 2u) << "of the next run anew";
  expect_all_is_well();
}

TEST_F(SlowRuns, AreNoneThatEndInTimeToTheMillisecond) {
  start(expecting_within(10s));
  a.takes["job"] = 10s;
  world.run_for(3min);
  EXPECT_EQ(told(Event::slow), 0u);
  a.takes["job"] = 10s + 1ms;
  world.run_for(2min + 15s);
  EXPECT_EQ(told(Event::slow), 2u) << "by how long they took, once they have ended";
  expect_all_is_well();
}

TEST_F(SlowRuns, WhoseTimeIsNotExpectedToBeAnythingAreNoMatter) {
  start(expecting());
  a.takes["job"] = 50s;
  world.run_for(3min);
  EXPECT_EQ(told(Event::slow), 0u);
  EXPECT_EQ(core::to_text(stored()).find("expect"), std::string::npos);
  expect_all_is_well();
}

TEST_F(SlowRuns, AreToldOfByTheNextLeaderWhereTheFirstDiesBeforeItHasNoticed) {
  Job job = expecting_within(30s);
  job.on_leadership_lost = OnLeadershipLost::finish;
  start(job);
  a.takes["job"] = 55s;
  world.run_for(1min + 5s);
  a.stop(0s);
  world.run_for(10s);
  ASSERT_TRUE(b.leads("default"));
  EXPECT_EQ(told(Event::slow), 0u);
  a.crash();
  a.start();
  world.run_for(20s);
  EXPECT_EQ(told(Event::slow), 1u);
  EXPECT_EQ(b.notified.size(), 1u);
  world.run_for(1min);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(SlowRuns, AreNotToldOfAgainByTheNextLeader) {
  Job job = expecting_within(10s);
  job.on_leadership_lost = OnLeadershipLost::finish;
  start(job);
  a.takes["job"] = 50s;
  world.run_for(1min + 12s);
  ASSERT_EQ(told(Event::slow), 1u);
  a.stop(0s);
  world.run_for(10s);
  ASSERT_TRUE(b.leads("default"));
  a.crash();
  a.start();
  world.run_for(35s);
  EXPECT_EQ(told(Event::slow), 1u);
  expect_all_is_well();
}

TEST_F(SlowRuns, AreToldOfOnceWhereTheAnswerToTheWriteThatSaysSoIsLost) {
  start(expecting_within(10s));
  a.takes["job"] = 50s;
  world.run_for(1min + 9s);
  a.link.lose_answer = 1000;
  world.run_for(1500ms);
  EXPECT_TRUE(shows_slow_run());
  EXPECT_EQ(told(Event::slow), 0u) << "nobody has said yet that it is written";
  a.link.lose_answer = 0;
  world.run_for(20s);
  EXPECT_EQ(told(Event::slow), 1u);
  expect_all_is_well();
}

TEST_F(SlowRuns, OfADaemonThatIsKilledAfterTheWriteIsSentAreToldOfAtMostOnce) {
  start(expecting_within(10s));
  a.takes["job"] = 40s;
  world.run_for(1min + 9s);
  ASSERT_TRUE(world.run_while_not([&] { return shows_slow_run(); }, 5s));
  a.crash();  // the store has it, and the answer is on its way
  EXPECT_EQ(told(Event::slow), 0u);
  world.run_for(1s);
  a.start();
  world.run_for(40s);
  EXPECT_EQ(told(Event::slow), 0u) << "as of each notification: it is in the register";
  expect_all_is_well();
}

TEST_F(SlowRuns, GoByWhatTheirClaimExpectsWhateverTheFileSaysMeanwhile) {
  start(expecting_within(20s));
  a.takes["job"] = 45s;
  world.run_for(1min + 5s);
  edit(expecting_within(1s));
  world.run_for(8s);
  EXPECT_EQ(told(Event::slow), 0u);
  world.run_for(10s);
  EXPECT_EQ(told(Event::slow), 1u);
  edit(expecting());
  world.run_for(1min + 50s);
  EXPECT_EQ(told(Event::slow), 1u) << "of the next run nothing is expected";
  expect_all_is_well();
}

TEST_F(SlowRuns, OfSeveralAttemptsAreToldOfOnce) {
  Job job = expecting_within(5s);
  job.schedule = {"*/5 * * * *"};
  job.retries = 2;
  job.details.edit().retry_delay = 5s;
  start(job);
  a.takes["job"] = 10s;
  a.exits["job"] = 1;
  world.run_for(6min);
  EXPECT_EQ(world.starts_of("job"), 3u);
  EXPECT_EQ(told(Event::slow), 1u);
  expect_all_is_well();
}

TEST_F(SlowRuns, AreCountedByTheBootClockWhateverTheWallClockDoes) {
  start(expecting_within(20s));
  a.takes["job"] = 15s;
  world.run_for(1min + 5s);
  a.step_clock(1h);
  world.run_for(12s);
  EXPECT_EQ(told(Event::slow), 0u);
}

TEST_F(SlowRuns, ThatEndWhileTheStoreIsAwayAreToldOfWhenItIsBack) {
  start(expecting_within(2s));
  a.takes["job"] = 4s;
  world.run_for(1min + 1s);
  a.link.cut = true;
  world.run_for(3500ms);
  EXPECT_EQ(told(Event::slow), 0u);
  a.link.cut = false;
  world.run_for(30s);
  EXPECT_EQ(told(Event::slow), 1u);
  expect_all_is_well();
}

TEST_F(SlowRuns, AreNotThoseOfADeadNodeThatMayHaveEnded) {
  start(expecting_within(20s));
  a.takes["job"] = 55s;
  world.run_for(1min + 18s);
  world.reboot(a.machine);
  world.run_for(30s);
  EXPECT_EQ(told(Event::slow), 0u) << "it is lost";
  expect_all_is_well();
}

TEST_F(LateSlots, AreToldOfOnceWhereTheyBeginLaterThanExpected) {
  Job job = expecting("*/20 * * * * *");
  job.concurrency = Concurrency::queue;
  job.details.edit().expects.edit().late_after = 10s;
  start(job);
  world.run_for(65s);
  EXPECT_EQ(told(Event::late), 0u);
  a.takes["job"] = 35s;
  world.run_for(20s);
  a.takes["job"] = 1s;
  world.run_for(30s);
  ASSERT_EQ(told(Event::late), 1u);
  EXPECT_TRUE(a.notified.back().row.run);
  world.run_for(2min);
  EXPECT_EQ(told(Event::late), 1u);
  expect_all_is_well();
}

TEST_F(LateSlots, AreThoseThatAreMadeUpForAfterNobodyLed) {
  Job job = expecting();
  job.details.edit().expects.edit().late_after = 20s;
  start(job);
  world.run_for(50s);
  a.crash(), b.crash();
  world.run_for(60s);
  a.start();
  world.run_for(5s);
  EXPECT_EQ(told(Event::late), 1u);
  world.run_for(2min);
  EXPECT_EQ(told(Event::late), 1u);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(LateSlots, AreNoneThatSomebodyTriggers) {
  Job job = expecting("0 12 1 1 *");
  job.details.edit().expects.edit().late_after = 1ms;
  start(job);
  world.run_for(5s);
  a.trigger("job");
  world.run_for(10s);
  EXPECT_EQ(world.starts_of("job"), 1u);
  EXPECT_EQ(told(Event::late), 0u);
  expect_all_is_well();
}

}  // namespace
}  // namespace ballot
