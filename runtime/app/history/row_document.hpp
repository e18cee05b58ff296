// A row of the ledger as a document: what JSON shows of rows that are part of something else.
#pragma once

#include "app/history/history_columns.hpp"
#include "app/print/document.hpp"
#include "ballot/ledger.hpp"
#include "library/history/ledger_view.hpp"

namespace ballot::app {

/// As `history --format json` has it; of a row that the store alone shows with `evidence`.
Document row_document(const Row& row, RowSource source = RowSource::ledger);

/// The nodes that did not answer, each as the API has it: `node`, `last_heard`, `why`, `heard_by`.
Document missing_document(const std::vector<library::MissingNode>& missing);

/// Where the document is one ledger's view and the fleet's was wanted: `alone`, why.
void add_alone(Document& document, const library::LedgerView& ledger);

}  // namespace ballot::app
