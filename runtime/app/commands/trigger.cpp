// ballot trigger JOB [--env NAME=VALUE] [--alone] [--all] [--wait] [--follow]: runs a job now, by hand.
#include <algorithm>
#include <iostream>
#include <memory>

#include "app/client/ask.hpp"
#include "app/client/ledger_access.hpp"
#include "app/commands/commands.hpp"
#include "app/jobs/away_instance.hpp"
#include "app/jobs/loaded_jobs.hpp"
#include "app/options/options.hpp"
#include "app/output/output_follower.hpp"
#include "app/print/escape.hpp"
#include "base/duration.hpp"
#include "base/env_words.hpp"
#include "base/instance.hpp"
#include "io/clocks.hpp"
#include "io/control_client.hpp"

namespace ballot::app {
namespace {

constexpr Millis trigger_slack = std::chrono::seconds(5);  // the daemon says itself that time is up
constexpr Millis no_end = std::chrono::hours(24 * 365);
constexpr Millis follow_interval{200};
constexpr Millis withdrawal_patience = std::chrono::seconds(10);

struct TriggerOptions {
  ConfigOptions config;
  std::string job;
  std::vector<std::string> env;
  bool all = false, alone = false, wait = false, follow = false;
  Patience patience;
};

/// As a shell would: the child's code, 128 + n for a signal; 1 for a run that never started, or that did not succeed
/// though its child ended with 0 (killed, timed out).
int code_of(const io::Message& end) {
  const auto code = end.integer("exit_code");
  const bool succeeded = end.text("status") == "succeeded";
  if (succeeded || code.value_or(0) != 0) return static_cast<int>(code.value_or(0));  // a function has none
  if (const auto signal = end.integer("signal")) return 128 + static_cast<int>(*signal);
  return static_cast<int>(Exit::failed);
}

/// A run that is being waited for, and perhaps followed.
class Waiting {
 public:
  Waiting(const TriggerOptions& options, const config::Config& config, io::ControlClient& client, const RunId& run)
      : options_(options), config_(config), client_(client), run_(run) {}

  /// Until it has ended, or `until`.
  Exit wait(SteadyTime until) {
    if (options_.follow) begin_to_follow();
    while (true) {
      const Millis left = std::max(until - io::read_clocks().steady, Millis(0));
      const auto end = client_.next(follower_ ? std::min(left, follow_interval) : left);
      if (end && !*end)
        return fail("trigger", {Errc::unavailable, "the daemon went away before the run ended; see `ballot history`"});
      follow();
      if (end) return report(**end);
      if (end.error().code != Errc::timeout) return fail("trigger", end.error());
      if (io::read_clocks().steady >= until) return give_up();
    }
  }

 private:
  void begin_to_follow() {
    auto ledger = open_ledger(config_);
    if (!ledger) return void(fail("trigger", ledger.error()));
    ledger_ = *std::move(ledger);
    follower_.emplace(*ledger_, std::cout);
    follower_->begin({run_, 1});
  }

  /// All attempts, one after the other.
  void follow() {
    if (!follower_) return;
    auto step = follower_->step();
    while (step && *step == OutputStep::ended) {
      is_known_ = true;
      follower_->begin({run_, follower_->attempt().attempt + 1});
      step = follower_->step();
    }
    std::cout.flush();
    const bool is_elsewhere = step && (*step == OutputStep::elsewhere || (*step == OutputStep::unknown && !is_known_));
    if (step && *step == OutputStep::goes_on) is_known_ = true;
    if (step && !is_elsewhere) return;
    std::cerr << "ballot trigger: its output is not shown: "
              << (step ? "another node executes the run" : step.error().what) << '\n';
    follower_.reset();
  }

  Exit report(const io::Message& end) {
    const std::string reason = end.text("reason").value_or("");
    if (end.text("status") != "succeeded")
      std::cerr << end.text("status").value_or("?") << (reason.empty() ? "" : ": ") << reason << '\n';
    if (reason == "cannot_start" && !options_.follow) print_cause();
    return static_cast<Exit>(code_of(end));
  }

  void print_cause() {
    auto ledger = open_ledger(config_);
    const auto row = ledger ? library::attempt_row(**ledger, run_, std::nullopt) : ledger.error();
    const auto output = row ? (*ledger)->output({run_, row->attempt}, 0) : row.error();
    if (output) OutputPrinter(std::cerr, OutputText::harmless).print(output->piece);
  }

  /// What has not begun by then does not begin later.
  Exit give_up() {
    const std::string time = format_duration(options_.patience.time);
    if (!is_waiting()) {
      const std::string what =
          "the run has not ended within " + time + ", and goes on: see `ballot output --follow " + run_.text() + "`";
      return fail("trigger", {Errc::timeout, what});
    }
    io::Message request;
    request.set("do", "kill").set("run", run_.text()).set("timeout_ms", std::int64_t{withdrawal_patience.count()});
    const auto withdrawn = io::ask_once(config_.control_socket, request, withdrawal_patience + trigger_slack);
    if (!withdrawn) return fail("trigger", withdrawn.error());
    return fail("trigger", {Errc::timeout, "the run has not begun within " + time + ", and is withdrawn"});
  }

  /// For its turn, as the daemon shows it.
  bool is_waiting() const {
    const auto run = ask_open_run(config_, run_.text());
    return run && run->text("state") == "waiting" && run->integer("attempt") == 1;
  }

