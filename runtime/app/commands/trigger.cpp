// ballot trigger JOB [--wait]: runs a job now, by hand.
#include <iostream>
#include <memory>

#include "app/ask.hpp"
#include "app/commands/commands.hpp"
#include "app/ledger_access.hpp"
#include "app/options.hpp"
#include "io/control_client.hpp"

namespace ballot::app {
namespace {

constexpr Millis trigger_slack = std::chrono::seconds(5);  // the daemon says itself that time is up
constexpr Millis no_end = std::chrono::hours(24 * 365);

struct TriggerOptions {
  ConfigOptions config;
  std::string job;
  bool wait = false;
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

Exit wait_for_end(io::ControlClient& client) {
  const auto end = client.next(no_end);
  if (!end) return fail("trigger", end.error());
  if (!*end)
    return fail("trigger", {Errc::unavailable, "the daemon went away before the run ended; see `ballot history`"});
  const io::Message& message = **end;
  if (message.text("status") != "succeeded")
    std::cerr << message.text("status").value_or("?") << ": " << message.text("reason").value_or("") << '\n';
  return static_cast<Exit>(code_of(message));
}

Exit run(const TriggerOptions& options) {
  const auto config = load_config(options.config);
  if (!config) return Exit::configuration;
  io::Message request;
  request.set("do", "trigger").set("job", options.job).set("wait", options.wait);
  request.set("timeout_ms", std::int64_t{options.patience.time.count()});
  auto client = io::ControlClient::ask(config->control_socket, request);
  if (!client) return fail("trigger", client.error());
  const auto claimed = client->next(options.patience.time + trigger_slack);
  if (!claimed) return fail("trigger", claimed.error());
  if (!*claimed) return fail("trigger", {Errc::unavailable, "the daemon did not answer"});
  std::cout << (*claimed)->text("run").value_or("") << std::endl;
  return options.wait ? wait_for_end(*client) : Exit::done;
}

}  // namespace

Run setup_trigger(CLI::App& command) {
  auto options = std::make_shared<TriggerOptions>();
  add_config_options(command, options->config);
  add_string(command, "JOB", options->job, "the job's name", Need::required);
  add_switch(command, "--wait", options->wait, "wait for the run's end, and exit with its code");
  add_timeout_option(command, options->patience);
  return [options] { return run(*options); };
}

}  // namespace ballot::app
