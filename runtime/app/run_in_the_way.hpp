// RunInTheWay: which run of its job kept a slot from being run, or keeps it waiting, by the rows of a ledger.
//
// Threads: the one that reads the ledger.
//
//   text += in_the_way_text(skipped, ledger, [](const RunId& run) { return waits_for_its_next_attempt(run); });
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ballot/ledger.hpp"
#include "library/history/ledger_view.hpp"

namespace ballot::app {

/// A run over all of its attempts.
struct RunSpan {
  RunId run;
  WallTime slot{};
  std::string node;               // of its last attempt
  std::optional<WallTime> begun;  // of its first attempt that was started
  std::optional<WallTime> ended;  // of its last attempt; none: that goes on
  bool may_go_on = false;         // its last attempt has ended so that another one may follow
};

/// Of rows by slot, then attempt, newest first.
std::vector<RunSpan> spans_of(const std::vector<Row>& rows);

/// Whether a run that may go on has an attempt to come.
using WaitsForAttempt = std::function<bool(const RunId&)>;

/// The run that went on when the slot was due, between two of its attempts too; else the newest one of an earlier slot
/// that began later, as a slot is settled some time after it was due. Null: there is none.
const RunSpan* run_in_the_way(const std::vector<RunSpan>& spans, WallTime slot, const WaitsForAttempt& waits);

/// A sentence after a space; "" where the ledger has no such run.
std::string in_the_way_text(const Row& passed, library::LedgerView& ledger, const WaitsForAttempt& waits);

}  // namespace ballot::app
