#include "row_reads.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "askers.hpp"
#include "kept_rows.hpp"
#include "where.hpp"

namespace ballot::postgresql {

namespace {

constexpr std::size_t most_arms = 200;  // beyond, a walk over all slots finds the next row soon enough
constexpr std::int64_t largest_page = 10'000;
constexpr const char* hour_ms = "3600000";

constexpr const char* jobs_of_groups =
    "SELECT DISTINCT text FROM name JOIN job_group ON job = id WHERE grp = ANY(ARRAY(SELECT g.id FROM name AS g"
    " WHERE g.text = ANY($1::text[]))) ORDER BY text";

/// At most a hundred of one key.
constexpr const char* rows_of_runs =
    " FROM unnest($1::uuid[], $2::integer[]) AS k(run, attempt) CROSS JOIN LATERAL (SELECT * FROM rows AS r"
    " WHERE r.run = k.run AND r.attempt = k.attempt LIMIT 100) AS r";
constexpr const char* rows_of_slots =
    " FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS k(job, slot, until) JOIN name AS j ON j.text = k.job"
    " CROSS JOIN LATERAL (SELECT * FROM ((SELECT * FROM rows AS r WHERE r.job = j.id AND r.slot >= k.slot"
    " AND r.slot <= k.until ORDER BY r.slot DESC LIMIT 100)"
    " UNION ALL (SELECT * FROM rows AS r WHERE r.job = j.id AND r.slot_until >= k.slot AND r.slot < k.slot"
    " AND r.run = '00000000-0000-0000-0000-000000000000' LIMIT 100)) AS r LIMIT 100) AS r";
constexpr const char* rows_of_last_slots =
    " FROM name AS j CROSS JOIN LATERAL (SELECT slot FROM rows WHERE rows.job = j.id ORDER BY slot DESC LIMIT 1) AS n"
    " CROSS JOIN LATERAL (SELECT * FROM rows AS r WHERE r.job = j.id AND r.slot = n.slot) AS r";

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
  where.add_names("r.grp", filter.groups);
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

Query page_query(const HistoryFilter& filter, RowReads::Which which, const std::vector<std::string>& arms) {
  Where where;
  add_conditions(where, filter);
  if (which == RowReads::Which::left || !wants_success(filter)) where.add("NOT r.at_once");
  if (filter.run) where.add("r.run = ", where.bind(*filter.run));
  if (filter.after) add_position(where, *filter.after);
  const std::string limit = where.bind(std::min(filter.limit.value_or(largest_page), largest_page));
  std::string rows;
  if (!arms.empty()) {
    const std::string jobs = where.bind(arms);
    where.add("r.job = j.id");
    rows = "SELECT r.* FROM name AS j CROSS JOIN LATERAL (" + ordered(where.sql(), limit) +
           ") AS r WHERE j.text = ANY(" + jobs + ")";
  } else {
    where.add_names("r.job", filter.jobs);
    rows = ordered(where.sql(), limit);
  }
  return {"SELECT " + row_columns() + " FROM (" + rows + ") AS r" + row_joins +
              " ORDER BY r.slot DESC, r.attempt DESC, l.node, r.id DESC LIMIT " + limit,
          where.take_params(), Query::Plan::anew};
}

std::string select_rows(const char* from) { return "SELECT " + row_columns() + from + row_joins; }

}  // namespace

std::vector<std::string> RowReads::jobs_of(const std::vector<std::string>& groups) {
  if (groups.empty()) return {};
  return connection_.ask({jobs_of_groups, Params().add(groups)}).all_texts();
}

/// The jobs of which each is looked up by itself; none of them: all slots are walked over. nullopt: there is no row.
std::optional<std::vector<std::string>> RowReads::arms_of(const HistoryFilter& filter) {
  std::vector<std::string> jobs = filter.jobs;
  if (filter.run || (jobs.empty() && filter.groups.empty())) return std::vector<std::string>();
  if (jobs.empty()) jobs = jobs_of(filter.groups);
  if (jobs.empty()) return std::nullopt;
  return jobs.size() <= most_arms ? jobs : std::vector<std::string>();
}

std::vector<KeptRow> RowReads::page(const HistoryFilter& filter, Which which) {
  const auto arms = arms_of(filter);
  if (!arms) return {};
  std::vector<KeptRow> rows = read_rows(connection_.ask(page_query(filter, which, *arms)));
  name_askers(connection_, rows);
  return rows;
}

std::vector<RunCount> RowReads::counts(const HistoryFilter& filter) {
  if (!wants_success(filter)) return {};
  Where where;
  where.add("r.at_once");
  add_conditions(where, filter);
  where.add_names("r.job", filter.jobs);
  const std::string sql = std::string("SELECT c.hour, job.text, c.runs FROM (SELECT r.slot / ") + hour_ms +
                          " AS hour, r.job, count(*) AS runs FROM rows AS r WHERE " + where.sql() +
                          " GROUP BY 1, 2) AS c LEFT JOIN name AS job ON job.id = c.job";
  const Answer answer = connection_.ask({sql, where.take_params(), Query::Plan::anew});
  std::vector<RunCount> counts;
  counts.reserve(static_cast<std::size_t>(answer.rows()));
  for (int row = 0; row < answer.rows(); ++row)
    counts.push_back({WallTime(std::chrono::hours(answer.number(row, 0))), answer.text(row, 1), answer.number(row, 2)});
  return counts;
}

std::vector<KeptRow> RowReads::rows_of(const std::vector<RowKey>& keys) {
  std::vector<RunId> runs;
  std::vector<std::int32_t> attempts;
  std::vector<std::string> jobs;
  std::vector<WallTime> slots, untils;
  for (const RowKey& key : keys)
    if (key.run) {
      runs.push_back(*key.run);
      attempts.push_back(key.attempt);
    } else {
      jobs.push_back(key.job);
      slots.push_back(key.slot);
      untils.push_back(key.until);
    }
  std::vector<Query> queries;
  if (!runs.empty()) queries.push_back({select_rows(rows_of_runs), Params().add(runs).add(attempts)});
  if (!jobs.empty()) queries.push_back({select_rows(rows_of_slots), Params().add(jobs).add(slots).add(untils)});
  if (queries.empty()) return {};
  std::vector<KeptRow> rows;
  std::set<std::pair<std::int64_t, std::int64_t>> known;  // of several keys a row is given once
  for (const Answer& answer : connection_.ask(queries))
    for (int row = 0; row < answer.rows(); ++row)
      if (KeptRow one = read_row(answer, row); known.emplace(ledger_of(answer, row), one.id).second)
        rows.push_back(std::move(one));
  name_askers(connection_, rows);
  return rows;
}

std::vector<KeptRow> RowReads::last_rows(const std::vector<std::string>& jobs) {
  const std::string sql = select_rows(rows_of_last_slots) + " WHERE j.text = ANY($1::text[])";
  std::vector<KeptRow> rows = read_rows(connection_.ask({sql, Params().add(jobs)}));
  name_askers(connection_, rows);
  return rows;
}

}  // namespace ballot::postgresql
