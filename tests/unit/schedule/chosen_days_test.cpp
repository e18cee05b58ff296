// What calendars make of schedules around changes of the clock, in a thousand generated cases: against a computation
// that goes date by date and label by label, over the offsets of the C library, and knows nothing of runtime/schedule.
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <map>
#include <random>
#include <set>

#include "plans.hpp"
#include "support/judge/day_oracle.hpp"

namespace ballot::schedule::chosen_days {
namespace {

using namespace std::chrono;
using testing::DayMark;
using testing::DayOracle;

/// A time in which a zone's offset stays the same.
struct Reign {
  sys_seconds begin, end;
  seconds offset;
  sys_seconds instant(local_seconds label) const { return sys_seconds(label.time_since_epoch() - offset); }
  local_seconds label(sys_seconds at) const { return local_seconds(at.time_since_epoch() + offset); }
};

seconds offset_at(sys_seconds at) {
  const std::time_t count = at.time_since_epoch().count();
  std::tm local{};
  ::localtime_r(&count, &local);
  return seconds(local.tm_gmtoff);
}

std::vector<Reign> reigns_between(const std::string& zone, sys_seconds from, sys_seconds until) {
  ::setenv("TZ", (":" + zone).c_str(), 1);
  ::tzset();
  std::vector<Reign> reigns{{from, until, offset_at(from)}};
  for (sys_seconds at = from; at < until; at += hours(3)) {
    if (offset_at(at + hours(3)) == reigns.back().offset) continue;
    sys_seconds low = at, high = at + hours(3);
    while (high - low > seconds(1)) {
      const sys_seconds middle = low + (high - low) / 2;
      (offset_at(middle) == reigns.back().offset ? low : high) = middle;
    }
    reigns.back().end = high;
    reigns.push_back({high, until, offset_at(high)});
  }
  return reigns;
}

/// A cron expression, and what it means.
struct Expression {
  std::string text;
  std::set<int> minutes, hours, month_days, weekdays;  // of the last two none: any
  bool either = false;                                 // of them may match

  bool matches(DayOracle::Date date) const {
    const int day = static_cast<int>(static_cast<unsigned>(year_month_day(date).day()));
    const bool by_day = month_days.contains(day);
    const bool by_weekday = weekdays.contains(static_cast<int>(weekday(date).c_encoding()));
    if (either) return by_day || by_weekday;
    return (month_days.empty() || by_day) && (weekdays.empty() || by_weekday);
  }
};

struct Every {
  seconds period;
  WallTime anchor;
};

struct Case {
  std::string zone;
  sys_seconds begin, end;
  std::vector<Expression> expressions;
  std::optional<Every> every;
  std::string rule;

