// LostRun: the run for which slots of its job waited while nobody knew whether it went on, as its node had lost the
// group: until it was recorded as lost, and the slots that had passed were settled.
//
// Threads: the one that reads the ledger.
//
//   text += lost_run_text(missed, ledger, facts_of(definition));
//   text = waits_for_text(run);
#pragma once

#include <optional>
#include <string>

#include "library/history/ledger_view.hpp"
#include "library/why/why_detail.hpp"

namespace ballot::library {

/// Of a slot that was missed: sentences, each after a space; "" where it did not wait for such a run.
std::string lost_run_text(const Row& missed, LedgerView& ledger, const std::optional<JobFacts>& job);

/// Of a slot that still waits for such a run, which is open: all that is to be said.
std::string waits_for_text(const Row& run);

}  // namespace ballot::library
