#include "storage/schema.hpp"

#include <unistd.h>

#include "ballot/run.hpp"
#include "storage/row_columns.hpp"
#include "storage/schema_sql.hpp"
#include "storage/sqlite_error.hpp"
#include "storage/statement.hpp"
#include "storage/transaction.hpp"

namespace ballot::storage {
namespace {

constexpr Millis reader_lock_wait = std::chrono::seconds(5);

// Of the additions that have them.
constexpr std::int64_t definitions_version = 1, pauses_version = 3, requests_version = 4, answers_version = 5,
                       marks_version = 7;

constexpr const char* added_sql = "SELECT value FROM meta WHERE key = 'additions'";

/// The words of one enumeration, "" as null. New words appear in older files by themselves; a number that an older
/// version has recorded without its word gets it.
template <class Enum>
void write_words(Statement& insert, std::string_view kind, Enum last) {
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    const std::string_view text = to_string(static_cast<Enum>(i));
    insert.run(kind, i, text.empty() ? std::nullopt : std::optional(text));
  }
}

void write_words(Database& db) {
  Statement insert(db,
                   "INSERT INTO word VALUES (?1, ?2, ?3) ON CONFLICT (kind, id)"
                   " DO UPDATE SET text = excluded.text WHERE text IS NOT excluded.text");
  write_words(insert, "status", Status::missed);
  write_words(insert, "reason", last_reason);
  write_words(insert, "trigger", last_trigger);
  write_words(insert, "leftover", Leftover::unkillable);
  write_words(insert, "cause", Cause::unfit);
}

/// Words that an older version has recorded without their numbers, as it did not know them, get these.
void number_words(Database& db, const std::string& kind) {
  const std::string pairs = " FROM word AS own JOIN word AS known USING (kind, text) WHERE kind = '" + kind +
                            "' AND own.id >= " + std::to_string(first_unnumbered) + " AND known.id < " +
                            std::to_string(first_unnumbered);
  if (db.number(("SELECT count(*)" + pairs).c_str()) == 0) return;
  db.run(("UPDATE ledger SET " + kind + " = (SELECT known.id" + pairs + " AND own.id = ledger." + kind + ") WHERE " +
          kind + " IN (SELECT own.id" + pairs + ")")
             .c_str());
  db.run(("DELETE FROM word WHERE kind = '" + kind + "' AND id IN (SELECT own.id" + pairs + ")").c_str());
}

/// The file's version; refuses what is not a ledger, and what a newer ballot wrote.
std::int64_t checked_version(Database& db) {
  const std::int64_t version = db.number("PRAGMA user_version");
  const std::int64_t owner = db.number("PRAGMA application_id");
  const bool fresh = version == 0 && owner == 0 && db.number("SELECT count(*) FROM sqlite_schema") == 0;
  if (!fresh && owner != application_id)
    throw SqliteError(Fault::refused,
                      db.path() + ": a database of another program, not a ledger: set [history] path to another file");
  if (version > schema_version)
    throw SqliteError(Fault::refused, db.path() + ": written by a newer ballot (schema " + std::to_string(version) +
                                          ", this one knows " + std::to_string(schema_version) +
                                          "): install that version, or move the file away");
  return version;
}

void migrate(Database& db) {
  Transaction transaction(db);
  for (std::int64_t version = checked_version(db); version < schema_version; ++version) db.run(migrations[version]);
  for (std::int64_t version = db.number(added_sql); version < additions_version; ++version) db.run(additions[version]);
  db.run(("INSERT OR REPLACE INTO meta VALUES ('additions', " + std::to_string(additions_version) + ")").c_str());
  write_words(db);
  number_words(db, "status");
  number_words(db, "reason");
  db.run(("PRAGMA application_id = " + std::to_string(application_id)).c_str());
  db.run(("PRAGMA user_version = " + std::to_string(schema_version)).c_str());
  transaction.commit();
}

void check_readable(Database& db) {
  db.wait_for_locks(reader_lock_wait);
  if (checked_version(db) < schema_version)
    throw SqliteError(Fault::refused, db.path() + ": not made yet, or of an older ballot: start the daemon once");
}

}  // namespace

Database open_ledger(const std::string& path, Millis lock_wait) {
  Database db(path, Open::write);
  db.wait_for_locks(lock_wait);
  checked_version(db);
  db.run(
      "PRAGMA auto_vacuum = INCREMENTAL;"  // counts only before the first table
      "PRAGMA journal_mode = WAL;"
      "PRAGMA synchronous = NORMAL;"
      "PRAGMA wal_autocheckpoint = 0;"
      "PRAGMA journal_size_limit = 67108864;"
      "PRAGMA cache_size = -8192;"
      "PRAGMA temp_store = MEMORY;"
      "PRAGMA secure_delete = FAST;"
      "PRAGMA cell_size_check = ON;");
  migrate(db);
  return db;
}

bool knows_all_writes(Database& db) {
  return db.number(added_sql) >= definitions_version &&
         db.number("SELECT max(value) - min(value) FROM meta WHERE key IN ('change', 'seen')") == 0;
}

RequestsKept requests_kept(Database& db) {
  const std::int64_t added = db.number(added_sql);
  return added >= answers_version    ? RequestsKept::with_answers
         : added >= requests_version ? RequestsKept::without_answers
                                     : RequestsKept::none;
}

std::optional<std::int64_t> pauses_since(Database& db) {
  if (db.number(added_sql) < pauses_version || !knows_all_writes(db)) return std::nullopt;
  return db.number("SELECT value FROM meta WHERE key = 'pauses'");
}

bool has_pause_terms(Database& db) {
  return db.number("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'pause_terms'") > 0;
}

bool has_trigger_env(Database& db) {
  return db.number("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'trigger_env'") > 0;
}

bool has_definition_keys(Database& db) {
  return db.number("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'definition_keys'") > 0;
}

RunId ledger_identity(Database& db) {
  Statement query(db, "SELECT ledger FROM identity");
  Cursor found = query.start();
  return found.step() ? read_run_id(found.blob(0)) : RunId{};
}

bool has_all_marks(Database& db) {
  return db.number(added_sql) >= marks_version &&
         db.number("SELECT max(value) - min(value) FROM meta WHERE key IN ('change', 'marks')") == 0;
}

Database open_ledger_for_reading(const std::string& path) {
  try {
    Database db(path, Open::read);
    check_readable(db);
    return db;
  } catch (const SqliteError&) {
    // Without a daemon, and in a folder where this user cannot make the -shm file that readers share with a writer.
    if (::access(path.c_str(), R_OK) != 0 || ::access((path + "-wal").c_str(), F_OK) == 0) throw;
  }
  Database db(path, Open::immutable);
  check_readable(db);
  return db;
}

}  // namespace ballot::storage