  std::string text() const {
    std::string all = zone + " from " + format_seconds(begin) + ", " + rule;
    for (const Expression& one : expressions) all += "; " + one.text;
    if (every) all += "; @every " + std::to_string(every->period.count()) + "s since " + format_seconds(every->anchor);
    return all;
  }
};

using Random = std::mt19937_64;

int pick(Random& random, int low, int high) { return std::uniform_int_distribution(low, high)(random); }

std::string list_of(const std::set<int>& values) {
  std::string text;
  for (const int value : values) text += (text.empty() ? "" : ",") + std::to_string(value);
  return text;
}

Expression any_expression(Random& random, bool every_hour) {
  Expression one;
  const auto some = [&](std::set<int>& into, int low, int high, int most) {
    for (int i = pick(random, 1, most); i > 0; --i) into.insert(pick(random, low, high));
  };
  some(one.minutes, 0, 59, 2);
  if (every_hour)
    for (int hour = 0; hour < 24; ++hour) one.hours.insert(hour);
  else
    some(one.hours, 0, 23, 3), one.hours.insert(pick(random, 0, 3));
  const int kind = pick(random, 0, 4);
  if (kind == 1 || kind == 3) some(one.month_days, 1, 31, 6);
  if (kind == 2 || kind == 3) some(one.weekdays, 0, 6, 3);
  one.either = kind == 3;
  one.text = list_of(one.minutes) + " " + (every_hour ? "*" : list_of(one.hours)) + " " +
             (one.month_days.empty() ? "*" : list_of(one.month_days)) + " * " +
             (one.weekdays.empty() ? "*" : list_of(one.weekdays));
  return one;
}

/// A range of every year with an end near a day, over New Year mostly; each fourth begins or ends on the leap day.
std::string any_yearly_range(Random& random, local_days day) {
  std::string first = schedule::text_of(day + days(pick(random, 0, 5))).substr(5);
  std::string last = schedule::text_of(day - days(pick(random, 0, 5))).substr(5);
  if (pick(random, 0, 3) == 0) (pick(random, 0, 1) == 0 ? first : last) = "02-29";
  return first + ".." + last;
}

/// Days near a date, or for a long time around it.
std::string any_days(Random& random, local_days around) {
  static const std::vector<std::string> names{"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
  std::set<std::string> items;
  for (int i = pick(random, 1, 4); i > 0; --i) {
    const local_days day = around + days(pick(random, -9, 9));
    switch (pick(random, 0, 6)) {
      case 0: items.insert(names[static_cast<std::size_t>(pick(random, 0, 6))]); break;
      case 1: items.insert(schedule::text_of(day).substr(5)); break;
      case 2: items.insert(schedule::text_of(day) + ".." + schedule::text_of(day + days(pick(random, 0, 8)))); break;
      case 3: items.insert(any_yearly_range(random, day)); break;
      case 4:
        if (pick(random, 0, 3) == 0) {  // farther than a day may move
          items.insert(schedule::text_of(day) + ".." + schedule::text_of(day + days(pick(random, 360, 372))));
          break;
        }
        if (pick(random, 0, 3) == 0) {
          items.insert(schedule::text_of(day - days(pick(random, 360, 372))) + ".." + schedule::text_of(day));
          break;
        }
        [[fallthrough]];
      default: items.insert(schedule::text_of(day));
    }
  }
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ",") + item;
  return text;
}

Case any_case(Random& random) {
  static const std::vector<std::string> zones{
      "UTC",           "Europe/Paris",   "America/New_York",     "Australia/Lord_Howe", "Asia/Beirut",
      "Africa/Cairo",  "America/Havana", "America/Sao_Paulo",    "America/Asuncion",    "Antarctica/Troll",
      "Asia/Tehran",   "Asia/Gaza",      "America/St_Johns",     "Pacific/Auckland",    "Africa/Casablanca",
      "Asia/Damascus", "Asia/Pyongyang", "Atlantic/Azores",      "America/Santiago",    "Pacific/Chatham",
      "Asia/Kolkata",  "Asia/Amman",     "America/Scoresbysund", "Europe/Lisbon",       "Pacific/Norfolk"};
  Case one;
  one.zone = zones[static_cast<std::size_t>(pick(random, 0, static_cast<int>(zones.size()) - 1))];
  const sys_seconds year = sys_days(std::chrono::year(pick(random, 1990, 2036)) / 1 / 1);
  const auto reigns = reigns_between(one.zone, year, year + days(366));
  const Reign& reign = reigns[static_cast<std::size_t>(pick(random, 0, static_cast<int>(reigns.size()) - 1))];
  const auto leap_day = year_month_day(floor<days>(year)).year() / February / 29;
  sys_seconds around = reigns.size() > 1 ? reign.begin : year + hours(pick(random, 0, 8'000));
  if (leap_day.ok() && pick(random, 0, 2) == 0) around = sys_days(leap_day);
  one.begin = around - hours(pick(random, 1, 100));
  one.end = one.begin + hours(pick(random, 100, 300));
  const local_days date = floor<days>(local_seconds(around.time_since_epoch()));
  const int shift = pick(random, 0, 2);
  for (int i = pick(random, 1, 2); i > 0; --i)
    one.expressions.push_back(any_expression(random, pick(random, 0, 4) == 0));
  if (shift == 0 && pick(random, 0, 2) == 0)
    one.every = Every{seconds(pick(random, 1'800, 90'000)), one.begin - seconds(pick(random, 0, 1'000'000))};
  const int names = pick(random, 1, 3);
  if (names != 2) one.rule = "except a=" + any_days(random, date);
  if (names != 1) one.rule += std::string(one.rule.empty() ? "" : " ") + "only b=" + any_days(random, date);
  if (names == 3 && pick(random, 0, 1) == 0) one.rule = "except c=" + any_days(random, date) + " " + one.rule;
  if (shift != 0) one.rule += shift == 1 ? " shift=next" : " shift=previous";
  return one;
}

using Slots = std::map<sys_seconds, bool>;  // instant -> is due

void add(Slots& slots, sys_seconds at, DayMark mark) {
  if (mark == DayMark::none) return;
  slots.try_emplace(at, false);
  if (mark == DayMark::due) slots[at] = true;
}

/// Where a label lies: each label once for the wall clock, wherever it is shown for elapsed time.
void add_label(Slots& slots, const std::vector<Reign>& reigns, local_seconds label, bool elapsed, DayMark mark) {
  bool found = false;
  for (const Reign& reign : reigns) {
    const sys_seconds at = reign.instant(label);
    if (at < reign.begin || at >= reign.end || (found && !elapsed)) continue;
    add(slots, at, mark);
    found = true;
  }
  for (std::size_t i = 1; !found && !elapsed && i < reigns.size(); ++i)
    if (label >= reigns[i - 1].label(reigns[i].begin) && label < reigns[i].label(reigns[i].begin))
      add(slots, reigns[i].begin, mark);
}

Slots wanted(const Case& one) {
  const auto reigns = reigns_between(one.zone, one.begin - days(4), one.end + days(4));
  const DayOracle oracle(one.rule);
  Slots slots;
  const auto first = floor<days>(one.begin) - days(2), last = floor<days>(one.end) + days(2);
  for (const Expression& expression : one.expressions)
    for (auto date = first; date <= last; date += days(1)) {
      const DayMark mark = oracle.mark(date, [&](DayOracle::Date day) { return expression.matches(day); });
      const local_days local(date.time_since_epoch());
      for (const int hour : expression.hours)
        for (const int minute : expression.minutes)
          add_label(slots, reigns, local + hours(hour) + minutes(minute), expression.hours.size() == 24, mark);
    }
  for (sys_seconds at = floor<seconds>(one.every ? one.every->anchor : WallTime(one.end)); one.every && at < one.end;) {
    at += one.every->period;
    for (const Reign& reign : reigns)
      if (at >= reign.begin && at < reign.end)
        add(slots, at,
            oracle.allows(DayOracle::Date(floor<days>(reign.label(at)).time_since_epoch())) ? DayMark::due
                                                                                            : DayMark::left_out);
  }
  return {slots.lower_bound(one.begin), slots.lower_bound(one.end)};
}

std::string text_of(const Slots& slots) {
  std::string text;
  for (const auto& [at, due] : slots) text += "\n  " + format_seconds(at) + (due ? "" : " left out");
  return text;
}

void check(const Case& one, Random& random) {
  std::vector<std::string> stored;
  for (const Expression& expression : one.expressions) stored.push_back(expression.text);
  std::vector<WallTime> anchors;
  if (one.every)
    stored.push_back("@every " + std::to_string(one.every->period.count()) + "s"), anchors.push_back(one.every->anchor);
  const auto rule = DayRule::parse(one.rule);
  ASSERT_TRUE(rule) << one.text();
  const auto plan = Plan::of_stored({.expressions = with_rule(stored, rule->text()), .timezone = one.zone});
  ASSERT_TRUE(plan) << one.text();
  const Slots slots = wanted(one);
  Slots found;
  for (auto slot = plan->next(one.begin - milliseconds(1), anchors); slot && slot->at < one.end;
       slot = plan->next(slot->at, anchors))
    ASSERT_TRUE(found.emplace(floor<seconds>(slot->at), slot->is_due()).second) << one.text();
  ASSERT_EQ(found, slots) << one.text() << "\nfound" << text_of(found) << "\nwanted" << text_of(slots);
  if (std::any_of(slots.begin(), slots.end(), [](const auto& slot) { return slot.second; }))
    ASSERT_FALSE(plan->is_never_due()) << one.text();
  for (int i = 0; i < 20; ++i) {  // whoever asks from anywhere is told the same
    const sys_seconds at = one.begin + seconds(pick(random, 0, static_cast<int>((one.end - one.begin).count())));
    const auto next = plan->next(at, anchors), due = plan->next_due(at, anchors);
    const auto wanted_next = slots.upper_bound(at);
    const auto wanted_due = std::find_if(wanted_next, slots.end(), [](const auto& slot) { return slot.second; });
    if (wanted_next != slots.end())
      ASSERT_EQ(next ? next->at : WallTime(), wanted_next->first) << one.text() << " after " << format_seconds(at);
    if (wanted_due != slots.end())
      ASSERT_EQ(due ? due->at : WallTime(), wanted_due->first) << one.text() << " after " << format_seconds(at);
    else
      ASSERT_TRUE(!due || due->at >= one.end) << one.text() << " after " << format_seconds(at);
  }
}

TEST(ChosenDays, AreThoseOfAThousandGeneratedCalendarsAroundChangesOfTheClock) {
  const char* const set = std::getenv("TZ");
  const std::string kept = set ? set : "";
  for (unsigned seed = 1; seed <= 1'000 && !::testing::Test::HasFatalFailure(); ++seed) {
    Random random(seed);
    SCOPED_TRACE("seed " + std::to_string(seed));
    check(any_case(random), random);
  }
  set ? ::setenv("TZ", kept.c_str(), 1) : ::unsetenv("TZ");
  ::tzset();
}

}  // namespace
}  // namespace ballot::schedule::chosen_days
