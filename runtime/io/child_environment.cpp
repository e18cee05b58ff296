#include "io/child_environment.hpp"

#include <map>

#include "base/wall_text.hpp"

namespace ballot::io {
namespace {

/// job@slot; of a manual run, whose slot says nothing, job@run.
std::string idempotency_key(const core::Launch& launch) {
  const std::string& job = launch.definition->job.name;
  const bool manual = launch.trigger == Trigger::manual;
  return job + "@" + (manual ? launch.id.run.text() : format_slot(launch.slot));
}

}  // namespace

std::vector<std::string> child_environment(const core::Launch& launch, const Identity& daemon, const std::string& node,
                                           WallTime now) {
  const Job& job = launch.definition->job;
  const Identity& who = job.identity ? *job.identity : daemon;
  std::map<std::string, std::string> all{{"PATH", "/usr/local/bin:/usr/bin:/bin"},
                                         {"HOME", who.home},
                                         {"USER", who.user},
                                         {"LOGNAME", who.user},
                                         {"SHELL", "/bin/sh"},
                                         {"LANG", "C.UTF-8"},
                                         {"TZ", job.timezone}};
  for (const auto& [name, value] : job.details->env) all[name] = value;
  all["BALLOT_JOB"] = job.name;
  all["BALLOT_GROUP"] = job.group;
  all["BALLOT_NODE"] = node;
  all["BALLOT_RUN_ID"] = launch.id.run.text();
  all["BALLOT_ATTEMPT"] = std::to_string(launch.id.attempt);
  all["BALLOT_SLOT"] = format_slot(launch.slot);
  all["BALLOT_TRIGGER"] = to_string(launch.trigger);
  all["BALLOT_EPOCH"] = std::to_string(launch.epoch);
  all["BALLOT_FENCE"] = std::to_string(launch.fence);
  all["BALLOT_IDEMPOTENCY_KEY"] = idempotency_key(launch);
  if (job.deadline) all["BALLOT_DEADLINE"] = format_millis(now + *job.deadline);
  std::vector<std::string> environment;
  environment.reserve(all.size());
  for (const auto& [name, value] : all) environment.push_back(name + "=" + value);
  return environment;
}

}  // namespace ballot::io
