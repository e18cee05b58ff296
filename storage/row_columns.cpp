#include "storage/row_columns.hpp"

#include <algorithm>
#include <utility>

#include "storage/sqlite_error.hpp"

namespace ballot::storage {
namespace {

std::optional<int> maybe_int(const Cursor& cursor, int column) {
  if (cursor.null(column)) return std::nullopt;
  return static_cast<int>(cursor.number(column));
}

std::optional<WallTime> maybe_time(const Cursor& cursor, int column) {
  if (cursor.null(column)) return std::nullopt;
  return cursor.time(column);
}

template <class Enum>
Named<Enum> read_named(std::string_view kind, std::int64_t number, const RowTexts& texts) {
  const bool known = number >= 0 && number < first_unnumbered && is_known(static_cast<Enum>(number));
  auto named = Named<Enum>::make(number, known ? std::string() : texts.word_of(kind, number));
  if (!named) fail_unknown_word(number);
  return std::move(*named);
}

}  // namespace

RunId read_run_id(std::string_view blob) {
  RunId id;
  std::copy_n(blob.begin(), std::min(blob.size(), id.bytes.size()), id.bytes.begin());
  return id;
}

void fail_unknown_word(std::int64_t number) {
  throw SqliteError(Fault::refused, "the ledger has a word (number " + std::to_string(number) +
                                        ") that this ballot does not know: read it with a newer one");
}

NumberedRow read_row(const Cursor& cursor, const RowTexts& texts) {
  const auto& name_of = texts.name_of;
  NumberedRow result{.id = cursor.number(0), .change = cursor.number(1), .row = {}};
  Row& row = result.row;
  row.slot = cursor.time(2);
  row.attempt = static_cast<int>(cursor.number(3));
  if (!cursor.null(4)) row.run = read_run_id(cursor.blob(4));
  row.job = name_of(cursor.number(5));
  row.group = name_of(cursor.number(6));
  row.slot_until = maybe_time(cursor, 7);
  row.slots = cursor.number(8);
  row.trigger = read_word(cursor.number(9), last_trigger);
  row.status = read_named<Status>("status", cursor.number(10), texts);
  row.reason = read_named<Reason>("reason", cursor.number(11), texts);
  row.exit_code = maybe_int(cursor, 12);
  row.signal = maybe_int(cursor, 13);
  row.started_at = maybe_time(cursor, 14);
  row.ended_at = maybe_time(cursor, 15);
  if (!cursor.null(16)) row.duration = Millis(cursor.number(16));
  row.node = name_of(cursor.number(17));
  row.epoch = static_cast<std::uint64_t>(cursor.number(18));
  row.fence = static_cast<std::uint64_t>(cursor.number(19));
  row.output_bytes = cursor.number(20);
  row.leftover = read_word(cursor.number(21), Leftover::unkillable);
  return result;
}

}  // namespace ballot::storage
