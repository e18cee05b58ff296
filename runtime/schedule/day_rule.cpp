#include "schedule/day_rule.hpp"

#include <algorithm>

namespace ballot::schedule {
namespace {

using std::chrono::days;
using std::chrono::local_seconds;

constexpr std::string_view mark_of_rule = "@days ";
/// The pattern of three years, of leap years and days of the week, comes back after 28 years, and after 40 around a
/// century that is no leap year; a day may move by more than a year.
constexpr days longest_gap{366 * 44};
const local_days first_day = local_days(std::chrono::year(1800) / 1 / 1);
const local_days end_of_time = local_days(Calendar::horizon / 1 / 1);

bool has(const std::vector<DayRule::Named>& calendars, local_days day) {
  return std::any_of(calendars.begin(), calendars.end(), [&](const auto& one) { return one.days.has(day); });
}

/// "holidays", "holidays or shutdown".
std::string names_of(const std::vector<DayRule::Named>& calendars) {
  std::string names;
  for (const auto& one : calendars) names += (names.empty() ? "" : " or ") + one.name;
  return names;
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::string_view take_word(std::string_view& rest) {
  const std::string_view word = rest.substr(0, rest.find(' '));
  rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  return word;
}

}  // namespace

bool DayRule::allows(local_days day) const { return !has(except, day) && (only.empty() || has(only, day)); }

std::string DayRule::why_not(local_days day) const {
  for (const Named& one : except)
    if (one.days.has(day)) return text_of(day) + " is in " + one.name;
  return allows(day) ? "" : text_of(day) + " is not in " + names_of(only);
}

local_days DayRule::search_end(local_days from) const {
  for (const auto* const list : {&except, &only})
    for (const Named& one : *list)
      if (const auto last = one.days.last_date()) from = std::max(from, *last);
  return std::min(end_of_time, from + longest_gap);
}

std::optional<local_days> DayRule::next_allowed(local_days from) const {
  const local_days end = search_end(from);
  while (from < end) {
    std::optional<local_days> next = only.empty() ? std::optional(from) : std::nullopt;
    for (const Named& one : only)
      if (const auto day = one.days.next(from); day && (!next || *day < *next)) next = day;
    if (!next) return std::nullopt;
    const auto in_the_way =
        std::find_if(except.begin(), except.end(), [&](const Named& one) { return one.days.has(*next); });
    if (in_the_way == except.end()) return next;
    from = in_the_way->days.end_of_range(*next) + days(1);
  }
  return std::nullopt;
}

/// A date on a day of the week, beside all dates of one year.
bool DayRule::allows_kinds() const {
  constexpr std::chrono::year leap{2000};
  for (local_days day(leap / 1 / 1); day < local_days((leap + std::chrono::years(1)) / 1 / 1); day += days(1))
    for (unsigned weekday = 0; weekday < 7; ++weekday) {
      const std::chrono::year_month_day date(day);
      const auto has_it = [&](const Named& one) {
        return one.days.has_kind({date.month(), date.day()}, std::chrono::weekday(weekday));
      };
      if (std::none_of(except.begin(), except.end(), has_it) &&
          (only.empty() || std::any_of(only.begin(), only.end(), has_it)))
        return true;
    }
  return false;
}

/// What is not of every year lies in the years that are computed.
bool DayRule::never() const {
  const auto has_dates = [](const Named& one) { return one.days.last_date().has_value(); };
  if (std::none_of(only.begin(), only.end(), has_dates) && !allows_kinds()) return true;
  return !next_allowed(dates().from);
}

/// The days between which its dates and ranges are, with as many around them as have each kind of day.
DaySet::Range DayRule::dates() const {
  local_days first = end_of_time, last = first_day;
  for (const auto* const list : {&except, &only})
    for (const Named& one : *list) {
      first = std::min(first, one.days.first_date().value_or(first));
      last = std::max(last, one.days.last_date().value_or(last));
    }
  // Where there are years enough after them, nothing is before them that is not there, too.
  const days before = last + longest_gap < end_of_time ? farthest_shift : longest_gap;
  return {std::clamp(first - before, first_day, last), std::min(last + farthest_shift, end_of_time)};
}

local_days DayRule::last_due(const Calendar& calendar) const {
  const DaySet::Range dated = dates();
  if (next_day(calendar, dated.to, true)) return end_of_time;
  return next_day(calendar, dated.from, true) ? dated.to : local_days::min();
}

bool DayRule::ends() const {
  return !only.empty() && std::all_of(only.begin(), only.end(), [](const Named& one) { return one.days.ends(); });
}

/// From the first on, both may be it.
std::optional<local_days> DayRule::allowed_within(local_days from, local_days to) const {
  for (; from <= to; from += days(1))
    if (allows(from)) return from;
  return std::nullopt;
}

/// From the last back, both may be it.
std::optional<local_days> DayRule::last_allowed_within(local_days from, local_days to) const {
  for (; to >= from; to -= days(1))
    if (allows(to)) return to;
  return std::nullopt;
}

std::optional<Chosen<local_days>> DayRule::next_day(const Calendar& calendar, local_days from, bool due_only) const {
  switch (shift) {
    case DayShift::none: return next_left(calendar, from, due_only);
    case DayShift::next: return next_moved_on(calendar, from, due_only);
    case DayShift::previous: return next_moved_back(calendar, from, due_only);
  }
  return std::nullopt;
}

/// Days stay where they are.
std::optional<Chosen<local_days>> DayRule::next_left(const Calendar& calendar, local_days from, bool due_only) const {
  auto day = calendar.next_day(from);
  const local_days end = search_end(from);
  while (day && due_only && !allows(*day)) {
    const auto allowed = next_allowed(*day + days(1));
    day = allowed && *allowed < end ? calendar.next_day(*allowed) : std::nullopt;
  }
  if (!day) return std::nullopt;
  return Chosen<local_days>{*day, !due_only && !allows(*day)};
}

/// Days move on, and none overtakes another: the first that comes to `from` or later is the next one. Of those before
/// `from` only the ones count that no allowed day separates from it.
std::optional<Chosen<local_days>> DayRule::next_moved_on(const Calendar& calendar, local_days from,
                                                         bool due_only) const {
  for (const local_days end = search_end(from); true;) {
    const auto before = last_allowed_within(from - farthest_shift, from - days(1));
    const auto target = allowed_within(from, from - days(1) + farthest_shift);
    local_days begin = from;
    if (target) begin = std::max(before ? *before + days(1) : from - farthest_shift, *target - farthest_shift);
    const auto day = calendar.next_day(std::min(begin, from));
    if (!day) return std::nullopt;
    if (*day < from) return Chosen<local_days>{*target, false};
    if (const auto to = allowed_within(*day, *day + farthest_shift)) return Chosen<local_days>{*to, false};
    if (!due_only) return Chosen<local_days>{*day, true};
    const auto allowed = next_allowed(*day);
    if (!allowed || *allowed >= end) return std::nullopt;
    from = *allowed - farthest_shift;
  }
}

/// Days move back, and none overtakes another: the first that comes to `from` or later is the next one.
std::optional<Chosen<local_days>> DayRule::next_moved_back(const Calendar& calendar, local_days from,
                                                           bool due_only) const {
  auto day = calendar.next_day(from);
  const local_days end = due_only ? search_end(from) : end_of_time;
  while (day && *day < end) {
    const auto to = last_allowed_within(*day - farthest_shift, *day);
    if (to && *to >= from) return Chosen<local_days>{*to, false};
    if (!to && !due_only) return Chosen<local_days>{*day, true};
    // It went to a day before `from`, or nowhere: so does each up to the next allowed day, for as long as it may.
    const auto allowed = next_allowed(*day + days(1));
    if (!allowed && due_only) return std::nullopt;
    local_days on = allowed.value_or(end_of_time);
    if (to && !due_only) on = std::min(on, *to + farthest_shift + days(1));
    day = calendar.next_day(on);
  }
  return std::nullopt;
}

std::optional<Chosen<local_seconds>> DayRule::next(const Calendar& calendar, local_seconds from, bool due_only) const {
  const local_days today = std::chrono::floor<days>(from);
  auto day = next_day(calendar, today, due_only);
  if (day && day->at == today) {
    if (const auto time = calendar.next_time(from - today)) return Chosen<local_seconds>{today + *time, day->left_out};
    day = next_day(calendar, today + days(1), due_only);
  }
  if (!day) return std::nullopt;
  return Chosen<local_seconds>{day->at + *calendar.next_time(std::chrono::seconds(0)), day->left_out};
}

std::string DayRule::text() const {
  std::string text;
  const auto add = [&](std::string_view what, const std::vector<Named>& calendars) {
    for (const Named& one : calendars) {
      text += text.empty() ? "" : " ";
      text.append(what).append(" ").append(one.name).append("=").append(one.days.text());
    }
  };
  add("except", except);
  add("only", only);
  if (shift == DayShift::next) text += " shift=next";
  if (shift == DayShift::previous) text += " shift=previous";
  return text;
}

std::string DayRule::summary() const {
  std::string text;
  const auto add = [&](const std::string& what) { text += (text.empty() ? "" : "; ") + what; };
  const auto list = [](const char* key, const std::vector<Named>& calendars) {
    std::string names;
    for (const Named& one : calendars) names += (names.empty() ? std::string(key) + " " : ", ") + one.name;
    return names;
  };
  if (!except.empty()) add(list("except", except));
  if (!only.empty()) add(list("only", only));
  if (shift == DayShift::next) add("shift next");
  if (shift == DayShift::previous) add("shift previous");
  return text;
}

std::optional<DayRule> DayRule::parse(std::string_view text) {
  DayRule rule;
  while (!text.empty()) {
    const std::string_view what = take_word(text);
    if (what == "shift=next" || what == "shift=previous") {
      if (!text.empty()) return std::nullopt;
      rule.shift = what == "shift=next" ? DayShift::next : DayShift::previous;
      break;
    }
    if (what != "except" && what != "only") return std::nullopt;
    const std::string_view one = take_word(text);
    const std::size_t equals = std::min(one.find('='), one.size());
    auto set = DaySet::parse(one.substr(std::min(equals + 1, one.size())));
    if (!set || set->empty() || !is_name(one.substr(0, equals))) return std::nullopt;
    (what == "except" ? rule.except : rule.only).push_back({std::string(one.substr(0, equals)), std::move(*set)});
  }
  if (rule.empty()) return std::nullopt;
  return rule;
}

std::vector<std::string> with_rule(std::vector<std::string> expressions, std::string_view rule) {
  if (!rule.empty()) expressions.push_back(std::string(mark_of_rule) + std::string(rule));
  return expressions;
}

std::pair<std::vector<std::string>, std::string> without_rule(std::vector<std::string> stored) {
  if (stored.empty() || !stored.back().starts_with(mark_of_rule)) return {std::move(stored), ""};
  std::string rule = stored.back().substr(mark_of_rule.size());
  stored.pop_back();
  return {std::move(stored), std::move(rule)};
}

}  // namespace ballot::schedule
