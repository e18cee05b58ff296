// Settlement: what becomes of a job's scheduled slots, in order. It walks the plan from the cursor to now and makes of
// each slot either a decision (skipped or missed, with its reason) or one that waits to be claimed.
//
//   cursor ──[decided][decided](waiting)[decided](waiting)── position ── now
//            what the next write may carry        known, but behind a slot that still waits
//
// Nothing here is durable: a register write takes the decided slots in front, and the first waiting one with its claim;
// when that fails, rewind() forgets everything from there on and the next scan decides anew.
//
// Pure; used by Job only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ballot/job.hpp"
#include "ballot/run.hpp"
#include "core/job/chain/upstream.hpp"
#include "core/record/led_span.hpp"
#include "core/record/register.hpp"
#include "schedule/plan.hpp"

namespace ballot::core {

inline constexpr Millis on_time_limit{1000};  // a slot this late is still due, not a misfire
inline constexpr Millis upstream_takes{
    10'000};  // so long after its parents a slot is still due: their ends were to be written
inline constexpr Millis start_takes{100};            // a run that starts later than this was delayed
inline constexpr std::int64_t scan_budget = 20'000;  // slots decided in one step

/// When a slot may start: later by a stable share of the job's jitter, hashed from job and slot. As jitter is no longer
/// than the shortest period, slots become due in their order.
WallTime due_at(const Job& job, WallTime slot);

/// A slot that waits for its claim.
struct DueSlot {
  WallTime at{};
  Trigger trigger = Trigger::schedule;
  WallTime due{};           // `at`, and its share of the jitter: from then on its deadline counts
  WallTime waits_since{};   // `due` of the first slot in whose stead it waits: the job's turn for a place goes by it
  WallTime ready{};         // `due`, or when the jobs that it comes after had ended
  bool has_waited = false;  // for the jobs that it comes after
  bool yields = false;      // once the slot before it begins it is skipped: overlap
};

/// Why a slot that is not run is missed. Precedence: no_leader, unclaimed, start_deadline, misfire.
struct Coverage {
  WallTime elected_at{};                  // of this term
  std::span<const LedSpan> led_before;    // by terms before it
  std::optional<WallTime> blocked_since;  // no claim could be confirmed from here to now

  /// Of a slot that could begin from `ready` on; `too_late`: its start deadline has passed.
  Reason why_missed(WallTime ready, bool too_late) const;
};

/// By which rule a scan decides.
struct ScanRules {
  enum class Mode {
    due,        // by the job's misfire policy and start deadline
    paused,     // everything is skipped: paused
    undefined,  // everything is missed: no_definition
    halted,     // everything is missed: halted
    dry_run     // as due, but what would be claimed is skipped: dry_run
  };
  Mode mode = Mode::due;
  Misfire misfire = Misfire::latest;
  int misfire_limit = 100;
  Millis start_deadline{0};
  Coverage coverage;
  Concurrency concurrency = Concurrency::skip;
  // The job's previous run, which `skip` minds.
  bool busy = false;          // it is known to go on: what becomes due is skipped: overlap,
  bool catching_up = false;   // but for `misfire = "all"`, while it catches up: that joins
  bool fate_unknown = false;  // what became of it is not known: slots wait, until their start deadline
  std::size_t most_due = 1;   // `queue`: more of them are skipped: queue_full,
  bool drops_oldest = false;  // the oldest of them first
};

/// The slots of a job that comes after others wait for these.
struct UpstreamGate {
  const Context* c = nullptr;  // null: it comes after none
  const JobFacts* job = nullptr;

  Upstream at(WallTime slot) const { return c ? upstream_of(*c, *job, slot) : Upstream{}; }
  /// No slot is due before its first parent's has ended.
  bool makes_due() const { return c && has_slots_of_first(job->definition); }
};

/// The plan as the register anchors it.
struct AnchoredPlan {
  const schedule::Plan* plan = nullptr;  // null: no slots
  std::span<const WallTime> anchors;
  std::optional<WallTime> reboot;       // a slot of its own, of @reboot
  const Job* job = nullptr;             // whose jitter delays the slots; null: none does
  const JobRegister* stored = nullptr;  // slots that it shows as claimed are done; null: none is
  UpstreamGate gate{};

  std::optional<schedule::Slot> next(WallTime after) const;
  /// The slot after `after` is claimed, and next() leaves it out.
  bool leaves_out(WallTime after) const;
  /// When the slot after `after` is due.
  std::optional<WallTime> next_due(WallTime after) const;
  WallTime due_at(WallTime slot) const { return job ? core::due_at(*job, slot) : slot; }
  /// When the slot may start, as its parents have ended: from then on its deadline counts.
  WallTime due_at(WallTime slot, const Upstream& upstream) const;
  /// The instant after which the slot after `after` is not started any more, as far as that is known.
  std::optional<WallTime> last_start(WallTime after, Millis start_deadline) const;
};

class Settlement {
 public:
  /// Everything up to `position` is settled and durable.
  void reset(WallTime position);

  /// Decides the slots in (position, now]. False when the budget ran out: call again with the same `now` or a later
  /// one.
  bool scan(const AnchoredPlan& plan, const ScanRules& rules, WallTime now);

  /// The last scan left slots undecided that are due, for the fate of the job's previous run is not known, or a job
  /// that it comes after has not ended. They are decided when it is known, or at their start deadlines.
  bool leaves_due() const { return leaves_due_; }

  /// Forgets the first waiting slot and everything after it.
  void rewind();

  /// The waiting slot that may be claimed next; everything before it is decided.
  const DueSlot* first_due() const;
  /// All that wait, in order.
  std::vector<WallTime> waiting() const;
  /// So many wait.
  std::size_t due_count() const;
  bool has_decided() const { return !decided_.empty(); }
  std::size_t decided_count() const { return decided_.size(); }

  /// Decides the first waiting slot after all. Requires: there is one.
  void decide_first(Status status, Reason reason);

  /// The first decided ranges, at most `limit`: what a write carries. drop_decided() once it is confirmed.
  std::vector<Disposition> decided(std::size_t limit) const;
  void drop_decided(std::size_t count);
  /// Once the claim of the first waiting slot is confirmed.
  void drop_first_due();

  WallTime position() const { return position_; }
  /// Up to where slots are decided with nothing waiting before.
  WallTime settled_until() const;

 private:
  struct Candidate {
    std::optional<DueSlot> open;
    Disposition closed;   // slots that are never run, where it is none
    bool waited = false;  // for a job that it comes after, which has just ended: no policy for misfires applies

    bool may_misfire() const { return open && !waited; }
  };
  struct Behind {  // what follows the first waiting slot
    std::optional<DueSlot> due;
    Disposition decided;
  };

  void decide(schedule::Slot slot, const AnchoredPlan& plan, const ScanRules& rules, WallTime now);
  bool must_wait(schedule::Slot slot, const AnchoredPlan& plan, const ScanRules& rules, WallTime now) const;
  void finish_scan(const ScanRules& rules, WallTime now);
  void choose(const DueSlot& slot, bool waited, const ScanRules& rules, WallTime now);
  void decide(const Candidate& candidate, const ScanRules& rules, WallTime now);
  void supersede_first(bool together, const ScanRules& rules, WallTime now);
  void bound_waiting(const ScanRules& rules, WallTime now);
  bool miss_oldest(const ScanRules& rules, WallTime now);
  bool yields_last() const;
  void add_closed(const Disposition& closed);
  void add_decided(WallTime at, Status status, Reason reason);
  void add_decided(const Disposition& range);
  void decide_last(Status status, Reason reason);
  void add_due(DueSlot slot);
  void pull_up();

  WallTime base_{};      // durable up to here
  WallTime position_{};  // decided up to here
  WallTime parted_{};    // ranges end before this slot: a slot right before it is claimed already
  RareList<Disposition> decided_;
  RareList<DueSlot> due_;  // one, or none
  RareList<Behind> behind_;
  RareList<Candidate> candidates_;  // of a scan that goes on: open slots that may still be chosen
  bool leaves_due_ = false;
};

}  // namespace ballot::core
