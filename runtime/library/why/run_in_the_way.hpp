// RunInTheWay: which run of its job kept a slot from being run, and which ones keep it waiting, by the rows of a
// ledger.
//
// Threads: the one that reads the ledger.
//
//   text += in_the_way_text(skipped, ledger, {ask_attempt, describe_wait});
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ballot/ledger.hpp"
#include "library/history/ledger_view.hpp"

namespace ballot::library {

/// A run over all of its attempts.
struct RunSpan {
  RunId run;
  WallTime slot{};
  std::optional<WallTime> begun;             // of its first attempt that was started,
  std::string begun_on;                      // and the node of that
  std::optional<WallTime> ended;             // of its last attempt; none: that goes on
  bool may_go_on = false;                    // its last attempt has ended so that another one may follow,
  std::optional<std::int64_t> next_attempt;  // and which that is, where a row says so: it has not begun
  int attempt = 0;                           // the last one that does not wait; 0: they all do
  std::string node;                          // of that attempt,
  std::optional<WallTime> attempt_begun;     // and when it was started
  int first_attempt = 0;                     // of those that are known
};

/// Of rows by slot, then attempt, newest first.
std::vector<RunSpan> spans_of(const std::vector<Row>& rows);

/// Which attempt of a run that may go on is to come; none: none is, as far as is known.
using AttemptToCome = std::function<std::optional<std::int64_t>(const RunId&)>;
/// Of the rows of a run that waits for that attempt: a sentence after a space, or "".
using DescribesWait = std::function<std::string(const std::vector<Row>&, std::int64_t)>;

/// The run that went on when the slot was due, between two of its attempts too; else the newest one of an earlier slot
/// that began later, as a slot is settled some time after it was due. Null: there is none.
const RunSpan* run_in_the_way(const std::vector<RunSpan>& spans, WallTime slot, const AttemptToCome& to_come);

/// Sentences, each after a space; "" where the ledger has no such run.
std::string in_the_way_text(const Row& passed, LedgerView& ledger, const AttemptToCome& to_come,
                            const DescribesWait& describe);

/// Of a slot that was missed: the run that went on when it was due, and `until` then; "": there is none.
std::string waited_past_text(const Row& missed, WallTime until, LedgerView& ledger, const AttemptToCome& to_come,
                             const DescribesWait& describe);

/// The runs that have not ended, or have another attempt to come. A run that waits for its turn itself is none of them.
std::vector<RunSpan> runs_under_way(const std::vector<RunSpan>& spans, const AttemptToCome& to_come);

/// As in_the_way_text(), of the runs that go on now, or are between two attempts; "": there are fewer than `bound`.
std::string waits_for_runs_text(const std::string& job, int bound, LedgerView& ledger, const AttemptToCome& to_come,
                                const DescribesWait& describe);

}  // namespace ballot::library
