// The ledger's fields as `history` prints them.
#pragma once

#include <vector>

#include "app/format.hpp"
#include "ballot/ledger.hpp"

namespace ballot::app {

/// All of them in JSON and CSV, under the names and in the order of docs/ledger.md; in a table the most useful ones.
std::vector<Column> history_columns(Format format);

/// `row` in that order. In a table a run id is its last 12 digits, and a signal has its name.
std::vector<Cell> history_cells(const Row& row, Format format);

}  // namespace ballot::app
