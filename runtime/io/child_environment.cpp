#include "io/child_environment.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/wall_text.hpp"
#include "io/env_file.hpp"
#include "io/trusted_file.hpp"

namespace ballot::io {
namespace {

/// job@slot; of a run that somebody asked for, whose slot says nothing, job@run.
std::string idempotency_key(const core::Launch& launch) {
  const std::string& job = launch.definition->job.name;
  const bool is_asked = launch.trigger == Trigger::manual || launch.trigger == Trigger::chain;
  return job + "@" + (is_asked ? launch.id.run.text() : format_slot(launch.slot));
}

/// NAME=VALUE, of each name what was set last.
class Variables {
 public:
  void set(std::string_view name, std::string_view value) {
    std::string& entry = entries_.emplace_back(name.size(), std::string()).second;
    entry.reserve(name.size() + 1 + value.size());
    ((entry += name) += '=') += value;
  }

  /// By name.
  std::vector<std::string> take() {
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const Entry& a, const Entry& b) { return name(a) < name(b); });
    std::vector<std::string> all;
    all.reserve(entries_.size());
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (i + 1 == entries_.size() || name(entries_[i]) != name(entries_[i + 1]))
        all.push_back(std::move(entries_[i].second));
    return all;
  }

 private:
  using Entry = std::pair<std::size_t, std::string>;  // the length of its name
  static std::string_view name(const Entry& entry) { return std::string_view(entry.second).substr(0, entry.first); }

  std::vector<Entry> entries_;
};

Result<void> add_env_file(const std::string& path, Variables& all) {
  const auto failure = [&path](const Error& error) {
    return Error{error.code, "env_file " + path + ": " + error.what};
  };
  const auto text = read_trusted_file(path, Readers::anyone);
  if (!text) return failure(text.error());
  const auto variables = parse_env_file(*text);
  if (!variables) return failure(variables.error());
  for (const auto& [name, value] : *variables) all.set(name, value);
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
  all.set(name, *text);
  return {};
}

}  // namespace

/// Whoever can write to the store can write anything there: what counts is what this node's file allows.
Result<ballot::Variables> trigger_variables(const core::Launch& launch) {
  auto env = parse_env_words(launch.variables->env);
  if (!env) return Error{Errc::corrupt, "env: the variables of its trigger cannot be read"};
  const std::vector<std::string>& allowed = launch.definition->job.details->trigger_env;
  for (const auto& [name, value] : *env)
    if (is_reserved_variable(name) || std::find(allowed.begin(), allowed.end(), name) == allowed.end())
      return Error{Errc::refused,
                   "env: its trigger has set " + name + ", and the job's trigger_env does not allow that"};
  return *std::move(env);
}

Result<std::vector<std::string>> child_environment(const core::Launch& launch, const Identity& daemon,
                                                   const std::string& node, WallTime now,
                                                   const std::string& credentials) {
  const Job& job = launch.definition->job;
  const Identity& who = job.identity ? *job.identity : daemon;
  Variables all;
  all.set("PATH", "/usr/local/bin:/usr/bin:/bin");
  all.set("HOME", who.home);
  all.set("USER", who.user);
  all.set("LOGNAME", who.user);
  all.set("SHELL", "/bin/sh");
  all.set("LANG", "C.UTF-8");
  all.set("TZ", *job.timezone);
  if (!job.details->env_file.empty())
    if (auto added = add_env_file(job.details->env_file, all); !added) return added.error();
  for (const auto& [name, value] : job.details->env) all.set(name, value);
  for (const auto& [name, path] : job.details->secrets)
    if (auto added = add_secret(name, path, credentials, all); !added) return added.error();
  const auto given = trigger_variables(launch);
  if (!given) return given.error();
  for (const auto& [name, value] : *given) all.set(name, value);
  all.set("BALLOT_JOB", job.name);
  all.set("BALLOT_GROUP", launch.group);
  all.set("BALLOT_NODE", node);
  all.set("BALLOT_RUN_ID", launch.id.run.text());
  all.set("BALLOT_ATTEMPT", std::to_string(launch.id.attempt));
  all.set("BALLOT_SLOT", format_slot(launch.slot));
  if (const std::string& runs = launch.variables->upstream; !runs.empty()) all.set("BALLOT_UPSTREAM", runs);
  all.set("BALLOT_TRIGGER", to_string(launch.trigger));
  all.set("BALLOT_EPOCH", std::to_string(launch.epoch));
  if (launch.fence > 0)
    all.set("BALLOT_FENCE", std::to_string(launch.fence));
  else
    all.set("BALLOT_UNCLAIMED", "1");
  all.set("BALLOT_IDEMPOTENCY_KEY", idempotency_key(launch));
  if (job.details->background == Background::leave) all.set("BALLOT_BACKGROUND", "leave");
  if (job.deadline) all.set("BALLOT_DEADLINE", format_millis(now + *job.deadline));
  return all.take();
}

void set_identity(runner::Start& start, const Job& job, const Identity& daemon) {
  const Identity& who = job.identity ? *job.identity : daemon;
  start.working_dir = job.details->working_dir.empty() ? who.home : job.details->working_dir;
  start.set_identity = job.identity != nullptr;
  start.uid = who.uid;
  start.gid = who.gid;
  start.groups = who.groups;
  start.umask = job.details->umask;
  start.nice = job.details->nice;
}

}  // namespace ballot::io
