// `at-least-once` while the store does not answer: slots start without a confirmed claim, and are claimed afterwards.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

struct Unclaimed : ::testing::Test {
  SimWorld world{1, {.timeout = 20s}};
  SimNode& a = world.add("a");
  WallTime from = world.wall();
  Job job;

  void SetUp() override {
    job = minutely("tick");
    job.schedule = {"* * * * * *"};
    job.guarantee = Guarantee::at_least_once;
    job.start_deadline = 60s;
    job.kill_grace = 200ms;  // else its signal would be due as soon as there is doubt
    job.details.edit().on_failure = {"/bin/true"};
    a.takes["tick"] = 200ms;
  }
  void begin() {
    a.jobs = {define(job)};
    a.start();
    world.run_for(30s + 300ms);
  }
  std::size_t unclaimed() const {
    return static_cast<std::size_t>(
        std::count_if(world.starts.begin(), world.starts.end(), [](const Start& s) { return s.fence == 0; }));
  }
  const Start& first_unclaimed() const {
    return *std::find_if(world.starts.begin(), world.starts.end(), [](const Start& s) { return s.fence == 0; });
  }
  /// Until so many have started without a claim.
  void cut_until(std::size_t count) {
    a.link.cut = true;
    for (int i = 0; i < 2000 && unclaimed() < count; ++i) world.run_for(10ms);
    ASSERT_EQ(unclaimed(), count);
  }
  /// Of a's session, in true time.
  SteadyTime deadline() {
    return a.core().session().deadline() - a.clock.now().steady.time_since_epoch() +
           world.loop.now().time_since_epoch();
  }
  std::size_t starts_of(WallTime slot) const {
    return static_cast<std::size_t>(
        std::count_if(world.starts.begin(), world.starts.end(), [&](const Start& s) { return s.slot == slot; }));
  }
  void expect_all_is_well() {
    world.run_for(90s);
    EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 5s), "");
    EXPECT_EQ(world.broken_promises(), "");
  }
};

TEST_F(Unclaimed, ASlotStartsInDoubtAndIsEnteredByItsOwnTerm) {
  begin();
  cut_until(1);
  const Start start = first_unclaimed();
  EXPECT_TRUE(a.core().session().in_doubt());
  EXPECT_EQ(a.row("tick", start.slot)->fence, 0u);
  a.link.cut = false;
  world.run_for(3s);
  EXPECT_GT(a.row("tick", start.slot)->fence, 0u) << "it is claimed now";
  EXPECT_EQ(a.row("tick", start.slot)->run, start.run);
  EXPECT_EQ(starts_of(start.slot), 1u);
  EXPECT_EQ(a.core().session().generation(), 1u) << "the term was the same";
  expect_all_is_well();
}

TEST_F(Unclaimed, EachSlotOfTheDoubtIsEnteredInItsOrder) {
  begin();
  cut_until(4);
  a.link.cut = false;
  expect_all_is_well();
  std::uint64_t fence = 0;
  for (const Start& start : world.starts) {
    const Row* row = a.row("tick", start.slot);
    EXPECT_GT(row->fence, fence);
    EXPECT_EQ(row->run, start.run);
    EXPECT_TRUE(row->status == Status::succeeded || &start == &world.starts.back());
    fence = row->fence;
  }
  EXPECT_EQ(a.core().session().generation(), 1u);
}

TEST_F(Unclaimed, ARunThatWouldBeSignalledAtOnceIsNotStarted) {
  job.kill_grace = 60s;
  begin();
  a.link.cut = true;
  world.run_for(10s);
  const SteadyTime signal = deadline() - 2s;  // T/10
  world.run_for(20s);
  EXPECT_LT(world.starts.back().at, signal);
  a.link.cut = false;
  expect_all_is_well();
}

TEST_F(Unclaimed, AFinishRunIsStartedWhateverItsGrace) {
  job.kill_grace = 60s;
  job.on_leadership_lost = OnLeadershipLost::finish;
  begin();
  cut_until(1);
  EXPECT_NE(a.row("tick", first_unclaimed().slot)->status, Status::killed);
}

