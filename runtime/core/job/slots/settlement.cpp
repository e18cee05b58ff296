#include "core/job/slots/settlement.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/fnv.hpp"

namespace ballot::core {
namespace {

/// Extends `range` by slots that became the same, or says that it cannot.
bool extend(Disposition& range, const Disposition& by, WallTime parted) {
  if (range.status != by.status || range.reason != by.reason) return false;
  if (range.to < parted && parted <= by.from) return false;
  range.to = by.to;
  range.slots += by.slots;
  return true;
}

/// What becomes of a slot that is never run.
Disposition closed_slot(schedule::Slot slot) {
  if (slot.kind == schedule::Slot::Kind::dst_gap) return {slot.at, slot.at, 1, Status::missed, Reason::dst_gap};
  return {slot.at, slot.at, 1, Status::skipped, Reason::calendar};
}

/// What becomes of a slot that is due whatever the job's policies say; none: they decide.
std::optional<Disposition> closed_by(const Upstream& upstream, WallTime slot) {
  if (upstream.verdict == Upstream::Verdict::ended_otherwise)
    return Disposition{slot, slot, 1, Status::skipped, Reason::upstream};
  if (upstream.verdict == Upstream::Verdict::undefined)
    return Disposition{slot, slot, 1, Status::missed, Reason::no_definition};
  return std::nullopt;
}

Reason why_missed(const DueSlot& slot, const ScanRules& rules, WallTime now) {
  return rules.coverage.why_missed(slot.ready, now - slot.due > rules.start_deadline);
}

/// When the jobs that it comes after had ended; where they have not, it has waited for them to its start deadline.
WallTime ready_at(const Upstream& upstream, WallTime due, const ScanRules& rules) {
  if (upstream.verdict == Upstream::Verdict::waits) return due + rules.start_deadline;
  return std::max(due, upstream.ended_at);
}

/// A queue that its leader has left queues again.
int chosen_at_most(const ScanRules& rules) {
  if (rules.concurrency == Concurrency::queue) return std::numeric_limits<int>::max();
  switch (rules.misfire) {
    case Misfire::latest: return 1;
    case Misfire::all: return rules.misfire_limit;
    case Misfire::skip: return 0;
  }
  return 0;
}

}  // namespace

WallTime due_at(const Job& job, WallTime slot) {
  if (job.jitter <= Millis(0)) return slot;
  Fnv hash;
  hash.add_whole(job.name);
  auto rest = static_cast<std::uint64_t>(slot.time_since_epoch().count());
  for (int i = 0; i < 8; ++i, rest >>= 8) hash.add(static_cast<unsigned char>(rest));
  const std::uint64_t mixed = hash.value() ^ hash.value() >> 29;  // its low bits alone know little of the first bytes
  return slot + Millis(static_cast<std::int64_t>(mixed % static_cast<std::uint64_t>(job.jitter.count())));
}

Reason Coverage::why_missed(WallTime ready, bool too_late) const {
  if (ready <= elected_at) {
    const bool covered = std::any_of(led_before.begin(), led_before.end(),
                                     [&](const LedSpan& one) { return one.from <= ready && ready <= one.until; });
    return covered ? Reason::unclaimed : Reason::no_leader;
  }
  if (blocked_since && ready >= *blocked_since) return Reason::unclaimed;
  return too_late ? Reason::start_deadline : Reason::misfire;
}

std::optional<schedule::Slot> AnchoredPlan::next(WallTime after) const {
  std::optional<schedule::Slot> slot;
  if (plan) slot = plan->next(after, anchors);
  while (slot && stored && stored->is_claimed(slot->at)) slot = plan->next(stored->alike_until(slot->at), anchors);
  if (reboot && *reboot > after && (!slot || *reboot <= slot->at)) return schedule::Slot{*reboot};
  return slot;
}

bool AnchoredPlan::leaves_out(WallTime after) const {
  if (!plan || !stored || after >= stored->claimed_until) return false;
  const auto slot = plan->next(after, anchors);
  return slot && stored->is_claimed(slot->at);
}

std::optional<WallTime> AnchoredPlan::next_due(WallTime after) const {
  const auto slot = next(after);
  return slot ? std::optional(due_at(slot->at)) : std::nullopt;
}

WallTime AnchoredPlan::due_at(WallTime slot, const Upstream& upstream) const {
  return gate.makes_due() ? std::max(due_at(slot), upstream.ended_at) : due_at(slot);
}

std::optional<WallTime> AnchoredPlan::last_start(WallTime after, Millis start_deadline) const {
  const auto slot = next(after);
  if (!slot) return std::nullopt;
  const Upstream upstream = gate.at(slot->at);
  if (gate.makes_due() && upstream.verdict == Upstream::Verdict::waits) return std::nullopt;
  return due_at(slot->at, upstream) + start_deadline + Millis(1);
}

void Settlement::reset(WallTime position) {
  base_ = position_ = position;
  leaves_due_ = false;
  decided_.clear();
  due_.clear();
  behind_.clear();
  candidates_.clear();
}

bool Settlement::scan(const AnchoredPlan& plan, const ScanRules& rules, WallTime now) {
  const bool waits_for_jitter = rules.mode != ScanRules::Mode::undefined && rules.mode != ScanRules::Mode::halted;
  leaves_due_ = false;
  for (std::int64_t budget = scan_budget; budget > 0; --budget) {
    const auto slot = plan.next(position_);
    const bool due = slot && (waits_for_jitter ? plan.due_at(slot->at) : slot->at) <= now;
    leaves_due_ = due && must_wait(*slot, plan, rules, now);
    if (!due || leaves_due_) {
      position_ = std::max(position_, base_);
      finish_scan(rules, now);
      return true;
    }
    if (plan.leaves_out(position_)) parted_ = slot->at;
    decide(*slot, plan, rules, now);
    position_ = slot->at;
  }
  return false;
}

/// A job that it comes after has not ended; or (`skip`) whether the slot overlaps is not known yet. At its start
/// deadline it is decided all the same.
bool Settlement::must_wait(schedule::Slot slot, const AnchoredPlan& plan, const ScanRules& rules, WallTime now) const {
  const bool claims = rules.mode == ScanRules::Mode::due || rules.mode == ScanRules::Mode::dry_run;
  if (!claims || !slot.is_due()) return false;
  const Upstream upstream = plan.gate.at(slot.at);
  const bool waits = upstream.verdict == Upstream::Verdict::waits;
  if (waits && plan.gate.makes_due()) return true;
  const bool in_question = rules.concurrency == Concurrency::skip && rules.fate_unknown;
  if (!waits && !(in_question && upstream.verdict == Upstream::Verdict::begins)) return false;
  return now - plan.due_at(slot.at, upstream) <= rules.start_deadline;
}

/// On a day that its calendars leave out nothing is due, whoever leads and whatever else keeps the job from running.
void Settlement::decide(schedule::Slot slot, const AnchoredPlan& plan, const ScanRules& rules, WallTime now) {
  if (slot.kind == schedule::Slot::Kind::left_out) return add_closed(closed_slot(slot));
  if (rules.mode == ScanRules::Mode::paused) return add_decided(slot.at, Status::skipped, Reason::paused);
  if (rules.mode == ScanRules::Mode::undefined) return add_decided(slot.at, Status::missed, Reason::no_definition);
  if (rules.mode == ScanRules::Mode::halted) return add_decided(slot.at, Status::missed, Reason::halted);
  if (!slot.is_due()) return add_closed(closed_slot(slot));
  const Upstream upstream = plan.gate.at(slot.at);
  if (const auto closed = closed_by(upstream, slot.at)) return add_closed(*closed);
  const WallTime due = plan.due_at(slot.at, upstream), ready = ready_at(upstream, due, rules);
  const Millis late = now - ready;
  const bool on_time = ready > rules.coverage.elected_at && late <= (plan.gate.c ? upstream_takes : on_time_limit);
  const bool reboot = plan.reboot == slot.at;  // always before its term: for it, coming late is no misfire
  DueSlot open{slot.at, on_time ? Trigger::schedule : Trigger::catch_up, due, due, ready};
  open.has_waited = ready > plan.due_at(slot.at);
  if (reboot) open.trigger = Trigger::reboot;
  const bool misfires = !on_time && !reboot && chosen_at_most(rules) == 0;
  if (misfires || now - due > rules.start_deadline) {
    while (miss_oldest(rules, now)) continue;
    return add_closed({slot.at, slot.at, 1, Status::missed, why_missed(open, rules, now)});
  }
  choose(open, on_time && open.has_waited, rules, now);
}

/// Of those that come late no more than the policy says; waiting for a job that it comes after is no misfire.
void Settlement::choose(const DueSlot& slot, bool waited, const ScanRules& rules, WallTime now) {
  candidates_.push_back({slot, {}, waited});
  const auto open = std::count_if(candidates_.begin(), candidates_.end(),
                                  [](const Candidate& candidate) { return candidate.may_misfire(); });
  if (open > std::max(1, chosen_at_most(rules))) miss_oldest(rules, now);
}

/// Behind slots that may still be chosen it waits for them.
void Settlement::add_closed(const Disposition& closed) {
  if (candidates_.empty()) return add_decided(closed);
  Candidate& last = candidates_.back();
  if (last.open || !extend(last.closed, closed, parted_)) candidates_.push_back({std::nullopt, closed});
}

/// The oldest of those that misfire; false: there is none.
bool Settlement::miss_oldest(const ScanRules& rules, WallTime now) {
  const auto oldest = std::find_if(candidates_.begin(), candidates_.end(),
                                   [](const Candidate& candidate) { return candidate.may_misfire(); });
  if (oldest == candidates_.end()) return false;
  const WallTime at = oldest->open->at;
  oldest->closed = {at, at, 1, Status::missed, why_missed(*oldest->open, rules, now)};
  oldest->open.reset();
  while (!candidates_.empty() && !candidates_.front().open) {
    add_decided(candidates_.front().closed);
    candidates_.erase(candidates_.begin());
  }
  return true;
}

void Settlement::finish_scan(const ScanRules& rules, WallTime now) {
  for (const Candidate& candidate : std::exchange(candidates_, {})) decide(candidate, rules, now);
  bound_waiting(rules, now);
}

/// Slots that a job which theirs come after has made ready together wait together: the first one that begins is run,
/// and the others overlap it.
void Settlement::decide(const Candidate& candidate, const ScanRules& rules, WallTime now) {
  if (!candidate.open) return add_decided(candidate.closed);
  const DueSlot& slot = *candidate.open;
  const bool skips = rules.concurrency == Concurrency::skip;
  const bool joins =
      rules.misfire == Misfire::all && (slot.trigger == Trigger::catch_up || rules.catching_up || !due_.empty());
  if (skips && rules.busy && !joins) return add_decided(slot.at, Status::skipped, Reason::overlap);
  if (rules.mode == ScanRules::Mode::dry_run) return add_decided(slot.at, Status::skipped, Reason::dry_run);
  DueSlot waiting = slot;
  const bool together = candidate.waited && !due_.empty() && due_.front().has_waited &&
                        due_.front().trigger == Trigger::schedule && slot.ready - due_.front().ready <= upstream_takes;
  waiting.yields = skips && !joins && !due_.empty() && (together || due_count() > 1);
  const bool supersedes =
      !due_.empty() && (rules.concurrency == Concurrency::replace || (skips && !joins && !waiting.yields));
  if (supersedes) waiting.waits_since = due_.front().waits_since;
  if (supersedes) supersede_first(together, rules, now);
  const bool waits = skips && !waiting.yields && (rules.busy || !due_.empty());
  if (waits && slot.trigger == Trigger::schedule) waiting.trigger = Trigger::catch_up;
  add_due(waiting);
}

/// A later slot is due while the first one waits, for a place perhaps: the newest of them is run. Beside a run that is
/// known to go on the first one overlaps, and where both have waited for another job; else it is a misfire.
void Settlement::supersede_first(bool together, const ScanRules& rules, WallTime now) {
  if (rules.busy || together) return decide_first(Status::skipped, Reason::overlap);
  decide_first(Status::missed, why_missed(due_.front(), rules, now));
}

/// `skip` with `misfire = "all"`: the newest ones; of those that yield the oldest. `queue`: no more than there is room
/// for.
void Settlement::bound_waiting(const ScanRules& rules, WallTime now) {
  if (rules.concurrency == Concurrency::skip)
    while (due_count() > static_cast<std::size_t>(std::max(1, rules.misfire_limit)))
      yields_last() ? decide_last(Status::skipped, Reason::overlap)
                    : decide_first(Status::missed, why_missed(due_.front(), rules, now));
  if (rules.concurrency == Concurrency::queue)
    while (due_count() > rules.most_due)
      rules.drops_oldest ? decide_first(Status::skipped, Reason::queue_full)
                         : decide_last(Status::skipped, Reason::queue_full);
}

void Settlement::add_decided(WallTime at, Status status, Reason reason) {
  add_decided(Disposition{at, at, 1, status, reason});
}

void Settlement::add_decided(const Disposition& range) {
  if (due_.empty()) {
    if (decided_.empty() || !extend(decided_.back(), range, parted_)) decided_.push_back(range);
  } else if (behind_.empty() || behind_.back().due || !extend(behind_.back().decided, range, parted_)) {
    behind_.push_back({std::nullopt, range});
  }
}

void Settlement::add_due(DueSlot slot) {
  if (due_.empty())
    due_.push_back(slot);
  else
    behind_.push_back({slot, {}});
}

void Settlement::rewind() {
  leaves_due_ = false;
  candidates_.clear();
  due_.clear();
  behind_.clear();
  position_ = settled_until();
}

const DueSlot* Settlement::first_due() const { return due_.empty() ? nullptr : &due_.front(); }

void Settlement::decide_first(Status status, Reason reason) {
  const DueSlot slot = due_.front();
  due_.clear();
  add_decided(slot.at, status, reason);
  pull_up();
}

void Settlement::decide_last(Status status, Reason reason) {
  const auto none = std::make_reverse_iterator(behind_.begin());
  const auto last =
      std::find_if(std::make_reverse_iterator(behind_.end()), none, [](const Behind& b) { return b.due.has_value(); });
  if (last == none) return decide_first(status, reason);
  const auto from = std::prev(last.base());
  const DueSlot slot = *from->due;
  const std::vector<Behind> after(std::next(from), behind_.end());
  behind_.erase(from, behind_.end());
  add_decided(slot.at, status, reason);
  for (const Behind& one : after) add_decided(one.decided);
}

std::vector<WallTime> Settlement::waiting() const {
  std::vector<WallTime> slots;
  if (!due_.empty()) slots.push_back(due_.front().at);
  for (const Behind& one : behind_)
    if (one.due) slots.push_back(one.due->at);
  return slots;
}

std::size_t Settlement::due_count() const {
  const auto behind = std::count_if(behind_.begin(), behind_.end(), [](const Behind& b) { return b.due.has_value(); });
  return due_.size() + static_cast<std::size_t>(behind);
}

bool Settlement::yields_last() const {
  const auto none = std::make_reverse_iterator(behind_.begin());
  const auto last =
      std::find_if(std::make_reverse_iterator(behind_.end()), none, [](const Behind& b) { return b.due.has_value(); });
  return last != none && last->due->yields;
}

void Settlement::drop_first_due() {
  base_ = std::max(base_, due_.front().at);
  for (Behind& one : behind_) {
    if (!one.due || !one.due->yields) continue;
    one.decided = {one.due->at, one.due->at, 1, Status::skipped, Reason::overlap};
    one.due.reset();
  }
  due_.clear();
  pull_up();
}

/// The first waiting slot is gone: what stood behind it moves to the front, up to the next waiting one.
void Settlement::pull_up() {
  std::size_t taken = 0;
  while (taken < behind_.size() && due_.empty()) {
    Behind& next = behind_[taken++];
    if (next.due)
      due_.push_back(*next.due);
    else
      add_decided(next.decided);
  }
  behind_.erase(behind_.begin(), behind_.begin() + static_cast<std::ptrdiff_t>(taken));
}

std::vector<Disposition> Settlement::decided(std::size_t limit) const {
  const std::size_t count = std::min(limit, decided_.size());
  return {decided_.begin(), decided_.begin() + static_cast<std::ptrdiff_t>(count)};
}

void Settlement::drop_decided(std::size_t count) {
  if (count == 0) return;
  base_ = std::max(base_, decided_[count - 1].to);
  decided_.erase(decided_.begin(), decided_.begin() + static_cast<std::ptrdiff_t>(count));
}

WallTime Settlement::settled_until() const { return decided_.empty() ? base_ : decided_.back().to; }

}  // namespace ballot::core
