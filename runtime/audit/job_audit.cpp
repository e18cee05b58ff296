#include "audit/job_audit.hpp"

#include <algorithm>
#include <utility>

#include "audit/decided.hpp"
#include "base/wall_text.hpp"

namespace ballot::audit {
namespace {

constexpr Millis launch_takes{120'000};  // at most: a run starts within its term, or not at all
constexpr Millis on_time{999};           // a slot that is later by more may be a misfire

bool is_claimed(const Row& row) { return row.run && row.fence > 0; }

/// The row says only that nothing is known of its slots.
bool yields(const Row& row) { return !row.run && row.reason == Reason::halted; }

WallTime last_slot(const Row& row) { return row.slot_until.value_or(row.slot); }

bool is_claimed_before(const Row& one, const Row& other) {
  const std::optional<WallTime> claimed = decided_at(*one.run), later = decided_at(*other.run);
  return claimed && later && *claimed < *later;
}

/// A run that somebody asked for has its id by the clock of the node that was asked, and its slot by that of whoever
/// led then.
std::optional<WallTime> begun_at(const Row& row) {
  const std::optional<WallTime> decided = decided_at(*row.run);
  const bool is_asked_for = row.trigger == Trigger::manual || row.trigger == Trigger::chain;
  return decided && is_asked_for ? std::min(*decided, row.slot) : decided;
}

}  // namespace

JobAudit::JobAudit(std::string job, const std::vector<InForce>& definitions, WallTime kept_since, const Terms& terms,
                   const KnownPauses& pauses, Report report)
    : job_(std::move(job)),
      kept_since_(kept_since),
      terms_(terms),
      report_(std::move(report)),
      spans_(definitions),
      reasons_(terms, [this](const Row& row, std::string what) { this->report(Kind::reason, row, std::move(what)); }),
      pauses_(job_, pauses, terms,
              [this](const Row& row, std::string what) { this->report(Kind::reason, row, std::move(what)); }),
      passed_(kept_since - Millis(1)) {}

void JobAudit::add(const Row& row, std::int64_t change) {
  newest_slot_ = std::max(newest_slot_.value_or(last_slot(row)), last_slot(row));
  if (row.slot < kept_since_) {
    passed_ = std::max(passed_, last_slot(row));
    return;
  }
  if (!at_slot_.empty() && at_slot_.front().row.slot != row.slot) judge_slot();
  at_slot_.push_back({row, change});
}

void JobAudit::finish() {
  if (!at_slot_.empty()) judge_slot();
  pass_to(WallTime::max());
  reasons_.finish();
}

/// All rows of a slot are there. Those of a backfill say nothing of what had become of it when it was due, nor of what
/// ran then.
void JobAudit::judge_slot() {
  const std::vector<Entry> entries = std::exchange(at_slot_, {});
  const WallTime slot = entries.front().row.slot;
  pass_to(slot);
  const Span* span = spans_.current();
  std::vector<const Entry*> scheduled, runs, backfilled;
  for (const Entry& entry : entries) {
    if (entry.row.run) (entry.row.trigger == Trigger::backfill ? backfilled : runs).push_back(&entry);
    if (is_scheduled(entry.row.trigger) && !is_undone(entry)) scheduled.push_back(&entry);
  }
  std::erase_if(scheduled, [&](const Entry* entry) { return was_ahead_of_a_repair(*entry, runs); });
  for (const Entry& entry : entries) reasons_.judge_pause(entry.row);
  for (const Entry* entry : runs) reasons_.see_run(entry->row, entry->change, span);
  check_attempts(runs);
  check_attempts(backfilled);
  for (const Entry* entry : scheduled)
    if (is_claimed(entry->row) && entry->row.attempt == 1) settle_expected(entry->row);
  check_twice(scheduled);
  for (const Entry& entry : entries) {
    if (!span || !is_scheduled(entry.row.trigger)) continue;
    match_schedule(entry, *span);
    if (!is_undone(entry) && spans_.goes_by(entry.row, entry.change)) pauses_.judge(entry.row, entry.change, *span);
    if (entry.row.run && entry.row.attempt == 1 && spans_.goes_by(entry.row, entry.change))
      check_start(entry, span->row());
  }
  if (span && runs.size() + backfilled.size() == entries.size()) expect_retry(runs, *span);
}

/// The slots before `slot` that are due: those without a row are missing where the ledger must have them.
void JobAudit::pass_to(WallTime slot) {
  while (const Span* next = spans_.next_before(slot)) {
    if (spans_.current() && spans_.current()->closed) miss_between(next->from);
    if (spans_.current() && spans_.current()->closed) report(unsure_gap_), report(gap_);
    forget_gaps();
    left_ = false;
    passed_ = std::max(passed_, next->from);
    spans_.advance();
  }
  if (slot < WallTime::max()) miss_between(slot - Millis(1));
}

/// Up to and with `until`, in the current span.
void JobAudit::miss_between(WallTime until) {
  if (!spans_.plan() || left_) return;
  const auto& anchors = spans_.current()->row().anchors;
  for (auto due = spans_.plan()->next(passed_, anchors); due && due->at <= until;
       due = spans_.plan()->next(due->at, anchors)) {
    if (!gap_) gap_ = Gap{due->at, due->at, 0, last_};
    gap_->to = due->at;
    ++gap_->slots;
  }
  passed_ = std::max(passed_, until);
}

/// Nothing, where there is none.
void JobAudit::report(std::optional<Gap>& gap) const {
  if (!gap) return;
  Finding finding{.kind = Kind::missing,
                  .job = job_,
                  .slot = gap->from,
                  .until = std::nullopt,
                  .slots = gap->slots,
                  .what = "is due and has no row",
                  .rows = {}};
  if (gap->slots > 1) finding.until = gap->to, finding.what = "are due and have no row";
  if (gap->after) finding.rows.push_back(*gap->after);
  report_(std::move(finding));
  gap.reset();
}

void JobAudit::forget_gaps() {
  gap_.reset();
  unsure_gap_.reset();
}

/// A row of a scheduled slot, or of several, in the span that has begun before it.
void JobAudit::match_schedule(const Entry& entry, const Span& span) {
  const Row& row = entry.row;
  const bool settles = spans_.settles(row, entry.change);
  if (settles) {
    // An at-least-once run is launched ahead of its claim where the store does not answer. Where the term ends before
    // the answer, the next one writes the rows of the slots before it: only what this node settles later shows that it
    // did not.
    report(unsure_gap_);
    if (row.run && span.row().at_least_once) std::swap(unsure_gap_, gap_);
    report(gap_);
  }
  if (spans_.settled_later(row) && !span.closed) left_ = true, forget_gaps();
  if (span.closed) report(unsure_gap_), report(gap_);
  if (settles) last_ = row;
  const schedule::Plan* plan = spans_.plan();
  if (!plan || left_) return;
  const auto& anchors = span.row().anchors;
  std::int64_t due = 0, left_out = 0;
  std::optional<schedule::Slot::Kind> kind;
  for (auto slot = plan->next(row.slot - Millis(1), anchors); slot && slot->at <= last_slot(row);
       slot = plan->next(slot->at, anchors)) {
    if (++due == 1 && slot->at == row.slot) kind = slot->kind;
    if (slot->kind == schedule::Slot::Kind::left_out) ++left_out;
  }
  passed_ = std::max(passed_, last_slot(row));
  if (!row.run && !row.slot_until) reasons_.judge(row, entry.change, span, kind);
  if (row.reason == Reason::calendar && left_out < due)
    report(Kind::reason, row, "is skipped as its job's calendars leave out its day, and they do not");
  if (row.run && row.status != Status::skipped && row.status != Status::missed) {
    if (kind == schedule::Slot::Kind::dst_gap) report(Kind::reason, row, "ran, and its local time does not exist");
    if (kind == schedule::Slot::Kind::left_out)
      report(Kind::reason, row, "ran, and its job's calendars leave out its day: " + plan->why_left_out(row.slot));
  }
  const bool proved = settles || (span.closed && last_slot(row) <= spans_.end().value_or(WallTime::max()));
  const bool of_boot = plan->on_reboot() && row.slots - due <= 1;
  if (!proved || due == row.slots || of_boot || yields(row)) return;
  if (due == 0) return report(Kind::not_due, row, "has a row and is not in the schedule");
  if (!spans_.is_undone(row, entry.change))
    report(Kind::count, row,
           "stands for " + std::to_string(row.slots) + " slots, and the schedule has " + std::to_string(due));
}

bool JobAudit::is_undone(const Entry& entry) const {
  return spans_.is_undone(entry.row, entry.change) ||
         (!entry.row.run && was_ahead_of_a_repair(entry.row, entry.change));
}

/// By a clock that was ahead. A repair goes on from the time at which it is made, and its term was elected before.
bool JobAudit::was_ahead_of_a_repair(const Row& row, std::int64_t change) const {
  const auto repairs = spans_.repairs_after(row, change);
  return std::any_of(repairs.begin(), repairs.end(), [&](const InForce* repair) {
    const auto term = terms_.find({repair->row.group, repair->first_epoch});
    return term != terms_.end() && last_slot(row) > elected_at(term->second);
  });
}

/// At the latest when it claimed the slot before: it may have been elected by the clock that was ahead.
WallTime JobAudit::elected_at(const TermRow& term) const {
  const bool has_claimed = claimed_ && claimed_->group == term.group && claimed_->epoch == term.epoch;
  const auto decided = has_claimed ? decided_at(*claimed_->run) : std::nullopt;
  return decided ? std::min(term.elected_at, *decided) : term.elected_at;
}

/// Each run of the slot shows that the clock was ahead.
bool JobAudit::was_ahead_of_a_repair(const Entry& passed, const std::vector<const Entry*>& runs) const {
  return !runs.empty() && std::all_of(runs.begin(), runs.end(), [&](const Entry* run) {
    return was_ahead_of_another_repair(passed, run->row) || is_of_a_repair(passed, *run);
  });
}

/// The repair's term was elected by the clock that was ahead: the run was claimed in it, or later, at a time before. Or
/// the clock was behind at the repair, which kept a later slot as claimed: those before it were decided once more, also
/// where no run came of it.
bool JobAudit::is_of_a_repair(const Entry& passed, const Entry& run) const {
  const std::optional<WallTime> decided = run.row.run ? decided_at(*run.row.run) : std::nullopt;
  if (passed.row.run) return false;
  const auto repairs = spans_.repairs_after(passed.row, passed.change);
  return std::any_of(repairs.begin(), repairs.end(), [&](const InForce* repair) {
    const auto term = terms_.find({repair->row.group, repair->first_epoch});
    if (term == terms_.end() || run.row.group != term->second.group || run.row.epoch < term->second.epoch) return false;
    const WallTime elected = term->second.elected_at, kept = repair->row.from;
    const bool was_behind = kept < elected && run.row.slot < kept && run.row.epoch <= repair->row.epoch;
    return (decided && *decided < elected) ||
           (was_behind && passed.change < repair->change && run.change > repair->change);
  });
}

/// Only the other node's ledger has that repair. A run that is of later terms only was claimed in one of them (that of
/// its first attempt, else where the term that had passed the slot was elected before, or was over), at a time that
/// this term says was over: its clock was ahead. So it was where this term was over before the slot, or says that it
/// ended after the next one began; and where the run was due on time, however long it waited for the one before to end.
bool JobAudit::was_ahead_of_another_repair(const Entry& passed, const Row& run) const {
  const Row& row = passed.row;
  const auto term = terms_.find({row.group, row.epoch});
  const std::optional<WallTime> ended = over_by(terms_, row.group, row.epoch);
  const bool was_before_due = !row.run && ((ended && *ended < run.slot) || was_set_back(terms_, row.group, row.epoch));
  const std::optional<WallTime> over = time_over(passed, run.slot);
  const std::optional<WallTime> decided = run.run ? decided_at(*run.run) : std::nullopt;
  if (!decided) return false;
  const WallTime claimed = *decided;
  const bool was_due_on_time = over && row.reason != Reason::start_deadline && run.trigger == Trigger::schedule;
  if (!was_before_due && !was_due_on_time && (!over || claimed > *over)) return false;
  if (!spans_.was_another_since(row, passed.change) || run.group != row.group || run.epoch <= row.epoch) return false;
  return run.attempt == 1 || (ended && claimed > *ended) || (term != terms_.end() && claimed > term->second.elected_at);
}

/// What a row without a run says of the time of one of its slots: that it was past its deadline, or no longer on time.
std::optional<WallTime> JobAudit::time_over(const Entry& passed, WallTime slot) const {
  const Row& row = passed.row;
  if (row.run || row.status != Status::missed) return std::nullopt;
  switch (row.reason) {
    case Reason::start_deadline:
      if (spans_.goes_by(row, passed.change)) return slot + spans_.current()->row().start_deadline;
      [[fallthrough]];
    case Reason::misfire:
    case Reason::unclaimed:
    case Reason::no_leader: return slot + on_time;
    default: return std::nullopt;
  }
}

/// Runs without a claim are further attempts of a slot that has a disposition.
void JobAudit::check_twice(const std::vector<const Entry*>& rows) {
  const Row* first = nullptr;
  for (const Entry* entry : rows) {
    const Row& row = entry->row;
    if (yields(row) || (row.run && !is_claimed(row))) continue;
    if (range_ && row.slot <= last_slot(range_->row) && !yields(range_->row) &&
        !spans_.is_brought_back(range_->row, range_->change, row) && !was_ahead_of_a_repair(*range_, {entry}))
      report(Kind::twice, row, "has a row, and is one of another row's slots", &range_->row);
    if (first && (first->run != row.run || !row.run))
      report(Kind::twice, row, row.run && first->run ? "was claimed by two runs" : "ran, and has another row too",
             first);
    if (!first) first = &row;
  }
  for (const Entry* entry : rows) {
    if (entry->row.slot_until) range_ = *entry;
    if (is_claimed(entry->row) && entry->row.attempt == 1) check_fence(*entry);
  }
}

/// Of one slot: attempts of a run are in their order.
void JobAudit::check_attempts(const std::vector<const Entry*>& rows) {
  for (const Entry* entry : rows) {
    const Row* before = nullptr;
    for (const Entry* other : rows)
      if (other->row.run == entry->row.run && other->row.attempt < entry->row.attempt) before = &other->row;
    check_end(entry->row);
    if (entry->row.attempt > 1) check_attempt(entry->row, before);
  }
}

/// All attempts of the row's run are in this ledger: no other node has ever written the job's register; or the run was
/// claimed first in the very term of the row.
bool JobAudit::is_all_here(const Row& row, const Span& span) const {
  if (row.node != span.row().node) return false;
  if (span.own_history && row.epoch <= span.row().epoch) return true;
  const auto term = terms_.find({row.group, row.epoch});
  const std::optional<WallTime> decided = begun_at(row);
  // A run that was claimed after it began shows that the clocks of two nodes differ by more than they may.
  const bool clocks_agree = decided && (!row.started_at || *decided <= *row.started_at + clock_difference);
  const bool is_from_before = row.trigger != Trigger::backfill && spans_.is_from_before(row);
  return term != terms_.end() && term->second.node == row.node && clocks_agree && !is_from_before &&
         !was_elected_after_a_step(terms_, row.group, row.epoch) &&
         *decided > term->second.elected_at + clock_difference;
}

/// A run that has failed with retries left has a further row before a job that skips begins another run.
void JobAudit::expect_retry(const std::vector<const Entry*>& attempts, const Span& span) {
  if (attempts.empty()) return;
  const Row& last = attempts.back()->row;
  const DefinitionRow& by = span.row();
  const bool failed =
      last.status == Status::timed_out ||
      (last.status == Status::failed && last.reason != Reason::lost_limit && last.reason != Reason::permanent);
  const bool judged = by.concurrency == Concurrency::skip && spans_.owes_retry(last.attempt) && last.fence > 0 &&
                      is_scheduled(last.trigger) && is_all_here(last, span) &&
                      spans_.goes_by(last, attempts.back()->change);
  if (failed && judged) failed_ = last;
}

/// Another run has begun: the one before is over, with all its attempts.
void JobAudit::settle_expected(const Row& claimed) {
  if (!failed_ || claimed.run == failed_->run || !claimed.started_at) return;
  const Row failed = *std::exchange(failed_, std::nullopt);
  const Span* span = spans_.current();
  const bool is_of_span = span && span->own_history && claimed.epoch <= span->row().epoch;
  const bool same = span && (claimed.epoch == failed.epoch || is_of_span) && span->row().basis != Basis::repaired &&
                    life_of_claimed_ == span->life && failed.ended_at && *claimed.started_at > *failed.ended_at;
  if (same)
    report(Kind::missing, failed,
           "has failed with retries left, and no row of attempt " + std::to_string(failed.attempt + 1), &claimed);
}

void JobAudit::check_attempt(const Row& row, const Row* before) {
  // One that waited and never began has its run's last one.
  if (before && before->fence > 0 && row.started_at && row.fence > 0 && row.fence <= before->fence)
    report(Kind::fence, row, "has a fence that is not above that of the attempt before", before);
  if (before && !is_final(before->status))
    report(Kind::unended, *before, "has no end, and a later attempt has begun", &row);
  const Span* span = spans_.current();
  if (!span) return;
  if (is_all_here(row, *span) && (!before || before->attempt + 1 < row.attempt))
    report(Kind::missing, row, "has a later attempt, and no row of attempt " + std::to_string(row.attempt - 1), before);
  if (spans_.may_repeat()) return;
  if (!spans_.may_retry(row.attempt))
    return report(Kind::relaunch, row, "was launched again beyond its retries", before);
  const bool failed = before && (before->status == Status::failed || before->status == Status::timed_out);
  if (before && is_final(before->status) && !failed)
    report(Kind::relaunch, row, "was launched again after an attempt that is not to be repeated", before);
}

/// Scheduled slots are claimed in their order.
void JobAudit::check_fence(const Entry& entry) {
  const Row& row = entry.row;
  const Span* span = spans_.current();
  if (!span) return;
  if (claimed_ && life_of_claimed_ == span->life && is_before_repair(entry)) return;
  if (claimed_ && life_of_claimed_ == span->life && row.fence <= claimed_->fence && row.run != claimed_->run)
    report(Kind::fence, row, "has a fence that is not above that of an earlier slot", &*claimed_);
  if (!claimed_ || life_of_claimed_ != span->life) first_fence_ = row.fence;
  claimed_ = row;
  life_of_claimed_ = span->life;
}

/// A slot that was claimed by a clock that was ahead keeps its run, and its fence, when a repair brings the cursor
/// back.
bool JobAudit::is_before_repair(const Entry& claimed) const {
  const Row& row = claimed.row;
  const bool set_back_since = row.ended_at && *row.ended_at < row.slot;  // its row may be written after the repair
  return (spans_.current()->row().basis == Basis::repaired && row.fence < first_fence_) ||
         was_ahead_of_a_repair(row, set_back_since ? 0 : claimed.change) || spans_.was_claimed_ahead(row, *claimed_) ||
         (spans_.was_kept(row) && (set_back_since || is_claimed_before(row, *claimed_)));
}

/// Of the first attempt: further ones have no start deadline.
void JobAudit::check_start(const Entry& entry, const DefinitionRow& by) {
  const Row& row = entry.row;
  if (by.start_deadline <= Millis(0)) return;    // it is not known
  if (spans_.current()->is_due_later()) return;  // it counts from the end of another job's slot
  const WallTime earliest = row.slot + by.start_deadline, latest = earliest + by.jitter;
  const bool too_late =
      row.status == Status::missed && (row.reason == Reason::start_deadline || row.reason == Reason::unclaimed);
  if (too_late && row.ended_at && *row.ended_at <= earliest)
    return report(Kind::reason, row, "is missed past its start deadline, which had not passed");
  if (const auto decided = decided_at(*row.run); decided && *decided > latest)
    report(Kind::late, row, "was claimed at " + format_millis(*decided) + ", past its start deadline");
  else if (row.started_at && *row.started_at > latest + launch_takes && !was_ahead_of_a_later_term(entry))
    report(Kind::late, row, "was started past its start deadline");
}

/// The row had been written before a later term of this node took the job over, which was elected before the run began,
/// by what the row says.
bool JobAudit::was_ahead_of_a_later_term(const Entry& run) const {
  const auto later = spans_.of_later_terms(run.row, run.change);
  return std::any_of(later.begin(), later.end(), [&](const InForce* by) {
    const auto term = terms_.find({by->row.group, by->first_epoch});
    return term != terms_.end() && term->second.elected_at + clock_difference < *run.row.started_at;
  });
}

void JobAudit::check_end(const Row& row) {
  const bool has_ended = row.status == Status::succeeded || row.status == Status::failed ||
                         row.status == Status::timed_out || row.status == Status::killed;
  if (has_ended && !row.ended_at) report(Kind::unended, row, "has ended by its status, and has no end");
}

void JobAudit::report(Kind kind, const Row& row, std::string what, const Row* other) const {
  Finding finding{.kind = kind,
                  .job = job_,
                  .slot = row.slot,
                  .until = row.slot_until,
                  .slots = row.slots,
                  .what = std::move(what),
                  .rows = {}};
  if (other) finding.rows.push_back(*other);
  finding.rows.push_back(row);
  report_(std::move(finding));
}

}  // namespace ballot::audit
