// Jobs that run on each node: every node has an instance of its own, which nobody else runs, settles or pauses.
#include <gtest/gtest.h>

#include "support/sim/core_views.hpp"
#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

struct EachNode : ::testing::Test {
  SimWorld world;
  WallTime from = world.wall();

  SimNode& start(const std::string& name, const Job& job = minutely()) {
    SimNode& node = world.add(name);
    node.jobs = {define_on(name, job)};
    node.start();
    return node;
  }
  std::string unaccounted(const SimNode& node, WallTime since, WallTime until) const {
    return world.unaccounted(*node.jobs[0], since, until);
  }
  core::Reply ask(SimNode& node, core::Request::Kind kind, const std::string& job, RunId run = {}) {
    core::Request request;
    request.kind = kind;
    request.job = job;
    request.run = run;
    return ask(node, request);
  }
  core::Reply ask_group(SimNode& node, core::Request::Kind kind, const std::string& group) {
    core::Request request;
    request.kind = kind;
    request.group = group;
    return ask(node, request);
  }
  core::Reply ask(SimNode& node, const core::Request& request) {
    node.replies.clear();
    node.ask(request);
    world.run_while_not([&] { return !node.replies.empty(); }, 31s);
    return node.replies.empty() ? core::Reply{0, false, "no answer", {}, Errc::timeout} : node.replies[0];
  }
  std::size_t starts_since(const std::string& job, SteadyTime since) const {
    return static_cast<std::size_t>(std::count_if(world.starts.begin(), world.starts.end(), [&](const Start& start) {
      return start.job == job && start.at > since;
    }));
  }
};

