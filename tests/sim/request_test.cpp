// What people ask of any node is done by whoever leads, and survives whoever that is.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/outcome.hpp"
#include "support/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;
using Kind = core::Request::Kind;

core::Request for_group(Kind kind, const std::string& group = "default") {
  core::Request request;
  request.kind = kind;
  request.group = group;
  return request;
}

core::Request for_run(Kind kind) {
  core::Request request;
  request.kind = kind;
  return request;
}

struct Requests : ::testing::Test {
  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");
  WallTime from = world.wall();

  void SetUp() override {
    a.jobs = b.jobs = {define(job("one")), define(job("two"))};
    a.start();
    world.run_for(1s);
    b.start();
    world.run_for(1min + 30s);
    ASSERT_TRUE(a.leads("default"));
  }

  static Job job(const std::string& name) {
    Job job;
    job.name = name;
    job.schedule = {"* * * * *"};
    return job;
  }

  /// All that was asked has gone from the store, once whoever may have died with it is forgotten.
  void expect_no_records() {
    world.run_for(3min);
    EXPECT_TRUE(world.store.list("q/").empty()) << world.store.list("q/").front().name;
    EXPECT_TRUE(world.store.list("o/").empty()) << world.store.list("o/").front().name;
  }

  void expect_accounted() {
    world.run_for(3min);
    for (const auto& defined : a.jobs)
      EXPECT_EQ(world.unaccounted(*defined, from, world.wall() - 2min), "") << defined->job.name;
    EXPECT_EQ(world.broken_promises(), "");
  }

  bool wait_for_reply(SimNode& node, std::size_t count = 1) {
    return world.run_while_not([&] { return node.replies.size() >= count; }, 1min);
  }
};

TEST_F(Requests, ATriggerTakenByAStandByIsRunByTheLeader) {
  const RunId run = b.trigger("one");
  ASSERT_TRUE(wait_for_reply(b));
  EXPECT_TRUE(b.replies[0].ok) << b.replies[0].text;
  EXPECT_EQ(b.replies[0].run, run);
  world.run_for(1s);
  EXPECT_EQ(world.starts.back().run, run);
  EXPECT_EQ(world.starts.back().node, "a");
  expect_no_records();
}

TEST_F(Requests, WhoTriggersElsewhereHearsOfTheEnd) {
  a.exits["one"] = 7;
  core::Request request;
  request.kind = Kind::trigger;
  request.job = "one";
  request.wait = true;
  b.ask(request);
  ASSERT_TRUE(world.run_while_not([&] { return !b.ends.empty(); }, 1min));
  EXPECT_EQ(b.ends[0].row.exit_code, 7);
  EXPECT_EQ(b.replies.size(), 1u);
  expect_no_records();
}

TEST_F(Requests, ATriggerSurvivesTheDeathOfTheLeader) {
  a.link.cut = true;  // it leads still, and does not hear of it
  world.run_for(100ms);
  const RunId run = b.trigger("one");
  world.run_for(500ms);
  a.crash();
  a.link.cut = false;
  ASSERT_TRUE(wait_for_reply(b));
  EXPECT_TRUE(b.replies[0].ok) << b.replies[0].text;
  world.run_for(2s);
  EXPECT_EQ(world.starts.back().run, run);
  EXPECT_EQ(world.starts.back().node, "b");
  expect_no_records();
}

TEST_F(Requests, APauseTakenByAStandByHoldsOverAFailoverUntilItIsEnded) {
  b.pause("one", true);
  ASSERT_TRUE(wait_for_reply(b));
  EXPECT_TRUE(b.replies[0].ok);
  const std::size_t before = world.starts_of("one");
  a.reboot();
  world.run_for(3min);
  ASSERT_TRUE(b.leads("default"));
  EXPECT_EQ(world.starts_of("one"), before);
  b.pause("one", false);
  ASSERT_TRUE(wait_for_reply(b, 2));
  expect_accounted();
  EXPECT_GT(world.starts_of("one"), before);
}

