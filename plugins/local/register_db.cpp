#include "register_db.hpp"

#include <sys/random.h>

#include <array>
#include <utility>

namespace ballot::local {

namespace {

constexpr std::int64_t application_id = 0x62616c6c;  // "ball"
constexpr std::int64_t checked_size = 64 << 20;      // larger files are not read through at every start
constexpr std::size_t max_value = 8 * 1024;

// PERSIST: no file is made or grown for a commit; FULL syncs the end of the journal too.
constexpr const char* settings =
    "PRAGMA journal_mode = PERSIST; PRAGMA journal_size_limit = 16777216; PRAGMA synchronous = FULL;"
    "PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON";

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

std::int64_t number(SteadyTime time) { return time.time_since_epoch().count(); }
std::int64_t number(WallTime time) { return time.time_since_epoch().count(); }

SessionRow session_row(const Statement& row) {
  return {row.integer(0),
          row.text(1),
          row.text(2),
          row.text(3),
          row.text(4),
          row.integer(5),
          row.text(6),
          SteadyTime(Millis(row.integer(7))),
          WallTime(Millis(row.integer(8)))};
}

Register register_row(const Statement& row) {
  return {row.text(0), row.text(1), static_cast<std::uint64_t>(row.integer(2))};
}

}  // namespace

Result<std::string> RegisterDb::prepare(const std::string& store) {
  db_.execute(settings);
  Transaction change(db_);
  const bool empty = db_.integer("SELECT count(*) FROM sqlite_schema") == 0;
  if (empty && !store.empty()) return Error{Errc::corrupt, "is empty or was removed: restore it from a backup"};
  if (!empty) return check(store);
  auto made = create();
  if (made) change.commit();
  return made;
}

Result<std::string> RegisterDb::create() {
  static_assert(application_id == 1650551916 && format == 1);
  const std::string name = random_name();
  db_.execute(tables);
  db_.statement("INSERT INTO store (one, name, revision) VALUES (1, ?, 0)").bind(name).run();
  return name;
}

Result<std::string> RegisterDb::check(const std::string& store) {
  if (db_.integer("PRAGMA application_id") != application_id)
    return Error{Errc::refused, "is another program's database: set [local] path to another folder"};
  const std::int64_t found = db_.integer("PRAGMA user_version");
  if (found > format)
    return Error{Errc::refused, "has format " + std::to_string(found) + ", newer than this version's " +
                                    std::to_string(format) + ": install the version that wrote it"};
  if (db_.integer("PRAGMA page_count") * db_.integer("PRAGMA page_size") <= checked_size) {
    Statement query = db_.statement("PRAGMA quick_check(1)");
    if (const std::string text = query.step() ? query.text(0) : "no answer"; text != "ok")
      throw DbError(DbFault::damaged, text);
  }
  Statement query = db_.statement("SELECT name FROM store");
  std::string name = query.step() ? query.text(0) : std::string();
  if (!store.empty() && store != name)
    return Error{Errc::corrupt, "belongs to another folder: put back the file that was made with this lock file"};
  return name;
}

void RegisterDb::begin() {
  change_.emplace(db_);
  revision_ = revision();
  written_ = false;
}

void RegisterDb::commit() {
  if (written_) db_.statement("UPDATE store SET revision = ?").bind(static_cast<std::int64_t>(revision_)).run();
  change_->commit();
  change_.reset();
}

std::uint64_t RegisterDb::revision() { return static_cast<std::uint64_t>(db_.integer("SELECT revision FROM store")); }

std::vector<SessionRow> RegisterDb::sessions() {
  std::vector<SessionRow> rows;
  Statement query = db_.statement(
      "SELECT id, node, boot_id, machine_id, host, pid, version, deadline, renewed FROM session ORDER BY id");
  while (query.step()) rows.push_back(session_row(query));
  return rows;
}

std::optional<SessionRow> RegisterDb::session(std::int64_t id) {
  Statement query = db_.statement(
      "SELECT id, node, boot_id, machine_id, host, pid, version, deadline, renewed FROM session WHERE id = ?");
  if (!query.bind(id).step()) return std::nullopt;
  return session_row(query);
}

std::int64_t RegisterDb::add_session(const SessionRow& row) {
  Statement put = db_.statement(
      "INSERT INTO session (node, boot_id, machine_id, host, pid, version, deadline, renewed)"
      " VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id");
  put.bind(row.node).bind(row.boot_id).bind(row.machine_id).bind(row.host).bind(row.pid).bind(row.version);
  put.bind(number(row.deadline)).bind(number(row.renewed));
  put.step();
  const std::int64_t id = put.integer(0);
  put.run();
  return id;
}

bool RegisterDb::renew_session(std::int64_t id, SteadyTime deadline, WallTime now) {
  db_.statement("UPDATE session SET deadline = ?, renewed = ? WHERE id = ?")
      .bind(number(deadline))
      .bind(number(now))
      .bind(id)
      .run();
  return db_.changes() == 1;
}

void RegisterDb::forget_sessions(const std::string& node, std::int64_t own, WallTime old) {
  db_.statement(
         "DELETE FROM session WHERE ((node = ? AND id <> ?) OR renewed < ?)"
         " AND NOT EXISTS (SELECT 1 FROM term WHERE term.session = session.id)")
      .bind(node)
      .bind(own)
      .bind(number(old))
      .run();
}

TermRow RegisterDb::term(const std::string& group) {
  {
    Statement query = db_.statement("SELECT id, epoch, session, ended FROM term WHERE name = ?");
    if (query.bind(group).step())
      return {query.integer(0), static_cast<std::uint64_t>(query.integer(1)), query.integer(2), query.integer(3) != 0};
  }
  Statement put = db_.statement(
      "INSERT INTO term (name, epoch, session, node, boot_id, elected_at, ended, ended_at)"
      " VALUES (?, 0, 0, '', '', 0, 1, 0) RETURNING id");
  put.bind(group).step();
  const TermRow made{put.integer(0), 0, 0, true};
  put.run();
  return made;
}

void RegisterDb::begin_term(const TermRow& term, const SessionRow& leader, WallTime now) {
  Statement put = db_.statement(
      "UPDATE term SET epoch = ?, session = ?, node = ?, boot_id = ?, elected_at = ?, ended = 0, ended_at = 0"
      " WHERE id = ?");
  put.bind(static_cast<std::int64_t>(term.epoch)).bind(leader.id).bind(leader.node).bind(leader.boot_id);
  put.bind(number(now)).bind(term.group).run();
}

void RegisterDb::adopt_term(std::int64_t group, std::int64_t session) {
  db_.statement("UPDATE term SET session = ? WHERE id = ?").bind(session).bind(group).run();
}

void RegisterDb::end_term(std::int64_t group, WallTime now) {
  db_.statement("UPDATE term SET ended = 1, ended_at = ? WHERE id = ?").bind(number(now)).bind(group).run();
}

void RegisterDb::end_terms(std::int64_t session, WallTime now) {
  db_.statement("UPDATE term SET ended = 1, ended_at = ? WHERE session = ? AND ended = 0")
      .bind(number(now))
      .bind(session)
      .run();
}

WriteAnswer RegisterDb::write(const RegisterWrite& write, std::int64_t session) {
  if (!is_name(write.name)) return {Outcome::failed, 0, "not a register's name: " + write.name};
  if (write.value.size() > max_value) return {Outcome::failed, 0, "more than 8 KB for the register " + write.name};
  Statement query = db_.statement("SELECT id, version FROM register WHERE name = ?");
  const bool exists = query.bind(write.name).step();
  const std::int64_t id = exists ? query.integer(0) : 0;
  const std::uint64_t present = exists ? static_cast<std::uint64_t>(query.integer(1)) : 0;
  if (!leads(write, session)) return {Outcome::not_leader, present, {}};
  if (present != write.version) return {Outcome::conflict, present, {}};
  written_ = true;
  const auto version = static_cast<std::int64_t>(++revision_);
  if (exists)
    db_.statement("UPDATE register SET value = ?, version = ? WHERE id = ?")
        .bind(write.value)
        .bind(version)
        .bind(id)
        .run();
  else
    db_.statement("INSERT INTO register (name, value, version) VALUES (?, ?, ?)")
        .bind(write.name)
        .bind(write.value)
        .bind(version)
        .run();
  return {Outcome::done, revision_, {}};
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
  Statement query = db_.statement("SELECT name, value, version FROM register WHERE name >= ? ORDER BY name");
  query.bind(prefix);
  while (query.step()) {
    found.push_back(register_row(query));
    if (found.back().name.starts_with(prefix)) continue;
    found.pop_back();
    break;
  }
  return found;
}

}  // namespace ballot::local
