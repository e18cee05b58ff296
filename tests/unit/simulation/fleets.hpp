// Fleets that tests simulate: jobs as config would make them, and the span that they are simulated over.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/wall_text.hpp"
#include "simulation/simulate.hpp"

namespace ballot::simulation {

using namespace std::chrono_literals;

inline WallTime at(const std::string& text) { return *parse_wall(text); }

inline const WallTime midnight = at("2026-12-01T00:00:00Z");

/// Requires: its schedule parses.
inline schedule::DefinitionPtr definition(Job job) {
  const auto plan =
      schedule::Plan::of_stored({job.schedule, job.timezone, job.not_before, job.not_after, job.group, job.name});
  EXPECT_TRUE(plan) << job.name;
  std::string digest = job.name;
  return std::make_shared<schedule::Definition>(schedule::Definition{std::move(job), *plan, digest});
}

/// Due by the expression; where it must wait it may for an hour.
inline Job job(const std::string& name, const std::string& expression, const std::string& group = "default") {
  Job job;
  job.name = name;
  job.schedule = {expression};
  job.group = group;
  job.start_deadline = 1h;
  return job;
}

/// After the other one, whose slots it has.
inline Job child(const std::string& name, const Job& parent) {
  Job job = simulation::job(name, parent.schedule->front(), parent.group);
  job.details.edit().after = {parent.name};
  job.details.edit().has_slots_of_first = true;
  return job;
}

inline Group group(const std::string& name) {
  Group group;
  group.name = name;
  return group;
}

/// Nodes of these names, with these jobs.
inline Fleet fleet(const std::vector<std::string>& nodes, const std::vector<Job>& jobs, WallTime from, Millis span,
                   const std::vector<Group>& groups = {}) {
  Fleet fleet;
  fleet.from = from;
  fleet.until = from + span;
  for (const std::string& node : nodes) {
    FleetNode one{node, {}, groups};
    for (const Job& job : jobs) one.jobs.push_back(definition(job));
    fleet.nodes.push_back(std::move(one));
  }
  return fleet;
}

inline Report report_of(const Fleet& fleet) {
  auto report = simulate(fleet);
  EXPECT_TRUE(report) << (report ? "" : report.error().what);
  return report ? *std::move(report) : Report{};
}

inline const JobReport& of_job(const Report& report, const std::string& name) {
  for (const JobReport& job : report.all_jobs)
    if (job.job == name) return job;
  ADD_FAILURE() << "no job " << name;
  return report.all_jobs.front();
}

inline std::int64_t slots_that(const std::vector<Outcome>& outcomes, Status status, Reason reason = Reason::none) {
  for (const Outcome& one : outcomes)
    if (one.status == status && one.reason == reason) return one.slots;
  return 0;
}

inline const Waits& waits_for(const WaitsByKind& waits, WaitFor what) { return waits[static_cast<std::size_t>(what)]; }

}  // namespace ballot::simulation
