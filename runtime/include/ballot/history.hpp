/// \file
/// What a node's ledger hands on to a fleet's history: each change that it has recorded, with its number.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "ballot/ledger.hpp"

namespace ballot {

/// What an attempt printed, keyed by (run, attempt).
struct OutputRow {
  RunId run;      ///< of the attempt
  int attempt{};  ///< from 1 on
  Output output;  ///< what is kept of it
};

/// A definition that terms of a node went by, one after the other; keyed by (ledger, written).
struct KeptDefinition {
  DefinitionRow row;              ///< as the last of these terms went by it
  std::uint64_t first_epoch = 0;  ///< of the first of these terms
  std::int64_t written = 0;       ///< the change by which it was recorded: rows up to it were written before
  std::int64_t renewed = 0;       ///< the change at which the last of these terms began
};

/// Something that a ledger has recorded, as it is now: a later change of the same key replaces an earlier one.
struct LedgerChange {
  std::int64_t number = 0;  ///< grows from change to change of a ledger; numbers may be left out
  std::variant<Row, TermRow, KeptDefinition, PauseRow, RequestRow, OutputRow> what;  ///< by its own key
};

/// Changes of one ledger, in their order.
struct LedgerBatch {
  RunId ledger;                       ///< its identity: of one file, for as long as that is gone on with
  std::string node;                   ///< whose ledger it is
  std::int64_t after = 0;             ///< the number of the last change before them
  std::int64_t last = 0;              ///< with them all is sent up to this number
  std::vector<LedgerChange> changes;  ///< none: nothing that is still there has a number in between
};

}  // namespace ballot
