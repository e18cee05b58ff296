// ballot serve: the daemon.
#include <memory>

#include "app/commands/commands.hpp"
#include "app/daemon.hpp"
#include "app/log/log_sink.hpp"
#include "app/options/options.hpp"

namespace ballot::app {
namespace {

struct ServeOptions {
  ConfigOptions config;
  bool dry_run = false;
};

Exit run(const ServeOptions& options) {
  auto config = load_backend_config(options.config, config::NamespaceRule::must_be_set);
  if (!config) return Exit::configuration;
  Log log = make_log(config->log, config->node);
  Daemon daemon(*std::move(config), options.dry_run, std::move(log));
  return daemon.run();
}

}  // namespace

Run setup_serve(CLI::App& command, const Words& words) {
  auto options = std::make_shared<ServeOptions>();
  add_config_options(command, options->config);
  add_daemon_options(command, options->config.flags);
  add_coordination_options(command, options->config, words);
  add_switch(command, "--dry-run", options->dry_run, "all but the launch: slots are `skipped: dry_run`");
  return [options] { return run(*options); };
}

}  // namespace ballot::app
