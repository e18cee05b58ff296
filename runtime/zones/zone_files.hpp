// The files of the zones that were loaded: whether an update has replaced one. cctz keeps what it has loaded by its
// name for the life of the process, so that what has changed is loaded under another one.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>

namespace ballot::zones {

/// How often the file of a zone that was loaded was found to be another one, since the process began. Looks at them.
std::uint64_t zone_changes();

/// The name under which cctz loads the zone's file as it is, or was when zone_changes() looked last. Requires:
/// is_zone_name(name).
std::string zone_load_name(const std::string& name);

}  // namespace ballot::zones
