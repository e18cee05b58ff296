#include "core/job/slots/slot_feed.hpp"

#include <algorithm>
#include <utility>

#include "core/job/chain/slot_ends.hpp"
#include "schedule/after.hpp"

namespace ballot::core {
namespace {

/// Rows of up to this many like slots have one each; more are one row.
constexpr std::int64_t rows_limit = 100;
constexpr std::size_t claimed_limit = 10'000;  // slots that a repair names

/// Of a plan's `@every` schedules: the register's, and `otherwise` where it has none.
std::vector<WallTime> anchors_of(const schedule::Plan& plan, const JobRegister& stored, WallTime otherwise) {
  std::vector<WallTime> anchors;
  for (const std::string& text : plan.everies()) {
    const auto known =
        std::find_if(stored.anchors.begin(), stored.anchors.end(), [&](const Anchor& a) { return a.text == text; });
    anchors.push_back(known != stored.anchors.end() ? known->at : otherwise);
  }
  return anchors;
}

}  // namespace

std::optional<std::vector<WallTime>> phase_of(const schedule::Plan& plan, const JobRegister& stored) {
  std::vector<WallTime> phase = anchors_of(plan, stored, WallTime::max());
  if (std::find(phase.begin(), phase.end(), WallTime::max()) != phase.end()) return std::nullopt;
  return phase;
}

void SlotFeed::make_plan(const JobFacts& job) {
  plan_ = {};
  anchors_.clear();
  if (job.definition && job.definition->digest == job.stored.definition) {
    if (job.definition->job.enabled) plan_ = job.definition->plan;
  } else if (!job.stored.timing.expressions.empty()) {
    const Timing& timing = job.stored.timing;
    auto made = schedule::Plan::of_stored(
        {timing.expressions, timing.timezone, timing.not_before, timing.not_after, job.stored.group, job.name});
    if (made) plan_ = std::move(*made);
  }
  anchors_ = anchors_of(plan_, job.stored, job.stored.since);
}

void SlotFeed::describe(const JobFacts& job, DefinitionRow& row) const {
  row.digest = job.stored.definition;
  if (job.definition && job.definition->digest == job.stored.definition) {
    const Job& as_loaded = job.definition->job;
    row.schedule = schedule::with_rule(as_loaded.schedule, *as_loaded.details->days);
    if (const auto after = schedule::after_of(as_loaded)) row.schedule.push_back(schedule::to_text(*after));
    row.timezone = as_loaded.timezone;
    row.not_before = as_loaded.not_before;
    row.not_after = as_loaded.not_after;
    row.enabled = as_loaded.enabled;
    row.jitter = as_loaded.jitter;
    row.start_deadline = as_loaded.start_deadline;
    row.concurrency = as_loaded.concurrency;
    row.retries = as_loaded.retries;
    row.at_least_once = as_loaded.guarantee == Guarantee::at_least_once;
    row.reruns = as_loaded.on_success == AfterRun::rerun || as_loaded.on_error == AfterRun::rerun;
  } else {
    const Timing& timing = job.stored.timing;
    row.schedule = timing.expressions;
    row.timezone = timing.timezone;
    row.not_before = timing.not_before;
    row.not_after = timing.not_after;
  }
  row.anchors = anchors_;
}

void SlotFeed::plan_to_adopt(const JobFacts& job) {
  plan_ = {};
  anchors_.clear();
  if (!job.definition->job.enabled) return;
  plan_ = job.definition->plan;
  anchors_ = anchors_of(plan_, job.stored, job.stored.cursor);
}

void SlotFeed::unblock() {
  blocked_ = false;
  blocked_since_.reset();
}

AnchoredPlan SlotFeed::anchored(const Context& c, const JobFacts& job) const {
  AnchoredPlan anchored;
  anchored.plan = &plan_;
  anchored.anchors = anchors_;
  anchored.stored = &job.stored;
  if (job.definition) anchored.job = &job.definition->job;
  if (job.definition && !job.definition->job.details->after.empty()) anchored.gate = UpstreamGate{&c, &job};
  const auto& boots = job.stored.kept->boots;
  if (plan_.on_reboot() && std::find(boots.begin(), boots.end(), c.settings.boot_id) == boots.end())
    anchored.reboot = whole_seconds(c.settings.booted_at);
  return anchored;
}

ScanRules SlotFeed::rules(const Context& c, const JobFacts& job, const Overlap& overlap, ScanRules::Mode mode) const {
  ScanRules rules;
  rules.mode = mode;
  rules.coverage = {job.term->elected_by(c.now), job.term->led_before, blocked_since_};
  rules.busy = overlap.busy;
  rules.fate_unknown = overlap.fate_unknown;
  rules.catching_up = overlap.catching_up;
  if (job.definition) {
    const Job& policies = job.definition->job;
    rules.concurrency = policies.concurrency;
    rules.most_due = static_cast<std::size_t>(std::max(0, policies.details->queue_limit + overlap.room));
    rules.drops_oldest = policies.queue_overflow == QueueOverflow::drop_old;
    rules.misfire = policies.misfire;
    rules.misfire_limit = policies.details->misfire_limit;
    rules.start_deadline = policies.start_deadline;
  }
  if (mode == ScanRules::Mode::due && c.settings.dry_run) rules.mode = ScanRules::Mode::dry_run;
  return rules;
}

bool SlotFeed::scan(const Context& c, const JobFacts& job, const Overlap& overlap, ScanRules::Mode mode,
                    WallTime until) {
  scanning_ = !settlement_.scan(anchored(c, job), rules(c, job, overlap, mode), until);
  return !scanning_;
}

bool SlotFeed::settle(const Context& c, const JobFacts& job, const Overlap& overlap) {
  scan(c, job, overlap, ScanRules::Mode::due, c.now.wall);
  blocked_ = false;
  if (scanning_) return false;
  if (!settlement_.first_due() && !settlement_.has_decided() && !settlement_.leaves_due()) blocked_since_.reset();
  const Millis start_deadline = job.definition->job.start_deadline;
  while (settlement_.first_due() && c.now.wall - settlement_.first_due()->due > start_deadline)
    settlement_.decide_first(Status::missed, Reason::start_deadline);
  return true;
}

void SlotFeed::block(const Context& c, const JobFacts& job) {
  settlement_.rewind();
  blocked_ = true;
  if (blocked_since_) return;
  const auto due = anchored(c, job).next_due(settlement_.position());
  blocked_since_ = due ? std::clamp(*due, c.now.wall - on_time_limit, c.now.wall) : c.now.wall;
}

std::optional<WallTime> SlotFeed::next_due(const Context& c, const JobFacts& job) const {
  const AnchoredPlan plan = anchored(c, job);
  const auto due = plan.next_due(settlement_.position());
  if (!due || !settlement_.leaves_due() || !job.definition) return due;
  return plan.last_start(settlement_.position(), job.definition->job.start_deadline);
}

std::vector<WallTime> SlotFeed::waiting(const JobRegister& stored) const {
  std::vector<WallTime> slots = settlement_.waiting();
  if (!settlement_.leaves_due()) return slots;
  if (const auto first = next_of_plan(settlement_.position(), stored)) slots.push_back(*first);
  return slots;
}

std::optional<WallTime> SlotFeed::next_of_plan(WallTime after, const JobRegister& stored) const {
  AnchoredPlan plan;
  plan.plan = &plan_;
  plan.anchors = anchors_;
  plan.stored = &stored;
  const auto slot = plan.next(after);
  return slot ? std::optional(slot->at) : std::nullopt;
}

std::optional<WallTime> SlotFeed::next_slot(WallTime now, WallTime after, const schedule::Definition& definition,
                                            const JobRegister& stored) const {
  // Of a job that this term does not lead its plan is not made, and the register says where it counts from.
  std::vector<WallTime> anchors(anchors_.begin(), anchors_.end());
  if (plan_.everies() != definition.plan.everies()) anchors = anchors_of(definition.plan, stored, whole_seconds(now));
  auto slot = definition.plan.next_due(after, anchors);
  while (slot && stored.is_claimed(slot->at)) slot = definition.plan.next_due(stored.alike_until(slot->at), anchors);
  return slot ? std::optional(slot->at) : std::nullopt;
}

std::optional<WallTime> SlotFeed::first_within(const SlotRanges& ranges) const {
  for (const SlotRange& range : ranges)
    if (const auto slot = plan_.next_due(range.from - Millis(1), anchors_); slot && slot->at <= range.to)
      return slot->at;
  return std::nullopt;
}

std::size_t SlotFeed::count_within(const SlotRanges& ranges, std::size_t most) const {
  std::size_t count = 0;
  for (const SlotRange& range : ranges)
    for (auto slot = plan_.next_due(range.from - Millis(1), anchors_); slot && slot->at <= range.to && count < most;
         slot = plan_.next_due(slot->at, anchors_))
      ++count;
  return count;
}

std::vector<WallTime> SlotFeed::claimed_after(WallTime now, const JobRegister& stored) const {
  std::vector<WallTime> claimed;
  for (auto slot = plan_.next(now, anchors_); slot && slot->at <= stored.claimed_until;) {
    const bool is_claimed = stored.is_claimed(slot->at);
    if (is_claimed && slot->is_due()) claimed.push_back(slot->at);
    if (claimed.size() >= claimed_limit) break;
    slot = plan_.next(is_claimed ? slot->at : stored.alike_until(slot->at), anchors_);
  }
  return claimed;
}

std::vector<Row> SlotFeed::rows_of(const Disposition& range, const Row& like) const {
  Row row = like;
  row.slot = range.from;
  row.status = range.status;
  row.reason = range.reason;
  std::vector<Row> rows{row};
  if (range.slots == 1) return rows;
  if (range.slots <= rows_limit) {
    rows.clear();
    auto slot = plan_.next(range.from - std::chrono::seconds(1), anchors_);
    for (; slot && slot->at <= range.to && std::ssize(rows) <= range.slots; slot = plan_.next(slot->at, anchors_)) {
      row.slot = slot->at;
      rows.push_back(row);
    }
    if (std::ssize(rows) == range.slots && rows.front().slot == range.from && rows.back().slot == range.to) return rows;
    row.slot = range.from;
  }
  row.slot_until = range.to;
  row.slots = range.slots;
  return {row};
}

}  // namespace ballot::core
