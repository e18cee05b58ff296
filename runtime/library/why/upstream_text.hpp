// UpstreamText: what a slot of a job waits for, or was skipped for, that comes `after` others: their slots, by the rows
// of a ledger.
//
// Threads: the one that reads the ledger.
//
//   text += upstream_text(row, ledger, {"extract", "clean"});
#pragma once

#include <string>
#include <vector>

#include "ballot/ledger.hpp"
#include "library/history/ledger_view.hpp"

namespace ballot::library {

/// A sentence for each job that it comes after, after a space: what became of its latest slot at or before the row's.
std::string upstream_text(const Row& row, LedgerView& ledger, const std::vector<std::string>& after);

}  // namespace ballot::library
