// JobClaims: which run of a job begins now, and how: claimed in the register, queued there, or ahead of its claim.
//
//   a run           | begins when
//   of a due slot   | the policy for overlaps, the register and the limits have room for it
//   lost            | its repetition is allowed: at once
//   that waits      | its time has come; of a queued one, when it is next
//   by hand         | the same as of a due slot; else it is queued, or refused with the reason
//   of a chain      | the same as of a due slot, once those of the jobs before have ended; else there is none
//   ahead           | the store does not answer, the job is `at-least-once`, and its slot is due
//
// Whether one may begin is asked in one place, admit(). What delays it, in the order in which it is asked, and what
// becomes of the run; a write in flight, or none that may be begun, delays all but those ahead (JobMachine):
//
//   delayed by                 | of a due slot | lost    | that waits  | by hand         | ahead
//   no file defines the job    | (missed)      | is left | waits       | waits           | waits
//   --dry-run                  | (skipped)     | is left | is skipped  | is refused      | waits
//   its term is draining       | (waits)       | waits   | waits       | waits           | waits
//   a pause                    | (skipped)     | waits   | waits       | begins          | waits
//   the job's runs, `skip`     | (skipped)     | waits   | waits       | is refused      | (skipped)
//   the store is in doubt, the | waits         | waits   | waits       | waits           | begins; waits where the
//     deadline is too near     |               |         |             |                 | clock has stepped
//   the job's runs, `queue`    | waits         | waits   | waits       | waits in the    | waits
//                              |               |         |             | register        |
//   the job's runs, else       | waits         | waits   | waits       | waits           | waits
//   a register full of runs    | waits         | begins  | begins      | waits           | waits
//   max_running of the node or | waits         | waits   | waits       | waits           | waits
//     of the group             |               |         |             |                 |
//
// A run of a triggered chain is as one by hand, but for a pause, which has it decided that there is none, as --dry-run
// and `skip` have, and for `queue`, where it waits for the job's runs and is in no register meanwhile.
//
// In brackets: decided before, as its slot is decided (SlotFeed); there is none then that is due. Lost and waiting
// runs were asked for by hand, or in a pause they are not chosen (RunList). `replace` kills what is in the way. Lost
// and waiting ones take the places that they have in the register.
//
// A run of a backfill comes last: it begins as one of a due slot does, and only where no slot is due and no run waits
// in the queue; it replaces none. In a pause it waits.
//
//   JobClaims claims{c, job, machine};
//   if (!claims.begin_lost() && !claims.begin_waiting() && !claims.begin_manual() && !claims.begin_due())
//     claims.begin_backfill();
//
// Each begin_...() is true where it has begun something. Pure; made for one call; used by JobMachine only.
#pragma once

#include <optional>

#include "core/job/chain/upstream.hpp"
#include "core/job/job_parts.hpp"
#include "core/job/job_writes.hpp"

namespace ballot::core {

class JobClaims {
 public:
  JobClaims(Context& c, JobParts& job, JobMachine& machine) : c_(c), job_(job), machine_(machine) {}

  bool begin_due();
  /// The next attempt of a run that was lost, under its id. What no file defines any more is not repeated.
  bool begin_lost();
  /// The attempt whose time has come; a run that is queued when it is next.
  bool begin_waiting();
  /// The oldest manual run: begun, queued, or refused. A stopping daemon leaves it to the next leader.
  bool begin_manual();
  /// The first slot of a triggered chain that can be begun. Of those that cannot, it is decided that there is no run.
  bool begin_chained();
  /// Of the slots of triggered chains that the job is to take up none is begun any more: of a job that is repaired, as
  /// it may have been claimed and forgotten; of one that moves to another group. True while one is not in the register.
  enum class Leaves { as_repaired, as_moved };
  bool leave_chained(Leaves how);
  /// The next slot of the job's backfill.
  bool begin_backfill();

  /// Starts runs that are due while the store does not answer.
  void run_ahead();
  /// Brings the register up to what was started without it. True if it has begun something, or must wait.
  bool catch_up();

 private:
  struct Fate {
    Status status;
    Reason reason;
  };
  enum class Queued { written, refused, waits };
  /// A run that would begin: where it is to come from, and since when it could.
  enum class From { due_slot, lost, waiting, by_hand, chained, backfill, ahead };
  enum class Admission { begins, waits, queues, left, dry_run, overlap };

  JobWrites writes();
  Admission admit(From from, WallTime waits_since);
  Admission admit_by_rule(From from) const;
  bool has_room(From from);
  bool has_place(WallTime waits_since);
  bool joins_a_catch_up(const DueSlot& due) const;
  void claim(PendingWrite write, OpenRun run, std::optional<WallTime> begin_by = std::nullopt);
  void claim_at_once(OpenRun run, const std::optional<ChainedSlot>& chained = std::nullopt,
                     std::optional<WallTime> begin_by = std::nullopt);
  OpenRun run_of_slot(const DueSlot& due) const;
  OpenRun run_by_hand(const Request& request);
  std::optional<ChainedSlot> chain_of(const Request& request, const OpenRun& run) const;
  OpenRun run_of_chain(const ChainedSlot& slot) const;
  std::optional<Fate> fate_of(const ChainedSlot& slot, Upstream::Verdict verdict) const;
  Queued queue_manual(const Request& request);
  bool has_expired(const Request& request) const;
  void refuse_manual(const Request& request, Reason reason);
  void detach_write();

  Context& c_;
  JobParts& job_;
  JobMachine& machine_;
};

}  // namespace ballot::core
