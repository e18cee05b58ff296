// Who should lead: preferred nodes, spreading, hand-overs that fail, files that differ, and a
// store that has gone back while nobody led.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "peers.hpp"
#include "support/sim/core_views.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

TEST_F(Peers, ThePreferredNodeIsHandedTheGroupOnceItHasBeenFitFor30s) {
  start({minutely()}, preferring({"c", "b"}));
  world.run_for(29s);
  EXPECT_EQ(leader(), "a");
  EXPECT_TRUE(leads(c, 20s));
  EXPECT_EQ(count(b, "passes the group on to c"), 1u) << "the queue has elected b, which leads nothing";
  EXPECT_EQ(b.terms().size(), 0u);
  world.run_for(10min);
  EXPECT_EQ(leader(), "c");
  expect_all_accounted_for();
  c.stop();
  world.run_for(5s);
  EXPECT_NE(leader(), "c");
  EXPECT_TRUE(leads(b, 1min)) << "the second choice";
  c.crash();
  c.start();
  world.run_for(25s);
  EXPECT_EQ(leader(), "b");
  EXPECT_TRUE(leads(c, 30s));
  world.run_for(5min);
  expect_all_accounted_for();
}

/// As most stores do: whoever comes first in an order that is the same for all.
struct PeersInAnOrderOfNames : Peers {
  PeersInAnOrderOfNames() : Peers(by_name()) {}
  static SimStore::Settings by_name() {
    SimStore::Settings settings;
    settings.elects_by_name = true;
    return settings;
  }
};

TEST_F(PeersInAnOrderOfNames, AHandOverReachesTheLastOneOfThree) {
  start({minutely()}, preferring({"c"}));
  EXPECT_TRUE(leads(c, 50s));
  EXPECT_LE(world.store.leader("default")->epoch, 3u) << "a led, b passed it on";
  c.stop();
  EXPECT_TRUE(leads(a, 2s));
  world.run_for(5s);
  c.crash();
  c.start();
  EXPECT_TRUE(leads(c, 50s));
  EXPECT_LE(world.store.leader("default")->epoch, 6u);
  world.run_for(5min);
  EXPECT_EQ(leader(), "c");
  expect_all_accounted_for();
}

TEST_F(PeersInAnOrderOfNames, FailoversOfOthersDoNotPutOffTheNextHandOver) {
  start({minutely()}, preferring({"c"}));
  ASSERT_TRUE(leads(c, 50s));
  world.run_for(1s);
  c.crash();
  ASSERT_TRUE(leads(a, 20s));
  EXPECT_EQ(count(a, "c died soon after the group was handed to it"), 1u);
  c.start();
  for (SimNode* leader : {&a, &b, &a}) {
    ASSERT_TRUE(leads(*leader, 20s)) << this->leader();
    world.run_for(1s);
    leader->crash();
    world.run_for(12s);
    leader->start();
  }
  EXPECT_TRUE(leads(c, 90s)) << "a minute after it had died, once the leader has known it to be fit for 30 s";
}

TEST_F(PeersInAnOrderOfNames, OfTwoWhoStayOutForATargetThatDiesOneLeads) {
  start({minutely()}, preferring({"c"}));
  ASSERT_TRUE(world.run_while_not([&] { return count(a, "hands over") > 0; }, 50s));
  c.crash();
  EXPECT_TRUE(leads(a, 15s));
  world.run_for(5min);
  EXPECT_EQ(leader(), "a");
  expect_all_accounted_for();
}

TEST_F(Peers, NothingIsHandedOverWhileARunIsOpenThatEndsWithItsTerm) {
  for (SimNode* node : {&a, &b, &c}) node->takes["job"] = 110s;
  Job job = minutely();
  job.schedule = {"*/10 * * * *"};
  start({job}, preferring({"b"}));
  world.run_for(from + 10min - world.wall() - 61s);
  EXPECT_EQ(leader(), "b");
  b.crash();
  world.run_for(10s);
  const std::string other = leader();
  ASSERT_NE(other, "b");
  world.run_for(from + 10min + 5s - world.wall());
  b.start();
  world.run_for(100s);
  EXPECT_EQ(leader(), other) << "its run is open";
  EXPECT_TRUE(leads(b, 40s));
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Peers, AGroupThatIsNeverIdleIsHandedOverBetweenItsRuns) {
  for (SimNode* node : {&a, &b, &c}) node->takes["job"] = 50ms;
  Job job = minutely();
  job.schedule = {"* * * * * *"};
  job.misfire = Misfire::all;
  start({job}, preferring({"c"}));
  EXPECT_TRUE(leads(c, 45s));
  world.run_for(10s);
  EXPECT_EQ(world.unaccounted(*a.jobs[0], from + 1s, world.wall() - 2s), "");
  for (const Row& row : world.merged())
    EXPECT_TRUE(row.status == Status::succeeded || !is_final(row.status)) << row.job << " " << to_string(row.status);
}

