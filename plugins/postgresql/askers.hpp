// name_askers(): who triggered, killed or forgot the runs of rows, and who paused and resumed what kept slots from
// running, by the requests and pauses of all ledgers. One round trip where a row needs it, else none.
#pragma once

#include <vector>

#include "ballot/history_rows.hpp"
#include "connection.hpp"

namespace ballot::postgresql {

void name_askers(Connection& connection, std::vector<KeptRow>& rows);

}  // namespace ballot::postgresql
