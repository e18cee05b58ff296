// A store that has gone back, and what `repair` makes of it.
#include "sim/repair.hpp"

namespace ballot {
namespace {

// ---- what lasts

TEST_F(Repair, OfAStoreThatWasWipedLastsOverAHandOver) {
  start();
  wipe();
  ASSERT_NE(halted(leader()), "");
  ASSERT_TRUE(repair(b).ok);
  EXPECT_TRUE(starts_within(2min));
  for (int i = 0; i < 4; ++i) {
    hand_over(leader());
    EXPECT_TRUE(starts_within(2min)) << halted(leader());
    EXPECT_EQ(halted(leader()), "") << i;
    EXPECT_EQ(state(leader()), "active");
    world.run_for(1min);
  }
  expect_accounted();
}

TEST_F(Repair, LastsForANodeThatWasAwayMeanwhile) {
  start();
  b.link.cut = true;
  wipe();
  ASSERT_TRUE(a.leads("default"));
  ASSERT_TRUE(repair(a).ok);
  world.run_for(3min);
  b.link.cut = false;
  world.run_for(1min);
  hand_over(a);
  EXPECT_TRUE(starts_within(2min));
  EXPECT_EQ(halted(b), "");
}

TEST_F(Repair, LastsForAJobThatOnlyTheNextLeaderKnows) {
  start();
  Job more = minutely("more");
  b.jobs.push_back(define(more));
  b.load();
  hand_over(a);
  world.run_for(5min);
  ASSERT_GT(world.starts_of("more"), 3u);
  b.crash();
  ASSERT_TRUE(world.run_while_not([&] { return a.leads("default"); }, 1min));
  b.start();
  a.crash();
  ASSERT_TRUE(world.run_while_not([&] { return b.leads("default"); }, 1min));
  world.run_for(2min);
  a.start();  // it knows nothing of the other job's file
  world.run_for(1min);
  b.link.cut = true;
  wipe();
  b.link.cut = false;
  ASSERT_TRUE(a.leads("default"));
  repair(a);
  world.run_for(2min);
  const std::size_t before = world.starts_of("more");
  hand_over(a);
  world.run_for(3min);
  EXPECT_EQ(halted(b), "");
  EXPECT_GT(world.starts_of("more"), before);
  EXPECT_EQ(world.unaccounted(*b.jobs[1], world.wall() - 3min, world.wall() - 10s), "");
}

TEST_F(Repair, ThatADeathCutShortIsDoneByTheNextLeader) {
  start();
  wipe();
  SimNode& first = leader();
  core::Request request;
  request.kind = Kind::repair;
  request.group = "default";
  first.ledger.slowest = 5s;
  other(first).ask(request);
  world.run_for(20ms);
  first.crash();
  ASSERT_TRUE(world.run_while_not([&] { return other(first).leads("default"); }, 1min));
  world.run_for(2min);
  if (!halted(other(first)).empty()) {
    EXPECT_EQ(world.store.contents().registers.at("g/default").value.find("\nrepair "), std::string::npos);
    EXPECT_TRUE(repair(other(first)).ok);
  }
  EXPECT_TRUE(starts_within(2min));
}

/// The store's sessions go on, and so nobody reads anything anew.
TEST_F(Repair, IsEnoughOnceWhereTheJobsRegisterIsWrittenForTheFirstTimeByIt) {
  start();
  const auto old = world.store.contents();
  world.run_for(5min + 20s);
  world.store.edit(old);
  ASSERT_TRUE(world.run_while_not([&] { return !halted(a).empty(); }, 10s)) << "the next renewal shows it";
  EXPECT_EQ(count(a, "revision"), 2u) << "and the job's register does not yet";
  const core::Reply reply = repair(a);
  EXPECT_TRUE(reply.ok) << reply.text;
  EXPECT_TRUE(starts_within(2min)) << halted(a);
  EXPECT_TRUE(a.leads("default"));
  expect_accounted();
}

TEST_F(Repair, IsEnoughOnceWhereARegisterShowsItBeforeTheNextRenewal) {
  start();
  const auto old = world.store.contents();
  world.run_for(5min);
  world.store.edit(old);  // the end of a run is still to be written
  ASSERT_TRUE(world.run_while_not([&] { return !halted(a).empty(); }, 1min));
  EXPECT_EQ(count(a, "group halted: the store has gone back: the version of the register j/job"), 1u);
  const core::Reply reply = repair(a);
  EXPECT_TRUE(reply.ok) << reply.text;
  EXPECT_TRUE(starts_within(2min)) << halted(a);
  expect_accounted();
}

// ---- what is noticed after it

TEST_F(Repair, HidesNoLaterWipe) {
  start();
  for (int i = 0; i < 3; ++i) {
    wipe();
    EXPECT_NE(halted(leader()), "") << i;
    EXPECT_FALSE(starts_within(2min)) << i;
    ASSERT_TRUE(repair(a).ok);
    EXPECT_TRUE(starts_within(2min)) << i;
    world.run_for(2min);
  }
}

TEST_F(Repair, HidesNoLaterRestoreFromANodeThatHasNotLedSince) {
  start();
  const auto first = world.store.contents();
  world.run_for(5min);
  world.store.restore(first);
  world.run_for(30s);
  SimNode& led = leader();
  ASSERT_NE(halted(led), "");
  ASSERT_TRUE(repair(led).ok);
  world.run_for(2min);
  const auto second = world.store.contents();
  world.run_for(10min);
  ASSERT_TRUE(led.leads("default"));
  led.crash();
  world.store.restore(second);
  ASSERT_TRUE(world.run_while_not([&] { return other(led).leads("default"); }, 2min));
  EXPECT_NE(halted(other(led)), "");
  EXPECT_FALSE(starts_within(2min));
  led.start();
  EXPECT_TRUE(repair(other(led)).ok);
  EXPECT_TRUE(starts_within(2min));
}

TEST_F(Repair, HidesNoLaterRestoreFromANodeThatNeverLed) {
  SimNode& c = world.add("c");
  a.jobs = c.jobs = {define(job)};
  a.start();
  world.run_for(1s);
  c.start();
  world.run_for(2min);
  const auto first = world.store.contents();
  world.run_for(30min);
  c.link.cut = true;
  world.store.restore(first);
  world.run_for(5s);
  ASSERT_TRUE(world.run_while_not([&] { return a.leads("default"); }, 1min));
  c.link.cut = false;
  world.run_for(30s);
  ASSERT_NE(halted(a), "");
  ASSERT_TRUE(repair(a).ok);
  world.run_for(3min);
  const auto second = world.store.contents();
  world.run_for(10min);
  ASSERT_TRUE(a.leads("default"));
  a.crash();
  world.store.restore(second);
  world.run_for(1s);
  ASSERT_TRUE(world.run_while_not([&] { return c.leads("default"); }, 2min));
  EXPECT_NE(halted(c), "");
  EXPECT_FALSE(starts_within(2min));
  EXPECT_TRUE(repair(c).ok);
  EXPECT_TRUE(starts_within(2min));
  a.start();
  world.run_for(2min);
  hand_over_to(c, a);
  EXPECT_TRUE(starts_within(2min)) << halted(a);
}

TEST_F(Repair, HidesNoRestoreOfTheStateBeforeIt) {
  start();
  const auto first = world.store.contents();
  world.run_for(5min);
  world.store.restore(first);
  world.run_for(30s);
  ASSERT_TRUE(repair(leader()).ok);
  world.run_for(5min);
  world.store.restore(first);
  world.run_for(30s);
  EXPECT_NE(halted(leader()), "");
  EXPECT_FALSE(starts_within(2min));
}

TEST_F(Repair, IsNotAskedForAGroupThatIsNewInAStoreThatWentBack) {
  start();
  wipe();
  Job more = minutely("more");
  more.group = "another";
  a.jobs.push_back(define(more));
  a.load();
  world.run_for(3min);
  EXPECT_GT(world.starts_of("more"), 1u);
}

TEST_F(Repair, TheErrorOfAHaltIsLoggedOnce) {
  start();
  wipe();
  const auto before = count(a, "halted") + count(b, "halted") + count(a, "gone back") + count(b, "gone back");
  for (int i = 0; i < 5; ++i) {
    for (SimNode* node : {&a, &b}) node->link.cut = true;
    world.run_for(15s);
    for (SimNode* node : {&a, &b}) node->link.cut = false;
    world.run_for(15s);
  }
  ASSERT_NE(halted(leader()), "");
  const auto after = count(a, "halted") + count(b, "halted") + count(a, "gone back") + count(b, "gone back");
  EXPECT_LE(after - before, 2u) << "whoever leads for the first time says it once";
  EXPECT_LE(count(a, "gone back"), 2u);
}

// ---- runs

TEST_F(Repair, StartsNoAttemptAgainThatWaitedInTheOldState) {
  job.retries = 3;
  job.details.edit().retry_delay = job.details.edit().retry_max_delay = 20s;
  a.exits["job"] = b.exits["job"] = 1;
  start();
  ASSERT_TRUE(world.run_while_not(
      [&] { return world.store.contents().registers.at("j/job").value.find("state=waiting") != std::string::npos; },
      2min));
  const auto old = world.store.contents();
  world.run_for(30s);
  world.store.restore(old);
  world.run_for(20s);
  ASSERT_NE(halted(leader()), "");
  ASSERT_TRUE(repair(leader()).ok);
  world.run_for(3min);
  EXPECT_EQ(world.broken_promises(), "");
  std::map<std::pair<RunId, int>, int> begun;
  for (const Start& start : world.starts) ++begun[{start.run, start.attempt}];
  for (const auto& [attempt, times] : begun) {
    EXPECT_EQ(times, 1) << attempt.first.text() << " attempt " << attempt.second;
    for (SimNode* node : {&a, &b})
      if (const Row* row = node->ledger.row(attempt.first, attempt.second); row && is_final(row->status)) {
        EXPECT_EQ(row->status, Status::failed) << "what ran keeps its row";
      }
  }
  EXPECT_TRUE(starts_within(2min));
  expect_accounted();
}

TEST_F(Repair, RepeatsNoRunThatTheOldStateShowsOpen) {
  job.guarantee = Guarantee::at_least_once;
  a.takes["job"] = b.takes["job"] = 10s;
  start();
  ASSERT_TRUE(world.run_while_not([&] { return a.open_children() == 1; }, 2min));
  world.run_for(2s);
  const auto old = world.store.contents();
  const RunId run = world.starts.back().run;
  world.run_for(2s);
  a.reboot();  // the run is lost, and is repeated there
  ASSERT_TRUE(world.run_while_not([&] { return world.starts.back().attempt == 2; }, 2min));
  ASSERT_EQ(world.starts.back().run, run);
  world.run_for(20s);
  SimNode& c = world.add("c");  // has seen nothing but how far the store was
  c.jobs = b.jobs;
  c.start();
  world.run_for(10s);
  b.crash();
  world.store.restore(old);
  world.run_for(30s);
  ASSERT_NE(halted(c), "");
  ASSERT_TRUE(repair(c).ok);
  world.run_for(5min);
  EXPECT_EQ(world.broken_promises(), "");
  EXPECT_EQ(std::count_if(world.starts.begin(), world.starts.end(), [&](const Start& s) { return s.run == run; }), 2);
  const std::size_t before = world.starts_of("job");
  world.run_for(2min);
  EXPECT_GT(world.starts_of("job"), before);
}

TEST_F(Repair, KeepsAJobGoingThatAlwaysRunsAgain) {
  job.schedule.clear();
  job.on_error = AfterRun::rerun;
  job.details.edit().retry_delay = 20s;
  a.exits["job"] = b.exits["job"] = 1;
  a.jobs = b.jobs = {define(job)};
  a.start(), b.start();
  world.run_for(5s);
  a.trigger("job");
  world.run_for(1min);
  ASSERT_TRUE(world.run_while_not(
      [&] { return world.store.contents().registers.at("j/job").value.find("state=waiting") != std::string::npos; },
      1min));
  const auto old = world.store.contents();
  world.run_for(1min);
  world.store.restore(old);
  world.run_for(20s);
  ASSERT_TRUE(repair(leader()).ok);
  EXPECT_TRUE(starts_within(1min));
  world.run_for(1min);
  EXPECT_EQ(world.broken_promises(), "");
}

// ---- slots

TEST_F(Repair, AccountsForEverySlotOfAWipe) {
  start();
  world.store.stop();
  world.run_for(20s);
  world.store.start();
  wipe();
  world.run_for(4min);
  ASSERT_TRUE(repair(leader()).ok);
  expect_accounted();
  std::int64_t slots = 0;
  for (const Row& row : leader().rows())
    if (row.reason == Reason::halted) slots += row.slots;
  EXPECT_GE(slots, 4);
}

TEST_F(Repair, LeavesWhatRanElsewhereAsItWas) {
  job.schedule = {"*/10 * * * * *"};
  a.takes["job"] = b.takes["job"] = 12s;  // every other slot is skipped
  start();
  const auto old = world.store.contents();
  world.run_for(3min);
  a.crash();
  world.store.restore(old);
  ASSERT_TRUE(world.run_while_not([&] { return b.leads("default"); }, 1min));
  world.run_for(1min);
  ASSERT_TRUE(repair(b).ok);
  world.run_for(1min);
  expect_accounted();
  for (const Row& row : world.merged())
    if (row.reason == Reason::halted) {
      EXPECT_GT(row.slot, world.wall() - 4min) << format_slot(row.slot);
    }
}

TEST_F(Repair, ClaimsNoSlotThatItHasSeenSettled) {
  job.schedule = {"*/10 * * * * *"};
  start();
  const auto old = world.store.contents();
  world.run_for(3min);
  const WallTime known = world.wall() - 20s;
  world.store.restore(old);
  ASSERT_TRUE(world.run_while_not([&] { return a.leads("default"); }, 1min));
  ASSERT_TRUE(repair(a).ok);
  world.run_for(1min);
  for (const Row& row : a.rows())
    if (row.reason == Reason::halted) {
      EXPECT_GT(row.slot, known) << "its own ledger knows better";
    }
  expect_accounted();
}

}  // namespace
}  // namespace ballot
