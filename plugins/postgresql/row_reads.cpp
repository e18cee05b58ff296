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
#include "support/clock.hpp"
#include "where.hpp"

namespace ballot::postgresql {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t most_arms = 200;  // beyond, a walk over all slots finds the next row soon enough
constexpr std::int64_t largest_page = 10'000;
constexpr const char* hour_ms = "3600000";

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
    " AND r.run = '00000000-0000-0000-0000-000000000000' LIMIT 100)) AS r LIMIT 100) AS r";
constexpr const char* rows_of_last_slots =
    " FROM name AS j CROSS JOIN LATERAL (SELECT slot FROM rows WHERE rows.job = j.id AND rows.slot >= $2::bigint"
    " ORDER BY slot DESC LIMIT 1) AS n CROSS JOIN LATERAL (SELECT * FROM rows AS r WHERE r.job = j.id"
    " AND r.slot = n.slot) AS r WHERE j.text = ANY($1::text[])";

// Nearly every run is of a slot that was due shortly before it was made, and nearly every job has a slot a week. What
// is not found so is looked for everywhere.
constexpr Millis longest_before_run = 72h, longest_after_run = 24h, recent = 24h * 8;
constexpr WallTime first_slot{Millis(std::numeric_limits<std::int64_t>::min())},
    last_slot{Millis(std::numeric_limits<std::int64_t>::max())};

/// Ledgers whose node has begun another one after them, and which have put something since then.
constexpr const char* replaced_ledgers =
    "SELECT id FROM ledger AS o WHERE stored_at >= $1 AND EXISTS (SELECT FROM ledger AS n WHERE n.node = o.node"
    " AND n.id > o.id)";
constexpr Millis most_skew = 24h;  // of nodes' clocks

/// Of a node that has handed on several ledgers the last one's copy. It reads rows, which the index does not have.
constexpr const char* once_a_node =
    "(r.ledger <> ALL(ARRAY(SELECT o.id FROM ledger AS o JOIN ledger AS n ON n.node = o.node AND n.id > o.id))"
    " OR NOT EXISTS (SELECT FROM rows AS s JOIN ledger AS n ON n.id = s.ledger JOIN ledger AS o ON o.id = r.ledger"
    " WHERE s.run = r.run AND s.attempt = r.attempt AND s.slot = r.slot AND s.at_once AND n.id > o.id"
    " AND n.node = o.node))";

template <class Enum>
std::vector<std::int32_t> numbers_of(const std::vector<Enum>& values) {
  std::vector<std::int32_t> numbers;
  for (const Enum value : values) numbers.push_back(static_cast<std::int32_t>(value));
  return numbers;
}

bool wants_success(const HistoryFilter& filter) {
  return filter.statuses.empty() ||
         std::find(filter.statuses.begin(), filter.statuses.end(), Status::succeeded) != filter.statuses.end();
}

void add_conditions(Where& where, const HistoryFilter& filter) {
  where.add_names("r.node", filter.nodes);
  if (!filter.statuses.empty()) where.add("r.status = ANY(", where.bind(numbers_of(filter.statuses)), ")");
  if (!filter.reasons.empty()) where.add("r.reason = ANY(", where.bind(numbers_of(filter.reasons)), ")");
  if (filter.since) where.add("r.slot >= ", where.bind(*filter.since));
  if (filter.until) where.add("r.slot < ", where.bind(*filter.until));
}

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

std::string ordered(const std::string& conditions, const std::string& limit) {
  return "SELECT * FROM rows AS r WHERE " + conditions + " ORDER BY r.slot DESC, r.attempt DESC FETCH FIRST (" + limit +
         ") ROWS WITH TIES";
}

/// Jobs, or else groups, of which each is looked up by itself.
struct Arms {
  std::string column = {};
  std::vector<std::string> names = {};  // none: all slots are walked over
};

Arms arms_of(const HistoryFilter& filter) {
  if (filter.run) return {};
  if (!filter.jobs.empty() && filter.jobs.size() <= most_arms) return {"r.job", filter.jobs};
  if (filter.jobs.empty() && filter.groups.size() <= most_arms) return {"r.grp", filter.groups};
  return {};
}

/// The limit is a part of the statement: its plan depends on it.
Query page_query(const HistoryFilter& filter, RowReads::Which which) {
  Where where;
  const Arms arms = arms_of(filter);
  const std::string limit =
      std::to_string(std::clamp(filter.limit.value_or(largest_page), std::int64_t{1}, largest_page));
  const std::string names = arms.names.empty() ? "" : where.bind(arms.names);
  if (!names.empty()) where.add(arms.column, " = j.id");
  if (arms.column != "r.job" || names.empty()) where.add_names("r.job", filter.jobs);
  if (arms.column != "r.grp" || names.empty()) where.add_names("r.grp", filter.groups);
  add_conditions(where, filter);
  if (which == RowReads::Which::left || !wants_success(filter)) where.add("NOT r.at_once");
  if (filter.run) where.add("r.run = ", where.bind(*filter.run));
  if (filter.after) add_position(where, *filter.after);
  std::string rows = ordered(where.sql(), limit);
  if (!names.empty())
    rows =
        "SELECT r.* FROM name AS j CROSS JOIN LATERAL (" + rows + ") AS r WHERE j.text = ANY(" + names + ") OFFSET 0";
  const std::string order = " ORDER BY r.slot DESC, r.attempt DESC, l.node, r.id DESC LIMIT " + limit;
  rows = "SELECT r.* FROM (" + rows + ") AS r JOIN ledger AS l ON l.id = r.ledger" + order;
  return {"SELECT " + row_columns() + " FROM (" + rows + ") AS r" + row_joins + order, where.take_params()};
}

/// The first row's hour from this slot on.
std::string first_hour(const std::string& from, const std::string& conditions) {
  return "(SELECT r.slot / " + std::string(hour_ms) + " FROM rows AS r WHERE r.slot >= " + from + " AND " + conditions +
         " ORDER BY r.slot LIMIT 1)";
}

/// An hour after the other that has rows: what is kept of each is little, and none is looked at beyond the limit.
std::string counts_by_the_hour(const std::string& conditions) {
  const std::string next = "(h.hour + 1) * " + std::string(hour_ms);
  return "WITH RECURSIVE h(hour) AS (SELECT " + first_hour("'-9223372036854775808'::bigint", conditions) +
         " UNION ALL SELECT " + first_hour(next, conditions) +
         " FROM h WHERE h.hour IS NOT NULL) SELECT h.hour, c.job, c.runs FROM h CROSS JOIN LATERAL"
         " (SELECT r.job, count(*) AS runs FROM rows AS r WHERE r.slot >= h.hour * " +
         hour_ms + " AND r.slot < " + next + " AND " + conditions + " GROUP BY r.job) AS c";
}

std::string counts_at_once(const std::string& conditions) {
  return "SELECT r.slot / " + std::string(hour_ms) + " AS hour, r.job, count(*) AS runs FROM rows AS r WHERE " +
         conditions + " GROUP BY 1, 2";
}

/// What succeeded at once has no other status. Few jobs or groups have an index of their own.
Query counts_query(const HistoryFilter& filter, bool has_replaced) {
  HistoryFilter rest = filter;
  rest.statuses.clear();
  Where where;
  where.add("r.at_once");
  if (has_replaced) where.add(once_a_node);
  add_conditions(where, rest);
  where.add_names("r.job", filter.jobs);
  where.add_names("r.grp", filter.groups);
  const std::string counts =
      arms_of(rest).names.empty() ? counts_by_the_hour(where.sql()) : counts_at_once(where.sql());
  const std::string limit = filter.limit ? " LIMIT " + std::to_string(std::max<std::int64_t>(*filter.limit, 1)) : "";
  return {"SELECT c.hour, job.text, c.runs FROM (" + counts + limit + ") AS c LEFT JOIN name AS job ON job.id = c.job",
          where.take_params(), Query::Plan::anew};
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

std::vector<KeptRow> RowReads::page(const HistoryFilter& filter, Which which) {
  std::vector<KeptRow> rows = read_rows(connection_.ask(page_query(filter, which)));
  name_askers(connection_, rows);
  return rows;
}

std::vector<RunCount> RowReads::counts(const HistoryFilter& filter) {
  if (!wants_success(filter)) return {};
  const Answer answer = connection_.ask(counts_query(filter, has_replaced(filter.since)));
  std::vector<RunCount> counts;
  counts.reserve(static_cast<std::size_t>(answer.rows()));
  for (int row = 0; row < answer.rows(); ++row)
    counts.push_back({WallTime(std::chrono::hours(answer.number(row, 0))), answer.text(row, 1), answer.number(row, 2)});
  return counts;
}

/// Rows are recorded after their slots, and put after that.
bool RowReads::has_replaced(const std::optional<WallTime>& since) {
  const WallTime from = since.value_or(first_slot);
  Params params;
  params.add(std::max(from, first_slot + most_skew) - most_skew);
  return connection_.ask({replaced_ledgers, std::move(params)}).rows() > 0;
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
