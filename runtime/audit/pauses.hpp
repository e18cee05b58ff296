// Pauses: whether a job's rows agree with the pauses that the ledger has of the job and of its group.
//
//   a row of a term of this node                    | cannot be
//   skipped: paused                                 | with no pause of the job or its group at its slot
//   claimed by the schedule, or missed by policy    | well within a pause whose beginning and end this node has
//   recorded
//
// Other nodes' pauses are in their ledgers, so rows of their terms are not judged; nor are rows from before the ledger
// kept pauses.
//
// Pure. Used by JobAudit.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "audit/reasons.hpp"
#include "audit/spans.hpp"

namespace ballot::audit {

/// The pauses of a ledger, and the change since which it has all of them.
struct KnownPauses {
  std::vector<PauseRow> rows = {};
  std::int64_t since = std::numeric_limits<std::int64_t>::max();
};

class Pauses {
 public:
  /// `known` and `terms` outlive it.
  Pauses(std::string job, const KnownPauses& known, const Terms& terms, Reasons::Wrong wrong)
      : job_(std::move(job)), known_(known), terms_(terms), wrong_(std::move(wrong)) {}

  /// A row of a scheduled slot, in the span that it is of.
  void judge(const Row& row, std::int64_t change, const Span& span) const;

 private:
  bool concerns(const PauseRow& pause, const Row& row) const;
  void judge_skipped(const Row& row, std::int64_t change, const TermRow& term, const Span& span) const;
  bool began_by_a_wrong_clock(const PauseRow& pause, const Row& row, const Span& span) const;
  bool ended_by_a_wrong_clock(const PauseRow& pause, const Row& row) const;
  void judge_settled(const Row& row, std::int64_t change, const Span& span) const;

  const std::string job_;
  const KnownPauses& known_;
  const Terms& terms_;
  const Reasons::Wrong wrong_;
};

}  // namespace ballot::audit
