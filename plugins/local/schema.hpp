// Schema: the tables of registers.db in all their formats: makes a new file, checks one that is there, and brings an
// older one up to date. Knows nothing of what is in the tables. Throws DbError, after
// which the connection is of no use. One thread.
//
//   auto store = prepare_schema(db, "");              // with what the lock file says
#pragma once

#include <cstdint>
#include <string>

#include "ballot/error.hpp"
#include "sqlite.hpp"

namespace ballot::local {

inline constexpr int format = 4;
inline constexpr int first_format_with_leases = 4;

/// Checks the file, or makes a new one where it is empty and `store` is. Returns the store's name.
/// Errors: invalid (a newer format, another program's file), corrupt (damaged, emptied, of another store).
Result<std::string> prepare_schema(Connection& db, const std::string& store);
/// Only reads, and trusts its pages. Errors: as prepare_schema(); invalid, where the format is older.
Result<void> check_schema(Connection& db, const std::string& store);
/// 0: the file is empty. Errors: as prepare_schema().
Result<std::int64_t> known_format(Connection& db);

}  // namespace ballot::local
