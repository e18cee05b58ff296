#include "counted_runs.hpp"

namespace ballot::postgresql {

std::string is_certain(Where& where, const std::vector<RunId>& but) {
  std::string certain = "r.status BETWEEN " + std::to_string(static_cast<int>(Status::succeeded)) + " AND " +
                        std::to_string(static_cast<int>(Status::missed)) + " AND r.status <> " +
                        std::to_string(static_cast<int>(Status::lost)) +
                        " AND r.reason <= " + std::to_string(static_cast<int>(last_reason)) +
                        " AND (r.ledger, r.node) IN (SELECT l.id, n.id FROM ledger AS l JOIN name AS n ON n.text = "
                        "l.node WHERE NOT EXISTS"
                        " (SELECT FROM ledger AS o WHERE o.node = l.node AND o.id <> l.id))";
  if (!but.empty()) certain += " AND r.run NOT IN (SELECT unnest(" + where.bind(but) + "))";
  return certain;
}

/// The bits of a run's attempts are those of 1 up to how many rows there are; a row that is not certain has the bit
/// of 0.
std::string counted_runs(const std::string& begin, const std::string& conditions, const std::string& certain,
                         const std::string& is_whole) {
  const std::string rows = "SELECT " + begin +
                           " AS begin, r.job, r.grp, r.status, r.reason, r.attempt, r.run, count(*) OVER w AS n,"
                           " bit_or(CASE WHEN " +
                           certain + " THEN 1::bigint << least(r.attempt, 62) ELSE 1 END) OVER w AS bits, " + is_whole +
                           " AS is_whole FROM rows AS r WHERE NOT r.at_once"
                           " AND r.run <> '00000000-0000-0000-0000-000000000000' AND " +
                           conditions + " WINDOW w AS (PARTITION BY r.slot, r.run)";
  return "SELECT begin, job, grp, status, reason, (attempt = n)::integer AS runs, 1 AS attempts, CASE WHEN n < 62 AND"
         " bits = (1::bigint << least(n, 61)::integer + 1) - 2 AND is_whole THEN NULL ELSE run END AS run_left FROM (" +
         rows + ") AS r";
}

}  // namespace ballot::postgresql