TEST_F(Requests, APausedGroupStartsNothingAndAccountsForWhatItPassed) {
  b.ask(for_group(Kind::pause));
  ASSERT_TRUE(wait_for_reply(b));
  EXPECT_TRUE(b.replies[0].ok) << b.replies[0].text;
  const std::size_t before = world.starts.size();
  world.run_for(3min);
  a.crash();
  world.run_for(3min);
  EXPECT_EQ(world.starts.size(), before);
  ASSERT_TRUE(b.leads("default"));
  b.ask(for_group(Kind::resume));
  ASSERT_TRUE(wait_for_reply(b, 2));
  EXPECT_TRUE(b.replies[1].ok) << b.replies[1].text;
  expect_accounted();
  EXPECT_GT(world.starts.size(), before);
  int paused = 0;
  for (const Row& row : b.rows()) paused += row.reason == Reason::paused ? 1 : 0;
  EXPECT_GE(paused, 10);
  expect_no_records();
}

TEST_F(Requests, PausesAndResumptionsOfAGroupAreDoneInTheOrderInWhichTheyWereAsked) {
  a.freeze();  // so that the leader hears of all at once
  b.ask(for_group(Kind::resume)), world.run_for(10ms), b.ask(for_group(Kind::pause));
  world.run_for(1s);
  a.thaw();
  world.run_for(3s);
  const std::size_t before = world.starts.size();
  world.run_for(3min);
  EXPECT_EQ(world.starts.size(), before) << "the pause came last";
  a.freeze();
  b.ask(for_group(Kind::pause)), world.run_for(10ms), b.ask(for_group(Kind::resume));
  world.run_for(1s);
  a.thaw();
  world.run_for(3min);
  EXPECT_GT(world.starts.size(), before);
  expect_accounted();
}

TEST_F(Requests, AKillReachesTheNodeThatExecutesTheRun) {
  a.takes["one"] = 10min;
  world.run_for(1min);
  ASSERT_EQ(a.open_children(), 1);
  const std::string run = world.starts.back().job == "one" ? world.starts.back().run.text()
                                                           : world.starts[world.starts.size() - 2].run.text();
  b.ask(for_run(Kind::kill), run.substr(28));
  ASSERT_TRUE(wait_for_reply(b));
  EXPECT_TRUE(b.replies[0].ok) << b.replies[0].text;
  EXPECT_EQ(a.open_children(), 0);
  bool killed = false;
  for (const Row& row : a.rows()) killed = killed || (row.status == Status::killed && row.reason == Reason::operator_);
  EXPECT_TRUE(killed);
  expect_no_records();
}

TEST_F(Requests, AKillOfARunThatHasJustEndedIsAnsweredOnceTheRegisterShowsItNoMore) {
  a.takes["one"] = 10min;
  world.run_for(1min);
  const std::string run = world.starts.back().job == "one" ? world.starts.back().run.text()
                                                           : world.starts[world.starts.size() - 2].run.text();
  b.ask(for_run(Kind::kill), run);
  ASSERT_TRUE(wait_for_reply(b));
  b.ask(for_run(Kind::kill), run);
  world.run_for(5s);
  ASSERT_EQ(b.replies.size(), 2u);
  EXPECT_EQ(b.replies[1].code, Errc::not_found) << b.replies[1].text;
  expect_no_records();
}

TEST_F(Requests, ARunThatNobodyHasIsNotFound) {
  b.ask(for_run(Kind::kill), "0123456789ab");
  b.ask(for_run(Kind::forget), "0123456789ab");
  ASSERT_TRUE(wait_for_reply(b, 2));
  for (const core::Reply& reply : b.replies) EXPECT_EQ(reply.code, Errc::not_found) << reply.text;
}

TEST_F(Requests, WhatNobodyAnswersIsGivenUpAndNotDoneLater) {
  a.link.cut = true;
  world.run_for(100ms);
  core::Request request;
  request.kind = Kind::trigger;
  request.job = "one";
  request.id = world.loop.random().run_id(world.wall());
  b.feed(core::Ask{77, request, {}, 1s});
  ASSERT_TRUE(wait_for_reply(b));
  EXPECT_EQ(b.replies[0].code, Errc::timeout);
  a.link.cut = false;
  world.run_for(1min);
  for (const Start& start : world.starts) EXPECT_NE(start.run, request.id);
  expect_no_records();
}

TEST_F(Requests, AnEvictedLeaderHandsOverAndStaysOutForAWhile) {
  const Millis timeout = a.core().session().timeout();
  b.ask(for_group(Kind::evict));
  ASSERT_TRUE(wait_for_reply(b));
  EXPECT_TRUE(b.replies[0].ok) << b.replies[0].text;
  world.run_for(500ms);
  EXPECT_TRUE(b.leads("default"));
  EXPECT_EQ(b.terms().size(), 1u) << "who leads next was not meant";
  b.stop();
  world.run_for(timeout / 2);
  EXPECT_TRUE(a.leads("default")) << "it is the only candidate";
  bool evicted = false;
  for (const TermRow& term : a.terms()) evicted = evicted || term.cause == Cause::evicted;
  EXPECT_TRUE(evicted);
}

