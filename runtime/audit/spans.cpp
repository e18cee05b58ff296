#include "audit/spans.hpp"

#include <algorithm>
#include <utility>

#include "schedule/after.hpp"

namespace ballot::audit {
namespace {

std::optional<schedule::Plan> plan_of(const DefinitionRow& row) {
  if (row.digest.empty()) return std::nullopt;
  const bool none = !row.enabled;
  std::vector<std::string> expressions;
  for (const std::string& one : row.schedule)
    if (!none && !schedule::parse_after(one)) expressions.push_back(one);
  auto plan = schedule::Plan::of_stored(
      {std::move(expressions), row.timezone, row.not_before, row.not_after, row.group, row.job});
  if (!plan || plan->everies().size() != (none ? 0 : row.anchors.size())) return std::nullopt;
  return plan;
}

/// Beside a digest, no expressions are those of a job that runs by trigger only, or ones that the register had no room
/// for.
bool is_known(const DefinitionRow& row) { return !row.digest.empty() && !row.schedule.empty(); }

/// Nobody else has written the register in between.
bool is_next_to(const InForce& one, const InForce& before) {
  const bool goes_on = one.row.basis == Basis::taken_over || one.row.basis == Basis::defined;
  return goes_on && one.row.before == before.row.epoch && one.row.group == before.row.group;
}

}  // namespace

Spans::Spans(const std::vector<InForce>& definitions) {
  int life = 0;
  for (const InForce& one : definitions) {
    Span span;
    span.definition = one;
    span.from = one.row.from;
    if (one.row.basis == Basis::created || one.row.basis == Basis::repaired) ++life;
    span.life = life;
    span.own_history = one.row.basis == Basis::created;
    if (!spans_.empty() && is_next_to(one, spans_.back().definition)) {
      // What was taken over anew may have been written in between, and not have come into the ledger.
      spans_.back().closed = one.row.basis == Basis::defined || one.row.digest == spans_.back().row().digest;
      span.own_history = spans_.back().own_history;
    }
    spans_.push_back(std::move(span));
  }
  for (std::size_t i = spans_.size(); i > 1; --i) spans_[i - 2].from = std::min(spans_[i - 2].from, spans_[i - 1].from);
}

const Span* Spans::at(WallTime slot) {
  while (next_before(slot)) advance();
  return current();
}

const Span* Spans::next_before(WallTime slot) const {
  return current_ < spans_.size() && spans_[current_].from < slot ? &spans_[current_] : nullptr;
}

void Spans::advance() {
  ++current_;
  const DefinitionRow& row = current()->row();
  plan_ = is_known(row) ? plan_of(row) : std::nullopt;
}

std::optional<WallTime> Spans::end() const {
  return current_ < spans_.size() ? std::optional(spans_[current_].from) : std::nullopt;
}

bool Spans::goes_by(const Row& row, std::int64_t change) const {
  if (!current()) return false;
  const InForce& by = current()->definition;
  return row.node == by.row.node && row.group == by.row.group && row.epoch >= by.first_epoch &&
         row.epoch <= by.row.epoch && change < by.sealed;
}

bool Spans::settles(const Row& row, std::int64_t change) const {
  if (!is_scheduled(row.trigger) || !goes_by(row, change)) return false;
  // In a register that was repaired, a run may have been claimed before, by a clock that was ahead.
  return !row.run || (row.fence > 0 && row.started_at && current()->row().basis != Basis::repaired);
}

bool Spans::settled_later(const Row& row) const {
  const bool settled = is_scheduled(row.trigger) && (!row.run || row.fence > 0);
  if (!settled || !current()) return false;
  return row.group != current()->row().group || row.epoch > current()->row().epoch;
}

bool Spans::is_undone(const Row& row, std::int64_t change) const {
  return !row.run && std::any_of(spans_.begin(), spans_.end(), [&](const Span& span) {
    return change < span.definition.change && row.slot > span.row().from;
  });
}

bool Spans::is_brought_back(const Row& range, std::int64_t change, const Row& one) const {
  const WallTime last = range.slot_until.value_or(range.slot);
  return !range.run && std::any_of(spans_.begin(), spans_.end(), [&](const Span& span) {
    const DefinitionRow& by = span.row();
    if (change >= span.definition.change || by.from >= last) return false;
    return one.slot > by.from || (by.basis == Basis::taken_over && one.epoch > range.epoch);
  });
}

bool Spans::was_another_since(const Row& row, std::int64_t change) const {
  return std::any_of(spans_.begin(), spans_.end(), [&](const Span& span) {
    const DefinitionRow& by = span.row();
    return by.basis == Basis::taken_over && by.group == row.group && by.before > row.epoch &&
           change < span.definition.change;
  });
}

std::vector<const InForce*> Spans::of_later_terms(const Row& row, std::int64_t change) const {
  std::vector<const InForce*> later;
  for (const Span& span : spans_) {
    const InForce& by = span.definition;
    if (by.row.group == row.group && row.epoch < by.first_epoch && change < by.change) later.push_back(&by);
  }
  return later;
}

std::vector<const InForce*> Spans::repairs_after(const Row& row, std::int64_t change) const {
  std::vector<const InForce*> repairs;
  for (const Span& span : spans_) {
    const InForce& by = span.definition;
    const bool after = row.epoch < by.first_epoch || (row.epoch == by.first_epoch && change < by.change);
    if (by.row.basis == Basis::repaired && by.row.group == row.group && after) repairs.push_back(&by);
  }
  return repairs;
}

bool Spans::was_claimed_ahead(const Row& later, const Row& earlier) const {
  return std::any_of(spans_.begin(), spans_.end(), [&](const Span& span) {
    const InForce& by = span.definition;
    const bool claimed_earlier = earlier.epoch >= by.first_epoch && earlier.epoch <= by.row.epoch;
    return claimed_earlier && by.row.group == later.group && later.epoch < by.first_epoch &&
           later.slot <= by.row.from && earlier.slot < later.slot;
  });
}

bool Spans::was_kept(const Row& claimed) const {
  return std::any_of(spans_.begin(), spans_.end(), [&](const Span& span) {
    const InForce& by = span.definition;
    return by.row.basis == Basis::repaired && by.row.group == claimed.group && by.row.from == claimed.slot &&
           claimed.epoch <= by.first_epoch;
  });
}

bool Spans::is_from_before(const Row& row) const {
  const auto first = std::find_if(spans_.begin(), spans_.end(), [&](const Span& span) {
    const InForce& by = span.definition;
    return by.row.group == row.group && row.epoch >= by.first_epoch && row.epoch <= by.row.epoch;
  });
  return first != spans_.end() && row.slot <= first->row().from;
}

bool Spans::may_retry(int attempt) const {
  return std::any_of(spans_.begin(), spans_.end(),
                     [&](const Span& span) { return span.row().digest.empty() || attempt <= 1 + span.row().retries; });
}

bool Spans::owes_retry(int attempt) const {
  return std::all_of(spans_.begin(), spans_.end(),
                     [&](const Span& span) { return !span.row().digest.empty() && attempt <= span.row().retries; });
}

bool Spans::may_repeat() const {
  return std::any_of(spans_.begin(), spans_.end(),
                     [](const Span& span) { return span.row().digest.empty() || span.row().at_least_once; });
}

}  // namespace ballot::audit