TEST_F(Peers, NothingIsHandedToANodeThatHasDied) {
  start({minutely()}, preferring({"c"}));
  world.run_for(5s);
  c.crash();
  world.run_for(10min);
  EXPECT_EQ(leader(), "a");
  EXPECT_EQ(count(a, "hands over"), 0u);
  EXPECT_EQ(terms(), 1u);
}

TEST_F(Peers, LeadershipSpreadsAndThenStaysWhereItIs) {
  std::vector<Job> jobs;
  for (int i = 0; i < 60; ++i) {
    Job job = minutely("job" + std::to_string(i));
    job.group = "group" + std::to_string(i);
    jobs.push_back(job);
  }
  start(jobs, {}, true);
  const auto shares = [&] {
    std::map<std::string, int> led;
    for (int i = 0; i < 60; ++i) ++led[leader("group" + std::to_string(i))];
    return led;
  };
  EXPECT_EQ(shares()["a"], 60);
  world.run_for(2min);
  for (const auto& [node, share] : shares()) EXPECT_TRUE(share >= 10 && share <= 30) << node << " leads " << share;
  const auto epochs = world.store.contents().epochs;
  world.run_for(1h);
  EXPECT_EQ(world.store.contents().epochs, epochs) << "nothing moves any more";
  world.run_for(30s);
  b.crash();
  world.run_for(1min);
  EXPECT_EQ(shares()["b"], 0);
  b.start();
  world.run_for(2min);
  EXPECT_TRUE(shares()["b"] >= 10);
  expect_all_accounted_for();
}

TEST_F(Peers, GroupsMoveFiftyASecond) {
  std::vector<Group> groups;
  for (int i = 0; i < 300; ++i) groups.emplace_back().name = "group" + std::to_string(i);
  start({minutely()}, groups, true);
  world.run_for(29s);
  EXPECT_EQ(leader(groups[0].name), "a");
  world.run_for(1s);
  const auto led = [&](const char* node) {
    int count = 0;
    for (const Group& group : groups) count += leader(group.name) == node ? 1 : 0;
    return count;
  };
  const int before = led("a");
  world.run_for(2s);
  const int moved = before - led("a");
  EXPECT_GT(moved, 50);
  EXPECT_LE(moved, 110);
  world.run_for(1min);
  for (const char* node : {"a", "b", "c"}) EXPECT_TRUE(led(node) > 75 && led(node) < 125) << led(node);
}

TEST_F(Peers, ANodeThatDiesSoonAfterEachHandOverIsHandedTheGroupEverMoreRarely) {
  start({minutely()}, preferring({"c"}));
  int turns = 0;
  const auto end = world.wall() + 2h;
  while (world.wall() < end) {
    if (!leads(c, end - world.wall())) break;
    ++turns;
    world.run_for(5s);
    c.crash();
    world.run_for(10s);
    c.start();
  }
  EXPECT_GE(turns, 5);
  EXPECT_LE(turns, 8) << "1, 2, 4, 8, 16, 32 and 60 minutes apart";
  EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 1min), "");
}