TEST_F(Requests, AnEvictedLeaderIsNoCandidateForThreeTimeoutsWhereThereIsAnother) {
  const Millis timeout = a.core().session().timeout();
  const auto takes_part = [&] {
    for (const Election& election : world.store.observe("default"))
      for (const Candidate& candidate : election.candidates)
        if (candidate.node == "a") return true;
    return false;
  };
  b.ask(for_group(Kind::evict));
  ASSERT_TRUE(wait_for_reply(b));
  world.run_for(timeout);
  ASSERT_TRUE(b.leads("default"));
  EXPECT_FALSE(takes_part());
  world.run_for(2 * timeout - 500ms);
  EXPECT_FALSE(takes_part());
  world.run_for(2s);
  EXPECT_TRUE(takes_part());
}

TEST_F(Requests, AnEvictionWaitsForRunsAndThenEndsThem) {
  a.takes["one"] = 20min;
  world.run_for(1min);
  b.ask(for_group(Kind::evict));
  world.run_for(20s);
  EXPECT_TRUE(a.leads("default"));
  world.run_for(20s);
  EXPECT_TRUE(b.leads("default"));
  EXPECT_EQ(a.open_children(), 0);
  expect_accounted();
}

struct Outcomes : Requests {
  void SetUp() override {
    Job finish = job("one");
    finish.on_leadership_lost = OnLeadershipLost::finish;
    finish.lost_after = 10min;
    a.jobs = b.jobs = {define(finish)};
    a.takes["one"] = b.takes["one"] = 150s;
    a.start();
    world.run_for(1s);
    b.start();
    world.run_for(1min + 5s);
    ASSERT_TRUE(a.leads("default"));
    ASSERT_EQ(a.open_children(), 1);
  }
};

// S32 sim
TEST_F(Outcomes, ARunThatFinishesAfterItsTermClosesTheOpenRun) {
  a.link.cut = true;
  world.run_for(1min);
  ASSERT_TRUE(b.leads("default"));
  EXPECT_EQ(a.open_children(), 1) << "`finish` runs go on";
  EXPECT_EQ(world.starts_of("one"), 1u) << "`skip` holds while it goes on";
  a.link.cut = false;
  world.run_for(5min);
  EXPECT_GT(world.starts_of("one"), 1u) << "and goes on once it has ended";
  const Row* row = b.row("one", world.starts[0].slot);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->status, Status::succeeded);
  EXPECT_EQ(row->node, "a");
  a.takes["one"] = b.takes["one"] = 1s;
  expect_accounted();
  expect_no_records();
}

TEST_F(Outcomes, ARestartedNodeThatDoesNotLeadPublishesWhatItsRunnerKept) {
  a.crash();
  world.run_for(3min);
  ASSERT_TRUE(b.leads("default"));
  ASSERT_EQ(world.starts_of("one"), 1u);
  a.start();
  world.run_for(2min);
  EXPECT_GT(world.starts_of("one"), 1u);
  const Row* row = b.row("one", world.starts[0].slot);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->status, Status::succeeded);
}

/// The leader hears of a job that another node has run only when its own files are there.
TEST_F(Requests, AnOutcomeIsFoundAlsoWhereTheRegisterIsReadInTheMiddleOfATerm) {
  Job fresh = job("new");
  fresh.on_leadership_lost = OnLeadershipLost::finish;
  a.takes["new"] = 50s;
  const auto before = a.jobs;
  a.jobs.push_back(define(fresh));
  a.load();
  world.run_for(35s);
  ASSERT_EQ(world.starts_of("new"), 1u);
  a.link.cut = true;
  world.run_for(1min);
  ASSERT_TRUE(b.leads("default"));
  a.link.cut = false;
  a.jobs = before;
  a.load();
  world.run_for(20s);
  ASSERT_EQ(world.store.list("o/").size(), 1u);
  b.jobs.push_back(define(fresh));
  b.load();
  world.run_for(5s);
  const Start& start =
      *std::find_if(world.starts.begin(), world.starts.end(), [](const Start& s) { return s.job == "new"; });
  const Row* row = b.row("new", start.slot);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->status, Status::succeeded) << to_string(row->reason);
  EXPECT_TRUE(world.store.list("o/").empty());
}

