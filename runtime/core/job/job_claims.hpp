// JobClaims: which run of a job begins now, and how: claimed in the register, queued there, or ahead of its claim.
//
//   a run           | begins when
//   of a due slot   | the policy for overlaps, the register and the limits have room for it
//   lost            | its repetition is allowed: at once
//   that waits      | its time has come; of a queued one, its turn
//   by hand         | the same as of a due slot; else it is queued, or refused with the reason
//   ahead           | the store does not answer, the job is `at-least-once`, and its slot is due
//
//   JobClaims claims{c, job, machine};
//   if (!claims.begin_lost() && !claims.begin_waiting() && !claims.begin_manual()) claims.begin_due();
//
// Each begin_...() is true where it has begun something. Pure; made for one call; used by JobMachine only.
#pragma once

#include <optional>

#include "core/job/job_parts.hpp"
#include "core/job/job_writes.hpp"

namespace ballot::core {

class JobClaims {
 public:
  JobClaims(Context& c, JobParts& job, JobMachine& machine) : c_(c), job_(job), machine_(machine) {}

  bool begin_due();
  /// The next attempt of a run that was lost, under its id. What no file defines any more is not repeated.
  bool begin_lost();
  /// The attempt whose time has come; a run that is queued when its turn has.
  bool begin_waiting();
  /// The oldest manual run: begun, queued, or refused. A stopping daemon leaves it to the next leader.
  bool begin_manual();

  /// What is due while the store does not answer.
  void run_ahead();
  /// Brings the register up to what was started without it. True if it has begun something, or must wait.
  bool catch_up();

 private:
  enum class Queued { written, refused, waits };

  JobWrites writes();
  bool may_begin(WallTime due);
  void claim(PendingWrite write, OpenRun run, std::optional<WallTime> begin_by = std::nullopt);
  void claim_at_once(OpenRun run, std::optional<WallTime> begin_by = std::nullopt);
  OpenRun run_of_slot(const DueSlot& due) const;
  OpenRun run_by_hand(const Request& request);
  Queued queue_manual(const Request& request);
  void refuse_manual(const Request& request, Reason reason);
  void detach_write();

  Context& c_;
  JobParts& job_;
  JobMachine& machine_;
};

}  // namespace ballot::core
