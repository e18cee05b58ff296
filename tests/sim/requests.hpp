// Requests: two nodes with two jobs, and what people ask of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/sim/sim_world.hpp"

namespace ballot {

using namespace std::chrono_literals;
using Kind = core::Request::Kind;

inline core::Request for_group(Kind kind, const std::string& group = "default") {
  core::Request request;
  request.kind = kind;
  request.group = group;
  return request;
}

inline core::Request for_run(Kind kind) {
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

}  // namespace ballot
