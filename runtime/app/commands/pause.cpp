// ballot pause, resume, repair: JOB, or --group G. Each returns when it is done.
#include <CLI/CLI.hpp>
#include <memory>

#include "app/ask.hpp"
#include "app/commands/commands.hpp"
#include "app/ledger_access.hpp"

namespace ballot::app {
namespace {

struct Options {
  ConfigOptions config;
  std::string job, group;
  Patience patience;
};

Exit run(const char* what, const Options& options) {
  if (options.job.empty() == options.group.empty())
    return fail(what, {Errc::invalid, "needs either a job's name or --group; see --help"});
  io::Message request;
  request.set("do", what).set("job", options.job).set("group", options.group);
  return ask_daemon(what, options.config, std::move(request), options.patience);
}

Run setup(const char* what, CLI::App& command) {
  auto options = std::make_shared<Options>();
  add_config_options(command, options->config);
  command.add_option("JOB", options->job, "the job's name");
  command.add_option("--group", options->group, "all jobs of this group instead");
  add_timeout_option(command, options->patience);
  return [options, what] { return run(what, *options); };
}

}  // namespace

Run setup_pause(CLI::App& command) { return setup("pause", command); }
Run setup_resume(CLI::App& command) { return setup("resume", command); }
Run setup_repair(CLI::App& command) { return setup("repair", command); }

}  // namespace ballot::app
