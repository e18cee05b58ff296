// ballot pause, resume, repair: JOB, or --group G. Each returns when it is done.
#include <memory>

#include "app/ask.hpp"
#include "app/commands/commands.hpp"
#include "app/ledger_access.hpp"

namespace ballot::app {
namespace {

struct PauseOptions {
  ConfigOptions config;
  std::string job, group;
  Patience patience;
};

Exit run(const char* what, const PauseOptions& options) {
  if (options.job.empty() == options.group.empty())
    return fail(what, {Errc::invalid, "needs either a job's name or --group; see --help"});
  io::Message request;
  request.set("do", what).set("job", options.job).set("group", options.group);
  return ask_daemon(what, options.config, std::move(request), options.patience);
}

Run setup_pausing(const char* what, CLI::App& command) {
  auto options = std::make_shared<PauseOptions>();
  add_config_options(command, options->config);
  add_string(command, "JOB", options->job, "the job's name");
  add_string(command, "--group NAME", options->group, "all jobs of this group instead");
  add_timeout_option(command, options->patience);
  return [options, what] { return run(what, *options); };
}

}  // namespace

Run setup_pause(CLI::App& command) { return setup_pausing("pause", command); }
Run setup_resume(CLI::App& command) { return setup_pausing("resume", command); }
Run setup_repair(CLI::App& command) { return setup_pausing("repair", command); }

}  // namespace ballot::app
