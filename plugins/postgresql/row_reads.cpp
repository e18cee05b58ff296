#include "row_reads.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>

#include "askers.hpp"
#include "batch_writer.hpp"
#include "kept_rows.hpp"
#include "row_conditions.hpp"
#include "support/clock.hpp"
#include "where.hpp"

namespace ballot::postgresql {

namespace {

using namespace std::chrono_literals;

constexpr std::int64_t largest_page = 10'000;

constexpr const char* jobs_of_groups =
    "SELECT DISTINCT text FROM name JOIN job_group ON job = id WHERE grp = ANY(ARRAY(SELECT g.id FROM name AS g"
    " WHERE g.text = ANY($1::text[]))) ORDER BY text";

/// At most a hundred of one key. The slots, within which those of a run are, leave out partitions.
constexpr const char* rows_of_runs =
    " FROM unnest($1::uuid[], $2::integer[], $3::bigint[], $4::bigint[]) AS k(run, attempt, low, high)"
    " CROSS JOIN LATERAL (SELECT * FROM rows AS r WHERE r.run = k.run AND r.attempt = k.attempt"
    " AND r.slot >= k.low AND r.slot <= k.high LIMIT 100) AS r";
constexpr const char* rows_of_slots =
    " FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS k(job, slot, until) JOIN name AS j ON j.text = k.job"
    " CROSS JOIN LATERAL (SELECT * FROM ((SELECT * FROM rows AS r WHERE r.job = j.id AND r.slot >= k.slot"
    " AND r.slot <= k.until ORDER BY r.slot DESC LIMIT 100)"
    " UNION ALL (SELECT * FROM rows AS r WHERE r.job = j.id AND r.slot_until >= k.slot AND r.slot < k.slot"
    " AND r.run = '00000000-0000-0000-0000-000000000000' AND r.attempt = 0 LIMIT 100)) AS r LIMIT 100) AS r";
constexpr const char* rows_of_last_slots =
    " FROM name AS j CROSS JOIN LATERAL (SELECT slot FROM rows WHERE rows.job = j.id AND rows.slot >= $2::bigint"
    " ORDER BY slot DESC LIMIT 1) AS n CROSS JOIN LATERAL (SELECT * FROM rows AS r WHERE r.job = j.id"
    " AND r.slot = n.slot) AS r WHERE j.text = ANY($1::text[])";

// Nearly every run is of a slot that was due shortly before it was made, and nearly every job has a slot a week. What
// is not found so is looked for everywhere.
constexpr Millis longest_before_run = 72h, longest_after_run = 24h, recent = 24h * 8;
constexpr WallTime first_slot{Millis(std::numeric_limits<std::int64_t>::min())},
    last_slot{Millis(std::numeric_limits<std::int64_t>::max())};

/// Of what ties in slot and attempt the ledgers of nodes after it count, and of its own the smaller ids. The first
/// condition leaves out partitions, the second is what the index answers.
void add_position(Where& where, const HistoryPosition& after) {
  const std::string slot = where.bind(after.slot), attempt = where.bind(static_cast<std::int32_t>(after.attempt)),
                    node = where.bind(after.ledger), id = where.bind(after.id);
  const std::string at = "(" + slot + ", " + attempt + ")";
  where.add("r.slot <= ", slot);
  where.add("(r.slot, r.attempt) <= ", at);
  where.add("((r.slot, r.attempt) < ", at, " OR r.ledger = ANY(ARRAY(SELECT id FROM ledger WHERE node > ", node,
            ")) OR (r.id < ", id, " AND r.ledger = ANY(ARRAY(SELECT id FROM ledger WHERE node = ", node, "))))");
}

std::string ordered(const std::string& rows, const std::string& conditions, const std::string& limit) {
  return "SELECT * FROM " + rows + " AS r WHERE " + conditions + " ORDER BY r.slot DESC, r.attempt DESC FETCH FIRST (" +
         limit + ") ROWS WITH TIES";
}

/// The limit is part of the statement's text, as the plan depends on it.
std::string page_limit(const HistoryFilter& filter) {
  return std::to_string(std::clamp(filter.limit.value_or(largest_page), std::int64_t{1}, largest_page));
}

/// A page of these rows, with their names, in the order that the ledgers' nodes have too.
std::string placed(const std::string& rows, const std::string& limit) {
  const std::string order = " ORDER BY r.slot DESC, r.attempt DESC, l.node, r.id DESC LIMIT " + limit;
  const std::string page = "SELECT r.* FROM (" + rows + ") AS r JOIN ledger AS l ON l.id = r.ledger" + order;
  return "SELECT " + row_columns() + " FROM (" + page + ") AS r" + row_joins + order;
}

Query page_query(const HistoryFilter& filter, bool leaves_out_at_once) {
  Where where;
  const Arms arms = arms_of(filter);
  const std::string limit = page_limit(filter);
  const std::string names = arms.names.empty() ? "" : where.bind(arms.names);
  if (!names.empty()) where.add(arms.column, " = j.id");
  if (arms.column != "r.job" || names.empty()) where.add_names("r.job", filter.jobs);
  if (arms.column != "r.grp" || names.empty()) where.add_names("r.grp", filter.groups);
  add_conditions(where, filter);
  if (leaves_out_at_once || !wants_success(filter)) where.add("NOT r.at_once");
  if (filter.run) where.add("r.run = ", where.bind(*filter.run));
  if (filter.after) add_position(where, *filter.after);
  std::string rows = ordered("rows", where.sql(), limit);
  if (!names.empty())
    rows =
        "SELECT r.* FROM name AS j CROSS JOIN LATERAL (" + rows + ") AS r WHERE j.text = ANY(" + names + ") OFFSET 0";
  return {placed(rows, limit), where.take_params()};
}

/// Of these runs, and without a run, which are few: all that match are put into their order.
Query left_query(const HistoryFilter& filter, std::vector<RunId> runs) {
  runs.push_back(RunId());
  Where where;
  where.add("r.run = ANY(", where.bind(runs), ")");
  where.add("NOT r.at_once");
  add_conditions(where, filter);
  where.add_names("r.job", filter.jobs);
  where.add_names("r.grp", filter.groups);
  if (filter.run) where.add("r.run = ", where.bind(*filter.run));
  if (filter.after) add_position(where, *filter.after);
  const std::string limit = page_limit(filter);
  const std::string matching = "(SELECT * FROM rows AS r WHERE " + where.sql() + " OFFSET 0)";
  return {placed(ordered(matching, "true", limit), limit), where.take_params()};
}

/// Names are joined to what was found, and not before.
std::string select_rows(const std::string& from) {
  return "SELECT " + row_columns() + " FROM (SELECT r.*" + from + " OFFSET 0) AS r" + row_joins;
}

/// Attempts, and between which slots they are looked for.
struct RunKeys {
  std::vector<RunId> runs = {};
  std::vector<std::int32_t> attempts = {};
  std::vector<WallTime> lows = {}, highs = {};

