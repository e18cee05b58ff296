// ballot kill RUN or JOB: ends a run, wherever it is executed; of a job: its one open run. ballot forget RUN: closes
// one whose node will not come back.
#include <memory>

#include "app/client/ask.hpp"
#include "app/commands/commands.hpp"
#include "app/jobs/subject.hpp"
#include "config/names.hpp"

namespace ballot::app {
namespace {

struct KillOptions {
  ConfigOptions config;
  std::string subject;
  Patience patience;
};

std::string check_subject(const std::string& text) {
  return check_run_suffix(text).empty() || config::is_job_or_instance(text)
             ? std::string()
             : "must be a job's name, or a run id, or its last 6 or more digits, as `ballot history` shows it";
}

Exit kill(const KillOptions& options) {
  const auto config = load_config(options.config);
  if (!config) return Exit::configuration;
  const std::string& subject = options.subject;
  const bool is_job =
      !check_run_suffix(subject).empty() || (config::is_job_or_instance(subject) && is_loaded(subject, *config));
  io::Message request;
  request.set("do", "kill").set(is_job ? "job" : "run", subject);
  return ask_daemon("kill", *config, std::move(request), options.patience);
}

Exit forget(const KillOptions& options) {
  io::Message request;
  request.set("do", "forget").set("run", options.subject);
  return ask_daemon("forget", options.config, std::move(request), options.patience);
}

std::shared_ptr<KillOptions> add_options(CLI::App& command, const std::string& help,
                                         std::string (*check)(const std::string&)) {
  auto options = std::make_shared<KillOptions>();
  add_config_options(command, options->config);
  add_value(
      command, "RUN", help,
      [to = options.get(), check](const std::string& text) {
        to->subject = text;
        return check(text);
      },
      Need::required);
  add_timeout_option(command, options->patience);
  return options;
}

}  // namespace

Run setup_kill(CLI::App& command) {
  const auto options = add_options(command, "a run's last 6 or more digits, or a job's name", check_subject);
  return [options] { return kill(*options); };
}

Run setup_forget(CLI::App& command) {
  const auto options = add_options(command, "a run's id, or its last 6 or more digits", check_run_suffix);
  return [options] { return forget(*options); };
}

}  // namespace ballot::app
