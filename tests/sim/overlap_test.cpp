// Overlap: what becomes of a slot while the job's previous run goes on: skip, queue, replace, allow; and jitter.
#include <gtest/gtest.h>

#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

struct Overlap : ::testing::Test {
  SimWorld world;
  SimNode& a = world.add("a");
  Job job = minutely();
  WallTime from = world.wall();

  void begin(Millis takes) {
    a.jobs = {define(job)};
    a.takes["job"] = takes;
    a.start();
    world.run_for(whole_minute(world.wall()) + 1min - world.wall());
    first = world.wall();
  }
  static WallTime whole_minute(WallTime t) { return std::chrono::floor<std::chrono::minutes>(t); }
  /// What became of the slots from the first one on: a row a slot, without those that were decided later.
  std::string slots() const {
    std::map<WallTime, std::string> texts;
    for (const Row& row : world.merged()) {
      if (row.trigger == Trigger::manual || row.slot < first) continue;
      std::string text(to_string(row.status));
      if (row.reason != Reason::none) text += ": " + std::string(to_string(row.reason));
      for (std::int64_t i = 0; i < row.slots; ++i) texts[row.slot + i * 1min] = text;
    }
    std::string all;
    for (const auto& [slot, text] : texts) all += (all.empty() ? "" : ", ") + text;
    return all;
  }
  std::vector<Millis> starts_after_first() const {
    std::vector<Millis> all;
    for (const Start& start : world.starts) all.push_back(start.at - world.starts.front().at);
    return all;
  }
  std::string by_hand() const {
    std::string text;
    for (const Row& row : world.merged())
      if (row.trigger == Trigger::manual)
        text += std::string(to_string(row.status)) + (row.reason == Reason::none ? "" : ": ") +
                std::string(row.reason == Reason::none ? "" : to_string(row.reason)) + "; ";
    return text;
  }
  void expect_all_is_well(Millis open = 1min) {
    EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - open), "");
    EXPECT_EQ(world.broken_promises(), "");
  }

  WallTime first{};
};

/// What waits for it when it goes on: another job's end, then this one's.
TEST_F(Overlap, OfADaemonThatWasStoppedNothingIsSkippedBesideARunThatHadEnded) {
  Job other = minutely("another");
  a.takes["another"] = 5s;
  a.jobs = {define(job), define(other)};
  a.takes["job"] = 10s;
  a.start();
  world.run_for(whole_minute(world.wall()) + 1min - world.wall() + 2s);
  ASSERT_EQ(a.open_children(), 2);
  first = whole_minute(world.wall()) + 1min;
  a.freeze();
  world.run_for(61s);
  a.thaw();
  world.run_for(30s);
  EXPECT_EQ(slots().find("overlap"), std::string::npos) << slots();
  expect_all_is_well();
}

TEST_F(Overlap, SkipSkips) {
  begin(130s);
  world.run_for(5min + 30s);
  EXPECT_EQ(slots(), "succeeded, skipped: overlap, skipped: overlap, succeeded, skipped: overlap, skipped: overlap");
  expect_all_is_well();
}

