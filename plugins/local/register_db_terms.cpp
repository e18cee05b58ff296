// What registers.db knows of sessions and terms.
#include <limits>

#include "register_db.hpp"

namespace ballot::local {

namespace {

constexpr const char* all_sessions =
    "SELECT id, node, boot_id, machine_id, host, pid, version, control, timeout, process, pid_space, slot, deadline,"
    " renewed FROM session ORDER BY id";

std::int64_t number(SteadyTime time) { return time.time_since_epoch().count(); }
std::int64_t number(WallTime time) { return time.time_since_epoch().count(); }

SessionRow session_row(const Statement& row) {
  SessionRow read;
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

}  // namespace

std::vector<std::int64_t> RegisterDb::session_ids() {
  std::vector<std::int64_t> found;
  Statement query = db_.statement("SELECT id FROM session");
  while (query.step()) found.push_back(query.integer(0));
  return found;
}

std::vector<SessionRow> RegisterDb::sessions() {
  std::vector<SessionRow> rows;
  Statement query = db_.statement(all_sessions);
  while (query.step()) rows.push_back(session_row(query));
  return rows;
}

std::optional<SessionRow> RegisterDb::session(std::int64_t id) {
  Statement query = db_.statement(
      "SELECT id, node, boot_id, machine_id, host, pid, version, control, timeout, process, pid_space, slot, deadline,"
      " renewed FROM session WHERE id = ?");
  if (!query.bind(id).step()) return std::nullopt;
  return session_row(query);
}

std::int64_t RegisterDb::add_session(const SessionRow& row) {
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
      db_.statement("SELECT term, since FROM candidate WHERE session = ? AND term BETWEEN ? AND ? ORDER BY term");
  query.bind(session).bind(group.value_or(0)).bind(group.value_or(std::numeric_limits<std::int64_t>::max()));
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
  Statement query = db_.statement("SELECT session FROM term WHERE ended = 0 AND session > ? ORDER BY session LIMIT 1");
  for (std::int64_t last = 0;; found.push_back(last)) {
    query.reset();
    if (!query.bind(last).step()) return found;
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

void RegisterDb::begin_term(const TermRow& term, const SessionRow& leader, SteadyTime old_until, WallTime now) {
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

void RegisterDb::end_term(std::int64_t group, TermEnd end, WallTime now) {
  db_.run("UPDATE term SET ended = ?, ended_at = ? WHERE id = ? AND ended = 0", static_cast<std::int64_t>(end),
          number(now), group);
}

void RegisterDb::end_term(std::int64_t group, std::uint64_t epoch, std::int64_t session, WallTime now) {
  db_.run("UPDATE term SET ended = 1, ended_at = ? WHERE id = ? AND epoch = ? AND session = ? AND ended = 0",
          number(now), group, static_cast<std::int64_t>(epoch), session);
}

void RegisterDb::end_terms(std::int64_t session, WallTime now) {
  db_.run("UPDATE term SET ended = 1, ended_at = ? WHERE session = ? AND ended = 0", number(now), session);
}

}  // namespace ballot::local
