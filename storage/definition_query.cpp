#include "storage/definition_query.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

#include "storage/schema.hpp"
#include "storage/statement.hpp"

namespace ballot::storage {
namespace {

constexpr std::int64_t definitions_at_once = 1000;
constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();
constexpr WallTime first_moment{Millis(std::numeric_limits<std::int64_t>::min())}, last_moment{Millis(no_end)};

/// A term that goes on by another node's has begun nothing; where its own ledger has other words before, that node's
/// ledger has the beginning, or has lost it.
constexpr const char* has_begun = "(d.digest <> ifnull(b.digest, CASE d.basis WHEN 0 THEN d.digest ELSE '' END))";

std::optional<std::int64_t> id_of(Statement& find, const std::string& name) {
  Cursor found = find.start(std::string_view(name));
  return found.step() ? std::optional(found.number(0)) : std::nullopt;
}

/// The names' numbers as "1, 2"; "NULL", which equals none, where the ledger has none of them.
std::string ids_of(Statement& find, const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names)
    if (const auto id = id_of(find, name)) list += (list.empty() ? "" : ", ") + std::to_string(*id);
  return list.empty() ? "NULL" : list;
}

std::string quoted(const std::string& text) {
  std::string literal = "'";
  for (const char c : text) literal += c == '\'' ? "''" : std::string(1, c);
  return literal + "'";
}

std::string keys_of(Statement& find, const std::vector<DefinitionKey>& keys) {
  std::string list;
  for (const DefinitionKey& key : keys) {
    const auto job = id_of(find, key.job);
    if (!job || key.digest.find('\0') != std::string::npos) continue;
    list += (list.empty() ? "(" : ", (") + std::to_string(*job) + ", " + quoted(key.digest) + ")";
  }
  return list.empty() ? "(NULL, NULL)" : list;
}

std::string sql_of(Database& db, const DefinitionFilter& filter) {
  Statement find(db, "SELECT id FROM name WHERE text = ?1");
  const bool with_keys = has_definition_keys(db);
  std::string columns;
  for (std::string_view rest = definition_columns; !rest.empty();) {
    const std::size_t end = std::min(rest.find(", "), rest.size());
    columns.append("d.").append(rest.substr(0, end)).append(", ");
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  std::string sql =
      "SELECT " + columns + "job.text, grp.text, node.text, b.digest, b.since, " + (with_keys ? "k.keys" : "NULL") +
      " FROM definition AS d" +
      (with_keys ? " LEFT JOIN definition_keys AS k ON (k.job_id, k.digest) = (d.job_id, d.digest)" : "") +
      " JOIN name AS job ON job.id = d.job_id JOIN name AS grp ON grp.id = d.group_id"
      " JOIN name AS node ON node.id = d.node_id LEFT JOIN definition AS b ON b.id ="
      " (SELECT max(e.id) FROM definition AS e WHERE e.job_id = d.job_id AND e.id < d.id)"
      " WHERE d.since >= ?1 AND (d.since, job.text, node.text, d.change) < (?2, ?3, ?4, ?5)";
  sql += filter.of.empty() ? std::string(" AND ") + has_begun
                           : " AND (d.job_id, d.digest) IN (VALUES " + keys_of(find, filter.of) + ")";
  if (!filter.jobs.empty()) sql += " AND d.job_id IN (" + ids_of(find, filter.jobs) + ")";
  if (!filter.groups.empty()) sql += " AND d.group_id IN (" + ids_of(find, filter.groups) + ")";
  if (!filter.nodes.empty()) sql += " AND d.node_id IN (" + ids_of(find, filter.nodes) + ")";
  return sql + " ORDER BY d.since DESC, job.text DESC, node.text DESC, d.change DESC LIMIT ?6";
}

BegunDefinition read_begun(const Cursor& found) {
  NumberedDefinition numbered = read_definition(found);
  BegunDefinition one{std::move(numbered.row), numbered.change};
  one.row.job = found.text(24);
  one.row.group = found.text(25);
  one.row.node = found.text(26);
  if (!found.null(27)) one.before = std::string(found.text(27)), one.before_from = found.time(28);
  if (!found.null(29)) one.row.keys = found.text(29);
  return one;
}

std::vector<BegunDefinition> page_of(Database& db, const DefinitionFilter& filter, std::int64_t limit) {
  DefinitionPosition end{filter.until.value_or(last_moment), "", "", 0};
  if (filter.after) end = std::min(end, *filter.after);
  Statement query(db, sql_of(db, filter));
  std::vector<BegunDefinition> page;
  for (Cursor found = query.start(filter.since.value_or(first_moment), end.from, std::string_view(end.job),
                                  std::string_view(end.node), end.written, limit);
       found.step();)
    page.push_back(read_begun(found));
  return page;
}

}  // namespace

std::optional<DefinitionPosition> read_definitions(Database& db, DefinitionFilter filter,
                                                   const VisitDefinition& visit) {
  if (!knows_all_writes(db)) return std::nullopt;  // an older ballot has opened the file last: they are forgotten
  for (std::int64_t left = filter.limit.value_or(no_end); left > 0;) {
    const std::int64_t wanted = std::min(left, definitions_at_once);
    const std::vector<BegunDefinition> page = page_of(db, filter, wanted);
    for (const BegunDefinition& one : page) {
      filter.after = position_of(one);
      if (!visit(one)) return filter.after;
    }
    if (std::ssize(page) < wanted) return std::nullopt;
    left -= wanted;
  }
  return filter.after;
}

}  // namespace ballot::storage
