// ballot history migrate: makes the tables of the fleet's history, or brings them up to this version, as whoever may do
// that there. Daemons need no such right.
#pragma once

#include "app/exit.hpp"
#include "app/options/options.hpp"

namespace ballot::app {

Exit migrate_history(const ConfigOptions& options);

}  // namespace ballot::app