TEST_F(Unclaimed, AClaimThatIsUnderWayWhenDoubtComesIsNotWaitedFor) {
  begin();
  a.link.lose_answer = 1000;  // what it claims has landed
  for (int i = 0; i < 2000 && unclaimed() == 0; ++i) world.run_for(10ms);
  ASSERT_GE(unclaimed(), 1u);
  const Start start = first_unclaimed();
  a.link.lose_answer = 0;
  world.run_for(2s);
  EXPECT_EQ(starts_of(start.slot), 1u);
  EXPECT_GT(a.row("tick", start.slot)->fence, 0u);
  expect_all_is_well();
}

/// Its last run has gone on past the start deadline of a slot, which the write settles besides.
TEST_F(Unclaimed, TheEndOfABackfillThatIsUnderWayInDoubtSettlesWhatItCarriesOnce) {
  job.schedule = {"*/5 * * * * *"};
  job.start_deadline = 1s;
  a.takes["tick"] = 6s;
  begin();
  const auto stored = [&] { return world.oracle.job_register("tick"); };
  ASSERT_TRUE(world.run_while_not([&] { return stored()->runs.empty(); }, 10s));
  core::Request request;
  request.kind = core::Request::Kind::backfill;
  request.job = "tick";
  request.slots = {{from + 5s, from + 5s}};
  a.ask(request);
  ASSERT_TRUE(world.run_while_not([&] { return stored()->backfill() != nullptr; }, 10s));
  world.run_for(1s);
  a.link.cut = true;
  world.run_for(15s);
  EXPECT_GT(unclaimed(), 0u);
  a.link.cut = false;
  expect_all_is_well();
}

TEST_F(Unclaimed, WhatItsTermCannotEnterIsRunAgainByTheNext) {
  SimNode& b = world.add("b");
  job.misfire = Misfire::all;
  begin();
  b.jobs = a.jobs;
  b.takes["tick"] = 200ms;
  b.start();
  world.run_for(2s + 500ms);  // the run before is closed
  a.link.cut = true;
  world.run_for(40s);
  ASSERT_GE(unclaimed(), 1u);
  const Start start = first_unclaimed();
  EXPECT_EQ(start.node, "a");
  EXPECT_TRUE(b.leads("default"));
  EXPECT_EQ(starts_of(start.slot), 2u) << "a further attempt at the slot";
  EXPECT_EQ(a.row("tick", start.slot)->status, Status::succeeded);
  EXPECT_EQ(a.row("tick", start.slot)->fence, 0u);
  EXPECT_NE(b.row("tick", start.slot)->run, start.run);
  a.link.cut = false;
  expect_all_is_well();
  EXPECT_TRUE(a.runner.unacknowledged().empty()) << "ends that the runner keeps for nobody";
}

TEST_F(Unclaimed, NothingStartsOnceTheDeadlineIsNear) {
  begin();
  a.link.cut = true;
  world.run_for(10s);
  const SteadyTime until = deadline();
  world.run_for(20s);
  ASSERT_GE(unclaimed(), 1u);
  EXPECT_LT(world.starts.back().at, until - 500ms);
  EXPECT_GT(world.starts.back().at, until - 2s);
  a.link.cut = false;
  expect_all_is_well();
}

TEST_F(Unclaimed, AtMostOnceStartsNothing) {
  job.guarantee = Guarantee::at_most_once;
  begin();
  a.link.cut = true;
  world.run_for(30s);
  EXPECT_EQ(unclaimed(), 0u);
  a.link.cut = false;
  expect_all_is_well();
}

TEST_F(Unclaimed, ARunWaitsForItsRow) {
  begin();
  a.ledger.slowest = 3s;  // the next slot comes before the row is durable
  cut_until(2);
  for (const Start& start : world.starts) {
    if (start.fence > 0) continue;
    const auto rows = a.rows();
    EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return row.run == start.run; }));
  }
}

