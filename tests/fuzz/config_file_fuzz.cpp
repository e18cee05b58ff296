// ballot.toml.
#include "config/config.hpp"
#include "config/overrides.hpp"
#include "diagnostics.hpp"
#include "harness.hpp"
#include "scratch.hpp"
#include "unit/config/fake_backends.hpp"

namespace ballot::fuzz::config_file_harness {

BALLOT_FUZZ(config_file) {
  config::ConfigRequest request;
  request.file = scratch_file("ballot.toml", input);
  request.file_rule = config::FileRule::must_exist;
  request.plugin_rule = config::PluginRule::all;
  request.plugins = config::fake_plugins();
  request.host_name = "host-1";
  const config::LoadedConfig loaded = config::load_config(request);
  look_at(loaded.diagnostics, input);
  require(config::load_config(request).diagnostics == loaded.diagnostics, "a file is read as before");
  if (has_errors(loaded.diagnostics)) return;
  const config::Config& config = loaded.config;
  require(!config.node.empty() && !config.coordination.name_space.empty(), "it has a node and a namespace");
  require(config.known.contains(config.coordination.backend), "its backend is known", config.coordination.backend);
  const Millis timeout = config.coordination.session_timeout.value_or(config::shortest_session_timeout);
  require(timeout >= config::shortest_session_timeout && timeout <= config::longest_session_timeout,
          "a time-out is within its bounds");
  require(config.max_running >= 0 && config.history.max_size >= 0 && config.history.keep > Millis(0),
          "limits are no less than nothing");
  require(config::longest_kill_grace(config).value_or(Millis(0)) >= Millis(0), "a grace is no less than nothing");
}

}  // namespace ballot::fuzz::config_file_harness