TEST_F(Peers, NothingIsHandedOverAcrossDifferentFilesAndBothSidesShowIt) {
  start({minutely()}, preferring({"b"}));
  Job edited = minutely();
  edited.description = "edited";
  a.jobs = {define(edited)};
  a.load();
  c.jobs = a.jobs;
  c.load();
  world.run_for(5min);
  EXPECT_EQ(leader(), "a");
  EXPECT_EQ(jobs_of(a)[0].state, "drift");
  EXPECT_EQ(jobs_of(b)[0].state, "drift");
  EXPECT_EQ(groups_of(a)[0].drift, std::vector<std::string>{"b"});
  EXPECT_EQ(groups_of(b)[0].drift, (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(count(a, "drift: the job files of b"), 1u) << "once";
  for (SimNode* const node : {&a, &b, &c}) {
    const auto drifts = node->core().node_views().drifts();
    ASSERT_EQ(drifts.size(), 1u);
    EXPECT_EQ(drifts[0].odd, std::vector<std::string>{"b"}) << "two of three say the same";
    EXPECT_EQ(drifts[0].group, "default");
  }
  EXPECT_EQ(b.core().node_views().drifts()[0].jobs, std::vector<std::string>{minutely().name})
      << "its leader's register has another definition";
  b.jobs = a.jobs;
  b.load();
  EXPECT_TRUE(leads(b, 50s));
  EXPECT_EQ(jobs_of(a)[0].state, "active");
  EXPECT_EQ(jobs_of(b)[0].state, "active");
}

/// So many groups that what the nodes publish takes many records, and is listed more than a second apart.
TEST_F(Peers, NothingIsHandedAcrossDifferentFilesThatAreNotListedYet) {
  std::vector<Group> groups;
  for (int i = 1000; i < 1600; ++i) groups.emplace_back().name = std::string(60, 'g') + std::to_string(i);
  start({minutely()}, groups, true);
  ASSERT_TRUE(world.run_while_not([&] { return count(a, "hands over to b") > 0; }, 40s));
  for (Group& group : groups) group.max_running = 7;
  b.groups = groups;
  b.load();
  world.run_for(20ms);  // a knows that something has changed
  const std::size_t handed_b = count(a, "hands over to b"), handed_c = count(a, "hands over to c");
  const auto lists = [&] { return a.link.traffic.by_kind["list n/"].requests; };
  const auto before = lists();
  world.run_for(1min);
  EXPECT_EQ(count(a, "hands over to b"), handed_b);
  EXPECT_GT(count(a, "hands over to c"), handed_c + 100) << "whose files are the same, once that is known";
  EXPECT_LE(lists() - before, 3u);
  EXPECT_TRUE(std::none_of(a.notices.begin(), a.notices.end(), [](const core::Notice& notice) {
    return notice.level == Level::warn && notice.text == "leads no more";
  })) << "what is handed over is nobody's trouble";
}

TEST_F(Peers, NothingIsHandedToANodeWhoseFilesChangeWhileItIsObserved) {
  start({minutely()}, preferring({"b"}));
  world.run_for(20s);
  a.link.delay_min = a.link.delay_max = 300ms;
  const auto observed = [&] { return a.link.traffic.by_kind["observe"].requests; };
  const auto before = observed();
  ASSERT_TRUE(world.run_while_not([&] { return observed() > before; }, 20s));
  b.groups[0].max_running = 7;
  b.load();
  world.run_for(1min);
  EXPECT_EQ(count(a, "hands over"), 0u);
  EXPECT_EQ(leader(), "a");
}

TEST_F(Peers, TheDriftOfADeadNodeEndsWithIt) {
  start({minutely()});
  Job edited = minutely();
  edited.description = "edited";
  c.jobs = {define(edited)};
  c.load();
  world.run_for(20s);
  EXPECT_EQ(groups_of(a)[0].drift, std::vector<std::string>{"c"});
  c.crash();
  world.run_for(2min);
  EXPECT_EQ(groups_of(a)[0].drift, std::vector<std::string>{});
}

TEST_F(Peers, OnlyCandidatesLead) {
  Group group;
  group.name = "default";
  group.candidates = {"b*", "nobody"};
  start({minutely()}, {group});
  world.run_for(5s);
  EXPECT_EQ(leader(), "b");
  b.crash();
  world.run_for(5min);
  EXPECT_EQ(leader(), "") << "nobody else may";
  b.start();
  EXPECT_TRUE(leads(b, 10s));
  world.run_for(2min);
  EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 1min), "");
}

TEST_F(Peers, ALeaderThatIsNoCandidateAnyMoreHandsOverWhenItsRunHasEnded) {
  for (SimNode* node : {&a, &b, &c}) node->takes["job"] = 20s;
  start({minutely()});
  ASSERT_EQ(leader(), "a");
  world.run_for(from + 1min + 5s - world.wall());
  ASSERT_EQ(a.open_children(), 1);
  Group group;
  group.name = "default";
  group.candidates = {"[bc]", "c"};
  for (SimNode* node : {&a, &b, &c}) node->groups = {group}, node->load();
  world.run_for(5s);
  EXPECT_EQ(leader(), "a") << "its run ends first";
  world.run_for(15s);
  EXPECT_EQ(leader(), "c");
  world.run_for(3min);
  expect_all_accounted_for();
}

TEST_F(Peers, AStoreThatHasGoneBackHaltsTheGroupUnderALeaderThatNeverLedBefore) {
  start({minutely()});
  const auto snapshot = world.store.contents();
  world.run_for(10min);
  a.crash();
  world.store.restore(snapshot);
  const std::size_t before = world.starts_of("job");
  world.run_for(3min);
  const std::string now = leader();
  ASSERT_TRUE(now == "b" || now == "c");
  SimNode& led = now == "b" ? b : c;
  SimNode& other = now == "b" ? c : b;
  EXPECT_EQ(world.starts_of("job"), before) << "nothing is launched";
  EXPECT_NE(groups_of(led)[0].halted.find("the store has gone back"), std::string::npos);
  EXPECT_EQ(jobs_of(led)[0].state, "halted");
  core::Request request;
  request.kind = core::Request::Kind::repair;
  request.group = "default";
  led.ask(request);
  world.run_for(3min);
  EXPECT_GT(world.starts_of("job"), before) << "repaired";
  const std::size_t repaired = world.starts_of("job");
  led.crash();
  world.run_for(3min);
  EXPECT_TRUE(other.leads("default"));
  EXPECT_EQ(groups_of(other)[0].halted, "") << "what was repaired is not halted again";
  EXPECT_GT(world.starts_of("job"), repaired);
}

}  // namespace
}  // namespace ballot
