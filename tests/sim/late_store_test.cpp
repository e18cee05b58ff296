// What is under way when the store answers late, refuses, or does not answer: the end of a term, requests, their
// answers.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/record/register.hpp"
#include "support/sim/core_views.hpp"
#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;
using Kind = core::Request::Kind;

struct LateStore : ::testing::Test {
  SimWorld world;
  SimNode& a = world.add("a");

  bool wait_for_reply(SimNode& node, std::size_t count = 1) {
    return world.run_while_not([&] { return node.replies.size() >= count; }, 1min);
  }
};

// ---- the end of a term

struct LeavesAGroup : LateStore {
  LeavesAGroup() {
    Group group;
    group.name = "empty";
    a.groups = {group};
    a.link.delay_min = a.link.delay_max = 100ms;
    a.start();
  }
  void leave() {
    a.groups.clear();
    a.load();
  }
  void expect_the_end_is_recorded() {
    world.run_for(5s);
    EXPECT_FALSE(a.leads("empty"));
    const auto stored = core::parse_group_register(world.store.list(core::group_register("empty")).front().value);
    ASSERT_TRUE(stored);
    EXPECT_TRUE(stored->ended_at);
    EXPECT_EQ(stored->cause, Cause::resigned);
  }
};

TEST_F(LeavesAGroup, WhileItsRegisterIsBeingWritten) {
  ASSERT_TRUE(world.run_while_not([&] { return a.leads("empty"); }, 5s));
  leave();  // its first write is under way
  expect_the_end_is_recorded();
}

TEST_F(LeavesAGroup, AfterAWriteOfItsRegisterThatWasNotAnswered) {
  const auto takes_over = [&] {
    for (const ShownGroup& view : groups_of(a))
      if (view.name == "empty" && view.state == "reading") return true;
    return false;
  };
  ASSERT_TRUE(world.run_while_not(takes_over, 5s));
  world.run_for(50ms);
  a.link.lose_answer = 1000;  // of what is sent from now on: of its first write
  ASSERT_TRUE(world.run_while_not([&] { return a.leads("empty"); }, 5s));
  world.run_for(a.link.request_timeout - 100ms);
  a.link.lose_answer = 0;
  world.run_for(150ms);  // its outcome is unknown, and it has not been read again
  leave();
  expect_the_end_is_recorded();
}

// ---- kills

/// Asked elsewhere, at each moment around a claim that the store refuses.
struct KillsAClaim : LateStore, ::testing::WithParamInterface<int> {
  const Millis offset{50 * GetParam()};
  SimNode& b = world.add("b");

  void begin(const Job& job) {
    a.jobs = b.jobs = {define(job)};
    a.link.delay_min = a.link.delay_max = 100ms;
    a.start();
    world.run_for(1s);
    b.start();
  }
  void ask_to_kill(const RunId& run) {
    core::Request request;
    request.kind = Kind::kill;
    request.job = "job";
    request.run = run;
    b.ask(request);
  }
  void expect_answers(std::size_t count) {
    world.run_for(1500ms);
    a.link.refuse_write = 0;
    ASSERT_TRUE(world.run_while_not([&] { return b.replies.size() == count; }, 1min));
    for (const core::Reply& reply : b.replies) EXPECT_NE(reply.code, Errc::timeout) << reply.text;
    EXPECT_EQ(a.open_children(), 0);
  }
};

TEST_P(KillsAClaim, OfATriggerAndIsAnswered) {
  begin(minutely());
  world.run_for(70s);
  a.link.refuse_write = 1000;
  const RunId run = b.trigger("job");
  world.run_for(offset);
  ask_to_kill(run);
  expect_answers(2);
  EXPECT_EQ(world.starts.size(), 1u);
}

