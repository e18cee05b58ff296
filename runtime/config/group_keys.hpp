// The `[group.NAME]` tables of job files and of `ballot.toml`.
#pragma once

#include <vector>

#include "config/group.hpp"
#include "config/value.hpp"

namespace ballot::config {

/// `value` is what stands under `group`: a table of tables.
void read_groups(const Value& value, std::vector<PlacedGroup>& groups);

}  // namespace ballot::config
