#include "storage/history_query.hpp"

#include <algorithm>
#include <string_view>

#include "storage/row_columns.hpp"

namespace ballot::storage {
namespace {

// SQLite takes 500 arms; beyond this many a walk over all slots finds the next matching row soon enough.
constexpr std::size_t most_arms = 200;

template <class T>
std::vector<std::int64_t> numbers(std::vector<T> values) {
  std::vector<std::int64_t> result;
  for (const T value : values) result.push_back(static_cast<std::int64_t>(value));
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::string equals(std::string_view column, std::string_view value) {
  return " AND " + std::string(column) + " = " + std::string(value);
}

std::string equals(std::string_view column, std::int64_t value) { return equals(column, std::to_string(value)); }

/// " AND column IN (...)", or nothing for no values.
std::string within(std::string_view column, const std::vector<std::int64_t>& values) {
  if (values.empty()) return "";
  std::string list;
  for (const std::int64_t value : values) list += (list.empty() ? "" : ", ") + std::to_string(value);
  return " AND " + std::string(column) + " IN (" + list + ")";
}

std::string run_equals(const RunId& id) {
  std::string hex = id.text();
  std::erase(hex, '-');
  return " AND substr(run_id, 16) = x'" + hex.substr(30) + "' AND run_id = x'" + hex + "'";
}

/// The values of each filter as numbers, sorted, each once.
struct Values {
  explicit Values(const Selection& selection)
      : run(selection.run),
        jobs(numbers(selection.jobs)),
        groups(numbers(selection.groups)),
        nodes(numbers(selection.nodes)),
        statuses(numbers(selection.statuses)),
        reasons(numbers(selection.reasons)),
        newer_statuses(selection.newer_statuses),
        is_of_one_job(selection.is_of_one_job) {}

  std::string all() const {
    return (run ? run_equals(*run) : "") + (is_of_one_job ? equals("job_id", "?6") : within("job_id", jobs)) +
           within("group_id", groups) + within("node_id", nodes) + within("status", statuses) +
           within("reason", reasons);
  }

  std::optional<RunId> run;
  std::vector<std::int64_t> jobs, groups, nodes, statuses, reasons, newer_statuses;
  bool is_of_one_job;
};

/// The index to walk, and for each arm the conditions that its first columns answer.
struct Walk {
  std::string_view index;
  std::vector<std::string> arms;
};

template <class Id>
Walk by_status_and(std::string_view index, std::string_view column, const Values& values, const std::vector<Id>& ids) {
  std::vector<std::int64_t> statuses = values.statuses;
  if (statuses.empty()) {
    for (int status = 0; status <= static_cast<int>(Status::missed); ++status) statuses.push_back(status);
    statuses.insert(statuses.end(), values.newer_statuses.begin(), values.newer_statuses.end());
  }
  Walk walk{index, {}};
  for (const Id& id : ids)
    for (const std::int64_t status : statuses) walk.arms.push_back(equals(column, id) + equals("status", status));
  return walk;
}

Walk by(std::string_view index, std::string_view column, const std::vector<std::int64_t>& ids) {
  Walk walk{index, {}};
  for (const std::int64_t id : ids) walk.arms.push_back(equals(column, id));
  return walk;
}

Walk by_reason(const Values& values) {
  Walk walk = by("ledger_reason", "reason", values.reasons);
  for (std::string& arm : walk.arms) arm += " AND reason > 0";  // as the index says: SQLite must see it to use it
  return walk;
}

Walk choose_walk(const Values& values) {
  Walk walk{"ledger_slot", {""}};
  if (values.is_of_one_job)
    walk = by_status_and("ledger_job", "job_id", values, std::vector<std::string_view>{"?6"});
  else if (!values.jobs.empty())
    walk = by_status_and("ledger_job", "job_id", values, values.jobs);
  else if (!values.reasons.empty() && values.reasons.front() != static_cast<int>(Reason::none))
    walk = by_reason(values);
  else if (!values.groups.empty())
    walk = by_status_and("ledger_group", "group_id", values, values.groups);
  else if (!values.nodes.empty())
    walk = by_status_and("ledger_node", "node_id", values, values.nodes);
  else if (!values.statuses.empty())
    walk = by("ledger_status", "status", values.statuses);
  return walk.arms.size() <= most_arms ? walk : Walk{"ledger_slot", {""}};
}

std::string select(std::string_view index) {
  return "SELECT " + std::string(row_columns) + " FROM ledger INDEXED BY " + std::string(index) + " WHERE ";
}

}  // namespace

std::string history_sql(const Selection& selection) {
  const Values values(selection);
  const std::string within_slots = "slot >= ?1 AND (slot, attempt, id) < (?2, ?3, ?4)";
  if (values.run)  // the attempts of a run share its slot
    return select("ledger_run") + within_slots + values.all() + " ORDER BY attempt DESC LIMIT ?5";
  const Walk walk = choose_walk(values);
  std::string sql;
  for (const std::string& arm : walk.arms)
    sql += (sql.empty() ? "" : " UNION ALL ") + select(walk.index) + within_slots + arm + values.all();
  return sql + " ORDER BY slot DESC, attempt DESC, id DESC LIMIT ?5";
}

std::string ranges_sql() {
  return select("ledger_range") + "job_id = (SELECT id FROM name WHERE text = ?1) AND slot_until >= ?2 AND slot <= ?2";
}

std::string changes_sql(const Selection& selection) {
  return select("ledger_change") + "change > ?1 AND change <= ?2" + Values(selection).all() +
         " ORDER BY change LIMIT ?3";
}

}  // namespace ballot::storage
