// migrate(): makes the tables, or brings them up to this version, as one transaction, and lets the daemons' users use
// them. One at a time: whoever comes meanwhile waits, and finds nothing to do. Failures are as those of Connection.
#pragma once

#include <string>
#include <vector>

#include "connection.hpp"
#include "settings.hpp"

namespace ballot::postgresql {

/// What it did, a line each.
std::vector<std::string> migrate(Connection& connection, const Settings& settings);

}  // namespace ballot::postgresql
