// TriggeredChain: two nodes and jobs that run when they are triggered, or after others.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "support/sim/sim_world.hpp"

namespace ballot {

using namespace std::chrono_literals;

struct TriggeredChain : ::testing::Test {
  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");
  std::vector<Job> jobs;

  TriggeredChain() {
    add("extract", {});
    for (const char* const name : {"extract", "load", "clean", "report"}) takes(name, 10s);
  }
  /// By trigger only.
  Job& add(const std::string& name, std::vector<std::string> parents) {
    Job job = minutely(name);
    job.schedule.clear();
    if (!parents.empty()) job.details.edit().after = std::move(parents), job.details.edit().has_slots_of_first = true;
    return jobs.emplace_back(std::move(job));
  }
  Job& job(const std::string& name) {
    return *std::find_if(jobs.begin(), jobs.end(), [&](const Job& one) { return one.name == name; });
  }
  void takes(const std::string& job, Millis time) { a.takes[job] = b.takes[job] = time; }
  void exits(const std::string& job, int code) { a.exits[job] = b.exits[job] = code; }
  void equip() {
    for (SimNode* node : {&a, &b}) {
      node->jobs.clear();
      for (const Job& job : jobs) node->jobs.push_back(define(job));
      if (node->running()) node->load();
    }
  }
  void begin() {
    equip();
    a.start();
    world.run_for(5s);
    b.start();
    world.run_for(10s);
  }
  SimNode& leader() { return a.running() && a.leads("default") ? a : b; }
  RunId trigger(const std::string& job, bool alone = false) {
    const RunId run = leader().trigger_with(job, "", alone);
    world.run_for(1s);
    return run;
  }
  Start& start_of(const std::string& job) {
    return *std::find_if(world.starts.rbegin(), world.starts.rend(), [&](const Start& one) { return one.job == job; });
  }
  std::string fates(const std::string& job) const {
    std::string text;
    for (const Row& row : world.merged()) {
      if (row.job != job) continue;
      text +=
          (text.empty() ? "" : ", ") + std::string(to_string(row.trigger)) + " " + std::string(to_string(row.status));
      if (row.reason != Reason::none) text += ": " + std::string(to_string(row.reason));
    }
    return text;
  }
  std::size_t kept(const std::string& job) const { return world.oracle.job_register(job)->kept->chained.size(); }
  void expect_all_is_well() {
    world.judge_ends();
    EXPECT_EQ(world.broken_promises(), "");
  }
};

}  // namespace ballot