TEST_F(EachNode, RunsEachOfItsSlotsOnceAndNoneOfAnother) {
  SimNode &a = start("a"), &b = start("b");
  world.run_for(5min + 30s);
  for (SimNode* node : {&a, &b}) {
    EXPECT_EQ(unaccounted(*node, from, world.wall() - 1min), "");
    EXPECT_EQ(world.starts_of("job@" + node->name), 5u);
    EXPECT_TRUE(node->leads("default@" + node->name));
    for (const Row& row : node->rows()) EXPECT_EQ(row.job, "job@" + node->name);
  }
  EXPECT_NE(a.leads("default"), b.leads("default")) << "the group of the files has its election too";
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(EachNode, ThatIsGoneCatchesUpWhenItIsBack) {
  Job job = minutely();
  job.misfire = Misfire::all;
  job.start_deadline = 1h;
  SimNode& a = start("a", job);
  start("b", job);
  world.run_for(2min + 30s);
  a.reboot();
  world.run_for(10min);
  EXPECT_EQ(world.starts_of("job@a"), 2u);
  EXPECT_EQ(world.starts_of("job@b"), 12u);
  a.start();
  world.run_for(2min);
  EXPECT_EQ(unaccounted(a, from, world.wall() - 1min), "");
  EXPECT_EQ(world.starts_of("job@a"), 14u) << "each of its own slots";
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(EachNode, ThatHasItNoLongerSaysSoOfItsOwnSlots) {
  SimNode &a = start("a"), &b = start("b");
  world.run_for(2min + 30s);
  a.jobs = {define(minutely())};  // it runs where its group is led now
  a.load();
  b.jobs = a.jobs;
  b.load();
  world.run_for(3min);
  EXPECT_EQ(world.starts_of("job@a"), 2u);
  EXPECT_EQ(world.starts_of("job"), 3u) << "a job of its own";
  const core::JobRegister* left = world.oracle.job_register("job@b");
  ASSERT_TRUE(left);
  EXPECT_TRUE(left->released);
  EXPECT_FALSE(a.leads("default@a"));
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(EachNode, DriftsWithTheGroupThatItsFileNames) {
  SimNode &a = start("a"), &b = start("b");
  world.run_for(1min);
  for (SimNode* node : {&a, &b}) EXPECT_EQ(jobs_of(*node)[0].state, "active");
  Job other = minutely();
  other.description = "otherwise";
  b.jobs = {define_on("b", other)};
  b.load();
  world.run_for(2min);
  EXPECT_EQ(jobs_of(a)[0].state, "drift");
  EXPECT_EQ(jobs_of(b)[0].state, "drift");
  a.jobs = {define_on("a", other)};
  a.load();
  world.run_for(2min);
  EXPECT_EQ(jobs_of(a)[0].state, "active");
}

TEST_F(EachNode, IsAskedByItsNameWhereverSomebodyAsks) {
  SimNode& a = start("a");
  world.run_for(10s);
  SimNode& b = start("b");
  world.run_for(10s);
  const auto reply = ask(a, core::Request::Kind::trigger, "job@b");
  EXPECT_TRUE(reply.ok) << reply.text;
  world.run_for(1s);
  EXPECT_EQ(world.starts_of("job@b"), 1u) << "though a has never seen its register";
  const auto all = ask(b, core::Request::Kind::trigger, "job");
  EXPECT_EQ(all.code, Errc::invalid);
  EXPECT_EQ(all.text, "job job runs on each node: name one of its instances, as job@b");
  b.jobs = {};
  b.load();
  world.run_for(1s);
  const auto none = ask(a, core::Request::Kind::pause, "job@b");
  EXPECT_EQ(none.code, Errc::not_found) << none.text;
}

TEST_F(EachNode, HasAGroupThatIsAskedWhereverSomebodyAsks) {
  using Kind = core::Request::Kind;
  SimNode &a = start("a"), &b = start("b");
  world.run_for(10s);
  const auto paused = ask_group(a, Kind::pause, "default@b");
  EXPECT_TRUE(paused.ok) << paused.text;
  const SteadyTime since = world.loop.now();
  world.run_for(3min);
  EXPECT_EQ(starts_since("job@b", since), 0u);
  EXPECT_EQ(starts_since("job@a", since), 3u) << "no other node's group is paused";
  EXPECT_TRUE(ask_group(a, Kind::resume, "default@b").ok);
  world.run_for(1min);
  EXPECT_EQ(starts_since("job@b", since), 1u);
  const auto unknown = ask_group(a, Kind::pause, "other@b");
  EXPECT_EQ(unknown.code, Errc::not_found) << unknown.text;
  b.jobs = {};
  b.load();
  world.run_for(1min);
  const auto none = ask_group(a, Kind::pause, "default@b");
  EXPECT_EQ(none.code, Errc::not_found) << none.text;
  EXPECT_EQ(ask_group(b, Kind::pause, "default@b").code, Errc::not_found);
  EXPECT_EQ(world.broken_promises(), "");
}

struct EachPaused : EachNode {
  using Kind = core::Request::Kind;

  /// As `ballot pause job` does it.
  void pause_all(SimNode& at, std::initializer_list<const char*> living, const std::string& job = "job") {
    const auto reply = ask(at, Kind::pause, job);
    ASSERT_TRUE(reply.ok) << reply.text;
    for (const char* node : living) {
      const auto followed = ask(at, Kind::pause, job + "@" + node, *reply.run);
      EXPECT_TRUE(followed.ok) << node << ": " << followed.text;
    }
  }
  SimNode& a = start("a");
  SimNode& b = start("b");
};

TEST_F(EachPaused, HoldsForAllAndForNodesThatComeLater) {
  world.run_for(1min + 30s);
  pause_all(a, {"a", "b"});
  const SteadyTime paused = world.loop.now();
  SimNode& c = start("c");
  world.run_for(5min);
  for (const char* job : {"job@a", "job@b", "job@c"}) EXPECT_EQ(starts_since(job, paused), 0u) << job;
  EXPECT_EQ(jobs_of(c)[0].state, "paused");
  EXPECT_TRUE(ask(c, Kind::resume, "job").ok);
  const SteadyTime resumed = world.loop.now();
  world.run_for(2min);
  for (const char* job : {"job@a", "job@b", "job@c"}) EXPECT_EQ(starts_since(job, resumed), 2u) << job;
  for (SimNode* node : {&a, &b}) EXPECT_EQ(unaccounted(*node, from, world.wall() - 1min), "");
  const auto skipped = b.rows();
  EXPECT_TRUE(std::any_of(skipped.begin(), skipped.end(), [](const Row& row) { return row.reason == Reason::paused; }));
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(EachPaused, IsFollowedByANodeThatWasAway) {
  world.run_for(1min + 30s);
  a.crash();
  world.run_for(20s);
  pause_all(b, {"b"});
  const SteadyTime paused = world.loop.now();
  a.start();
  world.run_for(5min);
  EXPECT_EQ(starts_since("job@a", paused), 0u);
  a.crash();
  EXPECT_TRUE(ask(b, Kind::resume, "job").ok);
  world.run_for(20s);
  a.start();
  const SteadyTime back = world.loop.now();
  world.run_for(3min);
  EXPECT_GE(starts_since("job@a", back), 2u) << "it was taken back meanwhile";
  EXPECT_EQ(unaccounted(a, from, world.wall() - 1min), "");
  EXPECT_EQ(world.broken_promises(), "");
}

/// Its node has not seen the end of it, which holds from when it was asked for.
TEST_F(EachPaused, HasEndedForANodeThatWasAwayWhenItWasResumed) {
  Job job = minutely("late");
  job.misfire = Misfire::all;
  job.start_deadline = 1h;
  for (SimNode* node : {&a, &b}) node->jobs = {define_on(node->name, job)}, node->load();
  world.run_for(1min + 30s);
  pause_all(b, {"a", "b"}, "late");
  world.run_for(2min);
  a.crash();
  world.run_for(2min);
  core::Request request;
  request.kind = Kind::resume;
  request.job = "late";
  request.by = "b uid 0";
  const WallTime resumed = world.wall();
  ASSERT_TRUE(ask(b, request).ok);
  world.run_for(5min);
  a.start();
  world.run_for(2min);
  int paused = 0, ran = 0;
  for (const Row& row : a.rows()) {
    if (row.job != "late@a" || row.slot < from + 2min) continue;
    EXPECT_EQ(row.reason, row.slot <= resumed ? Reason::paused : Reason::none) << line_of(row);
    row.slot <= resumed ? ++paused : ++ran;
  }
  EXPECT_EQ(paused, 4);
  EXPECT_GE(ran, 6);
  const auto requests = a.ledger.requests();
  const auto resumption = std::find_if(requests.begin(), requests.end(), [](const RequestRow& one) {
    return one.kind == "resume" && one.job == "late@a";
  });
  ASSERT_NE(resumption, requests.end());
  EXPECT_EQ(resumption->by, "b uid 0");
  EXPECT_LT(resumption->at - resumed, 1s);
  EXPECT_EQ(unaccounted(a, from, world.wall() - 1min), "");
  EXPECT_EQ(world.broken_promises(), "");
}

struct EachPausedUntil : EachPaused {
  WallTime ends{};

  core::Request until(Millis lasts) {
    core::Request request;
    request.kind = Kind::pause;
    request.job = "job";
    request.terms = {ends = world.wall() + lasts, "disks are changed"};
    request.by = "a uid 7";
    return request;
  }
};

TEST_F(EachPausedUntil, AnEndEndsByItselfOnEachNodeAndNobodyFollowsItThen) {
  world.run_for(1min + 30s);
  ASSERT_TRUE(ask(a, until(3min)).ok);
  const SteadyTime paused = world.loop.now();
  world.run_for(2min + 50s);
  for (const char* job : {"job@a", "job@b"}) EXPECT_EQ(starts_since(job, paused), 0u) << job;
  world.run_for(1min);
  SimNode& c = start("c");
  world.run_for(2min);
  for (const char* job : {"job@a", "job@b"}) EXPECT_EQ(starts_since(job, paused), 3u) << job;
  EXPECT_EQ(starts_since("job@c", paused), 2u) << "for it there is none";
  for (SimNode* node : {&a, &b, &c}) EXPECT_EQ(jobs_of(*node)[0].state, "active");
  for (SimNode* node : {&a, &b}) EXPECT_EQ(unaccounted(*node, from, world.wall() - 1min), "");
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(EachPausedUntil, AnEndIsPausedAnewAfterItAndNotByNodesThatCameMeanwhileBefore) {
  world.run_for(1min + 30s);
  ASSERT_TRUE(ask(a, until(1min)).ok);
  world.run_for(1s);
  const auto other = ask(b, until(2min));
  EXPECT_EQ(other.code, Errc::conflict);
  EXPECT_NE(other.text.find("by a uid 7, until "), std::string::npos) << other.text;
  world.run_for(2min);
  ASSERT_TRUE(ask(b, until(3min)).ok);
  world.run_for(100ms);
  const SteadyTime paused = world.loop.now();
  SimNode& c = start("c");
  world.run_for(2min + 50s);
  for (const char* job : {"job@a", "job@b", "job@c"}) EXPECT_EQ(starts_since(job, paused), 0u) << job;
  world.run_for(3min);
  for (const char* job : {"job@a", "job@b", "job@c"}) EXPECT_EQ(starts_since(job, paused), 3u) << job;
  EXPECT_TRUE(ask(c, Kind::resume, "job").ok) << "it takes back what is over";
  world.run_for(1min);
  EXPECT_TRUE(world.store.list("p/job").empty());
  EXPECT_EQ(world.broken_promises(), "");
}

/// It has followed it, and comes back after the end; and another one has not, and comes back as late.
TEST_F(EachPausedUntil, AnEndHasEndedAtThatForANodeThatWasAway) {
  Job job = minutely();
  job.misfire = Misfire::all;
  job.start_deadline = 1h;
  for (SimNode* node : {&a, &b}) node->jobs = {define_on(node->name, job)}, node->load();
  world.run_for(1min + 30s);
  SimNode& c = start("c", job);
  world.run_for(10s);
  c.crash();
  world.run_for(20s);
  ASSERT_TRUE(ask(b, until(4min)).ok);
  const WallTime since = world.wall();
  world.run_for(1min);
  a.crash();
  world.run_for(8min);
  a.start(), c.start();
  world.run_for(2min);
  int paused = 0, ran = 0;
  for (const Row& row : a.rows()) {
    if (row.slot < since) continue;
    EXPECT_EQ(row.reason, row.slot <= ends ? Reason::paused : Reason::none) << line_of(row);
    row.slot <= ends ? ++paused : ++ran;
  }
  EXPECT_EQ(paused, 4);
  EXPECT_GE(ran, 6);
  for (const Row& row : c.rows()) EXPECT_NE(row.reason, Reason::paused) << line_of(row);
  EXPECT_EQ(unaccounted(a, from, world.wall() - 1min), "");
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(EachPaused, IsNotTheLastWordOnAnInstance) {
  world.run_for(10s);
  pause_all(a, {"a", "b"});
  EXPECT_TRUE(ask(a, Kind::resume, "job@b").ok);
  const SteadyTime resumed = world.loop.now();
  world.run_for(2min);
  EXPECT_EQ(starts_since("job@a", resumed), 0u);
  EXPECT_EQ(starts_since("job@b", resumed), 2u);
  EXPECT_TRUE(ask(a, Kind::pause, "job@a").ok) << "paused already, and now by itself too";
  EXPECT_TRUE(ask(a, Kind::resume, "job").ok);
  const SteadyTime ended = world.loop.now();
  world.run_for(2min);
  EXPECT_EQ(starts_since("job@a", ended), 0u);
  EXPECT_EQ(starts_since("job@b", ended), 2u);
  EXPECT_EQ(world.broken_promises(), "");
}

}  // namespace
}  // namespace ballot
