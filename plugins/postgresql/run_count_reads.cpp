#include "run_count_reads.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "counted_runs.hpp"
#include "day_counts.hpp"
#include "row_conditions.hpp"
#include "schema.hpp"

namespace ballot::postgresql {

namespace {

using namespace std::chrono_literals;

constexpr std::int64_t last_day = 10'000'000;  // since 1970
constexpr std::int64_t most_left = 10'000;     // runs, beyond which all rows are read as well

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

std::string length_of(CountPer per) { return std::to_string(Millis(per == CountPer::hour ? 1h : 24h).count()); }

/// Of the row's slot.
std::string begin_of(CountPer per) {
  return per == CountPer::all ? "0::bigint" : "r.slot / " + length_of(per) + " * " + length_of(per);
}

std::string count_limit(const HistoryFilter& filter, std::int64_t besides = 0) {
  return filter.limit ? " LIMIT " + std::to_string(std::max<std::int64_t>(*filter.limit, 1) + besides) : "";
}

/// The first row's hour or day from this slot on, by its number since 1970.
std::string first_part(const std::string& from, const std::string& length, const std::string& conditions) {
  return "(SELECT r.slot / " + length + " FROM rows AS r WHERE r.slot >= " + from + " AND " + conditions +
         " ORDER BY r.slot LIMIT 1)";
}

/// An hour or day after the other that has rows: what is kept of each is little, and none is looked at beyond the
/// limit.
std::string counts_one_after_the_other(const std::string& length, const std::string& conditions) {
  const std::string next = "(p.number + 1) * " + length;
  return "WITH RECURSIVE p(number) AS (SELECT " + first_part("'-9223372036854775808'::bigint", length, conditions) +
         " UNION ALL SELECT " + first_part(next, length, conditions) +
         " FROM p WHERE p.number IS NOT NULL) SELECT p.number * " + length +
         " AS begin, c.job, c.runs FROM p CROSS JOIN LATERAL (SELECT r.job, count(*) AS runs FROM rows AS r"
         " WHERE r.slot >= p.number * " +
         length + " AND r.slot < " + next + " AND " + conditions + " GROUP BY r.job) AS c";
}

std::string counts_at_once(const std::string& begin, const std::string& conditions) {
  return "SELECT " + begin + " AS begin, r.job, count(*)::integer AS runs FROM rows AS r WHERE " + conditions +
         " GROUP BY begin, r.job";
}

std::string with_names(const std::string& counts) {
  return "SELECT c.begin, job.text, c.runs FROM (" + counts + ") AS c LEFT JOIN name AS job ON job.id = c.job";
}

/// What succeeded at once has no other status. Few jobs or groups have an index of their own.
Query at_once_query(const HistoryFilter& filter, CountPer per, bool has_replaced) {
  HistoryFilter rest = filter;
  rest.statuses.clear();
  Where where;
  where.add("r.at_once");
  if (has_replaced) where.add(once_a_node);
  add_conditions(where, rest);
  where.add_names("r.job", filter.jobs);
  where.add_names("r.grp", filter.groups);
  const bool is_walk = per != CountPer::all && arms_of(rest).names.empty();
  const std::string counts =
      is_walk ? counts_one_after_the_other(length_of(per), where.sql()) : counts_at_once(begin_of(per), where.sql());
  return {with_names(counts + count_limit(filter)), where.take_params(), Query::Plan::anew};
}

/// Whole days as the tables count them, by their numbers, and what is asked for of the days before and after by rows.
Query days_query(const HistoryFilter& filter, CountPer per) {
  constexpr std::int64_t day = day_length;
  const auto slot_of = [](const std::optional<WallTime>& time, std::int64_t otherwise) {
    return time ? std::clamp<std::int64_t>(time->time_since_epoch().count(), -last_day * day, last_day * day)
                : otherwise;
  };
  const std::int64_t since = slot_of(filter.since, -last_day * day), until = slot_of(filter.until, last_day * day);
  const std::int64_t first = (since + day - 1) / day, end = std::max(until / day, first);
  Where where;
  where.add_names("r.node", filter.nodes);
  where.add_names("r.job", filter.jobs);
  where.add_names("r.grp", filter.groups);
  const std::string names = where.sql();
  const std::string days =
      "day_runs AS r WHERE " + names + " AND r.day >= " + where.bind(first) + " AND r.day < " + where.bind(end);
  std::string edges;
  const auto add_edge = [&](std::int64_t from, std::int64_t to) {
    if (from < to)
      edges +=
          " UNION ALL " + counts_at_once(begin_of(per), names + " AND r.at_once AND r.slot >= " + where.bind(from) +
                                                            " AND r.slot < " + where.bind(to));
  };
  add_edge(since, std::min(first * day, until));
  add_edge(end * day, until);
  std::string counts = "SELECT r.day * " + std::to_string(day) + " AS begin, r.job, sum(r.runs) AS runs FROM " + days +
                       " GROUP BY r.day, r.job HAVING sum(r.runs) > 0" + edges;
  if (per == CountPer::all)
    counts = "SELECT 0::bigint AS begin, job, sum(runs) AS runs FROM (SELECT 0::bigint AS begin, r.job, r.runs FROM " +
             days + edges + ") AS c GROUP BY job HAVING sum(runs) > 0";
  return {with_names(counts + count_limit(filter)), where.take_params(), Query::Plan::anew};
}

/// What is counted of whole days, and of the time before and after by rows. The runs that are left are answered by
/// their ids.
Query others_query(const HistoryFilter& filter, CountPer per, const std::vector<RunId>& but, const Days& counted) {
  Where where;
  where.add_names("r.job", filter.jobs);
  where.add_names("r.grp", filter.groups);
  const std::string names = where.sql(), certain = is_certain(where, but);
  std::string all;
  const auto add = [&all](const std::string& part) { all += (all.empty() ? "" : " UNION ALL ") + part; };
  const auto add_rows = [&](const std::optional<WallTime>& from, const std::optional<WallTime>& to) {
    const std::string conditions =
        names + (from ? " AND r.slot >= " + where.bind(*from) : "") + (to ? " AND r.slot < " + where.bind(*to) : "");
    add("SELECT begin, job, status, reason, run_left, runs, attempts FROM (" +
        counted_runs(begin_of(per), conditions, certain) + ") AS r");
  };
  if (counted.first == counted.end) {
    add_rows(filter.since, filter.until);
  } else {
    const WallTime first(Millis(counted.first * day_length)), end(Millis(counted.end * day_length));
    if (filter.since != first) add_rows(filter.since, first);
    if (filter.until != end) add_rows(end, filter.until);
    const std::string days =
        names + " AND r.day >= " + where.bind(counted.first) + " AND r.day < " + where.bind(counted.end);
    const std::string begin = per == CountPer::all ? "0::bigint" : "r.day * " + std::to_string(day_length);
    add("SELECT " + begin +
        " AS begin, r.job, r.status, r.reason, NULL::uuid, sum(r.runs), sum(r.attempts)"
        " FROM day_ends AS r WHERE " +
        days + " GROUP BY begin, r.job, r.status, r.reason");
    add("SELECT 0, 0, 0, 0, r.run, 0, 0 FROM day_left AS r WHERE " + days);
  }
  const std::string counts =
      "SELECT begin, job, status, reason, run_left, sum(runs)::bigint AS runs, sum(attempts)::bigint AS attempts"
      " FROM (" +
      all +
      ") AS r(begin, job, status, reason, run_left, runs, attempts)"
      " GROUP BY begin, job, status, reason, run_left" +
      count_limit(filter, most_left + 1);
  return {"SELECT c.begin, job.text, c.status, c.reason, c.run_left, c.runs, c.attempts FROM (" + counts +
              ") AS c LEFT JOIN name AS job ON job.id = c.job",
          where.take_params(), Query::Plan::anew};
}

bool is_full(const RunCounts& counts, const HistoryFilter& filter) {
  return filter.limit && std::ssize(counts.counts) >= *filter.limit;
}

}  // namespace

RunCounts RunCountReads::counts(const HistoryFilter& filter, CountPer per, const std::vector<RunId>& but) {
  RunCounts counts;
  if (wants_success(filter)) add_at_once(counts, filter, per);
  const bool is_of_runs = filter.nodes.empty() && filter.statuses.empty() && filter.reasons.empty();
  if (is_of_runs && !is_full(counts, filter)) add_others(counts, filter, per, but);
  return counts;
}

void RunCountReads::add_at_once(RunCounts& counts, const HistoryFilter& filter, CountPer per) {
  connection_.open();
  const bool replaced = has_replaced(filter.since);
  const bool has_days =
      connection_.tables_version() >= version_with_days && !replaced && per != CountPer::hour && filter.reasons.empty();
  const Answer answer = connection_.ask(has_days ? days_query(filter, per) : at_once_query(filter, per, replaced));
  counts.counts.reserve(static_cast<std::size_t>(answer.rows()));
  for (int row = 0; row < answer.rows(); ++row) {
    const std::int64_t runs = answer.number(row, 2);
    counts.counts.push_back({answer.time(row, 0), answer.text(row, 1), Status::succeeded, Reason::none, runs, runs});
  }
}

void RunCountReads::add_others(RunCounts& counts, const HistoryFilter& filter, CountPer per,
                               const std::vector<RunId>& but) {
  const Days counted = per == CountPer::hour ? Days() : counted_days(filter, but);
  const Answer answer = connection_.ask(others_query(filter, per, but, counted));
  std::set<RunId> left;
  std::vector<RunCount> others;
  for (int row = 0; row < answer.rows(); ++row)
    if (const auto run = answer.maybe_id(row, 4))
      left.insert(*run);
    else
      others.push_back({answer.time(row, 0), answer.text(row, 1), static_cast<Status>(answer.number(row, 2)),
                        static_cast<Reason>(answer.number(row, 3)), answer.number(row, 5), answer.number(row, 6)});
  if (std::ssize(left) > most_left) return;
  counts.left.emplace(left.begin(), left.end());
  for (RunCount& one : others)
    if (!is_full(counts, filter)) counts.counts.push_back(std::move(one));
}

/// The longest time without a gap, without days of runs that are in question besides. What changes of a day from here
/// on is as if it came later.
Days RunCountReads::counted_days(const HistoryFilter& filter, const std::vector<RunId>& but) {
  connection_.open();
  if (connection_.tables_version() < version_with_ends) return {};
  Where where;
  where.add("is_counted");
  if (filter.since) where.add("day * 86400000 >= ", where.bind(*filter.since));
  if (filter.until) where.add("(day + 1) * 86400000 <= ", where.bind(*filter.until));
  if (!but.empty()) where.add("day NOT IN (SELECT slot / 86400000 FROM rows WHERE run = ANY(", where.bind(but), "))");
  const Answer days =
      connection_.ask({"SELECT day FROM counted_day WHERE " + where.sql() + " ORDER BY day", where.take_params()});
  Days longest, current;
  for (int row = 0; row < days.rows(); ++row) {
    const std::int64_t day = days.number(row, 0);
    if (day != current.end) current.first = day;
    current.end = day + 1;
    if (current.end - current.first > longest.end - longest.first) longest = current;
  }
  return longest;
}

/// Rows are recorded after their slots, and put after that.
bool RunCountReads::has_replaced(const std::optional<WallTime>& since) {
  constexpr WallTime first_slot{Millis(std::numeric_limits<std::int64_t>::min())};
  const WallTime from = since.value_or(first_slot);
  Params params;
  params.add(std::max(from, first_slot + most_skew) - most_skew);
  return connection_.ask({replaced_ledgers, std::move(params)}).rows() > 0;
}

}  // namespace ballot::postgresql
