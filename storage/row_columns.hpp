// Row columns: the columns of `ledger` that make a Row, in the order in which read_row takes them.
#pragma once

#include <functional>
#include <string>

#include "ballot/ledger.hpp"
#include "storage/statement.hpp"

namespace ballot::storage {

inline constexpr const char* row_columns =
    "id, change, slot, attempt, run_id, job_id, group_id, slot_until, slots, trigger, status, reason, exit_code, "
    "signal,"
    " started_at, ended_at, duration_ms, node_id, epoch, fence, output_bytes, leftover";

/// A Row with the numbers that order it: `id` stays, `change` grows each time the row is written.
struct NumberedRow {
  std::int64_t id = 0;
  std::int64_t change = 0;
  Row row;
};

/// What the other tables have for a row's numbers.
struct RowTexts {
  std::function<const std::string&(std::int64_t id)> name_of;                        // of table `name`
  std::function<std::string(std::string_view kind, std::int64_t number)> word_of{};  // of table `word`
};

/// A status or reason that this ballot lacks is kept, by its word. Throws SqliteError (`refused`) for other words that
/// it lacks.
NumberedRow read_row(const Cursor& cursor, const RowTexts& texts);

RunId read_run_id(std::string_view blob);
/// The bytes of `id`, which must outlive the statement that they are bound to.
inline Blob id_blob(const RunId& id) { return {{reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()}}; }

/// SQLite has no unsigned numbers: the same bits.
inline std::int64_t as_stored(std::uint64_t number) { return static_cast<std::int64_t>(number); }

/// The enumerator of that number, if it is not beyond `last`; throws as above.
template <class Enum>
Enum read_word(std::int64_t number, Enum last);

[[noreturn]] void fail_unknown_word(std::int64_t number);

template <class Enum>
Enum read_word(std::int64_t number, Enum last) {
  if (number < 0 || number > static_cast<std::int64_t>(last)) fail_unknown_word(number);
  return static_cast<Enum>(number);
}

}  // namespace ballot::storage
