// DayOracle: what a job's calendars make of a date, straight from what docs/jobs.md promises, by looking at one date
// after the other. Knows nothing of runtime/schedule. Slow.
//
//   DayOracle days("except holidays=2026-12-25,sun shift=next");
//   days.mark(date, [](auto one) { return is_monday(one); })   // whether a schedule of Mondays has slots on `date`
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ballot::testing {

enum class DayMark {
  none,     // the schedule has nothing there
  due,      // it has its slots there
  left_out  // its slots there are skipped
};

class DayOracle {
 public:
  using Date = std::chrono::sys_days;  // of a wall's calendar
  using Matches = std::function<bool(Date)>;

  /// As definitions in the ledger have it, without the "@days " before. Throws std::invalid_argument.
  explicit DayOracle(const std::string& text);

  bool allows(Date date) const;
  DayMark mark(Date date, const Matches& schedule) const;

 private:
  /// Where a date of the schedule goes; none: nowhere.
  std::optional<Date> target(Date date) const;
  bool is_in(const std::string& days, Date date) const;

  std::vector<std::string> except_, only_;  // lists of days
  int shift_ = 0;                           // 1: on, -1: back
};

}  // namespace ballot::testing
