// Registers that somebody has edited, moved or removed, and what `repair` makes of them.
#include "sim/repair.hpp"

namespace ballot {
namespace {

// ---- registers that somebody has edited

struct Edited : Repair, ::testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(Edited, IsRepairedInTime) {
  start();
  edit(GetParam().first, GetParam().second);
  world.run_for(3min);
  const core::Reply by_job = repair(b, "", "job");
  EXPECT_TRUE(by_job.ok || by_job.code != Errc::timeout) << by_job.text;
  EXPECT_NE(by_job.text, "") << "it says what it did";
  if (!by_job.ok) {
    const core::Reply by_group = repair(b);
    EXPECT_TRUE(by_group.ok) << by_group.text;
    EXPECT_NE(by_group.text, "");
  }
  EXPECT_TRUE(starts_within(2min)) << state(leader());
  EXPECT_EQ(state(leader()), "active");
  hand_over(leader());
  EXPECT_TRUE(starts_within(2min)) << state(leader());
  EXPECT_EQ(state(leader()), "active");
  expect_accounted();
}

TEST_P(Edited, BehindANewLeaderToo) {
  start();
  a.crash();
  edit(GetParam().first, GetParam().second);
  ASSERT_TRUE(world.run_while_not([&] { return b.leads("default"); }, 1min));
  a.start();
  world.run_for(1min);
  const core::Reply by_job = repair(a, "", "job");
  EXPECT_TRUE(by_job.ok || by_job.code != Errc::timeout) << by_job.text;
  if (!by_job.ok) {
    EXPECT_TRUE(repair(a).ok);
  }
  EXPECT_TRUE(starts_within(2min)) << state(leader());
  EXPECT_EQ(state(leader()), "active");
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_P(Edited, AfterARestartToo) {
  start();
  a.crash(), b.crash();
  world.run_for(10s);
  edit(GetParam().first, GetParam().second);
  a.start(), b.start();
  world.run_for(1min);
  const core::Reply by_job = repair(a, "", "job");
  EXPECT_TRUE(by_job.ok || by_job.code != Errc::timeout) << by_job.text;
  if (!by_job.ok) {
    EXPECT_TRUE(repair(a).ok);
  }
  EXPECT_TRUE(starts_within(2min)) << state(leader());
  EXPECT_EQ(state(leader()), "active");
  EXPECT_EQ(world.broken_promises(), "");
}

using Line = std::pair<const char*, const char*>;
INSTANTIATE_TEST_SUITE_P(Registers, Edited,
                         ::testing::Values(Line{"fence", "fence ?"}, Line{"fence", "fence 1"},
                                           Line{"cursor", "cursor ?"}, Line{"group", "group elsewhere"},
                                           Line{"group", "group default\nreleased yes"}, Line{"group", ""},
                                           Line{"cursor", ""}, Line{"definition", "definition another"},
                                           Line{"epoch", "epoch 99"}, Line{"cursor", "cursor 2027-01-01T00:00:00Z"},
                                           Line{"since", "since 2027-01-01T00:00:00Z"}));

TEST_F(Repair, OfARegisterThatIsGoneBringsTheJobBack) {
  start();
  auto contents = world.store.contents();
  contents.registers.erase("j/job");
  ++contents.revision;
  world.store.edit(std::move(contents));
  world.run_for(2min);
  ASSERT_NE(halted(a), "");
  const core::Reply by_job = repair(b, "", "job");
  EXPECT_FALSE(by_job.ok);
  EXPECT_NE(by_job.text.find("--group"), std::string::npos) << by_job.text;
  EXPECT_TRUE(repair(b).ok);
  expect_accounted();
  hand_over(a);
  EXPECT_TRUE(starts_within(2min));
}

TEST_F(Repair, SaysWhereThereIsNothingToRepair) {
  start();
  const core::Reply of_job = repair(b, "", "job");
  EXPECT_TRUE(of_job.ok);
  EXPECT_NE(of_job.text.find("nothing to repair"), std::string::npos) << of_job.text;
  const core::Reply of_group = repair(b);
  EXPECT_TRUE(of_group.ok);
  EXPECT_NE(of_group.text.find("nothing to repair"), std::string::npos) << of_group.text;
  EXPECT_TRUE(starts_within(2min));
}

TEST_F(Repair, TakesNoRegisterThatItHasWrittenMeanwhileForAnOlderOne) {
  start();
  a.link.delay_min = a.link.delay_max = 20ms;
  ASSERT_TRUE(world.run_while_not([&] { return a.open_children() == 1; }, 2min));
  ASSERT_TRUE(world.run_while_not([&] { return a.open_children() == 0; }, 1min));
  world.run_for(150ms);  // the run is closed while the register, and whether its outcome is published, is read
  const core::Reply of_job = repair(a, "", "job");
  EXPECT_TRUE(of_job.ok) << of_job.text;
  EXPECT_EQ(halted(a), "");
  EXPECT_TRUE(starts_within(2min));
  expect_accounted();
}

/// The write of a pause was on its way when the repair began, and says where the cursor was.
TEST_F(Repair, OfACursorWaitsForTheWriteThatIsOnItsWay) {
  start();
  for (SimNode* node : {&a, &b}) node->step_clock(1h);
  world.run_for(130s);
  for (SimNode* node : {&a, &b}) node->step_clock(-1h);
  world.run_for(5s);
  SimNode& led = leader();
  ASSERT_EQ(state(led), "clock_skew");
  led.link.delay_min = led.link.delay_max = 300ms;
  led.ask(Kind::repair, "job");
  world.run_for(100ms);
  led.ask(Kind::pause, "job");
  world.run_for(10s);
  led.ask(Kind::resume, "job");
  led.link.delay_min = led.link.delay_max = 1ms;
  world.run_for(10s);
  EXPECT_EQ(state(led), "active");
  EXPECT_TRUE(starts_within(61s));
  EXPECT_EQ(world.broken_promises(), "");
}

/// Runs were claimed while the clock was an hour ahead. Done means done: the job goes on from now, and what was claimed
/// is not run again when its time comes, whoever leads by then.
TEST_F(Repair, GoesOnFromNowAndKeepsWhatWasClaimedAheadOfTheClock) {
  start();
  for (SimNode* node : {&a, &b}) node->step_clock(1h);
  world.run_for(130s);
  for (SimNode* node : {&a, &b}) node->step_clock(-1h);
  world.run_for(5s);
  ASSERT_EQ(state(leader()), "clock_skew");
  std::set<WallTime> ahead;
  for (const Start& start : world.starts)
    if (start.slot > world.wall()) ahead.insert(start.slot);
  ASSERT_GE(ahead.size(), 2u);

  const core::Reply reply = repair(other(leader()), "", "job");
  EXPECT_TRUE(reply.ok) << reply.text;
  EXPECT_NE(reply.text.find(std::to_string(ahead.size()) + " that were settled already, from " +
                            format_slot(*ahead.begin()) + " to " + format_slot(*ahead.rbegin())),
            std::string::npos)
      << reply.text;
  EXPECT_EQ(state(leader()), "active");
  EXPECT_TRUE(starts_within(61s));
  EXPECT_TRUE(starts_within(61s));
  world.run_for(20min);
  hand_over(leader());
  world.run_for(45min);
  for (const WallTime slot : ahead) {
    const auto runs =
        std::count_if(world.starts.begin(), world.starts.end(), [&](const Start& start) { return start.slot == slot; });
    EXPECT_EQ(runs, 1) << format_slot(slot);
  }
  for (WallTime slot = *ahead.rbegin() + 1min; slot < world.wall(); slot += 1min)
    EXPECT_TRUE(std::any_of(world.starts.begin(), world.starts.end(), [&](const Start& s) { return s.slot == slot; }))
        << "after them it goes on: " << format_slot(slot);
  EXPECT_EQ(world.broken_promises(), "");
}

/// Between what was claimed ahead of the clock the job was paused: those slots come due when nothing is paused.
TEST_F(Repair, CountsNoSlotOfAPauseAsClaimedAndDecidesItAgainWhenItIsDue) {
  start();
  for (SimNode* node : {&a, &b}) node->step_clock(1h);
  world.run_for(130s);
  leader().ask(Kind::pause, "job");
  world.run_for(5min);
  leader().ask(Kind::resume, "job");
  world.run_for(130s);
  for (SimNode* node : {&a, &b}) node->step_clock(-1h);
  world.run_for(5s);
  ASSERT_EQ(state(leader()), "clock_skew");
  std::set<WallTime> ahead;
  for (const Start& start : world.starts)
    if (start.slot > world.wall()) ahead.insert(start.slot);
  const WallTime first = *ahead.begin(), last = *ahead.rbegin();
  ASSERT_GE(last - first, 6min);
  const core::Reply reply = repair(leader(), "", "job");
  EXPECT_TRUE(reply.ok) << reply.text;
  EXPECT_NE(reply.text.find(std::to_string(ahead.size()) + " that were settled already"), std::string::npos)
      << reply.text;
  world.run_for(75min);
  for (WallTime slot = first; slot <= last; slot += 1min) {
    const auto runs =
        std::count_if(world.starts.begin(), world.starts.end(), [&](const Start& start) { return start.slot == slot; });
    EXPECT_EQ(runs, 1) << format_slot(slot);
  }
  EXPECT_EQ(world.broken_promises(), "");
}

/// A register does not keep which slots were skipped beside a run: they count as done, and no run has claimed them.
TEST_F(Repair, SaysOfSlotsThatOverlappedARunAheadOfTheClockThatTheyAreSettledAndNotThatTheyWereClaimed) {
  start();
  a.takes["job"] = b.takes["job"] = 90s;
  for (SimNode* node : {&a, &b}) node->step_clock(1h);
  world.run_for(5min);
  for (SimNode* node : {&a, &b}) node->step_clock(-1h);
  world.run_for(5s);
  ASSERT_EQ(state(leader()), "clock_skew");
  std::set<WallTime> ahead;
  for (const Start& start : world.starts)
    if (start.slot > world.wall()) ahead.insert(start.slot);
  const auto settled = static_cast<std::size_t>((*ahead.rbegin() - *ahead.begin()) / 1min) + 1;
  ASSERT_GT(settled, ahead.size()) << "some were skipped between";
  const core::Reply reply = repair(leader(), "", "job");
  EXPECT_TRUE(reply.ok) << reply.text;
  EXPECT_NE(reply.text.find(std::to_string(settled) + " that were settled already, from " +
                            format_slot(*ahead.begin()) + " to " + format_slot(*ahead.rbegin())),
            std::string::npos)
      << reply.text;
  EXPECT_EQ(world.broken_promises(), "");
}

/// A run has been closed, and its leader has not heard of that yet.
TEST_F(Repair, BringsACursorBackWhileAWriteOfTheJobIsOnItsWay) {
  start();
  for (SimNode* node : {&a, &b}) node->step_clock(1h);
  ASSERT_TRUE(starts_within(61s));
  for (SimNode* node : {&a, &b}) node->step_clock(-1h);
  SimNode& leading = leader();
  ASSERT_TRUE(world.run_while_not([&] { return leading.open_children() == 0; }, 1min));
  leading.link.lose_answer = 1000;
  world.run_for(400ms);
  leading.link.lose_answer = 0;
  ASSERT_TRUE(world.oracle.job_register("job")->runs.empty());
  EXPECT_TRUE(repair(leading, "", "job").ok);
  EXPECT_EQ(state(leading), "active");
  EXPECT_TRUE(starts_within(61s));
  EXPECT_EQ(world.broken_promises(), "");
}

/// The slots from now up to those that were claimed have never been due before: nobody has claimed them.
TEST_F(Repair, GoesOnFromNowWhereTheJobWasFirstSeenByAClockThatWasAhead) {
  for (SimNode* node : {&a, &b}) node->step_clock(1h);
  start();
  for (SimNode* node : {&a, &b}) node->step_clock(-1h);
  world.run_for(5s);
  ASSERT_EQ(state(leader()), "clock_skew");
  EXPECT_TRUE(repair(other(leader()), "", "job").ok);
  EXPECT_TRUE(starts_within(61s));
  EXPECT_TRUE(starts_within(61s));
  hand_over(leader());
  EXPECT_TRUE(starts_within(61s));
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Repair, RunsSlotsOnTimeWhereTheTermWasElectedByAClockThatWasAhead) {
  job.misfire = Misfire::skip;
  for (SimNode* node : {&a, &b}) node->step_clock(1h);
  start();
  for (SimNode* node : {&a, &b}) node->step_clock(-1h);
  world.run_for(5s);
  EXPECT_TRUE(repair(other(leader()), "", "job").ok);
  ASSERT_TRUE(starts_within(61s));
  EXPECT_EQ(world.starts.back().trigger, Trigger::schedule);
  EXPECT_EQ(world.broken_promises(), "");
}

/// A slot that was passed over as missed while the clock was ahead is due again; a register that does not say which
/// slots were, as that of an older daemon, has claimed them all.
TEST_F(Repair, OfARegisterThatDoesNotSayWhichSlotsWereClaimedRunsNoneTwice) {
  start();
  for (SimNode* node : {&a, &b}) node->step_clock(1h);
  world.run_for(70s);
  for (SimNode* node : {&a, &b}) node->step_clock(-1h);
  world.run_for(5s);
  ASSERT_EQ(state(leader()), "clock_skew");
  edit("passed_over", "later 1");
  const core::Reply reply = repair(other(leader()), "", "job");
  EXPECT_TRUE(reply.ok) << reply.text;
  EXPECT_NE(reply.text.find("settled already"), std::string::npos) << reply.text;
  EXPECT_FALSE(starts_within(50min));
  EXPECT_TRUE(starts_within(15min));
  EXPECT_EQ(world.broken_promises(), "");
}

/// Its clock was an hour ahead for ten seconds.
struct CursorAhead : Repair {
  void SetUp() override {
    job.schedule = {"0-29 * * * * *"};
    job.misfire = Misfire::skip;
    start();
    const Millis second = world.wall().time_since_epoch() % 1min;
    world.run_for((second < 31s ? 31s : 91s) - second);
    for (SimNode* node : {&a, &b}) node->step_clock(1h);
    world.run_for(10s);  // nothing is due, and all before is missed
    for (SimNode* node : {&a, &b}) node->step_clock(-1h);
    ASSERT_EQ(state(leader()), "clock_skew");
  }
};

TEST_F(CursorAhead, IsBroughtBack) {
  EXPECT_FALSE(starts_within(2min));
  const core::Reply reply = repair(other(leader()), "", "job");
  EXPECT_TRUE(reply.ok);
  EXPECT_NE(reply.text.find("ahead"), std::string::npos) << reply.text;
  EXPECT_TRUE(starts_within(2min));
  EXPECT_EQ(state(leader()), "active");
  EXPECT_EQ(world.broken_promises(), "");
}

/// As nothing is due, nobody has read the register since.
TEST_F(CursorAhead, OfARegisterThatHasBecomeUnreadableIsBroughtBackTooByOneRepair) {
  edit("fence", "fence ?");
  const core::Reply reply = repair(other(leader()), "", "job");
  EXPECT_TRUE(reply.ok) << reply.text;
  EXPECT_TRUE(starts_within(2min));
  EXPECT_EQ(state(leader()), "active");
}

/// Its slots ahead of the clock are settled in it, and those are not yet in the new leader's ledger.
TEST_F(CursorAhead, OfARegisterThatHasBecomeUnreadableIsBroughtBackByANewLeaderSoThatTheNextOneCanReadIt) {
  SimNode& first = leader();
  SimNode& second = other(first);
  first.crash();
  edit("fence", "fence ?");
  ASSERT_TRUE(world.run_while_not([&] { return second.leads("default"); }, 1min));
  second.ledger.slowest = 500ms;
  EXPECT_TRUE(repair(second, "", "job").ok);
  second.crash();
  first.start();
  ASSERT_TRUE(world.run_while_not([&] { return first.leads("default"); }, 1min));
  world.run_for(1s);
  EXPECT_EQ(state(first), "active");
  EXPECT_TRUE(starts_within(2min));
  EXPECT_EQ(world.broken_promises(), "");
}

// ---- moved and edited while a run is open

struct OpenRunAndAnEdit : ::testing::TestWithParam<int> {
  SimWorld world{static_cast<std::uint64_t>(GetParam())};
  SimNode &a = world.add("a"), &b = world.add("b");
  Job job = minutely();
  WallTime from = world.wall();

  void SetUp() override {
    job.schedule = {"*/5 * * * * *"};
    job.on_leadership_lost = OnLeadershipLost::finish;
    a.jobs = b.jobs = {define(job)};
    a.takes["job"] = b.takes["job"] = 32s;
    a.start();
    world.run_for(1s);
    b.start();
    world.run_for(1min + Millis(700 * GetParam()));
    ASSERT_TRUE(a.leads("default"));
    ASSERT_TRUE(world.run_while_not([&] { return a.open_children() == 1; }, 40s));
  }
  void edit(const Job& to) {
    a.jobs = b.jobs = {define(to)};
    a.load(), b.load();
  }
  void expect_accounted() {
    world.run_for(2min);
    EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 40s), "");
    EXPECT_EQ(world.unaccounted(), "");
    EXPECT_EQ(world.broken_promises(), "");
  }
};

TEST_P(OpenRunAndAnEdit, LosesNoSlotWhereTheJobMoves) {
  world.run_for(3s);
  job.group = "other";
  edit(job);
  world.run_for(50s);
  EXPECT_EQ(world.oracle.job_register("job")->group, "other");
  expect_accounted();
}

TEST_P(OpenRunAndAnEdit, LosesNoSlotWhereTheGroupChangesItsLeaderMeanwhile) {
  world.run_for(3s);
  job.group = "other";
  edit(job);
  world.run_for(5s + Millis(500 * GetParam()));
  world.store.depose("default", Cause::superseded);
  world.run_for(1min);
  EXPECT_EQ(world.oracle.job_register("job")->group, "other");
  expect_accounted();
}

TEST_P(OpenRunAndAnEdit, LosesNoSlotWhereItsLeaderDiesMeanwhile) {
  world.run_for(3s);
  job.group = "other";
  edit(job);
  world.run_for(5s + Millis(500 * GetParam()));
  a.crash();
  world.run_for(1min);
  a.start();
  world.run_for(1min);
  EXPECT_EQ(world.oracle.job_register("job")->group, "other");
  expect_accounted();
}

TEST_P(OpenRunAndAnEdit, LosesNoSlotWhereTheJobIsEdited) {
  world.run_for(3s);
  job.description = "edited";
  edit(job);
  world.run_for(7s);
  job.description = "again";
  edit(job);
  expect_accounted();
}

TEST_P(OpenRunAndAnEdit, LosesNoSlotWhereTheJobGoesAndComesBack) {
  world.run_for(3s);
  a.jobs = b.jobs = {};
  a.load(), b.load();
  world.run_for(Millis(3000 * GetParam()) + 7s);
  edit(job);
  expect_accounted();
}

TEST_P(OpenRunAndAnEdit, KeepsThePhaseOfEveryWhereTheJobMoves) {
  job.schedule = {"@every 7s"};
  edit(job);
  world.run_for(1min);
  ASSERT_TRUE(world.run_while_not([&] { return a.open_children() == 1; }, 40s));
  world.run_for(3s);
  job.group = "other";
  job.schedule = {"@every 7s", "@every 50s"};
  edit(job);
  world.run_for(2min);
  EXPECT_EQ(world.oracle.job_register("job")->group, "other");
  EXPECT_EQ(world.unaccounted(), "");
  EXPECT_EQ(world.broken_promises(), "");
}

INSTANTIATE_TEST_SUITE_P(Times, OpenRunAndAnEdit, ::testing::Range(0, 6));

}  // namespace
}  // namespace ballot