/// What the ledger says of a run whose daemon is killed is what its child was given.
TEST_F(Unclaimed, ARunWhoseClaimIsConfirmedBeforeItStartsWaitsForTheRowThatSaysSo) {
  begin();
  a.ledger.slowest = 800ms;
  std::size_t seen = world.starts.size(), claimed = 0;
  for (int step = 0; step < 20000; ++step) {
    a.link.cut = step % 500 > 150;  // for 3.5 s of 5
    world.run_for(10ms);
    for (; seen < world.starts.size(); ++seen) {
      const Start& start = world.starts[seen];
      const Row* row = a.ledger.row(start.run, 1);
      if (!row) continue;  // claimed before it started, as ever
      EXPECT_EQ(row->fence, start.fence);
      claimed += start.fence > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(claimed, 0u) << "of those that were to start without a claim";
  a.link.cut = false;
  expect_all_is_well();
}

/// Two daemons of one host, of which the first is killed with a run going on that no register shows.
struct UnclaimedOnOneHost : ::testing::Test {
  SimWorld world{1, {.timeout = 20s, .death_frees = true}};
  SimNode& a = world.add("a");
  SimNode& b = world.add("b", a.machine);
  Job job = minutely("tick");

  void SetUp() override {
    job.schedule = {"* * * * * *"};
    job.guarantee = Guarantee::at_least_once;
    job.start_deadline = 60s;
    job.kill_grace = 200ms;
  }
  void kill_with_one_unseen() {
    a.jobs = b.jobs = {define(job)};
    a.takes["tick"] = b.takes["tick"] = 100ms;
    a.start();
    world.run_for(100ms);
    b.start();
    world.run_for(30s);
    a.takes["tick"] = 3s;
    a.link.cut = true;
    ASSERT_TRUE(world.run_while_not([&] { return world.starts.back().fence == 0; }, 10s));
    a.crash();
  }
  const Start* first_of_b() const {
    const auto found =
        std::find_if(world.starts.begin(), world.starts.end(), [](const Start& s) { return s.node == "b"; });
    return found == world.starts.end() ? nullptr : &*found;
  }
};

TEST_F(UnclaimedOnOneHost, ItsSuccessorWaitsForTheRunToEnd) {
  kill_with_one_unseen();
  const Start& unseen = world.starts.back();
  const SteadyTime started = unseen.at;
  world.run_for(1s);
  ASSERT_TRUE(b.leads("default"));
  EXPECT_FALSE(first_of_b());
  world.run_for(4s);
  ASSERT_TRUE(first_of_b());
  EXPECT_GE(first_of_b()->at, started + 3s);
  EXPECT_LT(first_of_b()->at, started + 4s) << "its runner has said so";
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(UnclaimedOnOneHost, ItsSuccessorWaitsForTheDeadlineWhereTheRunnerIsGone) {
  kill_with_one_unseen();
  a.runner.crash();
  const SteadyTime killed = world.loop.now();
  world.run_for(3s);
  ASSERT_TRUE(b.leads("default"));
  EXPECT_FALSE(first_of_b());
  world.run_for(20s);
  ASSERT_TRUE(first_of_b());
  EXPECT_GT(first_of_b()->at, killed + 10s);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(UnclaimedOnOneHost, ItsSuccessorStartsAtOnceWhereItsRunnerHasNothing) {
  job.guarantee = Guarantee::at_least_once;
  a.jobs = b.jobs = {define(job)};
  a.start();
  world.run_for(100ms);
  b.start();
  world.run_for(30s + 500ms);
  a.crash();
  const SteadyTime killed = world.loop.now();
  world.run_for(3s);
  ASSERT_TRUE(first_of_b());
  EXPECT_LT(first_of_b()->at, killed + 1500ms);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Unclaimed, OfADaemonThatIsKilledEndsInTheLedgerAllTheSame) {
  job.on_leadership_lost = OnLeadershipLost::finish;
  begin();
  a.takes["tick"] = 60s;
  cut_until(1);
  const Start start = first_unclaimed();
  world.run_for(500ms);
  a.crash();
  world.run_for(1s);
  a.takes["tick"] = 200ms;
  a.start();
  world.run_for(1s);
  EXPECT_EQ(a.row("tick", start.slot)->status, Status::running);
  world.run_for(70s);
  const auto rows = a.rows();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.run == start.run; });
  ASSERT_NE(row, rows.end());
  EXPECT_EQ(row->status, Status::succeeded);
  EXPECT_EQ(row->fence, 0u);
  a.link.cut = false;
  expect_all_is_well();
  const auto kept = a.runner.unacknowledged();
  EXPECT_EQ(std::count_if(kept.begin(), kept.end(), [&](const auto& end) { return end.id.run == start.run; }), 0);
}

TEST_F(Unclaimed, OfAMachineThatGoesDownIsLost) {
  begin();
  a.takes["tick"] = 60s;
  cut_until(1);
  const Start start = first_unclaimed();
  world.run_for(500ms);
  a.reboot();
  a.start();
  world.run_for(5s);
  const auto rows = a.rows();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.run == start.run; });
  ASSERT_NE(row, rows.end());
  EXPECT_EQ(row->status, Status::lost);
}