  void add(const RowKey& key, WallTime low, WallTime high) {
    runs.push_back(*key.run);
    attempts.push_back(key.attempt);
    lows.push_back(low);
    highs.push_back(high);
  }
  Params params() const {
    Params params;
    params.add(runs).add(attempts).add(lows).add(highs);
    return params;
  }
};

/// Of several keys a row is given once.
struct UniqueRows {
  std::vector<KeptRow> all = {};
  std::set<std::pair<std::int64_t, std::int64_t>> known = {};  // ledgers and ids
  std::set<std::pair<RunId, int>> attempts = {};

  void add(const Answer& answer) {
    for (int i = 0; i < answer.rows(); ++i) {
      KeptRow one = read_row(answer, i);
      if (one.row.run) attempts.emplace(*one.row.run, one.row.attempt);
      if (known.emplace(ledger_of(answer, i), one.id).second) all.push_back(std::move(one));
    }
  }
  bool has(const RunId& run, int attempt) const { return attempts.contains({run, attempt}); }
};

}  // namespace

std::vector<std::string> RowReads::jobs_of(const std::vector<std::string>& groups) {
  if (groups.empty()) return {};
  return connection_.ask({jobs_of_groups, Params().add(groups)}).all_texts();
}

std::vector<KeptRow> RowReads::read(const Query& query) {
  std::vector<KeptRow> rows = read_rows(connection_.ask(query));
  name_askers(connection_, rows);
  return rows;
}

std::vector<KeptRow> RowReads::page(const HistoryFilter& filter) { return read(page_query(filter, false)); }

std::vector<KeptRow> RowReads::page_left(const HistoryFilter& filter, const std::optional<std::vector<RunId>>& left) {
  return read(left ? left_query(filter, *left) : page_query(filter, true));
}

std::vector<KeptRow> RowReads::rows_of(const std::vector<RowKey>& keys) {
  RunKeys near, everywhere;
  std::vector<std::string> jobs;
  std::vector<WallTime> slots, untils;
  for (const RowKey& key : keys)
    if (!key.run) {
      jobs.push_back(key.job);
      slots.push_back(key.slot);
      untils.push_back(key.until);
    } else if (const WallTime made{Millis(time_in(*key.run))}; made != WallTime{}) {
      near.add(key, made - longest_before_run, made + longest_after_run);
    } else {
      everywhere.add(key, first_slot, last_slot);
    }
  UniqueRows rows;
  if (!near.runs.empty()) rows.add(connection_.ask({select_rows(rows_of_runs), near.params()}));
  for (const RowKey& key : keys)
    if (key.run && time_in(*key.run) != 0 && !rows.has(*key.run, key.attempt))
      everywhere.add(key, first_slot, last_slot);
  if (!everywhere.runs.empty()) rows.add(connection_.ask({select_rows(rows_of_runs), everywhere.params()}));
  if (!jobs.empty()) rows.add(connection_.ask({select_rows(rows_of_slots), Params().add(jobs).add(slots).add(untils)}));
  name_askers(connection_, rows.all);
  return std::move(rows.all);
}

std::vector<KeptRow> RowReads::last_rows(const std::vector<std::string>& jobs) {
  const std::string sql = select_rows(rows_of_last_slots);
  std::set<std::string> left(jobs.begin(), jobs.end());
  UniqueRows rows;
  for (const WallTime since : {support::wall_now() - recent, first_slot}) {
    if (left.empty()) break;
    rows.add(connection_.ask({sql, Params().add(std::vector<std::string>(left.begin(), left.end())).add(since)}));
    for (const KeptRow& one : rows.all) left.erase(one.row.job);
  }
  name_askers(connection_, rows.all);
  return std::move(rows.all);
}

}  // namespace ballot::postgresql
