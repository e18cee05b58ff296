#include "askers.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "schema.hpp"

namespace ballot::postgresql {

namespace {

std::string requests_of_runs(bool with_env) {
  return std::string("SELECT id, kind, by, ") + (with_env ? "env" : "''") +
         " FROM request WHERE id = ANY($1::uuid[]) AND kind = 'trigger'"
         " UNION SELECT run, kind, by, '' FROM request WHERE run = ANY($1::uuid[]) AND kind IN ('kill', 'forget')";
}

// Of one pause as several ledgers have it the end counts that one of them knows. One of the job itself comes before one
// of its group. The request that ended it was taken up right before it ended.
// `with_terms`: the tables say when pauses were to end; the ledger that has seen the end of one knows that best.
std::string pauses_of_slots(bool with_terms) {
  const std::string ends = with_terms ? "(array_agg(one.ends ORDER BY one.until NULLS LAST))[1]" : "NULL::bigint";
  const std::string reason = with_terms ? "(array_agg(one.reason ORDER BY one.until NULLS LAST))[1]" : "''";
  return "SELECT k.n, p.by, (SELECT q.by FROM request AS q WHERE q.kind = 'resume' AND q.at >= p.until - 60000"
         " AND q.at <= p.until + 1000 AND CASE WHEN p.job = 0 THEN q.grp = p.grp ELSE q.job = p.job END"
         " ORDER BY q.at DESC LIMIT 1), p.since, p.until, p.ends, p.reason"
         " FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY AS k(job, grp, slot, n)"
         " JOIN name AS g ON g.text = k.grp JOIN name AS j ON j.text = k.job CROSS JOIN LATERAL ("
         "SELECT one.job, one.grp, one.since, max(one.until) AS until, max(one.by) AS by, " +
         ends + " AS ends, " + reason +
         " AS reason FROM pause AS one WHERE one.grp = g.id"
         " AND one.job IN (0, j.id) AND one.since <= k.slot GROUP BY one.job, one.grp, one.since"
         " HAVING coalesce(coalesce(max(one.until), " +
         ends + ") >= k.slot, true) ORDER BY one.job <> 0 DESC, one.since DESC LIMIT 1) AS p";
}

std::string ending_of(const Row& row) {
  return row.reason == Reason::operator_ ? "kill" : row.reason == Reason::forgotten ? "forget" : "";
}

/// By run and kind, who asked, and with which variables.
struct AskedFor {
  std::string by, env;
};
using AskedBy = std::map<std::pair<RunId, std::string>, AskedFor>;

void name_runs(std::vector<KeptRow>& rows, const AskedBy& asked) {
  for (KeptRow& kept : rows) {
    Row& row = kept.row;
    if (!row.run || row.reason == Reason::paused) continue;
    if (const auto found = asked.find({*row.run, "trigger"}); found != asked.end() && row.trigger == Trigger::manual) {
      row.triggered_by = found->second.by;
      row.env = found->second.env;
    }
    if (const auto found = asked.find({*row.run, ending_of(row)}); found != asked.end())
      row.ended_by = found->second.by;
  }
}

}  // namespace

void name_askers(Connection& connection, std::vector<KeptRow>& rows) {
  std::set<RunId> runs;
  std::vector<std::string> jobs, groups;
  std::vector<WallTime> slots;
  std::vector<Row*> paused;
  for (KeptRow& kept : rows) {
    Row& row = kept.row;
    if (row.reason == Reason::paused) {
      jobs.push_back(row.job);
      groups.push_back(row.group);
      slots.push_back(row.slot);
      paused.push_back(&row);
    } else if (row.run && (row.trigger == Trigger::manual || !ending_of(row).empty())) {
      runs.insert(*row.run);
    }
  }
  if (runs.empty() && paused.empty()) return;
  const bool with_terms = connection.tables_version() >= version_with_pause_terms;
  const bool with_env = connection.tables_version() >= version_with_trigger_env;
  const auto answers =
      connection.ask({{requests_of_runs(with_env), Params().add(std::vector<RunId>(runs.begin(), runs.end()))},
                      {pauses_of_slots(with_terms), Params().add(jobs).add(groups).add(slots)}});
  AskedBy asked;
  for (int i = 0; i < answers[0].rows(); ++i)
    asked[{answers[0].id(i, 0), answers[0].text(i, 1)}] = {answers[0].text(i, 2), answers[0].text(i, 3)};
  name_runs(rows, asked);
  for (int i = 0; i < answers[1].rows(); ++i) {
    Row& row = *paused.at(static_cast<std::size_t>(answers[1].number(i, 0) - 1));
    row.paused_by = answers[1].text(i, 1);
    row.resumed_by = answers[1].text(i, 2);
    row.paused_at = answers[1].time(i, 3);
    row.pause_ends = answers[1].maybe_time(i, 5);
    row.pause_reason = answers[1].text(i, 6);
    if (row.pause_ends && answers[1].maybe_time(i, 4) == row.pause_ends) row.resumed_by = by_its_end;
  }
}

}  // namespace ballot::postgresql