  const TriggerOptions& options_;
  const config::Config& config_;
  io::ControlClient& client_;
  const RunId run_;
  std::unique_ptr<library::LedgerView> ledger_;
  std::optional<OutputFollower> follower_;
  bool is_known_ = false;  // to this node's ledger, or its runner
};

/// A run that is claimed or queued, and the connection on which its end is reported.
struct Triggered {
  io::ControlClient client;
  std::optional<RunId> run;
};

/// `env`: as EnvWords has it; a value of any bytes would be no text of a message.
Result<Triggered> trigger(const TriggerOptions& options, const config::Config& config, const std::string& job,
                          const std::string& env) {
  io::Message request;
  request.set("do", "trigger").set("job", job).set("wait", options.wait || options.follow);
  if (!env.empty()) request.set("env_words", env);
  if (options.alone) request.set("alone", true);
  request.set("timeout_ms", std::int64_t{options.patience.time.count()});
  auto client = io::ControlClient::ask(config.control_socket, request);
  if (!client) return client.error();
  const auto claimed = client->next(options.patience.time + trigger_slack);
  if (!claimed) return claimed.error();
  if (!*claimed) return Error{Errc::unavailable, "the daemon did not answer"};
  const std::string id = (*claimed)->text("run").value_or("");
  (options.follow ? std::cerr : std::cout) << id << std::endl;
  if (const auto queued = (*claimed)->text("text"))
    std::cerr << "ballot trigger: " << escaped(*queued, Escape::plain) << '\n';
  return Triggered{std::move(*client), RunId::parse(id)};
}

/// Of a job that runs on each node: the instances of the nodes that live.
Result<std::vector<std::string>> jobs_to_trigger(const TriggerOptions& options, const config::Config& config) {
  auto instances = living_instances(config, options.job);
  if (!instances) return instances.error();
  if (const auto known = require_node_of(options.job, config); !known) return known.error();
  if (!*instances)
    return options.all
               ? Result<std::vector<std::string>>(Error{Errc::invalid, "--all is of a job that runs on each node"})
               : std::vector<std::string>{options.job};
  if (options.all) return **std::move(instances);
  std::string text = "job " + options.job + " runs on each node: --all, or one of its instances:";
  for (const std::string& instance : **instances) text += " " + instance;
  return Error{Errc::invalid, text};
}

/// Nobody else runs their instances.
void name_away_instances(const std::string& job, const std::vector<std::string>& triggered,
                         const config::Config& config) {
  for (const auto& [name, node] : ask_silent_nodes(config)) {
    const std::string instance = instance_name(job, name);
    if (std::find(triggered.begin(), triggered.end(), instance) != triggered.end()) continue;
    std::cerr << "ballot trigger: " << escaped(instance + " is not triggered: " + silence_of(node), Escape::plain)
              << '\n';
  }
}

/// The jobs that are run after it, where it ends as they ask.
void name_followers(const std::string& job, const config::Config& config) {
  Downstream all = downstream_of(load_jobs(config).set(), job);
  all.next.insert(all.next.end(), all.further.begin(), all.further.end());
  constexpr std::size_t most = 5;
  if (all.next.empty()) return;
  const std::size_t left = all.next.size() - std::min(all.next.size(), most);
  all.next.resize(std::min(all.next.size(), most));
  std::cerr << "ballot trigger: the jobs that come after it follow: " << escaped(joined(all.next), Escape::plain)
            << (left > 0 ? " and " + std::to_string(left) + " more" : "") << "; --alone runs it without them\n";
}

Exit run(const TriggerOptions& options) {
  const auto config = load_config(options.config);
  if (!config) return Exit::configuration;
  if (options.all && options.follow)
    return fail("trigger", {Errc::invalid, "--follow is of one instance, not of --all"});
  const auto env = read_assignments(options.env);
  if (!env) return fail("trigger", {Errc::invalid, "--" + env.error().what});
  if (const std::string fault = fault_of_env(*env); !fault.empty())
    return fail("trigger", {Errc::invalid, "--" + fault});
  const SteadyTime begun = io::read_clocks().steady;
  const auto jobs = jobs_to_trigger(options, *config);
  if (!jobs) return fail("trigger", jobs.error());
  Exit exit = Exit::done;
  std::vector<Triggered> triggered;
  for (const std::string& job : *jobs) {
    auto one = trigger(options, *config, job, env_words(*env));
    if (one)
      triggered.push_back(*std::move(one));
    else if (!options.all || one.error().code != Errc::not_found)  // its node's files do not have the job
      exit = fail("trigger", options.all ? Error{one.error().code, job + ": " + one.error().what}
                                         : with_silence(with_guess(one.error(), job, "", *config), job, *config));
  }
  if (options.all) name_away_instances(options.job, *jobs, *config);
  if (!options.alone && !triggered.empty()) name_followers(options.job, *config);
  if (!options.wait && !options.follow) return exit;
  for (Triggered& one : triggered) {
    if (!one.run) continue;
    const Exit ended = Waiting(options, *config, one.client, *one.run)
                           .wait(begun + (options.patience.given ? options.patience.time : no_end));
    exit = std::max(exit, ended);
  }
  return exit;
}

}  // namespace

Run setup_trigger(CLI::App& command) {
  auto options = std::make_shared<TriggerOptions>();
  add_config_options(command, options->config);
  add_string(command, "JOB", options->job, "the job's name", Need::required);
  add_strings(command, "--env NAME=VALUE", options->env, "a variable that the job's trigger_env allows");
  add_switch(command, "--alone", options->alone, "without the jobs that come after it");
  add_switch(command, "--all", options->all, "on each node, of a job that runs on each");
  add_switch(command, "--wait", options->wait, "wait for the run's end, and exit with its code");
  add_switch(command, "--follow", options->follow, "as --wait, and print what it prints as it comes");
  add_timeout_option(command, options->patience);
  return [options] { return run(*options); };
}

}  // namespace ballot::app
