// Request query: what people asked of jobs and groups, newest first, a page at a time, from a ledger's database.
//
// Throws SqliteError. Thread: the database's.
//
//   read_requests(db, {.jobs = {"nightly-backup"}}, [](const RequestRow& request) { ...; return true; });
#pragma once

#include <functional>
#include <optional>

#include "ballot/ledger.hpp"
#include "storage/database.hpp"
#include "storage/filter.hpp"

namespace ballot::storage {

/// Called for each row; false: no more.
using VisitRequest = std::function<bool(const RequestRow&)>;

/// Where the next page begins, or nullopt when no row is left. No statement is open while `visit` is called.
std::optional<RequestPosition> read_requests(Database& db, RequestFilter filter, const VisitRequest& visit);

/// The request with this id, and what came of it; none: it is not kept, or an older ballot has opened the file last.
std::optional<RequestRow> find_request(Database& db, const RunId& id);

}  // namespace ballot::storage
