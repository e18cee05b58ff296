// ballot pause, resume, repair: JOB, or --group G. Each returns when it is done. A pause of a job that runs on each
// node stands in the store, for nodes that come later; those that live are asked whether they follow it.
#include <iostream>
#include <memory>

#include "app/ask.hpp"
#include "app/away_instance.hpp"
#include "app/commands/commands.hpp"
#include "app/ledger_access.hpp"

namespace ballot::app {
namespace {

struct PauseOptions {
  ConfigOptions config;
  std::string job, group;
  Patience patience;
};

Result<io::Message> ask(const config::Config& config, const char* what, const std::string& job, const std::string& run,
                        Patience patience) {
  io::Message request;
  request.set("do", what).set("job", job);
  if (!run.empty()) request.set("run", run);
  return send_request(config, std::move(request), patience);
}

/// First for those that come later: what is paused then stays so. `instances`: of nodes that live.
Exit run_for_all(const char* what, const PauseOptions& options, const config::Config& config,
                 const std::vector<std::string>& instances) {
  const auto stands = ask(config, what, options.job, "", options.patience);
  if (!stands) return fail(what, stands.error());
  const bool pauses = std::string_view(what) == "pause";
  const std::string pause = pauses ? stands->text("run").value_or("") : "";
  std::string done, remaining;  // pauses, of which resume says it
  Exit exit = Exit::done;
  for (const std::string& instance : instances) {
    const auto followed = ask(config, what, instance, pause, options.patience);
    if (followed) {
      done += " " + instance;
      remaining += followed->text("text").value_or("");
      if (!remaining.empty() && !remaining.ends_with('\n')) remaining += '\n';
    } else if (followed.error().code != Errc::not_found)  // its node's files do not have the job
      exit =
          fail(what, with_silence({followed.error().code, instance + ": " + followed.error().what}, instance, config));
  }
  std::cout << (pauses ? "paused:" : "resumed:") << done << ", and other nodes when they come\n" << remaining;
  return exit;
}

Exit run(const char* what, const PauseOptions& options) {
  if (options.job.empty() == options.group.empty())
    return fail(what, {Errc::invalid, "needs either a job's name or --group; see --help"});
  const auto config = load_config(options.config);
  if (!config) return Exit::configuration;
  if (!options.job.empty() && std::string_view(what) != "repair") {
    const auto instances = living_instances(*config, options.job);
    if (!instances) return fail(what, instances.error());
    if (*instances) return run_for_all(what, options, *config, **instances);
  }
  io::Message request;
  request.set("do", what).set("job", options.job).set("group", options.group);
  return ask_daemon(what, *config, std::move(request), options.patience);
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
