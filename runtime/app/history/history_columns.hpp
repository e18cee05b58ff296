// The ledger's fields as `history` prints them.
#pragma once

#include <string>
#include <vector>

#include "app/print/format.hpp"
#include "app/print/local_times.hpp"
#include "ballot/ledger.hpp"
#include "base/short_id.hpp"
#include "io/message.hpp"

namespace ballot::app {

/// Whether a ledger has the row, or the store is evidence of it.
enum class RowSource { ledger, store };

/// All of them in JSON and CSV, under the names and in the order of docs/ledger.md; in a table the most useful ones.
std::vector<Column> history_columns(Format format);

/// `row` in that order. In a table a run id is its last 12 digits, a signal has its name, and slots
/// are as `times` has them; of evidence the status says so.
std::vector<Cell> history_cells(const Row& row, Format format, const LocalTimes& times = {},
                                RowSource source = RowSource::ledger);

/// Writes it so; evidence has one more name in JSON, `evidence`.
void write_row(RecordWriter& out, const Row& row, Format format, const LocalTimes& times, RowSource source);

/// Of a value in public form.
Cell cell_of(const io::Message& shown, const std::string& name);

}  // namespace ballot::app
