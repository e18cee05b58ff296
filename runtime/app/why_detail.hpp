// WhyDetail: what applied to one row, beyond the rule: the run that was in the way, the step that failed, the term that
// had ended, and whether another attempt follows. From the ledger, and from what the daemon shows.
//
// Threads: the main one.
//
//   text += why_detail(row, ledger);
#pragma once

#include <optional>
#include <string>

#include "ballot/ledger.hpp"
#include "config/config.hpp"
#include "library/history/ledger_view.hpp"
#include "schedule/definition.hpp"

namespace ballot::app {

/// One or more sentences, each after a space; "" where the rule says all. `definition`: null where no file defines the
/// job.
std::string why_detail(const Row& row, library::LedgerView& ledger, const config::Config& config,
                       const schedule::DefinitionPtr& definition);

/// What the daemon shows of a run that has not ended: which attempt is to come.
using NextAttempt = std::optional<std::int64_t>;
NextAttempt ask_next_attempt(const config::Config& config, const RunId& run);

/// Of a run that waits for its attempt `next`: when that starts, by when the attempt before it ended, and how many are
/// left, by the job's file as it is now. "": the job has no retries.
std::string retry_text(const std::vector<Row>& rows, std::int64_t next, const schedule::DefinitionPtr& definition);

/// Whether another attempt follows the last row of a run, after a space; "" where that is no question. `definition`:
/// null where no file defines the job.
std::string what_follows(const Row& last, const schedule::DefinitionPtr& definition, const NextAttempt& next);

}  // namespace ballot::app
