// RunOutcome: how an attempt ended, as a record "o/RUN.ATTEMPT" in the store. The node that executed a run publishes
// its end there, once, when it does not lead the job's group any more; whoever leads closes the open run with it and
// removes the record. Not fenced: the first one is kept. Pure values.
#pragma once

#include <string>
#include <string_view>

#include "ballot/error.hpp"
#include "ballot/ledger.hpp"
#include "base/runner_wire.hpp"

namespace ballot::core {

inline constexpr std::string_view outcome_prefix = "o/";
std::string outcome_record(const runner::AttemptId& id);  // "o/RUN.ATTEMPT"

/// The row of an attempt that has ended, but for its output.
std::string outcome_text(const Row& row);
Result<Row> parse_outcome(std::string_view text);

}  // namespace ballot::core
