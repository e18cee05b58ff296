#include "schedule/plan.hpp"

#include <algorithm>
#include <functional>
#include <tuple>

#include "ballot/defaulted.hpp"
#include "base/assert.hpp"
#include "schedule/bounds.hpp"
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

/// The first anchor + k * period, k >= 1, that is not before `from`.
std::optional<Slot> next_of_every(seconds period, WallTime anchor, sys_seconds from) {
  const auto start = floor<seconds>(std::clamp(anchor, first_instant, last_instant));
  const auto passed = std::max((from - start + period - seconds(1)) / period, std::int64_t{1});
  if (period > (last_instant - start) / passed) return std::nullopt;
  return Slot{start + passed * period};
}

/// The earlier of two; of equal instants, the one that is due and not just recorded.
bool comes_before(const Slot& left, const Slot& right) {
  return left.at != right.at ? left.at < right.at : left.kind < right.kind;
}

/// The local date of an instant.
local_days day_of(WallTime at, const TimeZone& zone) {
  const sys_seconds second = floor<seconds>(at);
  return floor<std::chrono::days>(std::chrono::local_seconds(second.time_since_epoch() + zone.offset(second)));
}

/// The first instant of a local date.
WallTime begin_of(local_days day, const TimeZone& zone) { return zone.find(std::chrono::local_seconds(day)).first; }

constexpr std::chrono::days most_left_out{2 * 366};

/// The same by a rule of days; with `due_only` none that is farther away than DayRule::search_end().
std::optional<Slot> next_of_every(seconds period, WallTime anchor, sys_seconds from, const DayRule& days,
                                  const TimeZone& zone, bool due_only) {
  auto slot = next_of_every(period, anchor, from);
  const local_days end = days.search_end(day_of(from, zone));
  while (slot && !days.allows(day_of(slot->at, zone))) {
    if (!due_only) return Slot{slot->at, Slot::Kind::left_out};
    const auto allowed = days.next_allowed(day_of(slot->at, zone) + std::chrono::days(1));
    if (!allowed || *allowed >= end) return std::nullopt;
    const sys_seconds begin = zone.find(std::chrono::local_seconds(*allowed)).first;
    slot = next_of_every(period, anchor, std::max(begin, floor<seconds>(slot->at) + seconds(1)));
  }
  return slot;
}

std::size_t mixed(std::size_t hash, std::uint64_t value) { return (hash ^ hash >> 29 ^ value) * 0x9e3779b97f4a7c15; }

std::size_t mixed(std::size_t hash, const Schedule& schedule) {
  const CronFields& fields = schedule.calendar().fields();
  for (const std::uint64_t field :
       {fields.seconds, fields.minutes, fields.nth_weekdays, std::uint64_t{fields.hours}, std::uint64_t{fields.days},
        std::uint64_t{fields.days_from_end}, std::uint64_t{fields.nearest_weekdays}, std::uint64_t{fields.months},
        std::uint64_t{fields.weekdays}, std::uint64_t{fields.either_day}, std::uint64_t{schedule.zone().hash()}})
    hash = mixed(hash, field);
  return hash;
}

}  // namespace

/// Small, as most jobs have one expression and nothing else.
struct Plan::State {
  struct More {
    std::vector<Schedule> schedules;   // beyond the first
    std::vector<seconds> periods;      // of @every
    std::vector<std::string> everies;  // their texts, in the same order
    WallTime not_before = first_instant, not_after = last_instant;
    bool on_reboot = false;
    Shared<DayRule> days;              // default: all are allowed
    std::optional<TimeZone> zone;      // of these days
    std::vector<local_days> last_due;  // by these days, of each expression with fields: DayRule::last_due()
    bool operator==(const More&) const = default;
  };

  std::optional<Schedule> schedule;
  Defaulted<More> more;
  bool operator==(const State&) const = default;

  /// Requires: all expressions are added.
  void keep_to(const Shared<DayRule>& days, const TimeZone& zone) {
    More& of = more.edit();
    of.days = days;
    of.zone = zone;
    if (schedule) of.last_due.push_back(days->last_due(schedule->calendar()));
    for (const Schedule& one : of.schedules) of.last_due.push_back(days->last_due(one.calendar()));
  }

  const DayRule* rule() const { return more->days.is_default() ? nullptr : &*more->days; }

