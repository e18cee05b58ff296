// Notices of a job's runs for tests, and what becomes of children without a runner.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/action.hpp"
#include "io/notify/children.hpp"
#include "schedule/definition.hpp"

namespace ballot::testing {

inline schedule::DefinitionPtr definition_of(Job job) {
  auto plan = schedule::Plan::make({job.schedule, "UTC", {}, {}, job.group, job.name});
  return std::make_shared<schedule::Definition>(
      schedule::Definition{std::move(job), std::get<schedule::Plan>(std::move(plan)), "digest"});
}

/// Of the run 00000000-0000-7000-8000-000000000001 of the slot 2025-06-01T02:00:00Z, on node n1.
inline core::Notify told_of(Job job, Status status, Reason reason = Reason::none) {
  core::Notify told;
  told.row.run = RunId::parse("00000000-0000-7000-8000-000000000001");
  told.row.job = job.name;
  told.row.group = job.group;
  told.row.slot = WallTime(std::chrono::seconds(1'748'743'200));
  told.row.attempt = 1;
  told.row.status = status;
  told.row.reason = reason;
  told.row.node = "n1";
  told.row.epoch = 7;
  told.row.fence = 9;
  if (status == Status::running) told.event = core::Notify::Event::started;
  told.definition = definition_of(std::move(job));
  return told;
}

/// A runner that only notes what it is told to start, and ends it as the test says.
struct PaperRunner {
  std::vector<runner::Start> starts;
  std::vector<runner::Kill> kills;
  std::vector<runner::AttemptId> acknowledged;

  io::ToRunner send() {
    return [this](const runner::ToRunner& message) {
      if (const auto* start = std::get_if<runner::Start>(&message)) starts.push_back(*start);
      if (const auto* kill = std::get_if<runner::Kill>(&message)) kills.push_back(*kill);
      if (const auto* ack = std::get_if<runner::Ack>(&message)) acknowledged.push_back(ack->id);
    };
  }
  static runner::Ended ended(const runner::Start& start, int code = 0) {
    runner::Ended end;
    end.id = start.id;
    end.exit_code = code;
    return end;
  }
};

/// The value of a variable; "(none)" where it is not there.
inline std::string value_of(const std::vector<std::string>& environment, const std::string& name) {
  const auto entry = std::find_if(environment.begin(), environment.end(),
                                  [&](const std::string& text) { return text.starts_with(name + "="); });
  return entry == environment.end() ? "(none)" : entry->substr(name.size() + 1);
}

}  // namespace ballot::testing
