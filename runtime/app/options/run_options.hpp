// The flags of `ballot run`, and the words of its policies.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/options/options.hpp"

namespace ballot::app {

/// What follows the end of the child.
enum class ChildPolicy {
  rerun,    // again, while it leads; cron: goes on leading
  reelect,  // hand over, and campaign again
  exit,     // with the child's code
  ignore    // once: exit with 0; cron: as rerun
};

/// What follows where there is no election to be had: the backend is away. A race that is lost is none.
enum class ElectionPolicy { retry, run_anyway, exit };

/// A flag's variable, which counts where the flag is not given.
struct FlagVariable {
  std::string name;
  CLI::Option* flag;
  std::function<std::string(const std::string&)> take;
};
using FlagVariables = std::vector<FlagVariable>;

/// Reads them, once the flags are read. False: one is wrong, and stderr says which.
bool read_variables(const FlagVariables& variables);

struct RunOptions {
  ConfigOptions config;
  FlagVariables variables;
  std::string candidate;  // "": the node's name
  std::string group = "default";
  ChildPolicy on_success = ChildPolicy::exit;
  ChildPolicy on_error = ChildPolicy::reelect;
  ElectionPolicy on_election_failure = ElectionPolicy::retry;
  std::optional<Millis> max_wait;  // for the first term
  bool wrap = true;
  Millis kill_grace = std::chrono::seconds(10);
  std::string schedule;              // cron's,
  std::string timezone;              // and its; "": the configuration's
  std::vector<std::string> command;  // the child's
};

/// All but cron's own. `to` has the defaults. Each has its variable: BALLOT_GROUP only outside of a run.
void add_run_options(CLI::App& command, RunOptions& to, const Words& words);
/// --schedule, --timezone.
void add_cron_options(CLI::App& command, RunOptions& to);

/// --candidate-id, --group and --kill-grace alone.
void add_candidate_option(CLI::App& command, std::string& to, FlagVariables& variables);
void add_kill_grace_option(CLI::App& command, Millis& to, FlagVariables& variables);

/// What is wrong with the name of a group, or "".
std::string take_group(const std::string& text, std::string& to);

}  // namespace ballot::app
