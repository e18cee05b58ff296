// The text of `ballot.toml` into a Config: what is written, not yet what follows from it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "config/config.hpp"

namespace ballot::config {

/// The backends whose tables the file may have, by what it says of plugin_dir and backend, each "" where it does not.
using FindBackends = std::function<Backends(const std::string& plugin_dir, const std::string& backend)>;

/// What the file leaves out stays as it is in `config`.
void read_config_file(std::string_view text, const FindBackends& find_backends, Config& config, Findings& findings);

}  // namespace ballot::config