  void add(CronExpression&& expression, const TimeZone& zone) {
    if (const auto* fields = std::get_if<CronFields>(&expression.when)) {
      add(Schedule(Calendar(*fields), expression.zone.value_or(zone)));
    } else if (auto* every = std::get_if<Every>(&expression.when)) {
      more.edit().periods.push_back(every->period);
      more.edit().everies.push_back(std::move(every->text));
    } else {
      more.edit().on_reboot = true;
    }
  }
  void add(const Schedule& another) {
    if (schedule)
      more.edit().schedules.push_back(another);
    else
      schedule = another;
  }
};

namespace {

/// Whether an expression goes with the rule of days. What has no date in the job's zone cannot: its promise would be
/// another one.
bool check_days(const PlanSpec& spec, const CronExpression& expression, const TimeZone& zone, std::size_t index,
                std::vector<PlanError>& errors) {
  if (spec.days.is_default()) return true;
  const char* why = nullptr;
  if (std::holds_alternative<Reboot>(expression.when))
    why = "'@reboot' is due when a node boots, on whatever day that is: calendars leave out days of a schedule";
  else if (std::holds_alternative<Every>(expression.when) && spec.days->shift != DayShift::none)
    why =
        "the slots of '@every' follow elapsed time and have no time of day that they could keep on another day: "
        "'shift' must be \"none\"";
  else if (std::holds_alternative<CronFields>(expression.when) && expression.zone && !(*expression.zone == zone))
    why =
        "calendars have the days of the job's timezone, and this schedule has a zone of its own: make that the "
        "job's 'timezone'";
  if (why) errors.push_back({PlanError::Kind::days, index, 1, why});
  return why == nullptr;
}

}  // namespace

Plan::Plan(std::shared_ptr<const State> state) : state_(std::move(state)) {}

const Plan::State& Plan::state() const {
  static const State none;
  return state_ ? *state_ : none;
}

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
    else if (zone && check_days(spec, std::get<CronExpression>(parsed), *zone, index, errors))
      state->add(std::get<CronExpression>(std::move(parsed)), *zone);
  }
  if (zone && !spec.days.is_default()) state->keep_to(spec.days, *zone);
  if (!errors.empty()) return errors;
  if (spec.not_before) state->more.edit().not_before = std::max(first_instant, *spec.not_before);
  if (spec.not_after) state->more.edit().not_after = std::min(last_instant, *spec.not_after);
  return Plan(state);
}

std::optional<Plan> Plan::of_stored(PlanSpec spec) {
  std::string rule;
  std::tie(spec.expressions, rule) = without_rule(std::move(spec.expressions));
  auto days = DayRule::parse(rule);
  if (!rule.empty() && !days) return std::nullopt;
  if (days) spec.days = std::move(*days);
  auto made = make(spec);
  auto* const plan = std::get_if<Plan>(&made);
  return plan ? std::optional(std::move(*plan)) : std::nullopt;
}

std::optional<Slot> Plan::next(WallTime after, std::span<const WallTime> anchors) const {
  return next(after, anchors, false);
}

std::optional<Slot> Plan::next_due(WallTime after, std::span<const WallTime> anchors) const {
  auto slot = next(after, anchors, true);
  while (slot && !slot->is_due()) slot = next(slot->at, anchors, true);
  return slot;
}

/// With `due_only` none that a rule leaves out.
std::optional<Slot> Plan::next(WallTime after, std::span<const WallTime> anchors, bool due_only) const {
  const State& state = this->state();
  const State::More& more = *state.more;
  BALLOT_ASSERT(anchors.size() == more.everies.size(), "a plan wants one anchor for each of its everies");
  after = std::max(after, more.not_before - milliseconds(1));
  if (after >= more.not_after) return std::nullopt;
  const sys_seconds from = floor<seconds>(after) + seconds(1);
  const DayRule* const days = state.rule();
  std::optional<Slot> first;
  const auto consider = [&first](const std::optional<Slot>& slot) {
    if (slot && (!first || comes_before(*slot, *first))) first = slot;
  };
  const local_days day(floor<std::chrono::days>(from).time_since_epoch() - std::chrono::days(1));  // in any zone
  const auto is_over = [&](std::size_t index) { return due_only && days && day > more.last_due[index]; };
  if (state.schedule && !is_over(0)) consider(state.schedule->next(from, days, due_only));
  for (std::size_t i = 0; i < more.schedules.size(); ++i)
    if (!is_over(i + 1)) consider(more.schedules[i].next(from, days, due_only));
  for (std::size_t i = 0; i < anchors.size(); ++i)
    consider(days ? next_of_every(more.periods[i], anchors[i], from, *days, *more.zone, due_only)
                  : next_of_every(more.periods[i], anchors[i], from));
  return first && first->at <= more.not_after ? first : std::nullopt;
}

