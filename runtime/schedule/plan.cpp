#include "schedule/plan.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "schedule/cron_expression.hpp"
#include "schedule/schedule.hpp"

namespace ballot::schedule {
namespace {

using std::chrono::floor;
using std::chrono::local_days;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::sys_seconds;
using std::chrono::year;

// What the calendar can count. Far from any slot that matters, and safe to reckon with.
constexpr WallTime first_instant = sys_days(year(1800) / 1 / 1);
constexpr WallTime last_instant = sys_days(Calendar::horizon / 1 / 1);

/// The first anchor + k * period, k >= 1, that is not before `from`.
std::optional<Slot> next_of_every(seconds period, WallTime anchor, sys_seconds from) {
  const auto start = floor<seconds>(std::clamp(anchor, first_instant, last_instant));
  const auto passed = std::max((from - start + period - seconds(1)) / period, std::int64_t{1});
  if (period > (last_instant - start) / passed) return std::nullopt;
  return Slot{start + passed * period, false};
}

/// The earlier of two; of equal instants, the one that is due and not just recorded.
bool comes_before(const Slot& left, const Slot& right) {
  return left.at != right.at ? left.at < right.at : left.dst_gap < right.dst_gap;
}

}  // namespace

struct Plan::State {
  std::vector<Schedule> schedules;
  std::vector<seconds> periods;      // of @every
  std::vector<std::string> everies;  // their texts, in the same order
  WallTime not_before = first_instant, not_after = last_instant;
  bool on_reboot = false;

  void add(CronExpression&& expression, const TimeZone& zone) {
    if (const auto* fields = std::get_if<CronFields>(&expression.when)) {
      schedules.emplace_back(Calendar(*fields), expression.zone.value_or(zone));
    } else if (auto* every = std::get_if<Every>(&expression.when)) {
      periods.push_back(every->period);
      everies.push_back(std::move(every->text));
    } else {
      on_reboot = true;
    }
  }
};

Plan::Plan(std::shared_ptr<const State> state) : state_(std::move(state)) {}

std::variant<Plan, std::vector<PlanError>> Plan::make(const PlanSpec& spec) {
  const auto zone = TimeZone::load(spec.timezone);
  std::vector<PlanError> errors;
  if (!zone) errors.push_back({PlanError::Kind::timezone, 0, 1, zone.error().what});
  const auto state = std::make_shared<State>();
  for (std::size_t index = 0; index < spec.expressions.size(); ++index) {
    auto parsed = parse_cron(spec.expressions[index], {spec.group, spec.job});
    if (auto* faults = std::get_if<CronFaults>(&parsed))
      for (CronFault& fault : *faults)
        errors.push_back({PlanError::Kind::expression, index, fault.column, std::move(fault.text)});
    else if (zone)
      state->add(std::get<CronExpression>(std::move(parsed)), *zone);
  }
  if (!errors.empty()) return errors;
  state->not_before = std::max(state->not_before, spec.not_before.value_or(first_instant));
  state->not_after = std::min(state->not_after, spec.not_after.value_or(last_instant));
  return Plan(state);
}

std::optional<Slot> Plan::next(WallTime after, std::span<const WallTime> anchors) const {
  const State& state = *state_;
  BALLOT_ASSERT(anchors.size() == state.everies.size(), "a plan wants one anchor for each of its everies");
  after = std::max(after, state.not_before - milliseconds(1));
  if (after >= state.not_after) return std::nullopt;
  const sys_seconds from = floor<seconds>(after) + seconds(1);
  std::optional<Slot> first;
  const auto consider = [&first](const std::optional<Slot>& slot) {
    if (slot && (!first || comes_before(*slot, *first))) first = slot;
  };
  for (const Schedule& schedule : state.schedules) consider(schedule.next(from));
  for (std::size_t i = 0; i < anchors.size(); ++i) consider(next_of_every(state.periods[i], anchors[i], from));
  return first && first->at <= state.not_after ? first : std::nullopt;
}

const std::vector<std::string>& Plan::everies() const { return state_->everies; }
bool Plan::on_reboot() const { return state_->on_reboot; }

bool Plan::empty() const {
  const bool due = !state_->schedules.empty() || !state_->everies.empty();
  return !state_->on_reboot && (!due || state_->not_before > state_->not_after);
}

}  // namespace ballot::schedule
