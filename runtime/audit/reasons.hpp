// Reasons: whether the reason that a row gives for a slot that did not run can be, by the job's definition, its runs
// and this node's terms. It finds only what cannot be otherwise: other nodes' runs and terms are not in this node's
// ledger.
//
//   reason     | cannot be
//   no_leader  | of a slot due well after the election of the very term that says so; or in the term before it, where
//              | that was this node's and recorded its end
//   overlap    | of a job that lets runs overlap or queues them; where no run of the job was there: only of a job that
//              | skips, whose register no other node has ever written; and no row of an earlier run was written after
//              | it: that run went on, whatever the clock said; nor where the term that says so was over before the
//              | slot: its clock was ahead, and had been set back before the row was written
//   queue_full | of a job that has no queue
//   dst_gap    | of a slot that is due
//   misfire    | of a slot due well before the election of the very term that says so: nobody led then; of a job that
//              | queues what is late
//   paused     | of anything but a slot that was skipped: a pause ends no run, and refuses nobody who asks for one
//
// Pure. Used by JobAudit; slots come in ascending order.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "audit/finding.hpp"
#include "audit/spans.hpp"
#include "audit/terms.hpp"

namespace ballot::audit {

class Reasons {
 public:
  /// What is wrong with a row's reason.
  using Wrong = std::function<void(const Row& row, std::string what)>;

  Reasons(const Terms& terms, Wrong wrong) : terms_(terms), wrong_(std::move(wrong)) {}

  /// Any row.
  void judge_pause(const Row& row) const;
  /// A row of a run, whoever asked for it.
  void see_run(const Row& row, std::int64_t change, const Span* span);
  /// A scheduled slot without a run, and what the schedule has there; none: nothing.
  void judge(const Row& row, std::int64_t change, const Span& span, std::optional<schedule::Slot::Kind> kind);
  void finish();

 private:
  struct Doubt {  // an overlap with nothing that is known by then: a run by hand may follow
    Row row;
    WallTime until{};
  };

  const TermRow* own_term(const Row& row) const;
  void judge_no_leader(const Row& row, const Span& span) const;
  void judge_misfire(const Row& row, const Span& span) const;
  void judge_overlap(const Row& row, std::int64_t change, const Span& span);
  void settle_doubts(WallTime now);

  const Terms& terms_;
  const Wrong wrong_;
  WallTime busy_until_{};           // a run of the job was there up to then
  std::int64_t last_change_ = 0;    // of the runs of the job, by when they were written last
  std::optional<WallTime> unsure_;  // one that was there then may be there still, or wait for its next attempt
  std::vector<Doubt> doubts_;
};

}  // namespace ballot::audit
