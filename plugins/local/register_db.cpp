#include "register_db.hpp"

#include <limits>
#include <utility>

#include "support/calls.hpp"

namespace ballot::local {

namespace {

constexpr int log_pages = 1000;  // then the log is written back, and begun anew

constexpr std::int64_t max_id = std::numeric_limits<std::int64_t>::max();

std::int64_t number(SteadyTime time) { return time.time_since_epoch().count(); }
std::int64_t number(WallTime time) { return time.time_since_epoch().count(); }

FolderSession session_of(const Statement& row) {
  FolderSession read;
  read.id = row.integer(0);
  read.session = row.text(0);
  read.node = row.text(1);
  read.boot_id = row.text(2);
  read.machine_id = row.text(3);
  read.host = row.text(4);
  read.pid = static_cast<int>(row.integer(5));
  read.version = row.text(6);
  read.control = row.text(7);
  read.timeout = Millis(row.integer(8));
  read.process = row.integer(9);
  read.pid_space = row.integer(10);
  read.slot = row.integer(11);
  read.deadline = SteadyTime(Millis(row.integer(12)));
  read.renewed = WallTime(Millis(row.integer(13)));
  return read;
}

TermRow term_row(const Statement& row) {
  return {row.integer(0), row.text(1), static_cast<std::uint64_t>(row.integer(2)), row.integer(3),
          static_cast<TermEnd>(row.integer(4))};
}

Register register_row(const Statement& row) {
  return {row.text(0), row.text(1), static_cast<std::uint64_t>(row.integer(2))};
}

}  // namespace

void RegisterDb::begin(Access access) {
  db_.begin(access);
  revision_ = revision();
  touched_.clear();
}

void RegisterDb::commit() {
  if (!touched_.empty()) db_.run("UPDATE store SET revision = ?", static_cast<std::int64_t>(revision_));
  db_.commit();
}

void RegisterDb::checkpoint_if_due() {
  if (db_.logged_pages() >= log_pages) db_.checkpoint();
}

std::uint64_t RegisterDb::revision() { return static_cast<std::uint64_t>(db_.integer("SELECT revision FROM store")); }

WriteAnswer RegisterDb::write(const RegisterWrite& write, std::int64_t session) {
  if (auto problem = problem_of(write.name, write.value); !problem.empty()) return {StoreResult::failed, 0, problem};
  Statement query = db_.statement("SELECT id, version, record FROM register WHERE name = ?");
  const bool exists = query.bind(write.name).step();
  const std::int64_t id = exists ? query.integer(0) : 0;
  const std::uint64_t present = exists ? static_cast<std::uint64_t>(query.integer(1)) : 0;
  if (exists && query.integer(2) != 0) return {StoreResult::failed, 0, "a record bears the name " + write.name};
  if (!leads(write, session)) return {StoreResult::not_leader, present, {}};
  if (present != write.version) return {StoreResult::conflict, present, {}};
  touched_.insert(write.name[0]);
  const auto version = static_cast<std::int64_t>(++revision_);
  if (exists)
    db_.run("UPDATE register SET value = ?, version = ? WHERE id = ?", write.value, version, id);
  else
    db_.run("INSERT INTO register (name, value, version) VALUES (?, ?, ?)", write.name, write.value, version);
  return {StoreResult::done, revision_, {}};
}

WriteAnswer RegisterDb::create(const Record& record) {
  if (auto problem = problem_of(record.name, record.value); !problem.empty()) return {StoreResult::failed, 0, problem};
  if (const auto present = read(record.name)) return {StoreResult::conflict, present->version, {}};
  touched_.insert(record.name[0]);
  db_.run("INSERT INTO register (name, value, version, record) VALUES (?, ?, ?, 1)", record.name, record.value,
          static_cast<std::int64_t>(++revision_));
  return {StoreResult::done, revision_, {}};
}

WriteAnswer RegisterDb::remove(const std::string& record) {
  db_.run("DELETE FROM register WHERE name = ? AND record = 1", record);
  if (db_.changes() == 0) return {StoreResult::done, 0, {}};
  touched_.insert(record[0]);
  ++revision_;
  return {StoreResult::done, 0, {}};
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

std::vector<std::int64_t> RegisterDb::session_ids() {
  std::vector<std::int64_t> found;
  Statement query = db_.statement("SELECT id FROM session");
  while (query.step()) found.push_back(query.integer(0));
  return found;
}

std::vector<FolderSession> RegisterDb::sessions(std::int64_t first, std::int64_t last) {
  std::vector<FolderSession> found;
  Statement query = db_.query(
      "SELECT id, node, boot_id, machine_id, host, pid, version, control, timeout, process, pid_space, slot, deadline,"
      " renewed FROM session WHERE id BETWEEN ? AND ? ORDER BY id",
      first, last);
  while (query.step()) found.push_back(session_of(query));
  return found;
}

std::vector<FolderSession> RegisterDb::sessions() { return sessions(0, max_id); }

std::optional<FolderSession> RegisterDb::session(std::int64_t id) {
  auto found = sessions(id, id);
  return found.empty() ? std::nullopt : std::optional(std::move(found[0]));
}

std::int64_t RegisterDb::add_session(const FolderSession& row) {
  Statement put = db_.query(
      "INSERT INTO session (node, boot_id, machine_id, host, pid, version, control, timeout, process, pid_space,"
      " slot, deadline, renewed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
      row.node, row.boot_id, row.machine_id, row.host, row.pid, row.version, row.control, row.timeout.count(),
      row.process, row.pid_space, row.slot, number(row.deadline), number(row.renewed));
  put.step();
  const std::int64_t id = put.integer(0);
  put.run();
  return id;
}

void RegisterDb::keep_lease(std::int64_t id, SteadyTime deadline, WallTime renewed) {
  db_.run("UPDATE session SET slot = 0, deadline = ?, renewed = ? WHERE id = ?", number(deadline), number(renewed), id);
}

void RegisterDb::forget_sessions(const std::string& node, std::int64_t own, WallTime old) {
  db_.run(
      "DELETE FROM session WHERE ((node = ? AND id <> ?) OR renewed < ?)"
      " AND NOT EXISTS (SELECT 1 FROM term WHERE term.session = session.id)",
      node, own, number(old));
}

void RegisterDb::enlist(std::int64_t session, std::int64_t group, WallTime now) {
  db_.run("INSERT OR IGNORE INTO candidate (session, term, since) VALUES (?, ?, ?)", session, group, number(now));
}

void RegisterDb::withdraw(std::int64_t session, const std::string& group) {
  db_.run("DELETE FROM candidate WHERE session = ? AND term = (SELECT id FROM term WHERE name = ?)", session, group);
}

void RegisterDb::withdraw_all(std::int64_t session) { db_.run("DELETE FROM candidate WHERE session = ?", session); }

std::map<std::int64_t, WallTime> RegisterDb::candidacies(std::int64_t session, std::optional<std::int64_t> group) {
  std::map<std::int64_t, WallTime> found;
  Statement query =
      db_.query("SELECT term, since FROM candidate WHERE session = ? AND term BETWEEN ? AND ? ORDER BY term", session,
                group.value_or(0), group.value_or(max_id));
  while (query.step()) found.emplace_hint(found.end(), query.integer(0), WallTime(Millis(query.integer(1))));
  return found;
}

std::optional<TermRow> RegisterDb::find_term(const std::string& group) {
  Statement query = db_.statement("SELECT id, name, epoch, session, ended FROM term WHERE name = ?");
  if (!query.bind(group).step()) return std::nullopt;
  return term_row(query);
}

std::vector<TermRow> RegisterDb::terms() {
  std::vector<TermRow> rows;
  Statement query = db_.statement("SELECT id, name, epoch, session, ended FROM term ORDER BY name");
  while (query.step()) rows.push_back(term_row(query));
  return rows;
}

std::int64_t RegisterDb::count_open_terms(std::int64_t session) {
  Statement query = db_.statement("SELECT count(*) FROM term WHERE session = ? AND ended = 0");
  return query.bind(session).step() ? query.integer(0) : 0;
}

std::map<std::int64_t, std::uint64_t> RegisterDb::open_terms(std::int64_t session) {
  std::map<std::int64_t, std::uint64_t> found;
  Statement query = db_.query("SELECT id, epoch FROM term WHERE session = ? AND ended = 0", session);
  while (query.step()) found[query.integer(0)] = static_cast<std::uint64_t>(query.integer(1));
  return found;
}

std::vector<std::int64_t> RegisterDb::ended_groups() {
  std::vector<std::int64_t> found;
  Statement query = db_.statement("SELECT id FROM term WHERE ended <> 0 ORDER BY id");
  while (query.step()) found.push_back(query.integer(0));
  return found;
}

/// Few of many terms: each is looked up after the one before.
std::vector<std::int64_t> RegisterDb::leaders() {
  std::vector<std::int64_t> found;
  constexpr const char* next = "SELECT session FROM term WHERE ended = 0 AND session > ? ORDER BY session LIMIT 1";
  for (std::int64_t last = 0;; found.push_back(last)) {
    Statement query = db_.query(next, last);
    if (!query.step()) return found;
    last = query.integer(0);
  }
}

TermRow RegisterDb::term(const std::string& group) {
  if (auto found = find_term(group)) return *found;
  Statement put = db_.statement(
      "INSERT INTO term (name, epoch, session, node, boot_id, elected_at, ended, ended_at)"
      " VALUES (?, 0, 0, '', '', 0, 1, 0) RETURNING id");
  put.bind(group).step();
  const TermRow made{put.integer(0), group, 0, 0, TermEnd::clean};
  put.run();
  return made;
}

void RegisterDb::begin_term(const TermRow& term, const FolderSession& leader, SteadyTime old_until, WallTime now) {
  db_.run(
      "UPDATE term SET epoch = ?, session = ?, node = ?, boot_id = ?, elected_at = ?, ended = 0, ended_at = 0,"
      " old_until = ? WHERE id = ?",
      static_cast<std::int64_t>(term.epoch), leader.id, leader.node, leader.boot_id, number(now), number(old_until),
      term.group);
}

SteadyTime RegisterDb::old_until(std::int64_t group, const std::string& boot_id) {
  Statement query = db_.statement("SELECT old_until FROM term WHERE id = ? AND boot_id = ?");
  return query.bind(group).bind(boot_id).step() ? SteadyTime(Millis(query.integer(0))) : SteadyTime();
}

void RegisterDb::adopt_term(std::int64_t group, std::int64_t session) {
  db_.run("UPDATE term SET session = ? WHERE id = ?", session, group);
}

void RegisterDb::end_term(const TermRow& term, TermEnd end, WallTime now) {
  db_.run("UPDATE term SET ended = ?, ended_at = ? WHERE id = ? AND epoch = ? AND session = ? AND ended = 0",
          static_cast<std::int64_t>(end), number(now), term.group, static_cast<std::int64_t>(term.epoch), term.session);
}

void RegisterDb::end_terms(std::int64_t session, WallTime now) {
  db_.run("UPDATE term SET ended = 1, ended_at = ? WHERE session = ? AND ended = 0", number(now), session);
}

}  // namespace ballot::local
