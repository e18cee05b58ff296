// The ledger's tables, as docs/ledger.md describes them, and how a file comes to have them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ballot/run.hpp"
#include "ballot/time.hpp"
#include "storage/database.hpp"

namespace ballot::storage {

/// "blot" in the file's header: this SQLite file is a ledger of ballot.
inline constexpr std::int64_t application_id = 0x626c6f74;

/// What this ballot reads and writes (`PRAGMA user_version`).
inline constexpr std::int64_t schema_version = 1;

/// Tables that an older ballot of this version leaves alone (`meta`, key `additions`): it goes on with the file, and
/// what they say of it may then not be so any more. Whoever reads definitions asks knows_all_writes() first; pauses are
/// complete since the change `meta` has under `pauses`; what is known of stores is never too much. An older ballot that
/// opens the file sets `additions` back, and each addition above it is made again: it must do no harm then.
inline constexpr std::int64_t additions_version = 10;
bool knows_all_writes(Database& db);
/// The change since which all pauses are recorded; none in a file that an older ballot has opened last.
std::optional<std::int64_t> pauses_since(Database& db);

/// How much of people's requests the file has: an older ballot that has opened it last records less.
enum class RequestsKept { none, without_answers, with_answers };
RequestsKept requests_kept(Database& db);

/// The file says of pauses when they were to end, and why they were.
bool has_pause_terms(Database& db);

/// The file says of triggers which variables they gave.
bool has_trigger_env(Database& db);

/// The file says of definitions which keys they set.
bool has_definition_keys(Database& db);

/// The identity of this ledger: of one file, until another is begun.
RunId ledger_identity(Database& db);
/// There is nothing in the file without its mark: see ChangeMarks.
bool has_all_marks(Database& db);

/// Opens the file for its one writer: made, migrated, and set up as docs/ledger.md says. Throws SqliteError: `refused`
/// for a file of a newer ballot or of another program, which is left as it is.
/// `lock_wait`: how long a statement waits for another process's lock.
Database open_ledger(const std::string& path, Millis lock_wait);

/// Opens the file for reading only. Throws SqliteError: `refused` as above, and for a file that is yet to be migrated.
Database open_ledger_for_reading(const std::string& path);

}  // namespace ballot::storage
