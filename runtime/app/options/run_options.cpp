#include "app/options/run_options.hpp"

#include <cctype>
#include <cstdlib>
#include <iostream>

#include "base/duration.hpp"
#include "config/names.hpp"

namespace ballot::app {
namespace {

std::optional<ChildPolicy> parse_child_policy(std::string_view text) {
  if (text == "rerun") return ChildPolicy::rerun;
  if (text == "reelect") return ChildPolicy::reelect;
  if (text == "exit") return ChildPolicy::exit;
  if (text == "ignore") return ChildPolicy::ignore;
  return std::nullopt;
}

std::optional<ElectionPolicy> parse_election_policy(std::string_view text) {
  if (text == "retry") return ElectionPolicy::retry;
  if (text == "run-anyway") return ElectionPolicy::run_anyway;
  if (text == "exit") return ElectionPolicy::exit;
  return std::nullopt;
}

std::optional<bool> parse_flag(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

/// A flag with one value ("--max-wait DURATION"), and its variable.
void add(CLI::App& command, const std::string& flag, const std::string& help, FlagVariables& variables,
         const std::function<std::string(const std::string&)>& take) {
  std::string name = "BALLOT_";
  for (const char c : flag.substr(2, flag.find(' ') - 2)) name += c == '-' ? '_' : static_cast<char>(std::toupper(c));
  variables.push_back({name, add_value(command, flag, help, take), take});
}

template <class T>
void add_word(CLI::App& command, const std::string& flag, const std::string& help, RunOptions& options, T& to,
              std::optional<T> (*parse)(std::string_view), const std::vector<std::string_view>& known) {
  add(command, flag, help, options.variables,
      [&to, parse, known](const std::string& text) { return take(parse_word(text, parse, known), to); });
}

template <class T>
void add_duration(CLI::App& command, const std::string& flag, const std::string& help, FlagVariables& variables,
                  T& to) {
  add(command, flag, help, variables, [&to](const std::string& text) {
    const auto time = parse_duration(text);
    if (!time) return "must be a duration such as 10s, not " + config::in_quotes(text);
    to = *time;
    return std::string();
  });
}

}  // namespace

bool read_variables(const FlagVariables& variables) {
  const bool in_run = std::getenv("BALLOT_RUN_ID") || std::getenv("BALLOT_EPOCH_FILE");  // whose facts have these names
  for (const FlagVariable& variable : variables) {
    if (in_run && variable.name == "BALLOT_GROUP") continue;
    const char* const value = std::getenv(variable.name.c_str());
    if (value == nullptr || *value == '\0' || is_given(*variable.flag)) continue;
    const std::string wrong = variable.take(value);
    if (wrong.empty()) continue;
    std::cerr << variable.name << ": " << wrong << '\n';
    return false;
  }
  return true;
}

std::string take_group(const std::string& text, std::string& to) {
  if (!config::is_name(text))
    return config::in_quotes(text) +
           " is not a valid group name: 1 to 64 letters, digits, '_' and '-', beginning with a letter or digit";
  to = text;
  return {};
}

void add_candidate_option(CLI::App& command, std::string& to, FlagVariables& variables) {
  add(command, "--candidate-id NAME", "this candidate's name; default: the node's", variables,
      [&to](const std::string& text) {
        if (!config::is_node_name(text)) return config::in_quotes(text) + " is not a valid candidate name";
        to = text;
        return std::string();
      });
}

void add_kill_grace_option(CLI::App& command, Millis& to, FlagVariables& variables) {
  add_duration(command, "--kill-grace DURATION", "between its signal and KILL; default 10s", variables, to);
}

void add_run_options(CLI::App& command, RunOptions& to, const Words& words) {
  static const std::vector<std::string_view> child_words{"rerun", "reelect", "exit", "ignore"};
  add_config_options(command, to.config);
  add_coordination_options(command, to.config, words);
  add_candidate_option(command, to.candidate, to.variables);
  add(command, "--group NAME", "the election; default: default", to.variables,
      [&to](const std::string& text) { return take_group(text, to.group); });
  const std::string otherwise = to.on_success == ChildPolicy::exit ? "exit" : "ignore";
  add_word(command, "--on-child-success POLICY", "rerun, reelect, exit or ignore; default " + otherwise, to,
           to.on_success, parse_child_policy, child_words);
  add_word(command, "--on-child-error POLICY", "rerun, reelect, exit or ignore; default reelect", to, to.on_error,
           parse_child_policy, child_words);
  add_word(command, "--on-election-failure POLICY", "retry, run-anyway or exit; default retry", to,
           to.on_election_failure, parse_election_policy, {"retry", "run-anyway", "exit"});
  add_duration(command, "--max-wait DURATION", "give up (75) if it does not lead by then", to.variables, to.max_wait);
  add_word(command, "--wrap-child-logs BOOL", "true: log what the child prints; false: pass it on", to, to.wrap,
           parse_flag, {"true", "false"});
  add_kill_grace_option(command, to.kill_grace, to.variables);
}

void add_cron_options(CLI::App& command, RunOptions& to) {
  add(command, "--timezone ZONE", "an IANA name; default: the configuration's", to.variables,
      [&to](const std::string& text) {
        to.timezone = text;
        return text.empty() ? "needs a value" : std::string();
      });
  add(command, "--schedule EXPR", "when, as `ballot schedule` has it", to.variables, [&to](const std::string& text) {
    to.schedule = text;
    return text.empty() ? "needs a value" : std::string();
  });
}

}  // namespace ballot::app
