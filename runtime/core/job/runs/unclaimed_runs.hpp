// UnclaimedRuns: what a term has begun ahead of its register. While the store does not answer, and this node may still
// act, slots of `at-least-once` jobs are started without a confirmed claim, and the register is brought up to them
// afterwards.
//
//   register ──[passed](run)[passed](run)── settlement ── now
//              what is ahead, in order      decides on
//
//   a run ahead | event                                     | next
//   none        | add(): it is started; or a write is left behind whose fate is unknown
//   ahead       | a write that enters it is confirmed       | none (drop_entered)
//   ahead       | the term ends                             | none: its slot is the next term's, which runs it again,
//               |                                           | as a further attempt
//
// Only a slot's first attempt is started so: a retry or a trigger has a run id that the next term would claim too.
//
// Pure. Knows nothing of how runs are started; used by JobMachine only.
#pragma once

#include <span>
#include <vector>

#include "core/job/job_facts.hpp"
#include "core/job/runs/run_list.hpp"

namespace ballot::core {

class UnclaimedRuns {
 public:
  /// In the order of their slots: what was decided before, and the run, if any.
  void add(std::vector<Disposition> passed, std::optional<runner::AttemptId> run);
  /// The term is over.
  void clear() { ahead_.clear(); }
  bool empty() const { return ahead_.empty(); }
  std::span<const Ahead> all() const { return ahead_; }

  /// Forgets what the register shows.
  void drop_entered(const JobRegister& stored, const RunList& runs);
  /// Slots up to it are settled, by the register or ahead of it.
  WallTime settled_until(const JobRegister& stored, const RunList& runs) const;
  /// As many runs are open in the register, or are to be entered, as it may hold.
  bool is_full(const std::vector<OpenRun>& open) const;

  /// A claim is given up whose write may land yet.
  void note_given_up(const RunId& run);
  /// The claim has landed after all, of a slot whose run has been started without a claim since: its run never was.
  bool is_superseded(const OpenRun& open, const RunList& runs) const;
  std::vector<RunId> superseded(const JobRegister& stored, const RunList& runs) const;

 private:
  RareList<Ahead> ahead_;
  RareList<RunId> given_up_;  // the last few
};

}  // namespace ballot::core