TEST_F(Outcomes, OfAJobThatNobodyLeadsAreRemovedOnceSomebodyDoes) {
  const auto jobs = b.jobs;
  a.link.cut = true;
  world.run_for(30s);
  ASSERT_TRUE(b.leads("default"));
  core::Request forget = for_run(Kind::forget);
  b.ask(forget, world.starts[0].run.text());
  ASSERT_TRUE(wait_for_reply(b));
  b.jobs = {define(job("two"))};
  b.load();
  a.jobs = b.jobs;
  a.load();
  world.run_for(10s);
  a.link.cut = false;
  world.run_for(2min);  // it has ended, and its outcome is published
  ASSERT_EQ(world.store.list("o/").size(), 1u);
  b.jobs = jobs;
  b.load();
  a.jobs = jobs;
  a.load();
  world.run_for(10s);
  EXPECT_TRUE(world.store.list("o/").empty());
}

TEST_F(Outcomes, ANodeThatNeverComesBackLosesItsRunAfterAWhile) {
  a.reboot();
  world.run_for(8min);
  EXPECT_EQ(world.starts_of("one"), 1u);
  world.run_for(5min);
  EXPECT_GT(world.starts_of("one"), 1u);
  const Row* row = b.row("one", world.starts[0].slot);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->status, Status::lost);
  EXPECT_EQ(row->reason, Reason::node_died);
}

TEST_F(Outcomes, ForgettingARunClosesItAtOnce) {
  a.reboot();
  world.run_for(1min);
  b.ask(for_run(Kind::forget), world.starts[0].run.text());
  ASSERT_TRUE(wait_for_reply(b));
  EXPECT_TRUE(b.replies[0].ok) << b.replies[0].text;
  world.run_for(2min);
  EXPECT_GT(world.starts_of("one"), 1u);
  EXPECT_EQ(b.row("one", world.starts[0].slot)->reason, Reason::forgotten);
}

TEST_F(Outcomes, ACleanStopLeavesFinishRunsToTheRunner) {
  a.stop();
  world.run_for(5s);
  EXPECT_TRUE(a.stopped());
  EXPECT_TRUE(b.leads("default"));
  EXPECT_EQ(a.open_children(), 1);
}

struct AtLeastOnce : Requests {
  void SetUp() override {
    Job again = job("one");
    again.guarantee = Guarantee::at_least_once;
    again.lost_limit = 2;
    a.jobs = b.jobs = {define(again)};
    a.takes["one"] = b.takes["one"] = 30s;
    a.start();
    world.run_for(1s);
    b.start();
    world.run_for(1min + 5s);
    ASSERT_TRUE(a.leads("default"));
    ASSERT_EQ(a.open_children(), 1);
  }
};

TEST_F(AtLeastOnce, ALostRunIsRunAgainUnderItsIdWithAHigherFence) {
  a.reboot();
  world.run_for(1min);
  ASSERT_GE(world.starts.size(), 2u);
  EXPECT_EQ(world.starts[1].run, world.starts[0].run);
  EXPECT_EQ(world.starts[1].slot, world.starts[0].slot);
  EXPECT_EQ(world.starts[1].attempt, 2);
  EXPECT_GT(world.starts[1].fence, world.starts[0].fence);
  EXPECT_EQ(world.starts[1].node, "b");
  expect_accounted();
}

TEST_F(AtLeastOnce, ARunThatIsLostTooOftenHasFailed) {
  a.reboot();
  ASSERT_TRUE(world.run_while_not([&] { return b.open_children() == 1; }, 1min));
  b.reboot();
  a.start();
  world.run_for(10min);
  b.start();
  world.run_for(1min);
  int attempts = 0;
  for (const Start& start : world.starts) attempts += start.run == world.starts[0].run ? 1 : 0;
  EXPECT_EQ(attempts, 2);
  bool failed = false;
  for (const Row& row : a.rows()) failed = failed || row.reason == Reason::lost_limit;
  EXPECT_TRUE(failed);
  expect_accounted();
}

struct Halts : Requests {
  void break_register(const std::string& text) {
    SimStore::Contents contents = world.store.contents();
    Register& broken = contents.registers.at("j/one");
    broken.value = text;
    broken.version = ++contents.revision;
    world.store.restore(contents);
  }
};

