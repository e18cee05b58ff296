// Peers: three nodes with the same files, for the tests of who among them should lead.
//
//   TEST_F(Peers, ...) { start({minutely()}, preferring({"c"})); EXPECT_TRUE(leads(c, 50s)); }
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/sim/sim_world.hpp"

namespace ballot {

using namespace std::chrono_literals;

/// Started one after the other: a leads.
class Peers : public ::testing::Test {
 protected:
  explicit Peers(SimStore::Settings settings = {}) : world(1, settings) {}

  void start(const std::vector<Job>& jobs, const std::vector<Group>& groups = {}, bool spread = false) {
    for (SimNode* node : {&a, &b, &c}) {
      node->jobs.clear();
      for (const Job& job : jobs) node->jobs.push_back(define(job));
      node->groups = groups;
      node->spread = spread;
      node->start();
      world.run_for(100ms);
    }
    from = world.wall();
  }
  static std::vector<Group> preferring(const std::vector<std::string>& nodes) {
    Group group;
    group.name = "default";
    group.preferred = nodes;
    return {group};
  }
  std::string leader(const std::string& group = "default") const {
    const auto leader = world.store.leader(group);
    return leader ? leader->node : "";
  }
  bool leads(const SimNode& node, Millis within) {
    return world.run_while_not([&] { return node.leads("default"); }, within);
  }
  std::size_t terms() const {
    std::size_t count = 0;
    for (const auto& node : world.nodes) count += node->terms().size();
    return count;
  }
  static std::size_t count(const SimNode& node, const std::string& text) {
    return static_cast<std::size_t>(std::count_if(node.notices.begin(), node.notices.end(), [&](const auto& notice) {
      return notice.text.find(text) != std::string::npos;
    }));
  }
  /// No slot of the minutely job is lost, none is late by more than what a hand-over takes.
  void expect_all_accounted_for() {
    EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 1min), "");
    EXPECT_EQ(world.broken_promises(), "");
    for (const Row& row : world.merged())
      EXPECT_TRUE(row.status == Status::succeeded || !is_final(row.status)) << row.job << " " << to_string(row.status);
  }

  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");
  SimNode& c = world.add("c");
  WallTime from{};
};

}  // namespace ballot
