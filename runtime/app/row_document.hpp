// A row of the ledger as a document: what JSON shows of rows that are part of something else.
#pragma once

#include "app/document.hpp"
#include "app/history_columns.hpp"
#include "ballot/ledger.hpp"

namespace ballot::app {

/// As `history --format json` has it; of a row that the store alone shows with `evidence`.
Document row_document(const Row& row, RowSource source = RowSource::ledger);

}  // namespace ballot::app
