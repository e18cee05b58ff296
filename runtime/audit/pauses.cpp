#include "audit/pauses.hpp"

#include <algorithm>

#include "audit/decided.hpp"

namespace ballot::audit {
namespace {

constexpr Millis decides_late{600'000};  // a slot may wait for the store, and then for the pause that is asked first

bool is_missed_by_policy(const Row& row) {
  return !row.run && row.status == Status::missed &&
         (row.reason == Reason::misfire || row.reason == Reason::start_deadline || row.reason == Reason::no_leader ||
          row.reason == Reason::unclaimed);
}

}  // namespace

bool Pauses::concerns(const PauseRow& pause, const Row& row) const {
  return pause.job.empty() ? pause.group == row.group : pause.job == job_;
}

void Pauses::judge(const Row& row, std::int64_t change, const Span& span) const {
  if (change <= known_.since || !is_scheduled(row.trigger)) return;
  const auto term = terms_.find({row.group, row.epoch});
  if (term == terms_.end() || term->second.node != row.node) return;
  if (!row.run && row.status == Status::skipped && row.reason == Reason::paused)
    judge_skipped(row, change, term->second, span);
  else
    judge_settled(row, change, span);
}

/// The pause was written within the span's first term, or later, and says that it began before that term.
bool Pauses::began_by_a_wrong_clock(const PauseRow& pause, const Row& row, const Span& span) const {
  const auto term = terms_.find({row.group, span.definition.first_epoch});
  return term != terms_.end() && pause.change > span.definition.change &&
         pause.from + clock_difference < term->second.elected_at;
}

/// A term before the row's has recorded its end, by a clock that was ahead and has been set back since: by the time at
/// which the next term of this node was elected.
bool Pauses::ended_by_a_wrong_clock(const PauseRow& pause, const Row& row) const {
  return std::any_of(terms_.lower_bound({row.group, 0}), terms_.find({row.group, row.epoch}), [&](const auto& one) {
    const TermRow& term = one.second;
    return pause.from >= term.elected_at && term.ended_at && *pause.until <= *term.ended_at &&
           *pause.until > *over_by(terms_, term.group, term.epoch) + clock_difference;
  });
}

/// A pause that ends before it begins was begun by a clock that was set back since: when, only the order of writing
/// says.
void Pauses::judge_skipped(const Row& row, std::int64_t change, const TermRow& term, const Span& span) const {
  const Millis waits = span.row().jitter + span.row().start_deadline + decides_late;
  if (row.slot <= term.elected_at) return;  // undecided then, however old
  const WallTime last = row.slot_until.value_or(row.slot);
  const bool paused = std::any_of(known_.rows.begin(), known_.rows.end(), [&](const PauseRow& pause) {
    const bool clock_set_back = pause.until && *pause.until < pause.from;
    const bool begun = clock_set_back || span.is_due_later() ? pause.change < change : pause.from <= row.slot + waits;
    const std::optional<WallTime> until = pause.until ? pause.until : pause.ends;
    return concerns(pause, row) && begun && (!until || last <= *until + clock_difference);
  });
  if (!paused) wrong_(row, "is skipped for a pause, and neither its job nor its group was paused");
}

/// By the wall clock, which may have been wrong when the pause began: what was written before it was not settled in it.
/// Of a run that has ended before it was claimed the clock was set back while the run went on, and its row was written
/// again at its end: whether the pause began before its claim, nothing says.
void Pauses::judge_settled(const Row& row, std::int64_t change, const Span& span) const {
  const bool claimed = row.run && row.fence > 0 && row.attempt == 1 && row.status != Status::skipped;
  const std::optional<WallTime> at = claimed ? decided_at(*row.run) : std::optional(row.slot);
  if (!at || (!claimed && (span.is_due_later() || !is_missed_by_policy(row)))) return;
  if (claimed && row.ended_at && *row.ended_at < *at) return;
  const bool paused = std::any_of(known_.rows.begin(), known_.rows.end(), [&](const PauseRow& pause) {
    return concerns(pause, row) && pause.node == row.node && change > pause.change && pause.until &&
           !began_by_a_wrong_clock(pause, row, span) && !ended_by_a_wrong_clock(pause, row) &&
           pause.from + clock_difference < *at && *at + clock_difference < *pause.until;
  });
  if (paused && claimed) wrong_(row, "was claimed by the schedule while it was paused");
  if (paused && !claimed) wrong_(row, "is missed by policy, and was due within a pause");
}

}  // namespace ballot::audit
