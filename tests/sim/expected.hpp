// Jobs of which something is expected, on two nodes, and what is told of it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/wall_text.hpp"
#include "support/sim/sim_world.hpp"

namespace ballot {

using namespace std::chrono_literals;

inline Job expecting(const std::string& schedule = "* * * * *") {
  Job job = minutely();
  job.schedule = {schedule};
  return job;
}

inline Job expecting_within(Millis within) {
  Job job = expecting();
  job.details.edit().expects.edit().expect_within = within;
  return job;
}

inline Job expecting_success(Millis within, const std::string& schedule = "* * * * *") {
  Job job = expecting(schedule);
  job.details.edit().expects.edit().expect_success = within;
  return job;
}

struct Expected : ::testing::Test {
  using Event = core::Notify::Event;

  explicit Expected(SimStore::Settings settings = {}) : world(1, settings) {}

  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");

  void start(const Job& job) {
    a.jobs = b.jobs = {define(job)};
    a.start();
    world.run_for(100ms);
    b.start();
  }
  std::size_t told(Event event) const {
    std::size_t count = 0;
    for (const auto& node : world.nodes)
      count += static_cast<std::size_t>(std::count_if(node->notified.begin(), node->notified.end(),
                                                      [&](const core::Notify& one) { return one.event == event; }));
    return count;
  }
  const core::JobRegister& stored() const { return *world.oracle.job_register("job"); }
  bool shows_slow_run() const {
    return std::any_of(stored().runs.begin(), stored().runs.end(), [](const core::OpenRun& run) { return run.slow; });
  }
  void pause(bool paused, const std::string& group = {}) {
    core::Request request;
    request.kind = paused ? core::Request::Kind::pause : core::Request::Kind::resume;
    (group.empty() ? request.job : request.group) = group.empty() ? "job" : group;
    b.ask(request);
    world.run_for(2s);
  }
  void edit(const Job& job) {
    for (SimNode* node : {&a, &b}) node->jobs = {define(job)}, node->load();
    world.run_for(2s);
  }
  void expect_all_is_well() {
    EXPECT_EQ(world.unaccounted(), "");
    world.judge_ends();
    EXPECT_EQ(world.broken_promises(), "");
  }
};

}  // namespace ballot
