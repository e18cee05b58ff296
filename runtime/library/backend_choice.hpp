// The backend that the configuration names: its plugin, found and asked whether it accepts its table, and what it is
// made with.
#pragma once

#include "ballot/error.hpp"
#include "ballot/plugin.hpp"
#include "config/config.hpp"

namespace ballot::library {

/// Errors: refused, corrupt, not_found (the plugin); invalid (its table).
Result<const PluginInfo*> find_backend(const config::Config& config);

BackendSettings backend_settings(const config::Config& config);

/// What `serve` makes of a store that asks nobody who he is.
OpenStore open_store_rule(const config::Config& config);

}  // namespace ballot::library
