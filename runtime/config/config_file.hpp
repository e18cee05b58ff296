// The text of `ballot.toml` into a Config: what is written, not yet what follows from it.
#pragma once

#include <string>
#include <string_view>

#include "config/config.hpp"

namespace ballot::config {

/// `backend`, if not "", is what a flag or the environment says: its table is known, whatever its name. What the file
/// leaves out stays as it is in `config`.
void read_config_file(std::string_view text, const std::string& backend, Config& config, Findings& findings);

}  // namespace ballot::config
