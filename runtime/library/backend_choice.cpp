#include "library/backend_choice.hpp"

#include <unistd.h>

#include "io/plugin_loader.hpp"

namespace ballot::library {

Result<const PluginInfo*> find_backend(const config::Config& config) {
  const std::string& name = config.coordination.backend;
  const auto plugin = load_plugin_of(backend_kind, config.plugin_dir, name);
  if (!plugin) return plugin.error();
  if (const auto table = config.backends.find(name); table != config.backends.end())
    for (const OptionProblem& problem : check_table(table->second.options, (*plugin)->traits))
      return Error{Errc::invalid, option_diagnostic(config, name, problem).text()};
  return *plugin;
}

OpenStore open_store_rule(const config::Config& config) {
  if (config.coordination.allow_open_store) return OpenStore::accept;
  return ::geteuid() == 0 ? OpenStore::refuse : OpenStore::warn;
}

BackendSettings backend_settings(const config::Config& config) {
  BackendSettings settings;
  settings.name_space = config.coordination.name_space;
  settings.state_dir = config.state_dir;
  settings.hold = config.coordination.on_outage == config::OnOutage::hold;
  const auto table = config.backends.find(config.coordination.backend);
  if (table != config.backends.end()) settings.options = table->second.options;
  return settings;
}

}  // namespace ballot::library
