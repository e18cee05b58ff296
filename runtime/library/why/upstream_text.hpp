// UpstreamText: of a slot of a job that comes `after` others, which of their slots it came after, waits for, or was
// skipped for, by the rows of a ledger and by what is known of the chain's jobs; and of a slot of a job that others
// come after, which of these it waits for.
//
// Threads: the one that reads the ledger.
//
//   text += upstream_text(row, ledger, job);
#pragma once

#include <string>
#include <vector>

#include "ballot/ledger.hpp"
#include "io/message.hpp"
#include "library/history/ledger_view.hpp"
#include "library/why/why_detail.hpp"

namespace ballot::library {

/// Sentences, each after a space: the job that decided first, with what decided of it up to the first cause, then the
/// others; of a slot that was skipped for them also the rule. "" where the job comes after none, or the row has nothing
/// to do with them.
std::string upstream_text(const Row& row, LedgerView& ledger, const KnownJob& job);

/// In public form, for each job that the row's comes after: `job`, its latest `slot` at or before the row's, what
/// became of it (`status`, `reason`, `run_id`, `node`), each null where there is none.
std::vector<io::Message> shown_upstream(const Row& row, LedgerView& ledger, const KnownJob& job);

}  // namespace ballot::library
