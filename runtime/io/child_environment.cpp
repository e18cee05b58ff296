#include "io/child_environment.hpp"

#include <map>

#include "base/wall_text.hpp"
#include "io/env_file.hpp"
#include "io/trusted_file.hpp"

namespace ballot::io {
namespace {

/// job@slot; of a manual run, whose slot says nothing, job@run.
std::string idempotency_key(const core::Launch& launch) {
  const std::string& job = launch.definition->job.name;
  const bool manual = launch.trigger == Trigger::manual;
  return job + "@" + (manual ? launch.id.run.text() : format_slot(launch.slot));
}

using Variables = std::map<std::string, std::string>;

Result<void> add_env_file(const std::string& path, Variables& all) {
  const auto failure = [&path](const Error& error) {
    return Error{error.code, "env_file " + path + ": " + error.what};
  };
  const auto text = read_trusted_file(path, Readers::anyone);
  if (!text) return failure(text.error());
  const auto variables = parse_env_file(*text);
  if (!variables) return failure(variables.error());
  for (const auto& [name, value] : *variables) all[name] = value;
  return {};
}

/// The file's content is the value, but for one end of line at its end.
Result<void> add_secret(const std::string& name, const std::string& path, const std::string& credentials,
                        Variables& all) {
  const auto failure = [&](const Error& error) {
    return Error{error.code, "secret " + name + " (" + path + "): " + error.what};
  };
  const bool relative = !path.starts_with('/');
  if (relative && credentials.empty()) return failure({Errc::not_found, "the daemon has no $CREDENTIALS_DIRECTORY"});
  auto text = read_trusted_file(relative ? credentials + "/" + path : path, Readers::owner);
  if (!text) return failure(text.error());
  if (text->ends_with('\n')) text->pop_back();
  if (text->find('\0') != std::string::npos) return failure({Errc::invalid, "contains a NUL byte"});
  all[name] = std::move(*text);
  return {};
}

}  // namespace

Result<std::vector<std::string>> child_environment(const core::Launch& launch, const Identity& daemon,
                                                   const std::string& node, WallTime now,
                                                   const std::string& credentials) {
  const Job& job = launch.definition->job;
  const Identity& who = job.identity ? *job.identity : daemon;
  Variables all{{"PATH", "/usr/local/bin:/usr/bin:/bin"},
                {"HOME", who.home},
                {"USER", who.user},
                {"LOGNAME", who.user},
                {"SHELL", "/bin/sh"},
                {"LANG", "C.UTF-8"},
                {"TZ", job.timezone}};
  if (!job.details->env_file.empty())
    if (auto added = add_env_file(job.details->env_file, all); !added) return added.error();
  for (const auto& [name, value] : job.details->env) all[name] = value;
  for (const auto& [name, path] : job.details->secrets)
    if (auto added = add_secret(name, path, credentials, all); !added) return added.error();
  all["BALLOT_JOB"] = job.name;
  all["BALLOT_GROUP"] = launch.group;
  all["BALLOT_NODE"] = node;
  all["BALLOT_RUN_ID"] = launch.id.run.text();
  all["BALLOT_ATTEMPT"] = std::to_string(launch.id.attempt);
  all["BALLOT_SLOT"] = format_slot(launch.slot);
  all["BALLOT_TRIGGER"] = to_string(launch.trigger);
  all["BALLOT_EPOCH"] = std::to_string(launch.epoch);
  if (launch.fence > 0)
    all["BALLOT_FENCE"] = std::to_string(launch.fence);
  else
    all["BALLOT_UNCLAIMED"] = "1";
  all["BALLOT_IDEMPOTENCY_KEY"] = idempotency_key(launch);
  if (job.deadline) all["BALLOT_DEADLINE"] = format_millis(now + *job.deadline);
  std::vector<std::string> environment;
  environment.reserve(all.size());
  for (const auto& [name, value] : all) environment.push_back(name + "=" + value);
  return environment;
}

void set_identity(runner::Start& start, const Job& job, const Identity& daemon) {
  const Identity& who = job.identity ? *job.identity : daemon;
  start.working_dir = job.details->working_dir.empty() ? who.home : job.details->working_dir;
  start.set_identity = job.identity != nullptr;
  start.uid = who.uid;
  start.gid = who.gid;
  start.groups = who.groups;
  start.umask = job.umask;
  start.nice = job.nice;
}

}  // namespace ballot::io
