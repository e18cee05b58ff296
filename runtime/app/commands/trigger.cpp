// ballot trigger JOB [--wait] [--follow]: runs a job now, by hand.
#include <iostream>
#include <memory>

#include "app/ask.hpp"
#include "app/commands/commands.hpp"
#include "app/ledger_access.hpp"
#include "app/options.hpp"
#include "app/output_follower.hpp"
#include "base/duration.hpp"
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
  bool wait = false, follow = false;
  Patience patience;
};

/// As a shell would: the child's code, 128 + n for a signal; 1 for a run that never started, or that did not succeed
/// though its child ended with 0 (killed, timed out).
int code_of(const io::Message& end) {
  const auto code = end.integer("exit_code");
  if (code && (*code != 0 || end.text("status") == "succeeded")) return static_cast<int>(*code);
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
    ledger_ = std::make_unique<storage::Reader>(std::move(*ledger));
    follower_.emplace(config_, *ledger_, std::cout);
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
    const auto output = ledger ? ledger->output(run_) : Result<Output>(ledger.error());
    if (output) OutputPrinter(std::cerr, OutputText::harmless).print(*output);
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
    io::Message request;
    request.set("do", "runs");
    auto client = io::ControlClient::ask(config_.control_socket, request);
    while (client) {
      const auto line = client->next(withdrawal_patience);
      if (!line || !*line) return false;
      for (const io::Message& run : (*line)->objects("runs"))
        if (run.text("run") == run_.text()) return run.text("state") == "waiting" && run.integer("attempt") == 1;
    }
    return false;
  }

  const TriggerOptions& options_;
  const config::Config& config_;
  io::ControlClient& client_;
  const RunId run_;
  std::unique_ptr<storage::Reader> ledger_;
  std::optional<OutputFollower> follower_;
  bool is_known_ = false;  // to this node's ledger, or its runner
};

Exit run(const TriggerOptions& options) {
  const auto config = load_config(options.config);
  if (!config) return Exit::configuration;
  const bool waits = options.wait || options.follow;
  const SteadyTime begun = io::read_clocks().steady;
  io::Message request;
  request.set("do", "trigger").set("job", options.job).set("wait", waits);
  request.set("timeout_ms", std::int64_t{options.patience.time.count()});
  auto client = io::ControlClient::ask(config->control_socket, request);
  if (!client) return fail("trigger", client.error());
  const auto claimed = client->next(options.patience.time + trigger_slack);
  if (!claimed) return fail("trigger", claimed.error());
  if (!*claimed) return fail("trigger", {Errc::unavailable, "the daemon did not answer"});
  const std::string id = (*claimed)->text("run").value_or("");
  (options.follow ? std::cerr : std::cout) << id << std::endl;
  const auto run = RunId::parse(id);
  if (!waits || !run) return Exit::done;
  return Waiting(options, *config, *client, *run)
      .wait(begun + (options.patience.given ? options.patience.time : no_end));
}

}  // namespace

Run setup_trigger(CLI::App& command) {
  auto options = std::make_shared<TriggerOptions>();
  add_config_options(command, options->config);
  add_string(command, "JOB", options->job, "the job's name", Need::required);
  add_switch(command, "--wait", options->wait, "wait for the run's end, and exit with its code");
  add_switch(command, "--follow", options->follow, "as --wait, and print what it prints as it comes");
  add_timeout_option(command, options->patience);
  return [options] { return run(*options); };
}

}  // namespace ballot::app