/// The first slot in (after, until] that the rule leaves out.
std::optional<WallTime> Plan::next_left_out(WallTime after, WallTime until, std::span<const WallTime> anchors) const {
  const State::More& more = *state().more;
  for (local_days day = day_of(after, *more.zone); begin_of(day, *more.zone) <= until; day += std::chrono::days(1)) {
    if (more.days->allows(day)) continue;
    auto slot = next(std::max(after, begin_of(day, *more.zone) - milliseconds(1)), anchors);
    while (slot && slot->kind != Slot::Kind::left_out && day_of(slot->at, *more.zone) == day)
      slot = next(slot->at, anchors);
    if (!slot || slot->at > until) return std::nullopt;
    if (slot->kind == Slot::Kind::left_out) return slot->at;
    day = day_of(slot->at, *more.zone) - std::chrono::days(1);
  }
  return std::nullopt;
}

std::optional<WallTime> Plan::elapse(WallTime from, Millis span, std::span<const WallTime> anchors) const {
  const State::More& more = *state().more;
  WallTime end = from + span;
  if (more.days.is_default()) return end;
  const WallTime latest = end + most_left_out;
  if (more.days->shift != DayShift::none) {
    for (local_days day = day_of(from, *more.zone); begin_of(day, *more.zone) < end; day += std::chrono::days(1)) {
      if (more.days->allows(day)) continue;
      end += begin_of(day + std::chrono::days(1), *more.zone) - std::max(from, begin_of(day, *more.zone));
      if (end > latest) return std::nullopt;
    }
    return end;
  }
  for (auto left_out = next_left_out(from, end, anchors); left_out; left_out = next_left_out(from, end, anchors)) {
    const auto due = next_due(*left_out, anchors);
    if (!due) return std::nullopt;
    end += due->at - *left_out;
    from = due->at;
    if (end > latest) return std::nullopt;
  }
  return end;
}

const Shared<DayRule>& Plan::days() const { return state().more->days; }

std::string Plan::why_left_out(WallTime slot) const {
  const State::More& more = *state().more;
  return more.zone ? more.days->why_not(day_of(slot, *more.zone)) : "";
}

const std::vector<std::string>& Plan::everies() const { return state().more->everies; }
bool Plan::on_reboot() const { return state().more->on_reboot; }

bool Plan::empty() const {
  const State::More& more = *state().more;
  const bool due = state().schedule || !more.everies.empty();
  return !more.on_reboot && (!due || more.not_before > more.not_after);
}

bool Plan::is_never_due() const {
  const State::More& more = *state().more;
  return !more.last_due.empty() && more.everies.empty() && !more.on_reboot &&
         std::all_of(more.last_due.begin(), more.last_due.end(), [](auto day) { return day == local_days::min(); });
}

bool Plan::is_equal(const Plan& other) const { return state_ == other.state_ || state() == other.state(); }

/// Of all that is compared: a hundred thousand plans may differ in any one of it.
std::size_t Plan::hash() const {
  const State& state = this->state();
  const State::More& more = *state.more;
  std::size_t hash = 0;
  if (state.schedule) hash = mixed(hash, *state.schedule);
  for (const Schedule& schedule : more.schedules) hash = mixed(hash, schedule);
  for (const std::string& every : more.everies) hash = mixed(hash, std::hash<std::string>()(every));
  for (const WallTime bound : {more.not_before, more.not_after})
    hash = mixed(hash, static_cast<std::uint64_t>(bound.time_since_epoch().count()));
  hash = mixed(hash, more.on_reboot ? 1 : 0);
  if (!more.days.is_default()) hash = mixed(hash, std::hash<std::string>()(more.days->text()));
  return hash ^ hash >> 32;
}

bool Plan::has_same_zones(const Plan& other) const {
  const auto same = [](const Schedule& a, const Schedule& b) { return a.zone() == b.zone(); };
  const State &mine = state(), &others = other.state();
  if (mine.schedule.has_value() != others.schedule.has_value()) return false;
  if (mine.schedule && !same(*mine.schedule, *others.schedule)) return false;
  if (mine.more->zone != others.more->zone) return false;
  const auto &more = mine.more->schedules, &more_others = others.more->schedules;
  return std::equal(more.begin(), more.end(), more_others.begin(), more_others.end(), same);
}

}  // namespace ballot::schedule
