// The table of a backend in a TOML file, as it stands there.
#pragma once

#include "config/backends.hpp"
#include "config/value.hpp"

namespace ballot::config {

/// `value` is what stands under the backend's name. A value that no plugin could take is a finding.
void read_backend_table(const Value& value, BackendTable& table);

}  // namespace ballot::config
