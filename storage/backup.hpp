// Backup: a copy of a living ledger, as it is at one moment, by SQLite's online backup: in steps, so that its writer
// goes on meanwhile. Knows nothing of what is in it.
//
// Thread: the one that uses `source`. Throws SqliteError.
//
//   const std::int64_t bytes = back_up(db, "/srv/backup/history.db");
#pragma once

#include <cstdint>
#include <string>

#include "storage/database.hpp"

namespace ballot::storage {

/// How large the copy is. It is for its owner only, and on the disk with its name when the call returns; what fails
/// leaves nothing. Refuses a path where there is something.
std::int64_t back_up(Database& source, const std::string& path);

}  // namespace ballot::storage
