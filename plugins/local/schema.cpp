#include "schema.hpp"

namespace ballot::local {

namespace {

constexpr std::int64_t application_id = 0x62616c6c;  // "ball"
constexpr std::int64_t checked_size = 64 << 20;      // larger files are not read through at every start
constexpr std::int64_t log_reserve = 8 << 20;        // twice what it grows to

// FULL: a commit is on the disk when it is answered, in a write-ahead log after one sync.
constexpr const char* settings =
    "PRAGMA journal_size_limit = 16777216; PRAGMA synchronous = FULL;"
    "PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON";

// Format 1. A new file is made as one and then brought up to date, as every older file is.
constexpr const char* tables = R"(
  CREATE TABLE store (one INTEGER PRIMARY KEY CHECK (one = 1), name TEXT NOT NULL, revision INTEGER NOT NULL) STRICT;
  CREATE TABLE session (id INTEGER PRIMARY KEY AUTOINCREMENT, node TEXT NOT NULL, boot_id TEXT NOT NULL,
    machine_id TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL, version TEXT NOT NULL,
    deadline INTEGER NOT NULL, renewed INTEGER NOT NULL) STRICT;
  CREATE TABLE term (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, epoch INTEGER NOT NULL,
    session INTEGER NOT NULL, node TEXT NOT NULL, boot_id TEXT NOT NULL, elected_at INTEGER NOT NULL,
    ended INTEGER NOT NULL, ended_at INTEGER NOT NULL) STRICT;
  CREATE INDEX term_session ON term (session);
  CREATE TABLE register (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, value TEXT NOT NULL,
    version INTEGER NOT NULL) STRICT;
  PRAGMA application_id = 1650551916;
  PRAGMA user_version = 1;
)";

// A daemon of format 1 that still runs goes on: what it does not name has a default.
constexpr const char* to_format_2 = R"(
  ALTER TABLE session ADD COLUMN control TEXT NOT NULL DEFAULT '';
  ALTER TABLE session ADD COLUMN timeout INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE session ADD COLUMN process INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE session ADD COLUMN pid_space INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE register ADD COLUMN record INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE candidate (session INTEGER NOT NULL, term INTEGER NOT NULL, since INTEGER NOT NULL,
    PRIMARY KEY (session, term)) STRICT, WITHOUT ROWID;
  CREATE INDEX term_evicted ON term (session) WHERE ended = 2;
  PRAGMA user_version = 2;
)";

constexpr const char* to_format_3 = R"(
  ALTER TABLE term ADD COLUMN old_until INTEGER NOT NULL DEFAULT 0;
  PRAGMA user_version = 3;
)";

// From this format on, a session's lease has the instant until which it acts.
constexpr const char* to_format_4 = R"(
  ALTER TABLE session ADD COLUMN slot INTEGER NOT NULL DEFAULT 0;
  DROP INDEX IF EXISTS term_evicted;
  DROP INDEX IF EXISTS term_session;
  CREATE INDEX term_open ON term (session, epoch) WHERE ended = 0;
  CREATE INDEX term_of ON term (session);
  CREATE INDEX term_ended ON term (id) WHERE ended <> 0;
  PRAGMA user_version = 4;
)";

Result<std::string> name_of_store(Connection& db, const std::string& store) {
  Statement query = db.statement("SELECT name FROM store");
  std::string found = query.step() ? query.text(0) : std::string();
  if (!store.empty() && store != found)
    return Error{Errc::corrupt, "belongs to another folder: put back the file that was made with this lock file"};
  return found;
}

void migrate(Connection& db, std::int64_t from) {
  static_assert(format == 4);
  if (from < 2) db.execute(to_format_2);
  if (from < 3) db.execute(to_format_3);
  if (from < 4) db.execute(to_format_4);
}

Result<std::string> create(Connection& db) {
  static_assert(application_id == 1650551916);
  db.execute(tables);
  db.run("INSERT INTO store (one, name, revision) VALUES (1, lower(hex(randomblob(16))), 0)");
  migrate(db, 1);
  return name_of_store(db, {});
}

void check_pages(Connection& db) {
  if (db.integer("PRAGMA page_count") * db.integer("PRAGMA page_size") > checked_size) return;
  Statement query = db.statement("PRAGMA quick_check(1)");
  if (const std::string text = query.step() ? query.text(0) : "no answer"; text != "ok")
    throw DbError(DbFault::damaged, text);
}

Result<std::string> check(Connection& db, const std::string& store) {
  const auto found = known_format(db);
  if (!found) return found.error();
  check_pages(db);
  auto known = name_of_store(db, store);
  if (known) migrate(db, *found);
  return known;
}

/// The file remembers it. Where another daemon has the file in hand at this moment, that one sees to it.
void use_log(Connection& db) {
  try {
    db.execute("PRAGMA journal_mode = WAL");
    db.integer("SELECT revision FROM store");  // the first read makes the log
    db.reserve_log(log_reserve);
  } catch (const DbError& error) {
    if (error.fault != DbFault::busy) throw;
  }
}

}  // namespace

Result<std::string> prepare_schema(Connection& db, const std::string& store) {
  db.execute(settings);
  db.begin(Access::write);
  const bool empty = db.integer("SELECT count(*) FROM sqlite_schema") == 0;
  Result<std::string> name = Error{Errc::corrupt, "is empty or was removed: restore it from a backup"};
  if (!empty) name = check(db, store);
  if (empty && store.empty()) name = create(db);
  name ? db.commit() : db.roll_back();
  if (name) use_log(db);
  return name;
}

Result<void> check_schema(Connection& db, const std::string& store) {
  db.execute(settings);
  const auto found = known_format(db);
  if (!found) return found.error();
  if (*found == 0) return Error{Errc::corrupt, "is empty or was removed: restore it from a backup"};
  if (*found < format)
    return Error{Errc::invalid, "has format " + std::to_string(*found) + ", older than this version's " +
                                    std::to_string(format) + ": restart its daemons with this version first"};
  const auto known = name_of_store(db, store);
  return known ? Result<void>() : known.error();
}

Result<std::int64_t> known_format(Connection& db) {
  if (db.integer("SELECT count(*) FROM sqlite_schema") == 0) return std::int64_t{0};
  if (db.integer("PRAGMA application_id") != application_id)
    return Error{Errc::invalid, "is another program's database: set [local] path to another folder"};
  const std::int64_t found = db.integer("PRAGMA user_version");
  if (found > format)
    return Error{Errc::invalid, "has format " + std::to_string(found) + ", newer than this version's " +
                                    std::to_string(format) + ": install the version that wrote it"};
  return found;
}

}  // namespace ballot::local
