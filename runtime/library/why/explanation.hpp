// Explanation: why the last row of a run, or of a slot, is as it is, in sentences: what happened, the rule behind it,
// and whatever applied beyond the rule.
//
// Threads: the one that reads the ledger.
//
//   const Explanation why = explain(rows, ledger, {facts_of(definition), to_come});
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "library/history/ledger_view.hpp"
#include "library/why/why_detail.hpp"

namespace ballot::library {

struct Explanation {
  std::string text;
  std::optional<std::int64_t> next_attempt;  // the run waits for it, after its last row
};

/// `rows`: last attempt first. Requires: one at least.
Explanation explain(const std::vector<Row>& rows, LedgerView& ledger, const KnownJob& job);

}  // namespace ballot::library
