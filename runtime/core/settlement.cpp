#include "core/settlement.hpp"

#include <algorithm>
#include <utility>

namespace ballot::core {
namespace {

/// Extends `range` by a slot that became the same, or says that it cannot.
bool extend(Disposition& range, WallTime at, Status status, Reason reason) {
  if (range.status != status || range.reason != reason) return false;
  range.to = at;
  ++range.slots;
  return true;
}

int chosen_at_most(const ScanRules& rules) {
  switch (rules.misfire) {
    case Misfire::latest: return 1;
    case Misfire::all: return rules.misfire_limit;
    case Misfire::skip: return 0;
  }
  return 0;
}

}  // namespace

Reason Coverage::why_missed(WallTime slot, WallTime now, Millis start_deadline) const {
  if (slot <= elected_at) {
    const bool covered = term_before && term_before->first <= slot && slot <= term_before->second;
    return covered ? Reason::unclaimed : Reason::no_leader;
  }
  if (blocked_since && slot >= *blocked_since) return Reason::unclaimed;
  return now - slot > start_deadline ? Reason::start_deadline : Reason::misfire;
}

std::optional<schedule::Slot> AnchoredPlan::next(WallTime after) const {
  std::optional<schedule::Slot> slot;
  if (plan) slot = plan->next(after, anchors);
  if (reboot && *reboot > after && (!slot || *reboot <= slot->at)) return schedule::Slot{*reboot, false};
  return slot;
}

void Settlement::reset(WallTime position) {
  base_ = position_ = position;
  decided_.clear();
  due_.reset();
  behind_.clear();
  candidates_.clear();
}

bool Settlement::scan(const AnchoredPlan& plan, const ScanRules& rules, WallTime now) {
  for (std::int64_t budget = scan_budget; budget > 0; --budget) {
    const auto slot = plan.next(position_);
    if (!slot || slot->at > now) {
      position_ = std::max(position_, base_);
      finish_scan(rules);
      return true;
    }
    look_at(*slot, plan, rules, now);
    position_ = slot->at;
  }
  return false;
}

void Settlement::look_at(schedule::Slot slot, const AnchoredPlan& plan, const ScanRules& rules, WallTime now) {
  if (rules.mode == ScanRules::Mode::paused) return add_decided(slot.at, Status::skipped, Reason::paused);
  if (rules.mode == ScanRules::Mode::undefined) return add_decided(slot.at, Status::missed, Reason::no_definition);
  if (rules.mode == ScanRules::Mode::halted) return add_decided(slot.at, Status::missed, Reason::halted);
  const Millis late = now - slot.at;
  const bool on_time = slot.at > rules.coverage.elected_at && late <= on_time_limit;
  const bool reboot = plan.reboot == slot.at;  // always before its term: for it, coming late is no misfire
  const int limit = on_time || reboot ? std::max(1, chosen_at_most(rules)) : chosen_at_most(rules);
  const bool too_late = late > rules.start_deadline;
  if (!slot.dst_gap && (too_late || limit == 0)) {
    while (!candidates_.empty()) miss_oldest(rules, now);
    return add_decided(slot.at, Status::missed, rules.coverage.why_missed(slot.at, now, rules.start_deadline));
  }
  if (slot.dst_gap && candidates_.empty()) return add_decided(slot.at, Status::missed, Reason::dst_gap);
  Trigger trigger = on_time ? Trigger::schedule : Trigger::catch_up;
  if (reboot) trigger = Trigger::reboot;
  candidates_.push_back({{slot.at, trigger}, slot.dst_gap});
  const auto open =
      std::count_if(candidates_.begin(), candidates_.end(), [](const Candidate& c) { return !c.dst_gap; });
  if (open > limit) miss_oldest(rules, now);
}

void Settlement::miss_oldest(const ScanRules& rules, WallTime now) {
  bool missed = false;
  while (!candidates_.empty() && (!missed || candidates_.front().dst_gap)) {
    const Candidate oldest = candidates_.front();
    candidates_.erase(candidates_.begin());
    const Reason reason =
        oldest.dst_gap ? Reason::dst_gap : rules.coverage.why_missed(oldest.slot.at, now, rules.start_deadline);
    add_decided(oldest.slot.at, Status::missed, reason);
    missed = missed || !oldest.dst_gap;
  }
}

void Settlement::finish_scan(const ScanRules& rules) {
  const bool busy = rules.busy || due_.has_value();
  for (const Candidate& candidate : std::exchange(candidates_, {})) {
    if (candidate.dst_gap)
      add_decided(candidate.slot.at, Status::missed, Reason::dst_gap);
    else if (busy)
      add_decided(candidate.slot.at, Status::skipped, Reason::overlap);
    else if (rules.mode == ScanRules::Mode::dry_run)
      add_decided(candidate.slot.at, Status::skipped, Reason::dry_run);
    else
      add_due(candidate.slot);
  }
}

void Settlement::add_decided(WallTime at, Status status, Reason reason) {
  if (!due_) {
    if (decided_.empty() || !extend(decided_.back(), at, status, reason))
      decided_.push_back({at, at, 1, status, reason});
  } else if (behind_.empty() || behind_.back().due || !extend(behind_.back().decided, at, status, reason)) {
    behind_.push_back({std::nullopt, {at, at, 1, status, reason}});
  }
}

void Settlement::add_due(DueSlot slot) {
  if (!due_)
    due_ = slot;
  else
    behind_.push_back({slot, {}});
}

void Settlement::rewind() {
  candidates_.clear();
  due_.reset();
  behind_.clear();
  position_ = settled_until();
}

const DueSlot* Settlement::first_due() const { return due_ ? &*due_ : nullptr; }

void Settlement::decide_first(Status status, Reason reason) {
  const DueSlot slot = *due_;
  due_.reset();
  add_decided(slot.at, status, reason);
  pull_up();
}

void Settlement::drop_first_due() {
  base_ = std::max(base_, due_->at);
  due_.reset();
  pull_up();
}

/// The first waiting slot is gone: what stood behind it moves to the front, up to the next waiting one.
void Settlement::pull_up() {
  std::size_t taken = 0;
  while (taken < behind_.size() && !due_) {
    Behind& next = behind_[taken++];
    if (next.due)
      due_ = next.due;
    else
      decided_.push_back(next.decided);
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
