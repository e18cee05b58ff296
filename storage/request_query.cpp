#include "storage/request_query.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/row_columns.hpp"
#include "storage/schema.hpp"
#include "storage/statement.hpp"

namespace ballot::storage {
namespace {

constexpr std::int64_t requests_at_once = 1000;
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr WallTime earliest{Millis(std::numeric_limits<std::int64_t>::min())}, latest{Millis(largest)};

/// The names' numbers as "1, 2"; "NULL", which equals none, where the ledger has none of them.
std::string ids_of(const Database& db, const std::vector<std::string>& names) {
  Statement find(db, "SELECT id FROM name WHERE text = ?1");
  std::string list;
  for (const std::string& name : names)
    if (Cursor found = find.start(std::string_view(name)); found.step())
      list += (list.empty() ? "" : ", ") + std::to_string(found.number(0));
  return list.empty() ? "NULL" : list;
}

bool is_kind(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

std::string kinds_of(const std::vector<std::string>& kinds) {
  std::string list;
  for (const std::string& kind : kinds)
    if (is_kind(kind)) list += (list.empty() ? "'" : ", '") + kind + "'";
  return list.empty() ? "NULL" : list;
}

std::string literal(const RunId& id) {
  std::string hex = id.text();
  std::erase(hex, '-');
  return "x'" + hex + "'";
}

/// Requests of a group are those of the group itself, and those of the jobs that its definitions have; of a job its
/// own, and those of its group.
std::string request_conditions(const Database& db, const RequestFilter& filter) {
  std::string sql;
  if (!filter.jobs.empty()) {
    const std::string jobs = "job_id IN (" + ids_of(db, filter.jobs) + ")";
    sql += " AND (" + jobs + " OR group_id IN (SELECT group_id FROM definition WHERE " + jobs + "))";
  }
  if (!filter.nodes.empty()) sql += " AND node_id IN (" + ids_of(db, filter.nodes) + ")";
  if (!filter.kinds.empty()) sql += " AND kind IN (" + kinds_of(filter.kinds) + ")";
  if (filter.run) sql += " AND (request.id = " + literal(*filter.run) + " OR run_id = " + literal(*filter.run) + ")";
  if (!filter.groups.empty()) {
    const std::string groups = "group_id IN (" + ids_of(db, filter.groups) + ")";
    sql += " AND (" + groups + " OR job_id IN (SELECT job_id FROM definition WHERE " + groups + "))";
  }
  return sql;
}

std::string select_from(const std::string& table, bool with_answers, bool with_env) {
  const std::string columns = with_answers ? "answer.result, answer.text, answer.at" : "NULL, NULL, NULL";
  return "SELECT request.id, kind, job.text, grp.text, run_id, node.text, request.at, by, " + columns +
         (with_env ? ", env" : ", NULL") + " FROM " + table +
         (with_answers ? " LEFT JOIN answer ON request_id = request.id" : "") +
         (with_env ? " LEFT JOIN trigger_env ON trigger_id = request.id" : "") +
         " LEFT JOIN name AS job ON job.id = job_id LEFT JOIN name AS grp ON grp.id = group_id"
         " JOIN name AS node ON node.id = node_id";
}

std::string sql_of(Database& db, const RequestFilter& filter, bool with_answers) {
  return select_from("request INDEXED BY request_at", with_answers, has_trigger_env(db)) +
         " WHERE request.at >= ?1 AND (request.at, request.id) < (?2, ?3)"
         " AND (?4 = '' OR instr(' ' || by || ' ', ' ' || ?4 || ' ') > 0)" +
         request_conditions(db, filter) + " ORDER BY request.at DESC, request.id DESC LIMIT ?5";
}

RequestRow read_request(const Cursor& found) {
  RequestRow row;
  row.id = read_run_id(found.blob(0));
  row.kind = found.text(1);
  if (!found.null(2)) row.job = found.text(2);
  if (!found.null(3)) row.group = found.text(3);
  if (!found.null(4)) row.run = read_run_id(found.blob(4));
  row.node = found.text(5);
  row.at = found.time(6);
  row.by = found.text(7);
  if (!found.null(11)) row.env = found.text(11);
  if (found.null(8)) return row;
  row.result = found.text(8);
  if (row.kind == "trigger" && row.result == "done") row.run = row.id;
  row.text = found.text(9);
  row.answered_at = found.time(10);
  return row;
}

std::vector<RequestRow> page_of(Database& db, const RequestFilter& filter, RequestsKept kept, std::int64_t limit) {
  const WallTime until = filter.until.value_or(latest);
  const bool goes_on = filter.after && filter.after->at < until;
  const RunId last = goes_on ? filter.after->id : RunId{};
  Statement query(db, sql_of(db, filter, kept == RequestsKept::with_answers));
  std::vector<RequestRow> page;
  for (Cursor found = query.start(filter.since.value_or(earliest), goes_on ? filter.after->at : until,
                                  goes_on ? id_blob(last) : Blob{}, std::string_view(filter.by), limit);
       found.step();)
    page.push_back(read_request(found));
  return page;
}

}  // namespace

std::optional<RequestRow> find_request(Database& db, const RunId& id) {
  const RequestsKept kept = requests_kept(db);
  if (kept == RequestsKept::none) return std::nullopt;
  Statement query(
      db, select_from("request", kept == RequestsKept::with_answers, has_trigger_env(db)) + " WHERE request.id = ?1");
  Cursor found = query.start(id_blob(id));
  return found.step() ? std::optional(read_request(found)) : std::nullopt;
}

std::optional<RequestPosition> read_requests(Database& db, RequestFilter filter, const VisitRequest& visit) {
  const RequestsKept kept = requests_kept(db);
  if (kept == RequestsKept::none) return std::nullopt;
  for (std::int64_t left = filter.limit.value_or(largest); left > 0;) {
    const std::int64_t wanted = std::min(left, requests_at_once);
    const std::vector<RequestRow> rows = page_of(db, filter, kept, wanted);
    for (const RequestRow& row : rows) {
      filter.after = RequestPosition{row.at, row.id};
      if (!visit(row)) return filter.after;
    }
    if (std::ssize(rows) < wanted) return std::nullopt;
    left -= wanted;
  }
  return filter.after;
}

}  // namespace ballot::storage
