// RosterFile: the other nodes that a daemon knows, for the next one of its node. A node that was stopped has taken its
// record out of the store, and what it alone knows is still lacking: a daemon that is started after that has to name it
// all the same. One line of JSON, mode 0600, in state_dir.
//
// Thread: any; both wait for the disk.
#pragma once

#include <string>

#include "ballot/error.hpp"
#include "library/history/fleet_roster.hpp"

namespace ballot::library {

/// Replaced as a whole. Errors: io.
Result<void> write_roster(const std::string& path, const KnownNodes& nodes);

/// Errors: not_found; those of read_trusted_file(); corrupt. They name the file.
Result<KnownNodes> read_roster(const std::string& path);

}  // namespace ballot::library
