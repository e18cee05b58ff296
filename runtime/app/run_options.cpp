#include "app/run_options.hpp"

#include <CLI/CLI.hpp>

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

/// The variable of a flag.
std::string variable_of(std::string flag) {
  std::string name = "BALLOT_";
  for (const char c : flag.substr(2)) name += c == '-' ? '_' : static_cast<char>(std::toupper(c));
  return name;
}

template <class T>
void add_word(CLI::App& command, const std::string& flag, const std::string& help, T& to,
              std::optional<T> (*parse)(std::string_view), const std::vector<std::string_view>& known) {
  add_value(command, flag, help, [&to, parse, known](const std::string& text) {
    return take(parse_word(text, parse, known), to);
  })->envname(variable_of(flag));
}

template <class T>
void add_duration(CLI::App& command, const std::string& flag, const std::string& help, T& to) {
  add_value(command, flag, help, [&to](const std::string& text) {
    const auto time = parse_duration(text);
    if (!time) return "must be a duration such as 10s, not " + config::in_quotes(text);
    to = *time;
    return std::string();
  })->envname(variable_of(flag));
}

}  // namespace

std::string take_group(const std::string& text, std::string& to) {
  if (!config::is_name(text))
    return config::in_quotes(text) +
           " is no name of a group: 1 to 64 letters, digits, '_' and '-', beginning with a letter or digit";
  to = text;
  return {};
}

void add_candidate_option(CLI::App& command, std::string& to) {
  add_value(command, "--candidate-id", "this candidate's name; default: the node's", [&to](const std::string& text) {
    if (!config::is_node_name(text)) return config::in_quotes(text) + " is no name of a candidate";
    to = text;
    return std::string();
  })->envname("BALLOT_CANDIDATE_ID");
}

void add_kill_grace_option(CLI::App& command, Millis& to) {
  add_duration(command, "--kill-grace", "between its signal and KILL; default 10s", to);
}

void add_run_options(CLI::App& command, RunOptions& to) {
  static const std::vector<std::string_view> child_words{"rerun", "reelect", "exit", "ignore"};
  add_config_options(command, to.config);
  add_coordination_options(command, to.config.flags);
  add_candidate_option(command, to.candidate);
  add_value(command, "--group", "the election; default: default",
            [&to](const std::string& text) { return take_group(text, to.group); });
  add_word(command, "--on-child-success", "rerun, reelect, exit or ignore; default reelect", to.on_success,
           parse_child_policy, child_words);
  add_word(command, "--on-child-error", "the same, where it failed; default reelect", to.on_error, parse_child_policy,
           child_words);
  add_word(command, "--on-election-failure", "retry, run-anyway or exit; default retry", to.on_election_failure,
           parse_election_policy, {"retry", "run-anyway", "exit"});
  add_duration(command, "--max-wait", "give up (75) if it does not lead by then", to.max_wait);
  add_word(command, "--wrap-child-logs", "true: what the child prints is logged; false: it has our own descriptors",
           to.wrap, parse_flag, {"true", "false"});
  add_kill_grace_option(command, to.kill_grace);
}

void add_schedule_option(CLI::App& command, RunOptions& to) {
  add_value(command, "--schedule", "when, as `ballot schedule` has it", [&to](const std::string& text) {
    to.schedule = text;
    return text.empty() ? "needs a value" : std::string();
  })->envname("BALLOT_SCHEDULE");
}

}  // namespace ballot::app
