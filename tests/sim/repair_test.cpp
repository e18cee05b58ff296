// A store that has gone back, registers that somebody has edited, and what `repair` makes of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/wall_text.hpp"
#include "support/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;
using Kind = core::Request::Kind;

/// Two nodes that have both led: each has seen the group's and the job's register.
struct Repair : ::testing::Test {
  SimWorld world;
  SimNode &a = world.add("a"), &b = world.add("b");
  Job job = minutely();
  WallTime from = world.wall();

  void start() {
    a.jobs = b.jobs = {define(job)};
    a.start();
    world.run_for(1s);
    b.start();
    world.run_for(2min);
    hand_over(a);
    world.run_for(2min);
    hand_over(b);
    world.run_for(2min);
    ASSERT_TRUE(a.leads("default"));
  }

  SimNode& other(SimNode& node) { return &node == &a ? b : a; }
  SimNode& leader() { return a.running() && a.leads("default") ? a : b; }
  /// From this leader to the other node.
  void hand_over(SimNode& leader) {
    core::Request request;
    request.kind = Kind::evict;
    request.group = "default";
    ASSERT_TRUE(leader.leads("default"));
    leader.ask(request);
    ASSERT_TRUE(world.run_while_not([&] { return other(leader).leads("default"); }, 1min));
  }
  void hand_over_to(SimNode& led, SimNode& to) {
    core::Request request;
    request.kind = Kind::evict;
    request.group = "default";
    led.ask(request);
    ASSERT_TRUE(world.run_while_not([&] { return to.leads("default"); }, 1min));
  }
  void wipe() {
    world.store.restore({});
    ASSERT_TRUE(world.run_while_not([&] { return a.leads("default") || b.leads("default"); }, 2min));
    world.run_for(10s);
  }
  core::Reply repair(SimNode& node, const std::string& group = "default", const std::string& of_job = "") {
    core::Request request;
    request.kind = Kind::repair;
    request.group = of_job.empty() ? group : "";
    request.job = of_job;
    node.replies.clear();
    node.ask(request);
    world.run_while_not([&] { return !node.replies.empty(); }, 40s);
    return node.replies.empty() ? core::Reply{} : node.replies.front();
  }
  static std::string halted(SimNode& node) {
    for (const core::GroupView& group : node.core().groups())
      if (group.name == "default") return group.halted;
    return "";
  }
  static std::string state(SimNode& node) { return node.core().jobs(node.clock.now())[0].state; }
  bool starts_within(Millis limit) {
    const std::size_t before = world.starts_of("job");
    return world.run_while_not([&] { return world.starts_of("job") > before; }, limit);
  }
  std::size_t count(SimNode& node, const std::string& text) {
    return static_cast<std::size_t>(std::count_if(node.notices.begin(), node.notices.end(), [&](const auto& notice) {
      return notice.text.find(text) != std::string::npos;
    }));
  }
  void expect_accounted() {
    world.run_for(1min + 10s);
    EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 10s), "");
    EXPECT_EQ(world.broken_promises(), "");
  }
  /// As somebody would with the store's own tools, while daemons run.
  void edit(const std::string& field, const std::string& line) {
    auto contents = world.store.contents();
    Register& stored = contents.registers.at("j/job");
    const std::size_t at = stored.value.find("\n" + field + " ") + 1;
    ASSERT_NE(at, 0u) << stored.value;
    stored.value.replace(at, stored.value.find('\n', at) - at, line);
    stored.version = ++contents.revision;
    world.store.edit(std::move(contents));
    world.oracle.edited("job");
  }
};

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
  job.retry_delay = job.retry_max_delay = 20s;
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
  job.retry_delay = 20s;
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

// ---- registers that somebody has edited

struct Edited : Repair, testing::WithParamInterface<std::pair<const char*, const char*>> {};

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
                                           Line{"group", ""}, Line{"cursor", ""},
                                           Line{"definition", "definition another"}, Line{"epoch", "epoch 99"},
                                           Line{"cursor", "cursor 2027-01-01T00:00:00Z"},
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

TEST_F(Repair, BringsNoCursorBehindASlotThatWasClaimed) {
  start();
  for (SimNode* node : {&a, &b}) node->step_clock(1h);
  world.run_for(20s);
  for (SimNode* node : {&a, &b}) node->step_clock(-1h);
  ASSERT_EQ(state(leader()), "clock_skew");
  EXPECT_TRUE(repair(other(leader()), "", "job").ok);
  EXPECT_FALSE(starts_within(2min)) << "they would be started twice";
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

/// As nothing is due, nobody has looked at the register since.
TEST_F(CursorAhead, OfARegisterThatHasBecomeUnreadableIsBroughtBackTooByOneRepair) {
  edit("fence", "fence ?");
  const core::Reply reply = repair(other(leader()), "", "job");
  EXPECT_TRUE(reply.ok) << reply.text;
  EXPECT_TRUE(starts_within(2min));
  EXPECT_EQ(state(leader()), "active");
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

INSTANTIATE_TEST_SUITE_P(Times, OpenRunAndAnEdit, testing::Range(0, 6));

}  // namespace
}  // namespace ballot
