// DayRule: on which days a job may run, by named calendars, and what becomes of a slot on another day: left out, or
// moved to the nearest day that is allowed.
//
//   a day is allowed | that none of `except` has, and, where there is an `only`, that one of it has
//   shift            | a slot on a day that is not
//   none             | is left out
//   next, previous   | is on the first allowed day after it, or the last before it, at the same time of day; left out
//                    | where none is within 366 days
//
// A schedule has the same times on each of its days, so it is days that move: where several come to one day, it has its
// slots once. Pure; knows nothing of zones. Threads: a plain value, mostly a Shared one.
//
//   DayRule rule;
//   rule.except = {{"holidays", holidays}};
//   rule.allows(local_days(2026y / 12 / 25)), rule.text()   // false, "except holidays=12-25"
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ballot/policy.hpp"
#include "schedule/calendar.hpp"
#include "schedule/day_set.hpp"

namespace ballot::schedule {

/// How far a day may move.
inline constexpr std::chrono::days farthest_shift{366};

/// A day of a schedule, or a label on it; `left_out`: it is not allowed, and has nowhere to go.
template <class Time>
struct Chosen {
  Time at{};
  bool left_out = false;
};

struct DayRule {
  struct Named {
    std::string name;
    DaySet days;
    bool operator==(const Named&) const = default;
  };

  using value_type = Named;  // which Shared asks for

  std::vector<Named> except, only;
  DayShift shift = DayShift::none;

  bool empty() const { return except.empty() && only.empty(); }
  bool allows(local_days day) const;
  /// Why a day is not allowed: "2026-12-25 is in holidays", "2026-12-25 is not in workdays"; "": it is.
  std::string why_not(local_days day) const;
  /// The first allowed day that is not before `from`; none before the year 2400.
  std::optional<local_days> next_allowed(local_days from) const;
  /// The rule allows no day at all. Found by the kinds of days (a date and a day of the week), before any search.
  bool never() const;
  /// A schedule with these fields has no slot on a later day but left out ones: the first day of the type where it
  /// never has, and the first of the year 2400 where it always will.
  local_days last_due(const Calendar& calendar) const;
  /// From `from` on, a day that is looked for before this one, and is not there, is nowhere later: the days of years
  /// and weeks come back within 41 years, and dates and ranges are over. At most the year 2400.
  local_days search_end(local_days from) const;
  /// There is a last day that it allows, before the year 2400.
  bool ends() const;

  /// The first day that is not before `from` on which a schedule with these fields has slots, or, unless `due_only`,
  /// left out ones.
  std::optional<Chosen<local_days>> next_day(const Calendar& calendar, local_days from, bool due_only) const;
  /// The same of its labels.
  std::optional<Chosen<std::chrono::local_seconds>> next(const Calendar& calendar, std::chrono::local_seconds from,
                                                         bool due_only) const;

  /// For people, by the names alone: "except holidays, weekend; shift next".
  std::string summary() const;
  /// In one line, with all that it says: "except holidays=2026-12-25,sun only work=mon shift=next".
  std::string text() const;
  static std::optional<DayRule> parse(std::string_view text);

  bool operator==(const DayRule&) const = default;

 private:
  bool allows_kinds() const;
  DaySet::Range dates() const;
  std::optional<local_days> allowed_within(local_days from, local_days to) const;
  std::optional<local_days> last_allowed_within(local_days from, local_days to) const;
  std::optional<Chosen<local_days>> next_left(const Calendar& calendar, local_days from, bool due_only) const;
  std::optional<Chosen<local_days>> next_moved_on(const Calendar& calendar, local_days from, bool due_only) const;
  std::optional<Chosen<local_days>> next_moved_back(const Calendar& calendar, local_days from, bool due_only) const;
};

/// A job's timing as registers and ledgers have it: its expressions, and after them the text of its rule, which no
/// expression is. A build of before calendars cannot read it as one, and says nothing of the job's slots.
std::vector<std::string> with_rule(std::vector<std::string> expressions, std::string_view rule);
/// The expressions again, and the rule's text, "" where there is none.
std::pair<std::vector<std::string>, std::string> without_rule(std::vector<std::string> stored);

}  // namespace ballot::schedule
