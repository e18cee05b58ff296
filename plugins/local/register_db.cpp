#include "register_db.hpp"

#include <sys/random.h>

#include <array>
#include <utility>

namespace ballot::local {

namespace {

constexpr std::int64_t application_id = 0x62616c6c;  // "ball"
constexpr std::int64_t checked_size = 64 << 20;      // larger files are not read through at every start
constexpr std::size_t max_value = 8 * 1024;
constexpr std::int64_t log_reserve = 8 << 20;  // twice what it grows to
constexpr int log_pages = 1000;                // then it is written back, and begun anew

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

// Until when a session acts stands in its lease from now on.
constexpr const char* to_format_4 = R"(
  ALTER TABLE session ADD COLUMN slot INTEGER NOT NULL DEFAULT 0;
  DROP INDEX IF EXISTS term_evicted;
  DROP INDEX IF EXISTS term_session;
  CREATE INDEX term_open ON term (session, epoch) WHERE ended = 0;
  CREATE INDEX term_of ON term (session);
  CREATE INDEX term_ended ON term (id) WHERE ended <> 0;
  PRAGMA user_version = 4;
)";

std::string random_name() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw DbError(DbFault::broken, "no random bytes from the system");
  std::string text;
  for (const unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

bool is_name(const std::string& name) {
  if (name.size() < 3 || name.size() > 255 || name[0] < 'a' || name[0] > 'z' || name[1] != '/') return false;
  constexpr const char* allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  return name.find_first_not_of(allowed, 2) == std::string::npos;
}

Register register_row(const Statement& row) {
  return {row.text(0), row.text(1), static_cast<std::uint64_t>(row.integer(2))};
}

}  // namespace

Result<std::string> RegisterDb::prepare(const std::string& store) {
  db_.execute(settings);
  auto name = make_or_check(store);
  if (name) use_log();
  return name;
}

Result<std::string> RegisterDb::make_or_check(const std::string& store) {
  Transaction change(db_);
  const bool empty = db_.integer("SELECT count(*) FROM sqlite_schema") == 0;
  if (empty && !store.empty()) return Error{Errc::corrupt, "is empty or was removed: restore it from a backup"};
  auto name = empty ? create() : check(store);
  if (name) change.commit();
  return name;
}

/// The file remembers it. Where another daemon has the file in hand at this moment, that one sees to it.
void RegisterDb::use_log() {
  try {
    db_.execute("PRAGMA journal_mode = WAL");
    revision();  // the first read makes the log
    db_.reserve_log(log_reserve);
  } catch (const DbError& error) {
    if (error.fault != DbFault::busy) throw;
  }
}

Result<std::string> RegisterDb::create() {
  static_assert(application_id == 1650551916);
  const std::string made = random_name();
  db_.execute(tables);
  db_.run("INSERT INTO store (one, name, revision) VALUES (1, ?, 0)", made);
  migrate(1);
  return made;
}

Result<std::string> RegisterDb::check(const std::string& store) {
  const auto found = known_format();
  if (!found) return found.error();
  check_pages();
  auto known = name_of_store(store);
  if (known) migrate(*found);
  return known;
}

Result<void> RegisterDb::look_into(const std::string& store) {
  db_.execute(settings);
  const auto found = known_format();
  if (!found) return found.error();
  if (*found == 0) return Error{Errc::corrupt, "is empty or was removed: restore it from a backup"};
  if (*found < format)
    return Error{Errc::invalid, "has format " + std::to_string(*found) + ", older than this version's " +
                                    std::to_string(format) + ": restart its daemons with this version first"};
  const auto known = name_of_store(store);
  return known ? Result<void>() : known.error();
}

Result<std::int64_t> RegisterDb::known_format() {
  if (db_.integer("SELECT count(*) FROM sqlite_schema") == 0) return std::int64_t{0};
  if (db_.integer("PRAGMA application_id") != application_id)
    return Error{Errc::invalid, "is another program's database: set [local] path to another folder"};
  const std::int64_t found = db_.integer("PRAGMA user_version");
  if (found > format)
    return Error{Errc::invalid, "has format " + std::to_string(found) + ", newer than this version's " +
                                    std::to_string(format) + ": install the version that wrote it"};
  return found;
}

void RegisterDb::check_pages() {
  if (db_.integer("PRAGMA page_count") * db_.integer("PRAGMA page_size") > checked_size) return;
  Statement query = db_.statement("PRAGMA quick_check(1)");
  if (const std::string text = query.step() ? query.text(0) : "no answer"; text != "ok")
    throw DbError(DbFault::damaged, text);
}

Result<std::string> RegisterDb::name_of_store(const std::string& store) {
  Statement query = db_.statement("SELECT name FROM store");
  std::string found = query.step() ? query.text(0) : std::string();
  if (!store.empty() && store != found)
    return Error{Errc::corrupt, "belongs to another folder: put back the file that was made with this lock file"};
  return found;
}

void RegisterDb::migrate(std::int64_t from) {
  static_assert(format == 4);
  if (from < 2) db_.execute(to_format_2);
  if (from < 3) db_.execute(to_format_3);
  if (from < 4) db_.execute(to_format_4);
}

void RegisterDb::begin() {
  change_.emplace(db_);
  revision_ = revision();
  touched_.clear();
}

void RegisterDb::begin_reading() {
  change_.emplace(db_, Transaction::Kind::read);
  touched_.clear();
}

void RegisterDb::commit() {
  if (!touched_.empty()) db_.run("UPDATE store SET revision = ?", static_cast<std::int64_t>(revision_));
  change_->commit();
  change_.reset();
}

void RegisterDb::checkpoint_if_due() {
  if (db_.logged_pages() >= log_pages) db_.checkpoint();
}

std::uint64_t RegisterDb::revision() { return static_cast<std::uint64_t>(db_.integer("SELECT revision FROM store")); }

WriteAnswer RegisterDb::write(const RegisterWrite& write, std::int64_t session) {
  if (!is_name(write.name)) return {Outcome::failed, 0, "not a register's name: " + write.name};
  if (write.value.size() > max_value) return {Outcome::failed, 0, "more than 8 KB for the register " + write.name};
  Statement query = db_.statement("SELECT id, version, record FROM register WHERE name = ?");
  const bool exists = query.bind(write.name).step();
  const std::int64_t id = exists ? query.integer(0) : 0;
  const std::uint64_t present = exists ? static_cast<std::uint64_t>(query.integer(1)) : 0;
  if (exists && query.integer(2) != 0) return {Outcome::failed, 0, "a record bears the name " + write.name};
  if (!leads(write, session)) return {Outcome::not_leader, present, {}};
  if (present != write.version) return {Outcome::conflict, present, {}};
  touched_.insert(write.name[0]);
  const auto version = static_cast<std::int64_t>(++revision_);
  if (exists)
    db_.run("UPDATE register SET value = ?, version = ? WHERE id = ?", write.value, version, id);
  else
    db_.run("INSERT INTO register (name, value, version) VALUES (?, ?, ?)", write.name, write.value, version);
  return {Outcome::done, revision_, {}};
}

WriteAnswer RegisterDb::create(const Record& record) {
  if (!is_name(record.name)) return {Outcome::failed, 0, "not a record's name: " + record.name};
  if (record.value.size() > max_value) return {Outcome::failed, 0, "more than 8 KB for the record " + record.name};
  if (const auto present = read(record.name)) return {Outcome::conflict, present->version, {}};
  touched_.insert(record.name[0]);
  db_.run("INSERT INTO register (name, value, version, record) VALUES (?, ?, ?, 1)", record.name, record.value,
          static_cast<std::int64_t>(++revision_));
  return {Outcome::done, revision_, {}};
}

WriteAnswer RegisterDb::remove(const std::string& record) {
  db_.run("DELETE FROM register WHERE name = ? AND record = 1", record);
  if (db_.changes() == 0) return {Outcome::done, 0, {}};
  touched_.insert(record[0]);
  ++revision_;
  return {Outcome::done, 0, {}};
}

bool RegisterDb::leads(const RegisterWrite& write, std::int64_t session) {
  Statement query = db_.statement("SELECT 1 FROM term WHERE name = ? AND epoch = ? AND session = ? AND ended = 0");
  return query.bind(write.group).bind(static_cast<std::int64_t>(write.epoch)).bind(session).step();
}

std::optional<Register> RegisterDb::read(const std::string& name) {
  Statement query = db_.statement("SELECT name, value, version FROM register WHERE name = ?");
  if (!query.bind(name).step()) return std::nullopt;
  return register_row(query);
}

std::vector<Register> RegisterDb::list(const std::string& prefix) {
  std::vector<Register> found;
  Statement query = db_.query("SELECT name, value, version FROM register WHERE name >= ? ORDER BY name", prefix);
  while (query.step()) {
    found.push_back(register_row(query));
    if (found.back().name.starts_with(prefix)) continue;
    found.pop_back();
    break;
  }
  return found;
}

}  // namespace ballot::local
