#include "kept_rows.hpp"

#include "failure.hpp"

namespace ballot::postgresql {

namespace {

/// Only a number of a newer version is looked up.
std::string word_of(const std::string& kind, int last) {
  return "CASE WHEN r." + kind + " > " + std::to_string(last) + " THEN (SELECT text FROM word WHERE word.kind = '" +
         kind + "' AND word.id = r." + kind + ") END";
}

template <class Enum>
Named<Enum> read_named(const Answer& answer, int row, int number, int word) {
  auto named = Named<Enum>::make(answer.number(row, number), answer.view(row, word));
  if (!named) fail(Errc::corrupt, "PostgreSQL: a status or a reason that cannot be one");
  return *std::move(named);
}

}  // namespace

std::string row_columns() {
  return "r.slot, r.attempt, nullif(r.run, '00000000-0000-0000-0000-000000000000'), job.text, grp.text, r.slot_until,"
         " r.slots, r.trigger, r.status, " +
         word_of("status", static_cast<int>(Status::missed)) + ", r.reason, " +
         word_of("reason", static_cast<int>(last_reason)) +
         ", r.exit_code, r.signal, r.started_at, r.ended_at, r.duration_ms, node.text, r.epoch, r.fence,"
         " r.output_bytes, r.leftover, l.node, r.id, r.change, r.ledger";
}

KeptRow read_row(const Answer& answer, int row) {
  KeptRow kept;
  Row& one = kept.row;
  one.slot = answer.time(row, 0);
  one.attempt = static_cast<int>(answer.number(row, 1));
  one.run = answer.maybe_id(row, 2);
  one.job = answer.text(row, 3);
  one.group = answer.text(row, 4);
  one.slot_until = answer.maybe_time(row, 5);
  one.slots = answer.number(row, 6);
  one.trigger = read_enum(answer.number(row, 7), last_trigger);
  one.status = read_named<Status>(answer, row, 8, 9);
  one.reason = read_named<Reason>(answer, row, 10, 11);
  one.exit_code = answer.maybe_int(row, 12);
  one.signal = answer.maybe_int(row, 13);
  one.started_at = answer.maybe_time(row, 14);
  one.ended_at = answer.maybe_time(row, 15);
  if (!answer.is_null(row, 16)) one.duration = Millis(answer.number(row, 16));
  one.node = answer.text(row, 17);
  one.epoch = answer.natural(row, 18);
  one.fence = answer.natural(row, 19);
  one.output_bytes = answer.number(row, 20);
  one.leftover = read_enum(answer.number(row, 21), Leftover::unkillable);
  kept.ledger = answer.text(row, 22);
  kept.id = answer.number(row, 23);
  kept.change = answer.number(row, 24);
  return kept;
}

std::int64_t ledger_of(const Answer& answer, int row) { return answer.number(row, 25); }

std::vector<KeptRow> read_rows(const Answer& answer) {
  std::vector<KeptRow> rows;
  rows.reserve(static_cast<std::size_t>(answer.rows()));
  for (int row = 0; row < answer.rows(); ++row) rows.push_back(read_row(answer, row));
  return rows;
}

}  // namespace ballot::postgresql
