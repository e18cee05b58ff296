// Repair: two nodes, a store that goes back or whose registers somebody edits, and what is asked of them then.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/wall_text.hpp"
#include "support/sim/core_views.hpp"
#include "support/sim/sim_world.hpp"

namespace ballot {

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
    for (const ShownGroup& group : groups_of(node))
      if (group.name == "default") return group.halted;
    return "";
  }
  static std::string state(SimNode& node) { return jobs_of(node)[0].state; }
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

}  // namespace ballot