/// A store that does not answer for half a second makes no slot a misfire, and costs none either.
TEST_F(Overlap, ASlotThatComesDueBesideARunThatBeganLateIsRunAfterItWhereAllAreToRun) {
  job.misfire = Misfire::all;
  begin(59'800ms);
  world.run_for(59'900ms);
  a.link.slow_answers = 600ms;
  world.run_for(1s);
  a.link.slow_answers = 0ms;
  world.run_for(5min);
  EXPECT_EQ(slots(), "succeeded, succeeded, succeeded, succeeded, succeeded, succeeded, running");
  expect_all_is_well();
}

TEST_F(Overlap, QueueLetsAsManyWaitAsItMayAndDropsTheNewOnes) {
  job.concurrency = Concurrency::queue;
  job.details.edit().queue_limit = 2;
  begin(200s);  // 0: runs to 3:20, 1 and 2 wait, 3 is dropped; 1: 3:20 to 6:40, 4 waits, 5 and 6 are dropped
  world.run_for(7min);
  EXPECT_EQ(slots(), "succeeded, succeeded, running, skipped: queue_full") << "4 waits, and what comes after it";
  world.run_for(20min);
  expect_all_is_well(10min);
}

TEST_F(Overlap, QueueDropsTheOldOnesWhereItIsToldSo) {
  job.concurrency = Concurrency::queue;
  job.queue_overflow = QueueOverflow::drop_old;
  begin(200s);
  world.run_for(3min + 30s);
  EXPECT_EQ(slots(), "succeeded, skipped: queue_full, skipped: queue_full, running");
  EXPECT_EQ(starts_after_first(), (std::vector<Millis>{0ms, world.starts[1].at - world.starts[0].at}));
  world.run_for(20min);
  expect_all_is_well(10min);
}

TEST_F(Overlap, AQueuedSlotStartsWhenTheRunBeforeItEnds) {
  job.concurrency = Concurrency::queue;
  begin(90s);
  world.run_for(2min);
  ASSERT_GE(world.starts.size(), 2u);
  EXPECT_GE(world.starts[1].at - world.starts[0].at, 90s);
  EXPECT_LT(world.starts[1].at - world.starts[0].at, 91s);
  EXPECT_EQ(world.starts[1].slot, first + 1min);
}

TEST_F(Overlap, AQueuedSlotIsMissedAtItsStartDeadline) {
  job.concurrency = Concurrency::queue;
  job.start_deadline = 20s;
  begin(10min);
  world.run_for(1min + 15s);
  EXPECT_EQ(slots(), "running");
  world.run_for(15s + 6s);
  EXPECT_EQ(slots(), "running, missed: start_deadline");
  world.run_for(20min);
  expect_all_is_well();
}

TEST_F(Overlap, ReplaceKillsTheRunningOneAndStartsWhenItIsGone) {
  job.concurrency = Concurrency::replace;
  job.kill_grace = 5s;
  a.runner.habits.stubborn = {"job"};
  begin(10min);
  world.run_for(2min + 30s);
  EXPECT_EQ(slots(), "killed: replaced, killed: replaced, running");
  ASSERT_EQ(world.starts.size(), 3u);
  EXPECT_GE(world.starts[1].at, *world.starts[0].ended) << "one at a time";
  expect_all_is_well();
}

TEST_F(Overlap, ReplaceKillsAsManyAsTheRegisterHolds) {
  job.concurrency = Concurrency::allow;
  begin(1h);
  world.run_for(20min);
  ASSERT_EQ(a.open_children(), 16);
  job.concurrency = Concurrency::replace;
  a.jobs = {define(job)};
  a.load();
  world.run_for(2min);
  EXPECT_EQ(a.open_children(), 1);
}

TEST_F(Overlap, OfSlotsThatWaitToReplaceTheNewestIsRun) {
  job.concurrency = Concurrency::replace;
  job.kill_grace = 100s;
  a.runner.habits.stubborn = {"job"};
  begin(10min);  // replaced at 1:00, killed at 2:40; slot 2 came meanwhile
  world.run_for(2min + 50s);
  EXPECT_EQ(slots(), "killed: replaced, skipped: overlap, running");
  world.run_for(20min);
  expect_all_is_well();
}

TEST_F(Overlap, AllowLetsRunsGoOnAtOnceUpToItsMost) {
  job.concurrency = Concurrency::allow;
  job.max_running = 3;
  world.oracle.at_once["job"] = 3;
  begin(210s);  // 0, 1 and 2 run; 3 waits for the end of 0 at 3:30
  world.run_for(3min + 20s);
  EXPECT_EQ(world.starts.size(), 3u);
  EXPECT_EQ(a.open_children(), 3);
  world.run_for(30s);
  EXPECT_EQ(slots(), "succeeded, running, running, running");
  expect_all_is_well();
}

/// Whatever may run beside each other, what is caught up does not.
TEST_F(Overlap, AllowCatchesUpOneSlotAfterTheOther) {
  job.concurrency = Concurrency::allow;
  job.misfire = Misfire::all;
  job.start_deadline = 1h;
  world.oracle.at_once["job"] = 16;
  begin(20s);
  world.run_for(90s);
  a.stop(0s);
  world.run_for(40s);
  a.crash();
  world.run_for(5min);
  const std::size_t before = world.starts.size();
  a.start();
  world.run_for(5min);
  std::vector<const Start*> caught_up;
  for (const Start& start : world.starts)
    if (start.trigger == Trigger::catch_up) caught_up.push_back(&start);
  ASSERT_GE(caught_up.size(), 4u);
  ASSERT_GT(world.starts.size(), before + caught_up.size());
  for (std::size_t i = 1; i < caught_up.size(); ++i) {
    EXPECT_GT(caught_up[i]->slot, caught_up[i - 1]->slot);
    EXPECT_GE(caught_up[i]->at, *caught_up[i - 1]->ended);
  }
  expect_all_is_well();
}

TEST_F(Overlap, ATriggerThatWaitsLongerThanWhoeverAskedIsNotRunBehindHisBack) {
  job.concurrency = Concurrency::allow;
  job.max_running = 1;
  begin(20s);
  core::Request request;
  request.kind = core::Request::Kind::trigger;
  request.job = "job";
  request.id = world.loop.random().run_id(world.wall());
  a.feed(core::Ask{77, request, {}, 5s});
  world.run_for(50s);
  ASSERT_EQ(a.replies.size(), 1u);
  EXPECT_EQ(a.replies[0].code, Errc::timeout);
  EXPECT_EQ(world.starts.size(), 1u);
  EXPECT_EQ(world.store.list("q/").size(), 0u);
  expect_all_is_well();
}

TEST_F(Overlap, AQueueAndAnOpenRunSurviveTheLeaderThatHeldThem) {
  job.concurrency = Concurrency::queue;
  job.details.edit().queue_limit = 3;
  job.on_leadership_lost = OnLeadershipLost::finish;
  job.start_deadline = 10min;
  begin(200s);
  SimNode& b = world.add("b");
  b.jobs = a.jobs;
  b.takes["job"] = 200s;
  b.start();
  world.run_for(2min + 30s);  // slots 1 and 2 wait for slot 0's run, on a
  a.freeze();
  world.run_for(40s);
  ASSERT_TRUE(b.leads("default"));
  EXPECT_EQ(world.starts.size(), 1u) << "slot 0's run goes on: nothing overlaps";
  a.thaw();
  world.run_for(40s);
  ASSERT_EQ(world.starts.size(), 2u);
  EXPECT_EQ(world.starts[1].node, "b");
  EXPECT_EQ(world.starts[1].slot, first + 1min);
  EXPECT_GE(world.starts[1].at, *world.starts[0].ended);
  world.run_for(30min);
  expect_all_is_well(15min);
}

TEST_F(Overlap, ReplaceReachesTheRunThatTheLeaderBeforeFinishes) {
  job.concurrency = Concurrency::replace;
  job.on_leadership_lost = OnLeadershipLost::finish;
  job.start_deadline = 10min;
  begin(20min);
  SimNode& b = world.add("b");
  b.jobs = a.jobs;
  b.takes["job"] = 10s;
  b.start();
  world.run_for(30s);
  a.freeze();
  world.run_for(40s);
  ASSERT_TRUE(b.leads("default"));
  EXPECT_EQ(world.starts.size(), 1u) << "slot 1 waits for the end of slot 0's run, on a";
  a.thaw();
  world.run_for(20s);
  ASSERT_EQ(world.starts.size(), 2u);
  EXPECT_EQ(world.starts[1].node, "b");
  EXPECT_EQ(world.starts[1].slot, first + 1min);
  EXPECT_GE(world.starts[1].at, *world.starts[0].ended);
  EXPECT_EQ(slots(), "killed: replaced, succeeded");
  world.run_for(5min);
  EXPECT_EQ(world.store.list("q/").size(), 0u);
  expect_all_is_well();
}

TEST_F(Overlap, ReplaceAsksAgainAfterAMinuteWhereItsRequestIsGone) {
  job.schedule = {"0 */10 * * * *"};
  job.concurrency = Concurrency::replace;
  job.on_leadership_lost = OnLeadershipLost::finish;
  job.start_deadline = 9min;
  begin(1h);
  while (world.starts.empty()) world.run_for(1min);
  SimNode& b = world.add("b");
  b.jobs = a.jobs;
  b.takes["job"] = 10s;
  b.start();
  world.run_for(8min);
  a.freeze();
  world.run_for(world.starts[0].slot + 10min + 5s - world.wall());
  ASSERT_TRUE(b.leads("default"));
  for (const Register& record : world.store.list("q/")) world.store.remove(record.name);
  a.thaw();
  world.run_for(40s);
  ASSERT_EQ(world.starts.size(), 1u);
  world.run_for(20s);
  ASSERT_EQ(world.starts.size(), 2u);
  EXPECT_EQ(world.starts[1].slot, world.starts[0].slot + 10min);
  expect_all_is_well(10min);
}

TEST_F(Overlap, WhatIsTriggeredWhileARunGoesOnWaitsInTheRegister) {
  job.schedule.clear();
  job.concurrency = Concurrency::queue;
  job.details.edit().queue_limit = 2;
  begin(30s);
  const RunId one = a.trigger("job"), two = a.trigger("job"), three = a.trigger("job"), four = a.trigger("job");
  world.run_for(2s);
  EXPECT_EQ(by_hand(), "running; skipped: queue_full; ");
  const core::JobRegister* stored = world.oracle.job_register("job");
  ASSERT_TRUE(stored);
  ASSERT_EQ(stored->runs.size(), 3u);
  EXPECT_TRUE(stored->runs[1].queued);
  ASSERT_EQ(a.replies.size(), 4u);
  EXPECT_EQ(std::count_if(a.replies.begin(), a.replies.end(), [](const core::Reply& reply) { return reply.ok; }), 3);
  a.crash();
  a.start();
  world.run_for(2min);
  EXPECT_EQ(world.starts.size(), 3u);
  EXPECT_EQ(by_hand(), "succeeded; succeeded; succeeded; skipped: queue_full; ");
  (void)one, (void)two, (void)three, (void)four;
}

TEST_F(Overlap, ATriggerThatDropsTheOldestOfAFullRegisterTakesItsPlace) {
  job.schedule.clear();
  job.concurrency = Concurrency::queue;
  job.details.edit().queue_limit = 15;
  job.queue_overflow = QueueOverflow::drop_old;
  begin(20s);
  std::vector<RunId> runs;
  for (int i = 0; i < 18; ++i) {
    runs.push_back(a.trigger("job"));
    world.run_for(200ms);
  }
  ASSERT_EQ(a.replies.size(), 18u) << "one runs, fifteen wait, two have dropped one each";
  for (const core::Reply& reply : a.replies) EXPECT_TRUE(reply.ok) << reply.text;
  world.run_for(10min);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Row* row = a.ledger.row(runs[i], 1);
    ASSERT_TRUE(row);
    EXPECT_EQ(row->status, i == 1 || i == 2 ? Status::skipped : Status::succeeded) << i;
  }
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Overlap, ATriggerReplacesWhatRuns) {
  job.schedule.clear();
  job.concurrency = Concurrency::replace;
  begin(10min);
  a.trigger("job");
  world.run_for(5s);
  a.trigger("job");
  world.run_for(15s);
  EXPECT_EQ(by_hand(), "killed: replaced; running; ");
}

TEST_F(Overlap, JitterDelaysEachSlotByAStableShareOfIt) {
  job.jitter = 40s;
  begin(1s);
  world.run_for(10min);
  ASSERT_GE(world.starts.size(), 9u);
  std::set<Millis> shares;
  const WallTime true_start = first;
  const SteadyTime at_first = world.loop.now() - 10min;
  for (const Start& start : world.starts) {
    const Millis late = (start.at - at_first) - (start.slot - true_start);
    EXPECT_GE(late, 0ms);
    EXPECT_LT(late, 41s);
    EXPECT_LT(late - (core::due_at(job, start.slot) - start.slot), 100ms);
    shares.insert(late);
  }
  EXPECT_GT(shares.size(), 5u) << "not all the same";
  expect_all_is_well();
}

/// Its runner has died, and only its daemon could say so, which is stopped: for all others it goes on.
TEST_F(Overlap, NothingIsStartedBesideARunThatFinishesAndOfWhoseEndNobodyWhoIsAliveKnows) {
  job.on_leadership_lost = OnLeadershipLost::finish;
  begin(10min);
  SimNode& b = world.add("b");
  b.jobs = a.jobs;
  b.start();
  world.run_for(20s);
  core::Request request;
  request.kind = core::Request::Kind::evict;
  request.group = "default";
  b.ask(request);
  ASSERT_TRUE(world.run_while_not([&] { return b.leads("default"); }, 10s));
  a.freeze();
  world.run_for(1s);
  a.runner.crash();
  world.run_for(2min);
  ASSERT_TRUE(b.row("job", first + 1min));
  EXPECT_EQ(b.row("job", first + 1min)->reason, Reason::overlap);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Overlap, ASlotWhoseJitterEndsInTheNextTermIsOnTimeThere) {
  job.jitter = 50s;
  job.start_deadline = 10s;
  begin(1s);
  SimNode& b = world.add("b");
  b.jobs = a.jobs;
  b.start();
  for (int i = 0; i < 6; ++i) {
    const WallTime slot = first + (i + 1) * 1min;
    world.run_for(slot + 1s - world.wall());
    if (core::due_at(job, slot) - slot < 20s) continue;
    a.crash();
    world.run_for(55s);
    const Row* row = b.row("job", slot);
    ASSERT_TRUE(row);
    EXPECT_EQ(row->status, Status::succeeded);
    EXPECT_EQ(row->trigger, Trigger::schedule);
    return expect_all_is_well();
  }
  FAIL() << "no slot is delayed by 20 s";
}

}  // namespace
}  // namespace ballot
