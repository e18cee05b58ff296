// What people asked, as `history --requests` prints it.
#pragma once

#include <vector>

#include "app/print/format.hpp"
#include "app/print/local_times.hpp"
#include "ballot/ledger.hpp"

namespace ballot::app {

/// In JSON and CSV under the names of docs/ledger.md; in a table the most useful ones.
std::vector<Column> request_columns(Format format);

/// A row of the store, and no ledger's, has no id, and its result is marked; in JSON it has `evidence`.
void write_request(RecordWriter& out, const RequestRow& request, Format format, const LocalTimes& times);

/// `request` in that order. In a table a run's id is its last 12 digits.
std::vector<Cell> request_cells(const RequestRow& request, Format format, const LocalTimes& times = {});

}  // namespace ballot::app
