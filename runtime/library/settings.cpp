#include "library/settings.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <tuple>
#include <utility>

#include "base/cgroup_place.hpp"
#include "base/trust.hpp"
#include "config/identities.hpp"
#include "config/job_keys.hpp"
#include "library/backend_choice.hpp"

namespace ballot::library {
namespace {

io::EngineSettings engine_settings(const config::Config& config, const Programs& programs) {
  io::EngineSettings settings;
  settings.node = config.node;
  settings.session_timeout = config.coordination.session_timeout.value_or(Millis(0));
  settings.max_running = config.max_running;
  config::Identities identities;
  if (const auto& self = identities.user(::geteuid())) settings.identity = **self;
  settings.backend = backend_settings(config);
  settings.backend.open_store = open_store_rule(config);
  if (!programs.runner.empty())
    settings.runner = {runner_socket(config), programs.runner,
                       config.coordination.backend + " " + config.coordination.name_space + " " + config.node};
  settings.sendmail = programs.sendmail;
  settings.ping = programs.ping;
  return settings;
}

}  // namespace

NodeSettings node_settings(const config::Config& config, const Programs& programs) {
  NodeSettings settings;
  settings.plugin_dir = config.plugin_dir;
  settings.backend = config.coordination.backend;
  settings.engine = engine_settings(config, programs);
  settings.ledger.path = config.history.path;
  settings.ledger.limits = {config.history.keep, config.history.keep_runs_per_job, config.history.max_size};
  settings.ledger.keys_of = config::keys_of;
  settings.history = history_choice(config);
  return settings;
}

HistoryChoice history_choice(const config::Config& config) {
  HistoryChoice choice{config.fleet.history, {}, config.state_dir};
  if (const auto table = config.backends.find(choice.plugin); table != config.backends.end())
    choice.options = table->second.options;
  return choice;
}

std::optional<FleetSettings> fleet_settings(const config::Config& config) {
  if (config.http.listen.empty() || config.coordination.backend == "local") return std::nullopt;
  return FleetSettings{config.node, config.http.tls_ca, config.fleet.token_file, config.state_dir + "/nodes"};
}

std::string runner_socket(const config::Config& config) { return config.run_dir + "/runner.sock"; }

config::JobSettings job_settings(const config::Config& config) {
  return {.timezone = config.timezone,
          .longest_kill_grace = config::longest_kill_grace(config),
          .backends = config.known,
          .controllers = machine_controllers(),
          .node = config.node};
}

Result<void> check_folders(const config::Config& config) {
  const auto folder_of = [](const std::string& path) { return std::filesystem::path(path).parent_path().string(); };
  for (const auto& [folder, whose] : {std::pair(config.state_dir, "state_dir"), std::pair(config.run_dir, "run_dir"),
                                      std::pair(folder_of(config.history.path), "of the ledger"),
                                      std::pair(folder_of(config.control_socket), "of the control socket")}) {
    if (folder.empty()) continue;  // no control socket
    if (const auto fault = distrust_folder(folder, ::geteuid()))
      return Error{Errc::refused, "the folder " + folder + " is not used (" + whose + "): " + *fault};
  }
  return {};
}

Result<void> make_folders(const config::Config& config) {
  for (const auto& [folder, mode, key] :
       {std::tuple(config.state_dir, 0750, "state_dir"), std::tuple(config.run_dir, 0755, "run_dir")}) {
    std::error_code error;
    const bool made = std::filesystem::create_directories(folder, error);
    if (made && !error) std::filesystem::permissions(folder, static_cast<std::filesystem::perms>(mode), error);
    if (error) return Error{Errc::io, std::string(key) + ": cannot make the folder " + folder + ": " + error.message()};
  }
  return check_folders(config);
}

}  // namespace ballot::library
