// Backfills: past slots of a job are run again, oldest first and each once, over whatever happens to whoever leads.
#include "sim/backfills.hpp"

namespace ballot {
namespace {

TEST_F(Backfills, RunItsSlotsOldestFirstOneAfterTheOther) {
  take(5s);
  const core::Reply reply = ask(b, of_slots(2, 5));
  ASSERT_TRUE(reply.ok) << reply.text;
  EXPECT_EQ(reply.text, "backfill of 4 slots up to " + format_slot(slot(5)));
  ASSERT_TRUE(wait_for_its_end());
  EXPECT_EQ(begun(), "2 3 4 5");
  EXPECT_EQ(fate(3, true), "succeeded");
  EXPECT_EQ(fate(3, false), "succeeded") << "what became of the slot before stays";
  EXPECT_TRUE(was_said("the backfill is done: 4 slots begun"));
  expect_all_is_well();
}

TEST_F(Backfills, RunOnlyTheSlotsThatTheyName) {
  begin(of(Kind::backfill, "one", {{slot(1), slot(1)}, {slot(4), slot(5)}, {slot(8), slot(8)}}));
  ASSERT_TRUE(wait_for_its_end());
  EXPECT_EQ(begun(), "1 4 5 8");
  expect_all_is_well();
}

TEST_F(Backfills, GoOnWhereTheTermBeforeWasAndBeginNoSlotTwice) {
  take(20s);
  begin(of_slots(1, 6));
  ASSERT_TRUE(world.run_while_not([&] { return begun() == "1 2"; }, 5min));
  world.run_for(5s);
  a.crash();
  world.run_for(30s);
  ASSERT_TRUE(wait_for_its_end());
  EXPECT_EQ(begun(), "1 2 3 4 5 6");
  EXPECT_EQ(fate(2, true), "lost: node_died") << "it had begun, and is not begun again";
  a.start();
  expect_all_is_well();
}

TEST_F(Backfills, ASlotThatWasLostIsRunAgainByAJobThatAsksForIt) {
  Job one = job("one");
  one.guarantee = Guarantee::at_least_once;
  one.on_leadership_lost = OnLeadershipLost::terminate;
  edit(one);
  take(20s);
  begin(of_slots(1, 3));
  ASSERT_TRUE(world.run_while_not([&] { return begun() == "1 2"; }, 5min));
  world.run_for(5s);
  a.crash();
  ASSERT_TRUE(wait_for_its_end());
  EXPECT_EQ(begun(), "1 2 2.2 3");
  a.start();
  expect_all_is_well();
}

TEST_F(Backfills, AreHandedOverWithTheirGroup) {
  take(10s);
  begin(of_slots(1, 5));
  ASSERT_TRUE(world.run_while_not([&] { return begun() == "1 2"; }, 5min));
  a.stop(30s, false);
  ASSERT_TRUE(wait_for_its_end());
  EXPECT_EQ(begun(), "1 2 3 4 5");
  EXPECT_EQ(fate(2, true), "succeeded");
  a.crash();
  a.start();
  expect_all_is_well();
}

TEST_F(Backfills, ASlotThatIsDueComesBeforeThem) {
  take(25s);
  begin(of_slots(1, 4));
  const WallTime since = world.wall();
  ASSERT_TRUE(wait_for_its_end());
  for (const Start& start : world.starts)
    if (start.job == "one" && start.trigger != Trigger::backfill && start.slot > since)
      EXPECT_LE(start.at - SteadyTime(start.slot - SimClock::default_wall), 26s) << format_slot(start.slot);
  std::size_t skipped = 0;
  for (const Row& row : world.merged()) skipped += row.job == "one" && row.reason == Reason::overlap;
  EXPECT_EQ(skipped, 0u) << "no slot is skipped for one of a backfill";
  expect_all_is_well();
}

TEST_F(Backfills, ASlotThatIsDueIsMissedWhereARunOfThemGoesOnPastItsStartDeadline) {
  Job one = job("one");
  one.start_deadline = 30s;
  edit(one);
  const WallTime next = std::chrono::ceil<std::chrono::minutes>(world.wall());
  world.run_for(next - 10s - world.wall());
  take(55s);
  begin(of_slots(1, 1));
  world.run_for(2min);
  std::string fate_of_next;
  for (const Row& row : world.merged())
    if (row.job == "one" && row.slot == next) fate_of_next = to_string(row.reason);
  EXPECT_EQ(fate_of_next, "start_deadline");
  expect_all_is_well();
}

TEST_F(Backfills, NoMoreRunsGoOnThanTheyMayHave) {
  Job one = job("one");
  one.concurrency = Concurrency::allow;
  one.max_running = 4;
  world.oracle.at_once["one"] = 4;
  edit(one);
  take(50s);
  core::Request request = of_slots(1, 6);
  request.parallel = 2;
  begin(request);
  world.run_for(1s);
  EXPECT_EQ(begun(), "1 2");
  EXPECT_EQ(jobs_of(a)[0].backfill->running, 2);
  ASSERT_TRUE(wait_for_its_end());
  EXPECT_EQ(begun(), "1 2 3 4 5 6");
  expect_all_is_well();
}

TEST_F(Backfills, AJobThatLetsNothingOverlapRunsOneAtATimeHoweverManyAreAskedFor) {
  take(10s);
  core::Request request = of_slots(1, 4);
  request.parallel = 8;
  begin(request);
  ASSERT_TRUE(wait_for_its_end());
  EXPECT_EQ(begun(), "1 2 3 4");
  expect_all_is_well();
}

TEST_F(Backfills, ReplaceNothingThatGoesOn) {
  Job one = job("one");
  one.concurrency = Concurrency::replace;
  edit(one);
  world.run_for(std::chrono::ceil<std::chrono::minutes>(world.wall()) - world.wall() - 1s);
  take(20s);
  world.run_for(5s);
  begin(of_slots(1, 1));
  ASSERT_TRUE(wait_for_its_end());
  EXPECT_EQ(begun(), "1");
  for (const Row& row : world.merged()) EXPECT_NE(row.reason, Reason::replaced);
  expect_all_is_well();
}

TEST_F(Backfills, BeginOnlyWhenNoSlotWaitsInTheQueue) {
  Job one = job("one");
  one.concurrency = Concurrency::queue;
  edit(one);
  world.run_for(std::chrono::ceil<std::chrono::minutes>(world.wall()) - world.wall() - 1s);
  take(70s);
  world.run_for(65s);  // one goes on, and the next one waits
  const WallTime next = std::chrono::floor<std::chrono::minutes>(world.wall());
  begin(of_slots(1, 1));
  ASSERT_TRUE(world.run_while_not([&] { return world.starts.back().slot == next; }, 3min));
  EXPECT_EQ(begun(), "");
  take(1s);
  ASSERT_TRUE(wait_for_its_end());
  EXPECT_EQ(begun(), "1");
  expect_all_is_well();
}

TEST_F(Backfills, BeginOnlyWhenWhatIsCaughtUpHasBegun) {
  Job one = job("one");
  one.concurrency = Concurrency::allow;
  one.misfire = Misfire::all;
  one.start_deadline = 30min;
  one.max_running = 4;
  world.oracle.at_once["one"] = 4;
  edit(one);
  a.crash();
  b.crash();
  world.run_for(5min);
  take(20s);
  a.start();
  b.start();
  ASSERT_TRUE(world.run_while_not([&] { return world.starts.back().trigger == Trigger::catch_up; }, 2min));
  begin(of_slots(1, 1));
  ASSERT_TRUE(wait_for_its_end());
  std::vector<Trigger> order;
  for (const Start& start : world.starts)
    if (start.job == "one" && (start.trigger == Trigger::catch_up || start.trigger == Trigger::backfill))
      order.push_back(start.trigger);
  ASSERT_GT(order.size(), 3u);
  EXPECT_EQ(order.back(), Trigger::backfill);
  expect_all_is_well();
}

TEST_F(Backfills, ASlotIsTriedAgainBeforeTheNextOneBegins) {
  Job one = job("one");
  one.retries = 1;
  one.details.edit().retry_delay = 5s;
  one.details.edit().retry_max_delay = 5s;
  edit(one);
  a.exits["one"] = b.exits["one"] = 1;
  begin(of_slots(1, 2));
  ASSERT_TRUE(wait_for_its_end());
  EXPECT_EQ(begun(), "1 1.2 2 2.2");
  EXPECT_EQ(fate(1, true), "failed: exit_code");
  a.exits.clear(), b.exits.clear();
  expect_all_is_well();
}

TEST_F(Backfills, AStopEndsThemAndLeavesWhatGoesOn) {
  take(20s);
  begin(of_slots(1, 6));
  ASSERT_TRUE(world.run_while_not([&] { return begun() == "1 2"; }, 5min));
  const core::Reply reply = ask(b, stop());
  ASSERT_TRUE(reply.ok) << reply.text;
  EXPECT_EQ(reply.text,
            "the backfill is stopped: 2 slots begun, 4 slots from " + format_slot(slot(3)) + " on are not begun");
  world.run_for(5min);
  EXPECT_EQ(begun(), "1 2");
  EXPECT_EQ(fate(2, true), "succeeded");
  EXPECT_EQ(ask(b, stop()).text, "no backfill of job one goes on");
  expect_all_is_well();
}

TEST_F(Backfills, WaitInAPauseAndGoOnAfterIt) {
  take(10s);
  begin(of_slots(1, 4));
  ASSERT_TRUE(world.run_while_not([&] { return begun() == "1 2"; }, 5min));
  EXPECT_TRUE(ask(b, of(Kind::pause, "one", {})).ok);
  world.run_for(5min);
  EXPECT_EQ(begun(), "1 2");
  EXPECT_TRUE(ask(b, of(Kind::resume, "one", {})).ok);
  ASSERT_TRUE(wait_for_its_end());
  EXPECT_EQ(begun(), "1 2 3 4");
  EXPECT_TRUE(ask(b, for_group(Kind::pause)).ok);
  begin(of_slots(5, 5));
  world.run_for(2min);
  EXPECT_EQ(begun(), "1 2 3 4");
  EXPECT_TRUE(ask(b, for_group(Kind::resume)).ok);
  ASSERT_TRUE(wait_for_its_end());
  EXPECT_EQ(begun(), "1 2 3 4 5");
  expect_all_is_well();
}

TEST_F(Backfills, SlotsThatAreNotSettledAreLeftToTheSchedule) {
  EXPECT_TRUE(ask(b, of(Kind::pause, "one", {})).ok);
  const WallTime paused = std::chrono::floor<std::chrono::minutes>(world.wall());
  world.run_for(5min);
  const core::Reply refused = ask(b, of(Kind::backfill, "one", {{paused + 1min, paused + 3min}}));
  EXPECT_FALSE(refused.ok);
  EXPECT_EQ(refused.text, "what becomes of these slots is not decided yet: up to " + format_slot(paused) +
                              " it is, for the job is paused");
  begin(of(Kind::backfill, "one", {{paused - 1min, paused + 3min}}));
  EXPECT_TRUE(ask(b, of(Kind::resume, "one", {})).ok);
  ASSERT_TRUE(wait_for_its_end());
  EXPECT_EQ(begun(), "9 10");
  expect_all_is_well();
}

TEST_F(Backfills, ASecondOneIsRefusedWhileOneGoesOn) {
  take(20s);
  begin(of_slots(1, 3));
  const core::Reply reply = ask(a, of_slots(5, 6));
  EXPECT_FALSE(reply.ok);
  EXPECT_EQ(reply.code, Errc::conflict);
  EXPECT_NE(reply.text.find(", by b uid 7; `ballot backfill one --stop` ends it"), std::string::npos) << reply.text;
  ASSERT_TRUE(wait_for_its_end());
  EXPECT_EQ(begun(), "1 2 3");
}

TEST_F(Backfills, ARequestThatIsReadTwiceBeginsOne) {
  core::Request request = of_slots(1, 2);
  request.id = world.loop.random().run_id(world.wall());
  request.until = world.wall() + 10min;
  world.store.forge(core::request_record(request.id), to_text(request));
  ASSERT_TRUE(world.run_while_not([&] { return begun() == "1 2"; }, 5min));
  ASSERT_TRUE(wait_for_its_end());
  a.crash();
  world.run_for(5min);  // the answer has gone too
  request.until = world.wall() + 10min;
  world.store.forge(core::request_record(request.id), to_text(request));
  world.run_for(3min);
  EXPECT_EQ(begun(), "1 2");
  a.start();
  expect_all_is_well();
}

TEST_F(Backfills, AJobWithoutSlotsThereHasNone) {
  EXPECT_EQ(ask(b, of(Kind::backfill, "one", {{slot(1) + 1s, slot(1) + 30s}})).text,
            "by its schedule job one has no slot there");
  Job none = job("one");
  none.schedule.clear();
  edit(none);
  EXPECT_EQ(ask(b, of_slots(1, 6)).text, "by its schedule job one has no slot there");
}

TEST_F(Backfills, WhatComesAfterAJobGetsNothingByThem) {
  Job child = job("three");
  child.details.edit().after = {"one"};
  child.details.edit().has_slots_of_first = true;
  for (SimNode* node : {&a, &b}) node->jobs.push_back(define(child)), node->load();
  world.run_for(3min);
  const std::size_t before = world.starts_of("three");
  const WallTime since = world.wall();
  begin(of_slots(1, 4));
  ASSERT_TRUE(wait_for_its_end());
  world.run_for(10s);
  for (const Start& start : world.starts)
    if (start.job == "three" && start.slot <= slot(10) && start.slot > from) EXPECT_LT(start.slot, since);
  EXPECT_LE(world.starts_of("three"), before + 2) << "of the minutes that passed meanwhile";
  expect_all_is_well();
}

TEST_F(Backfills, OfOneThatComesAfterAnotherAskNotHowThatOneEnded) {
  Job child = job("three");
  child.details.edit().after = {"one"};
  child.details.edit().has_slots_of_first = true;
  for (SimNode* node : {&a, &b}) node->jobs.push_back(define(child)), node->load();
  a.exits["one"] = b.exits["one"] = 1;
  world.run_for(2min);
  begin(of(Kind::backfill, "three", {{slot(1), slot(3)}}));
  ASSERT_TRUE(world.run_while_not([&] { return !going_on("three"); }, 10min));
  EXPECT_EQ(begun("three"), "1 2 3");
}

TEST_F(Backfills, AreShownByWhoeverLeads) {
  take(20s);
  begin(of_slots(1, 3));
  ASSERT_TRUE(world.run_while_not([&] { return begun() == "1"; }, 5min));
  world.run_for(1s);
  const auto shown = jobs_of(a)[0].backfill;
  ASSERT_TRUE(shown);
  EXPECT_EQ(shown->begun, 1u);
  EXPECT_EQ(shown->running, 1);
  EXPECT_EQ(shown->next, slot(2));
  EXPECT_EQ(shown->last, slot(3));
}

}  // namespace
}  // namespace ballot