TEST_P(KillsAClaim, OfAFurtherAttemptAndIsAnswered) {
  Job job = minutely();
  job.retries = 1;
  job.details.edit().retry_delay = 5s;
  begin(job);
  a.exits["job"] = 1;
  ASSERT_TRUE(world.run_while_not([&] { return !world.starts.empty() && world.starts[0].ended; }, 2min));
  world.run_for(5s - 300ms + offset);  // the delay is up to a tenth longer
  a.link.refuse_write = 1000;
  ask_to_kill(world.starts[0].run);
  expect_answers(1);
  EXPECT_EQ(world.starts.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(At, KillsAClaim, ::testing::Range(0, 11));

// ---- triggers

/// Whoever asked waits for a second.
struct TriggerWithoutPatience : LateStore {
  SimNode& b = world.add("b");
  RunId run;

  void SetUp() override {
    Job job = minutely();
    job.on_leadership_lost = OnLeadershipLost::finish;
    a.jobs = b.jobs = {define(job)};
    a.takes["job"] = 20s;
    a.start();
    world.run_for(1s);
    b.start();
    world.run_for(90s);
  }
  void trigger() {
    core::Ask ask;
    ask.asker = 77;
    ask.request.kind = Kind::trigger;
    ask.request.job = "job";
    ask.request.id = run = world.loop.random().run_id(world.wall());
    ask.patience = 1s;
    b.feed(ask);
  }
  void expect_an_acknowledgement() {
    ASSERT_TRUE(wait_for_reply(b));
    EXPECT_TRUE(b.replies[0].ok) << b.replies[0].text;
    EXPECT_EQ(b.replies[0].run, run);
    EXPECT_TRUE(world.oracle.has_started(run));
  }
};

TEST_F(TriggerWithoutPatience, IsAcknowledgedWhereItsAnswerIsReadLate) {
  trigger();
  world.run_for(20ms);
  b.link.answers_cut = true;
  world.run_for(1500ms);
  b.link.answers_cut = false;
  expect_an_acknowledgement();
}

TEST_F(TriggerWithoutPatience, IsAcknowledgedWhereItsLeaderDiedBeforeItCouldAnswer) {
  const std::size_t before = world.starts.size();
  a.link.delay_min = a.link.delay_max = 50ms;  // the answer is on its way when the run has started
  trigger();
  ASSERT_TRUE(world.run_while_not([&] { return world.starts.size() > before; }, 1s));
  ASSERT_EQ(world.starts.back().run, run);
  a.crash();
  world.run_for(500ms);
  EXPECT_TRUE(b.replies.empty());
  expect_an_acknowledgement();
}

TEST_F(TriggerWithoutPatience, ComesToNothingWhereItIsRefused) {
  a.link.cut = true;
  trigger();
  ASSERT_TRUE(wait_for_reply(b));
  EXPECT_EQ(b.replies[0].code, Errc::timeout);
  a.link.cut = false;
  world.run_for(1min);
  EXPECT_FALSE(world.oracle.has_started(run));
}

/// The leader sends its write again until the outcome is known, however long that takes.
TEST_F(TriggerWithoutPatience, ComesToNothingWhereTheStoreLearnsLaterThatItIsQueued) {
  Job job = minutely();
  job.concurrency = Concurrency::queue;
  job.on_leadership_lost = OnLeadershipLost::finish;
  a.jobs = b.jobs = {define(job)};
  a.load();
  b.load();
  ASSERT_TRUE(world.run_while_not([&] { return a.open_children() == 0; }, 1min));
  ASSERT_TRUE(world.run_while_not([&] { return a.open_children() == 1; }, 2min));
  a.link.delay_min = a.link.delay_max = 100ms;
  world.run_for(1s);
  trigger();
  world.run_for(150ms);  // the leader is reading it
  a.link.lose_request = 1000;
  ASSERT_TRUE(wait_for_reply(b));
  EXPECT_EQ(b.replies[0].code, Errc::timeout) << b.replies[0].text;
  a.link.lose_request = 0;
  world.run_for(2min);
  EXPECT_FALSE(world.oracle.has_started(run));
  const std::vector<Row> rows = world.merged();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& one) { return one.run == run; });
  ASSERT_NE(row, rows.end());
  EXPECT_EQ(row->status, Status::missed);
  EXPECT_EQ(row->reason, Reason::start_deadline);
}

// ---- evictions

TEST_F(LateStore, ALoneEvictedNodeThatLosesItsSessionIsBackAtOnce) {
  SimNode& b = world.add("b");
  a.jobs = b.jobs = {define(minutely())};
  a.start();
  world.run_for(1s);
  b.start();
  world.run_for(5s);
  ASSERT_TRUE(a.leads("default"));
  const Millis timeout = a.core().session().timeout();
  core::Request request;
  request.kind = Kind::evict;
  request.group = "default";
  b.ask(request);
  ASSERT_TRUE(world.run_while_not([&] { return b.leads("default"); }, 5s));
  world.run_for(500ms);
  a.link.cut = true;
  b.reboot();
  world.run_for(timeout + 1s);  // it has looked for others meanwhile, without a session
  a.link.cut = false;
  EXPECT_TRUE(world.run_while_not([&] { return a.leads("default"); }, timeout)) << "3 T have passed nearly then";
}

}  // namespace
}  // namespace ballot
