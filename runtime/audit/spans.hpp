// Spans: the definitions of one job that were in force, in their order, and which slots of each this node's ledger must
// have: those that only terms of this node have settled.
//
//   from ────────────────────────► from of the next      the slots of a span: after the first, up to the second
//
//   span     | when                                                | which of its slots the ledger must have
//   closed   | its term has written the next one, or the same was  | all
//            | taken over from it: nobody else has written the     |
//            | register between                                    |
//   open     | it is the last one, or another node's term has      | those up to the last of which its terms have
//            | followed, or a repair                               | a row, written before the daemon's next start
//   unknown  | no file defined the job, or its expressions are not | none: nothing is said of its slots
//            | known                                               |
//
// Pure. Knows nothing of rows but what settles a slot. Used by JobAudit.
//
//   Spans spans(definitions);
//   if (const Span* span = spans.at(slot)) ... spans.plan()->next(slot, span->row().anchors)
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "ballot/ledger.hpp"
#include "schedule/after.hpp"
#include "schedule/plan.hpp"

namespace ballot::audit {

/// A definition as the ledger keeps it. Numbers of change are the ledger's: they grow with everything that is written.
struct InForce {
  DefinitionRow row;
  std::uint64_t first_epoch = 0;  // of this node's terms that went by it, one after the other, up to row.epoch
  std::int64_t change = 0;        // when it was first written
  std::int64_t sealed = std::numeric_limits<std::int64_t>::max();  // when the daemon that went by it last was gone
};

struct Span {
  InForce definition;
  WallTime from{};           // as `row.from`, but never after that of a later one
  bool closed = false;       // all of its slots up to the next one's `from` are settled, and in this ledger
  bool own_history = false;  // no other node has written the job's register since there is one
  int life = 0;              // how often a register was made, or repaired, up to here

  const DefinitionRow& row() const { return definition.row; }
  /// The job's slots are due when those of the jobs that it comes after have ended, and not before.
  bool is_due_later() const {
    const auto after = schedule::find_after(row().schedule);
    return after && after->has_slots_of_first;
  }
};

class Spans {
 public:
  /// Of one job, in the order in which they were written.
  explicit Spans(const std::vector<InForce>& definitions);

  /// The span that the slot is in; null before the first. Slots are asked for in ascending order.
  const Span* at(WallTime slot);
  const Span* current() const { return current_ == 0 ? nullptr : &spans_[current_ - 1]; }
  /// Where the current one ends; none: it goes on.
  std::optional<WallTime> end() const;
  /// The one that follows the current one; null: there is none, or it begins after `slot`.
  const Span* next_before(WallTime slot) const;
  void advance();

  /// Of the current span; null where it is unknown.
  const schedule::Plan* plan() const { return plan_ ? &*plan_ : nullptr; }
  /// The row was written by one of the current span's terms, before the daemon's next start: what it says was decided
  /// by that definition.
  bool goes_by(const Row& row, std::int64_t change) const;
  /// The row was written by one of the current span's terms, as it settled the slot: the rows of all before had been
  /// written by then. Of a run: one that was launched, so its claim was confirmed by then, and not ahead of it.
  bool settles(const Row& row, std::int64_t change) const;
  /// A later term than the current span's has settled it.
  bool settled_later(const Row& row) const;
  /// What the row says was undone: a repair, by this node or another, has brought the cursor back since.
  bool is_undone(const Row& row, std::int64_t change) const;
  /// A repair has brought the cursor back to before the last of the slots that `range` stands for: a later definition
  /// begins among them. Of another node's repair it is not known how far back; a row of one of those slots that is of a
  /// later term is decided after it.
  bool is_brought_back(const Row& range, std::int64_t change, const Row& one) const;
  /// This node took the register over after the row, from the term of another: one between may have repaired it.
  bool was_another_since(const Row& row, std::int64_t change) const;
  /// Definitions that terms of this node have taken up or written after the row; these terms are later than the row's.
  std::vector<const InForce*> of_later_terms(const Row& row, std::int64_t change) const;
  /// Repairs of terms after the row's, and of its own that are written later: what they kept as claimed lies before
  /// `from`.
  std::vector<const InForce*> repairs_after(const Row& row, std::int64_t change) const;

  /// The term that claimed the earlier slot had found this later one claimed, so the cursor was behind it: another
  /// node, whose ledger says so, had repaired what its clock was ahead for.
  bool was_claimed_ahead(const Row& later, const Row& earlier) const;

  /// The row's slot is the newest one that a repair by the row's term, or a later one, has kept as claimed: where the
  /// clock was behind, the slots before it were decided once more.
  bool was_kept(const Row& claimed) const;

  /// The row's term had found the slot passed, or claimed, when it took the register over, whatever the clocks say.
  bool is_from_before(const Row& row) const;

  // Whether any definition of the job allows it, or is not known.
  bool may_retry(int attempt) const;
  bool may_repeat() const;
  /// By all of them it is tried again where this attempt fails.
  bool owes_retry(int attempt) const;

 private:
  std::vector<Span> spans_;
  std::size_t current_ = 0;  // its number, from 1; 0: before the first
  std::optional<schedule::Plan> plan_;
};

/// Of a run that the schedule asked for, or of a slot without one.
constexpr bool is_scheduled(Trigger trigger) { return trigger == Trigger::schedule || trigger == Trigger::catch_up; }

}  // namespace ballot::audit
