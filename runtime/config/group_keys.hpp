// The `[group.NAME]` tables of job files and of `ballot.toml`.
#pragma once

#include <cstdint>
#include <vector>

#include "config/backends.hpp"
#include "config/group.hpp"
#include "config/programs.hpp"
#include "config/value.hpp"

namespace ballot::config {

/// `value` is the value of `group`: a table of tables. `known`: the backends that may have tables of theirs there.
void read_groups(const Value& value, const Backends& known, std::vector<PlacedGroup>& groups);

/// What the plugins say of their tables there, once they are loaded.
void check_group_tables(const Backends& known, const std::vector<PlacedGroup>& groups, Findings findings);

/// Warns of each hook of a group that a daemon of root executes and others may replace.
void check_group_hooks(const std::vector<PlacedGroup>& groups, std::uint32_t daemon, Programs& programs,
                       Findings findings);

}  // namespace ballot::config
