// [http] of ballot.toml.
#pragma once

#include "base/http_settings.hpp"
#include "config/value.hpp"

namespace ballot::config {

/// Reads the table, and says what is wrong with it: each at its key, or at the table where the key is missing.
void read_http(const Value& value, HttpSettings& settings);

}  // namespace ballot::config
