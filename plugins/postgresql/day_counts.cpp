#include "day_counts.hpp"

#include <string>
#include <vector>

#include "counted_runs.hpp"
#include "failure.hpp"
#include "schema.hpp"
#include "support/clock.hpp"

namespace ballot::postgresql {

namespace {

/// Runs of a day go on into the next one.
constexpr const char* uncounted_days =
    "SELECT one.day FROM (SELECT floor((extract(epoch FROM clock_timestamp()) - 3600) / 86400)::bigint AS today) AS t,"
    " generate_series(greatest(t.today - 62, (SELECT min(slot) FROM rows) / 86400000,"
    " (SELECT rows_since FROM meta) / 86400000), t.today - 1) AS one(day)"
    " WHERE NOT EXISTS (SELECT FROM counted_day AS c WHERE c.day = one.day AND c.is_counted) ORDER BY one.day DESC";

constexpr const char* of_one_job = "min(r.job) OVER w = max(r.job) OVER w AND min(r.grp) OVER w = max(r.grp) OVER w";

Query counts_of_day(std::int64_t day) {
  Where where;
  where.add("r.slot >= ", where.bind(day * day_length), " AND r.slot < ", where.bind((day + 1) * day_length));
  const std::string certain = is_certain(where, {});
  const std::string number = where.bind(day);
  return {"WITH runs AS MATERIALIZED (" + counted_runs("0::bigint", where.sql(), certain, of_one_job) +
              "), ends AS (INSERT INTO day_ends SELECT " + number +
              ", job, grp, status, reason, sum(runs), sum(attempts) FROM runs WHERE run_left IS NULL"
              " GROUP BY job, grp, status, reason) INSERT INTO day_left SELECT DISTINCT " +
              number + ", run_left, job, grp FROM runs WHERE run_left IS NOT NULL",
          where.take_params(), Query::Plan::anew};
}

Query of_count(const char* sql, std::int64_t day, std::int64_t number) { return {sql, Params().add(day).add(number)}; }

}  // namespace

bool DayCounts::count(Millis within) {
  if (connection_.tables_version() < version_with_ends) return true;
  const Answer days = connection_.ask({uncounted_days});
  const SteadyTime until = support::boot_now() + within;
  int counted = 0;
  for (; counted < days.rows() && support::boot_now() < until; ++counted) count_day(days.number(counted, 0));
  return counted == days.rows();
}

void DayCounts::count_day(std::int64_t day) {
  const std::int64_t number = connection_.ask({"SELECT begin_count($1)", Params().add(day)}).number(0, 0);
  connection_.ask({of_count("SELECT clear_count($1, $2)", day, number), counts_of_day(day),
                   of_count("SELECT end_count($1, $2)", day, number)});
}

}  // namespace ballot::postgresql