TEST_F(Halts, AnUnreadableRegisterHaltsTheJobUntilItIsRepaired) {
  a.crash();
  std::string text = world.store.list("j/one").front().value;
  text.replace(text.find("definition"), 10, "\x01\x02\x03");
  text += "run nobody\n";
  break_register(text);
  world.run_for(3min);
  ASSERT_TRUE(b.leads("default"));
  const std::size_t before = world.starts_of("one");
  std::uint64_t fence = 0;
  for (const Start& start : world.starts)
    if (start.job == "one") fence = std::max(fence, start.fence);
  world.run_for(3min);
  EXPECT_EQ(world.starts_of("one"), before);
  b.trigger("one");
  ASSERT_TRUE(wait_for_reply(b));
  EXPECT_EQ(b.replies[0].code, Errc::refused) << b.replies[0].text;
  b.ask(Kind::repair, "one");
  ASSERT_TRUE(wait_for_reply(b, 2));
  EXPECT_TRUE(b.replies[1].ok) << b.replies[1].text;
  world.run_for(3min);
  EXPECT_GT(world.starts_of("one"), before);
  EXPECT_GT(world.starts.back().fence, fence);
  int halted = 0;
  for (const Row& row : b.rows()) halted += row.reason == Reason::halted ? 1 : 0;
  EXPECT_GE(halted, 5) << "the slots of the halt are accounted for";
}

TEST_F(Halts, ARegisterOfANewerFormatIsNotRepaired) {
  a.crash();
  break_register("ballot 2\ngroup default\n");
  world.run_for(1min);
  b.ask(Kind::repair, "one");
  ASSERT_TRUE(wait_for_reply(b));
  EXPECT_FALSE(b.replies[0].ok);
  EXPECT_EQ(world.store.list("j/one").front().value, "ballot 2\ngroup default\n");
}

TEST_F(Halts, AStoreThatHasGoneBackHaltsTheGroupUntilItIsRepaired) {
  const auto snapshot = world.store.contents();
  world.run_for(5min);
  a.link.cut = b.link.cut = true;
  world.run_for(1min);
  world.store.restore(snapshot);
  a.link.cut = b.link.cut = false;
  const std::size_t before = world.starts.size();
  world.run_for(5min);
  EXPECT_EQ(world.starts.size(), before);
  SimNode& leader = a.leads("default") ? a : b;
  b.ask(for_group(Kind::repair));
  ASSERT_TRUE(wait_for_reply(b));
  EXPECT_TRUE(b.replies[0].ok) << b.replies[0].text;
  world.run_for(3min);
  EXPECT_GT(world.starts.size(), before);
  EXPECT_EQ(world.broken_promises(), "");
  (void)leader;
}

TEST_F(Halts, AStoreThatHasLostWhatItHadAcknowledgedHaltsWhatTheNodeLeadsUntilItIsRepaired) {
  backend::Renewed renewed;
  renewed.outcome = Outcome::done;
  renewed.gone_back = true;
  renewed.text = "version 3 was given, and 4 had been acknowledged";
  a.feed(BackendEvent{1, renewed});
  world.run_for(1s);
  const std::size_t before = world.starts.size();
  world.run_for(5min);
  EXPECT_EQ(world.starts.size(), before);
  EXPECT_NE(world.store.list("g/default").front().value.find("4 had been acknowledged"), std::string::npos);
  a.ask(for_group(Kind::repair));
  ASSERT_TRUE(wait_for_reply(a));
  EXPECT_TRUE(a.replies[0].ok) << a.replies[0].text;
  world.run_for(3min);
  EXPECT_GT(world.starts.size(), before);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Requests, WhoAskedIsInTheLogOfTheNodeThatDoesIt) {
  core::Request request;
  request.kind = Kind::trigger;
  request.job = "one";
  request.by = "mallory";
  b.ask(request);
  ASSERT_TRUE(wait_for_reply(b));
  const auto told = [](const SimNode& node) {
    return std::any_of(node.notices.begin(), node.notices.end(), [](const core::Notice& notice) {
      const auto has = [&](const char* key, const char* value) {
        return std::any_of(notice.fields.begin(), notice.fields.end(),
                           [&](const auto& field) { return field.first == key && field.second == value; });
      };
      return notice.text == "request taken" && has("by", "mallory") && has("request", "trigger") && has("job", "one");
    });
  };
  EXPECT_TRUE(told(a)) << "it leads";
  EXPECT_FALSE(told(b));
}

}  // namespace
}  // namespace ballot
