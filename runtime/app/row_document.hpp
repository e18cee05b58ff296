// A row of the ledger as a document: what JSON shows of rows that are part of something else.
#pragma once

#include "app/document.hpp"
#include "ballot/ledger.hpp"

namespace ballot::app {

/// As `history --format json` has it.
Document row_document(const Row& row);

}  // namespace ballot::app
