// The table of a backend in a TOML file, as it is written there.
#pragma once

#include "config/backends.hpp"
#include "config/value.hpp"

namespace ballot::config {

/// `value` is the value of the backend's key. A value that no plugin could take is a finding.
void read_backend_table(const Value& value, BackendTable& table);

}  // namespace ballot::config
