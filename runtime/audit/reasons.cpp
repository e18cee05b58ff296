#include "audit/reasons.hpp"

#include <algorithm>

namespace ballot::audit {
namespace {

constexpr Millis hears_late{120'000};  // of a run's end: a daemon may have been stopped, but not beyond its term
constexpr Millis keeps_term{120'000};  // a daemon that is back goes on with its term within so long
constexpr std::size_t most_doubts = 1000;

/// When the run was gone; one that was only taken for lost may go on.
std::optional<WallTime> end_of(const Row& row) {
  if (!is_final(row.status) || row.status == Status::lost || !row.ended_at) return std::nullopt;
  WallTime end = *row.ended_at;
  if (row.started_at && row.duration) end = std::max(end, *row.started_at + *row.duration);
  return end;
}

/// No later run of a job that skips has begun before.
WallTime last_seen(const Row& row) {
  if (!row.started_at && !row.ended_at) return WallTime::max();
  return std::max(row.started_at.value_or(WallTime{}), row.ended_at.value_or(WallTime{}));
}

/// The group's register says when the term ended, which the next term has read, and by a clock that was right: a node
/// that is unfit may be so by its clock.
bool has_recorded_its_end(const TermRow& term) {
  const bool left = term.cause == Cause::resigned || term.cause == Cause::shutdown;
  return left && term.ended_at;
}

bool may_be_tried_again(const Row& row, const Span* span) {
  if (!span || span->row().digest.empty()) return true;
  const DefinitionRow& by = span->row();
  const bool failed = row.status == Status::failed || row.status == Status::timed_out;
  return (failed && by.retries > 0) || (by.at_least_once && row.status != Status::succeeded);
}

}  // namespace

void Reasons::see_run(const Row& row, std::int64_t change, const Span* span) {
  settle_doubts(row.slot);
  if (row.status == Status::skipped || (row.status == Status::missed && !row.started_at)) return;
  if (unsure_ && row.attempt <= 1 && row.started_at && *row.started_at > *unsure_) unsure_.reset();  // that was over
  last_change_ = std::max(last_change_, change);
  const std::optional<WallTime> end = end_of(row);
  if (end) busy_until_ = std::max(busy_until_, *end);
  if (!end || may_be_tried_again(row, span)) unsure_ = std::max(unsure_.value_or(WallTime{}), last_seen(row));
  std::erase_if(doubts_, [&](const Doubt& doubt) { return unsure_ || busy_until_ >= doubt.row.slot; });
}

void Reasons::judge(const Row& row, std::int64_t change, const Span& span, std::optional<schedule::Slot::Kind> kind) {
  settle_doubts(row.slot);
  // When its parents' slots had ended, and it was due, its slot does not say.
  if (span.is_due_later() && row.reason != Reason::queue_full && row.reason != Reason::dst_gap) return;
  switch (row.reason) {
    case Reason::no_leader: return judge_no_leader(row, span);
    case Reason::misfire: return judge_misfire(row, span);
    case Reason::overlap: return judge_overlap(row, change, span);
    case Reason::queue_full:
      if (span.row().concurrency != Concurrency::queue)
        wrong_(row, "is skipped as the queue is full, and its job has none");
      return;
    case Reason::dst_gap:
      if (kind && *kind != schedule::Slot::Kind::dst_gap)
        wrong_(row, "is missed as its local time does not exist, and it does");
      return;
    default: return;
  }
}

/// The term of this node that says so; null: it is not known, or another node's.
const TermRow* Reasons::own_term(const Row& row) const {
  const auto term = terms_.find({row.group, row.epoch});
  return term == terms_.end() || term->second.node != row.node ? nullptr : &term->second;
}

void Reasons::judge_no_leader(const Row& row, const Span& span) const {
  const Millis jitter = span.row().jitter;
  const TermRow* term = own_term(row);
  if (term && row.slot > term->elected_at + clock_difference + jitter)
    return wrong_(row, "is missed as nobody led the group, and the term that says so had been elected by then");
  const auto before = terms_.find({row.group, row.epoch - 1});
  if (before == terms_.end() || !has_recorded_its_end(before->second)) return;
  const TermRow& led = before->second;
  const std::optional<WallTime> over = over_by(terms_, led.group, led.epoch);
  if (row.slot > led.elected_at && row.slot + jitter + clock_difference < *over)
    wrong_(row,
           "is missed as nobody led the group, and it lies in term " + std::to_string(led.epoch) + " of " + led.node);
}

void Reasons::judge_misfire(const Row& row, const Span& span) const {
  const TermRow* term = own_term(row);
  if (!term) return;
  if (span.row().concurrency == Concurrency::queue)
    return wrong_(row, "is missed by the misfire policy, and its job queues what is late");
  if (schedule::find_after(span.row().schedule)) return;  // it may have waited for its parents into this term
  // The term has repaired the job at a time before its election: its clock was ahead then, and has been set back.
  const bool has_repaired = span.row().basis == Basis::repaired && span.definition.first_epoch == term->epoch;
  const WallTime elected = has_repaired ? std::min(term->elected_at, span.row().from) : term->elected_at;
  if (row.slot + span.row().jitter + keeps_term <= elected)
    wrong_(row, "is missed by the misfire policy, and the term that says so was elected later: nobody led then");
}

void Reasons::judge_pause(const Row& row) const {
  if (row.reason != Reason::paused) return;
  const bool is_of_chain =
      row.trigger == Trigger::chain && row.fence == 0;  // that was triggered: it has an id all the same
  if (row.run && !is_of_chain) return wrong_(row, "is a run, and the reason is a pause");
  if (row.status != Status::skipped) return wrong_(row, "is not skipped, and the reason is a pause");
  if (row.trigger != Trigger::schedule && !is_of_chain) wrong_(row, "was asked for, and the reason is a pause");
}

void Reasons::judge_overlap(const Row& row, std::int64_t change, const Span& span) {
  const DefinitionRow& by = span.row();
  if (row.trigger == Trigger::chain) return;  // whenever those before it had ended
  if (by.concurrency == Concurrency::queue || by.concurrency == Concurrency::allow)
    return wrong_(row, "is skipped as it overlaps, and its job does not skip such slots");
  const bool judged = by.concurrency == Concurrency::skip && !by.reruns && span.own_history;
  if (!judged || unsure_ || busy_until_ >= row.slot - hears_late || doubts_.size() >= most_doubts) return;
  if (last_change_ > change) return;  // by a clock that was ahead, and set back before the run ended
  if (const TermRow* term = own_term(row); term && term->ended_at && *term->ended_at < row.slot) return;
  doubts_.push_back({row, row.slot + by.jitter + by.start_deadline + clock_difference});
}

void Reasons::settle_doubts(WallTime now) {
  std::erase_if(doubts_, [&](const Doubt& doubt) {
    if (doubt.until >= now) return false;
    wrong_(doubt.row, "is skipped as it overlaps, and no run of its job was there");
    return true;
  });
}

void Reasons::finish() { settle_doubts(WallTime::max()); }

}  // namespace ballot::audit
