#include "change_reads.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "failure.hpp"
#include "kept_rows.hpp"
#include "schema.hpp"

namespace ballot::postgresql {

namespace {

using What = decltype(LedgerChange::what);

constexpr const char* begin_moment = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
constexpr const char* end_moment = "COMMIT";
constexpr const char* find_line = "SELECT id, node, opening, newest, change FROM ledger WHERE identity = $1";
constexpr const char* of_ledger = "ledger = (SELECT id FROM ledger WHERE identity = $1) AND change > $2";

/// Each has the change in its first column.
constexpr const char* select_changed_terms =
    "SELECT t.change, grp.text, node.text, t.epoch, t.elected_at, t.ended_at, t.cause FROM term AS t"
    " LEFT JOIN name AS grp ON grp.id = t.grp LEFT JOIN name AS node ON node.id = t.node WHERE t.";
constexpr const char* select_changed_definitions =
    "SELECT t.change, job.text, grp.text, node.text, t.since, t.first_epoch, t.epoch, t.before, t.basis, t.digest,"
    " t.schedule, t.anchors, t.timezone, t.not_before, t.not_after, t.enabled, t.jitter_ms, t.start_deadline_ms,"
    " t.concurrency, t.retries, t.at_least_once, t.reruns, t.written, t.renewed FROM definition AS t"
    " LEFT JOIN name AS job ON job.id = t.job LEFT JOIN name AS grp ON grp.id = t.grp"
    " LEFT JOIN name AS node ON node.id = t.node WHERE t.";
std::string select_changed_pauses(bool with_terms) {
  return std::string("SELECT t.change, job.text, grp.text, node.text, t.since, t.until, t.by, t.recorded, ") +
         (with_terms ? "t.ends, t.reason" : "NULL::bigint, ''") +
         " FROM pause AS t LEFT JOIN name AS job ON job.id = t.job LEFT JOIN name AS grp ON grp.id = t.grp"
         " LEFT JOIN name AS node ON node.id = t.node WHERE t.";
}
std::string select_changed_requests(bool with_env) {
  return std::string(
             "SELECT t.change, t.id, t.kind, job.text, grp.text, t.run, node.text, t.at, t.by, t.result, t.text,"
             " t.answered_at, ") +
         (with_env ? "t.env" : "''") +
         " FROM request AS t LEFT JOIN name AS job ON job.id = t.job LEFT JOIN name AS grp ON grp.id = t.grp"
         " LEFT JOIN name AS node ON node.id = t.node WHERE t.";
}
constexpr const char* select_changed_outputs =
    "SELECT t.change, t.run, t.attempt, t.head, t.tail, t.total_bytes FROM output AS t WHERE NOT t.is_partial AND t.";

What read_changed_row(const Answer& answer, int i) {
  KeptRow kept = read_row(answer, i);
  return LedgerRow{std::move(kept.row), kept.id};
}

What read_term(const Answer& answer, int i) {
  return TermRow{answer.text(i, 1), answer.text(i, 2),       answer.natural(i, 3),
                 answer.time(i, 4), answer.maybe_time(i, 5), read_enum(answer.number(i, 6), Cause::unfit)};
}

What read_definition(const Answer& answer, int i) {
  KeptDefinition kept;
  DefinitionRow& row = kept.row;
  row.job = answer.text(i, 1);
  row.group = answer.text(i, 2);
  row.node = answer.text(i, 3);
  row.from = answer.time(i, 4);
  kept.first_epoch = answer.natural(i, 5);
  row.epoch = answer.natural(i, 6);
  row.before = answer.natural(i, 7);
  row.basis = read_enum(answer.number(i, 8), Basis::repaired);
  row.digest = answer.text(i, 9);
  row.schedule = answer.texts(i, 10);
  row.anchors = answer.times(i, 11);
  row.timezone = answer.text(i, 12);
  row.not_before = answer.maybe_time(i, 13);
  row.not_after = answer.maybe_time(i, 14);
  row.enabled = answer.flag(i, 15);
  row.jitter = Millis(answer.number(i, 16));
  row.start_deadline = Millis(answer.number(i, 17));
  row.concurrency = read_enum(answer.number(i, 18), Concurrency::allow);
  row.retries = static_cast<int>(answer.number(i, 19));
  row.at_least_once = answer.flag(i, 20);
  row.reruns = answer.flag(i, 21);
  kept.written = answer.number(i, 22);
  kept.renewed = answer.number(i, 23);
  return kept;
}

What read_pause(const Answer& answer, int i) {
  return PauseRow{answer.text(i, 1),       answer.text(i, 2),       answer.text(i, 3),
                  answer.time(i, 4),       answer.maybe_time(i, 5), answer.text(i, 6),
                  answer.maybe_time(i, 8), answer.text(i, 9),       answer.number(i, 7)};
}

What read_changed_request(const Answer& answer, int i) {
  RequestRow row;
  row.id = answer.id(i, 1);
  row.kind = answer.text(i, 2);
  row.job = answer.text(i, 3);
  row.group = answer.text(i, 4);
  row.run = answer.maybe_id(i, 5);
  row.node = answer.text(i, 6);
  row.at = answer.time(i, 7);
  row.by = answer.text(i, 8);
  row.result = answer.text(i, 9);
  row.text = answer.text(i, 10);
  row.answered_at = answer.maybe_time(i, 11);
  row.env = answer.text(i, 12);
  return row;
}

What read_output(const Answer& answer, int i) {
  return OutputRow{answer.id(i, 1),
                   static_cast<int>(answer.number(i, 2)),
                   {answer.text(i, 3), answer.text(i, 4), answer.number(i, 5)}};
}

/// A kind of changes: how they are asked for, and read.
struct Kind {
  std::string sql;
  What (*read)(const Answer& answer, int row);
  int change = 0;  // its column
};

std::vector<Kind> make_kinds(std::int64_t version) {
  const auto ordered = [](const std::string& select) { return select + of_ledger + " ORDER BY t.change LIMIT $3"; };
  const std::string rows = "SELECT " + row_columns() + " FROM (SELECT * FROM rows AS t WHERE " + of_ledger +
                           " ORDER BY change LIMIT $3) AS r" + row_joins;
  return {{rows, read_changed_row, 24},
          {ordered(select_changed_terms), read_term},
          {ordered(select_changed_definitions), read_definition},
          {ordered(select_changed_pauses(version >= version_with_pause_terms)), read_pause},
          {ordered(select_changed_requests(version >= version_with_trigger_env)), read_changed_request},
          {ordered(select_changed_outputs), read_output}};
}

}  // namespace

LedgerBatch read_changes(Connection& connection, const RunId& ledger, std::int64_t after, std::int64_t most) {
  connection.open();
  const std::vector<Kind> kinds = make_kinds(connection.tables_version());
  std::vector<Query> queries{{begin_moment}, {find_line, Params().add(ledger)}};
  for (const Kind& kind : kinds) queries.push_back({kind.sql, Params().add(ledger).add(after).add(most + 1)});
  queries.push_back({end_moment});
  const std::vector<Answer> answers = connection.ask(queries);
  const Answer& line = answers[1];
  if (line.rows() == 0) fail(Errc::not_found, connection.place() + ": no ledger " + ledger.text() + " is kept");
  LedgerBatch batch{ledger, line.text(0, 1), line.id(0, 2), line.number(0, 3), after, line.number(0, 4), {}};
  for (std::size_t i = 0; i < kinds.size(); ++i)
    for (int row = 0; row < answers[i + 2].rows(); ++row)
      batch.changes.push_back({answers[i + 2].number(row, kinds[i].change), kinds[i].read(answers[i + 2], row)});
  std::sort(batch.changes.begin(), batch.changes.end(), [](auto& a, auto& b) { return a.number < b.number; });
  if (std::ssize(batch.changes) <= most) return batch;
  batch.changes.resize(static_cast<std::size_t>(most));
  batch.last = batch.changes.back().number;
  return batch;
}

}  // namespace ballot::postgresql