TEST_F(Unclaimed, APausedJobStartsNothing) {
  begin();
  a.pause("tick", true);
  world.run_for(2s);
  const std::size_t before = world.starts.size();
  a.link.cut = true;
  world.run_for(5s);
  EXPECT_EQ(world.starts.size(), before);
}

TEST_F(Unclaimed, ARunThatFailsIsTriedAgainOnceItIsEntered) {
  job.retries = 1;
  job.details.edit().retry_delay = 100ms;
  begin();
  a.exits["tick"] = 7;
  cut_until(1);
  const Start start = first_unclaimed();
  world.run_for(400ms);
  a.link.cut = false;
  world.run_for(5s);
  EXPECT_TRUE(std::any_of(world.starts.begin(), world.starts.end(),
                          [&](const Start& s) { return s.run == start.run && s.attempt == 2; }));
  expect_all_is_well();
}

/// Slots are caught up one after the other. The end of the first one's run could not be written, and the second one was
/// started ahead of its claim: whoever leads next takes both runs for lost.
struct LostCatchUps : ::testing::Test {
  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");
  RunId first, second;

  void SetUp() override {
    Job often = minutely("often");
    often.schedule = {"*/20 * * * * *"};
    often.concurrency = Concurrency::allow;
    often.max_running = world.oracle.at_once["often"] = 4;
    often.misfire = Misfire::all;
    often.guarantee = Guarantee::at_least_once;
    often.kill_grace = 200ms;
    often.retries = 1;
    often.details.edit().retry_delay = 1s;
    a.jobs = b.jobs = {define(often)};
    a.takes["often"] = b.takes["often"] = 9s;
    a.start();
    world.run_for(15s);
    a.crash();
    world.run_for(50s);
    a.start();
    ASSERT_TRUE(world.run_while_not([&] { return a.open_children() == 1; }, 10s));
    first = world.starts.back().run;
    b.start();
    world.run_for(7s + 500ms);
    a.link.answers_cut = true;
    ASSERT_TRUE(world.run_while_not([&] { return world.starts.back().run != first; }, 4s));
    second = world.starts.back().run;
    ASSERT_EQ(world.starts.back().trigger, Trigger::catch_up);
    ASSERT_EQ(world.starts.back().fence, 0u);
    world.run_for(100ms);
    a.reboot();
    ASSERT_EQ(world.oracle.job_register("often")->runs.size(), 2u);
  }
  const Start* attempt(const RunId& run, int number) const { return world.oracle.start_of({run, number}); }
  void expect_all_is_well() {
    world.run_for(2min);
    EXPECT_EQ(world.unaccounted(), "");
    EXPECT_EQ(world.broken_promises(), "");
  }
};

TEST_F(LostCatchUps, AreRunAgainOneAfterTheOther) {
  ASSERT_TRUE(world.run_while_not([&] { return attempt(first, 2) != nullptr; }, 20s));
  ASSERT_TRUE(world.run_while_not([&] { return attempt(second, 2) != nullptr; }, 20s));
  ASSERT_TRUE(attempt(first, 2)->ended);
  EXPECT_GE(attempt(second, 2)->at, *attempt(first, 2)->ended);
  expect_all_is_well();
}

TEST_F(LostCatchUps, AreTriedAgainOneAfterTheOther) {
  b.exits["often"] = 3;
  ASSERT_TRUE(world.run_while_not([&] { return attempt(second, 2) != nullptr; }, 40s));
  ASSERT_TRUE(world.run_while_not([&] { return attempt(first, 3) != nullptr; }, 20s));
  ASSERT_TRUE(attempt(second, 2)->ended);
  EXPECT_GE(attempt(first, 3)->at, *attempt(second, 2)->ended);
  expect_all_is_well();
}

}  // namespace
}  // namespace ballot
