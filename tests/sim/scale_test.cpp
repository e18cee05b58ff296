// What many nodes, groups and jobs cost at the store, counted in requests and records. `scale_sim` prints the figures.
#include <gtest/gtest.h>

#include "support/sim/sim_fleet.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

SimTraffic::Count at_rest(SimFleet::Size size) {
  SimFleet fleet(size);
  fleet.join(0ms);
  fleet.await_all_led();
  fleet.settle();
  return fleet.count([&] { fleet.run_for(1min); }).all;
}

TEST(Scale, WhatANodeSendsAtRestDoesNotGrowWithGroupsOrJobs) {
  const auto few = at_rest({.nodes = 3, .groups = 10, .jobs = 10});
  const auto many = at_rest({.nodes = 3, .groups = 1'000, .jobs = 5'000});
  EXPECT_EQ(few.requests, many.requests);
  EXPECT_EQ(few.sent, many.sent);
  EXPECT_EQ(many.events, 0u);
  EXPECT_LE(many.requests, 3u * 121) << "a renewal each T/10";
}

TEST(Scale, WhatANodeSendsAtRestDoesNotGrowWithNodes) {
  EXPECT_LE(at_rest({.nodes = 40, .groups = 40, .jobs = 40}).requests, 40u * 121);
}

/// What nodes have read of each other's records.
SimTraffic::Count read_of_nodes(int nodes, Millis apart) {
  SimFleet fleet({.nodes = nodes, .groups = 10, .jobs = 10});
  auto joined = fleet.count([&] {
    fleet.join(apart);
    fleet.run_for(1min);
  });
  return joined.by_kind["list n/"];
}

TEST(Scale, NodesThatJoinWithinASecondListEachOtherAFewTimes) {
  for (const int nodes : {10, 40}) {
    const auto lists = read_of_nodes(nodes, 1000ms / nodes);
    EXPECT_LE(lists.requests, 4u * nodes) << nodes << " nodes";
    EXPECT_LE(lists.entries, 4u * nodes * nodes) << nodes << " nodes";
  }
}

TEST(Scale, OfNodesThatJoinOneByOneEachReads20RecordsASecondAtMost) {
  for (const int nodes : {10, 40}) {
    const auto lists = read_of_nodes(nodes, 200ms);
    const auto seconds = 0.2 * nodes + 4;  // that of the last ones, and the first and the last list
    EXPECT_LE(lists.entries, static_cast<std::uint64_t>(20 * seconds * nodes)) << nodes << " nodes";
  }
}

/// A run of a node goes on whose records are gone: they would say where its runner can be asked.
TEST(Scale, WhileANodesRecordIsWaitedForTheOthersAreListedOnceASecondAtMost) {
  SimWorld world;
  Job job = minutely();
  job.on_leadership_lost = OnLeadershipLost::finish;
  SimNode &dead = world.add("dead"), &leader = world.add("leader");
  dead.jobs = leader.jobs = {define(job)};
  dead.takes["job"] = 30min;
  dead.start();
  ASSERT_TRUE(world.run_while_not([&] { return dead.open_children() == 1; }, 2min));
  dead.crash();
  SimStore::Contents left = world.store.contents();
  std::erase_if(left.records, [](const auto& one) { return one.first.starts_with("n/dead."); });
  world.store.edit(left);
  leader.start();
  ASSERT_TRUE(world.run_while_not([&] { return leader.leads("default"); }, 1min));
  const auto join = [&](int first, int last) {
    for (int i = first; i < last; ++i) {
      SimNode& node = world.add("node" + std::to_string(i));
      node.jobs = leader.jobs;
      node.start();
      world.run_for(200ms);
    }
  };
  join(0, 20);
  world.run_for(10s);
  const auto lists = [&] { return leader.link.traffic.by_kind["list n/"].requests; };
  const auto before = lists();
  join(20, 40);
  world.run_for(2s);
  EXPECT_GE(lists() - before, 4u);
  EXPECT_LE(lists() - before, 6u);
}

TEST(Scale, TheDeathOfANodeCostsTheOthersWhatItLedAndNoMore) {
  SimFleet fleet({.nodes = 10, .groups = 200, .jobs = 1'000});
  fleet.join(0ms);
  fleet.await_all_led();
  fleet.settle();
  auto lost = fleet.count([&] {
    fleet.kill(1);
    fleet.await_all_led();
  });
  EXPECT_GE(lost.took, 4s) << "it led something";
  EXPECT_LE(lost.took, 5s + 1s) << "T and what reading takes";
  EXPECT_LE(lost.by_kind["read j/"].entries, 1'200u / 4) << "about a tenth of the registers";
  EXPECT_EQ(lost.by_kind["list n/"].requests, 0u);
  EXPECT_EQ(lost.by_kind["list j/"].requests, 0u);
}

/// A store that takes longer for all that a start reads than a session lasts. Asked again, it would only take longer.
TEST(Scale, WhatASlowStoreReadsIsAskedForOnce) {
  SimFleet fleet({.nodes = 1, .groups = 500, .jobs = 10'000});
  fleet.each_link([](SimLink& link) {
    link.read_takes = 1ms;
    link.request_timeout = 1h;
  });
  const auto started = [&] {
    fleet.join(0ms);
    fleet.await_all_led();
  };
  auto first = fleet.count(started);
  EXPECT_LE(first.took, 11s) << "500 registers of groups and 10,000 of jobs";
  EXPECT_EQ(first.by_kind["read j/"].entries, 10'500u);
  EXPECT_EQ(fleet.notices("the backend has not answered"), 0u);
}

}  // namespace
}  // namespace ballot
