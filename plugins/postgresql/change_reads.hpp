// read_changes(): what is kept of one ledger, in the order in which it handed it on. All of one moment. Failures are as
// those of Connection; not_found: there is no such ledger.
#pragma once

#include <cstdint>

#include "ballot/history_rows.hpp"
#include "connection.hpp"

namespace ballot::postgresql {

LedgerBatch read_changes(Connection& connection, const RunId& ledger, std::int64_t after, std::int64_t most);

}  // namespace ballot::postgresql
