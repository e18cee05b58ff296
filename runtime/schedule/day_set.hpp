// DaySet: the dates of one calendar: single days and ranges of them, days of every year, days of the week.
//
// Pure arithmetic on the Gregorian calendar; a date here may not exist in a zone that has skipped it. Threads: a plain
// value.
//
//   DaySet holidays;
//   if (const std::string fault = holidays.add_date("2026-12-24..2027-01-02"); !fault.empty()) return fault;
//   holidays.add_weekday("sun");
//   holidays.has(local_days(2026y / 12 / 25)), holidays.text()   // true, "2026-12-24..2027-01-02,sun"
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::schedule {

using std::chrono::local_days;

/// "2026-12-25".
std::string text_of(local_days day);

class DaySet {
 public:
  /// Both ends are in it.
  struct Range {
    local_days from, to;
    bool operator==(const Range&) const = default;
  };

  /// "2026-12-25", "2026-12-24..2027-01-02", or "12-25" and "12-24..01-02": of every year ("02-29": of each that has
  /// one). Returns what is wrong with it, or "". Years: 1800 to 2399.
  std::string add_date(std::string_view text);
  /// "mon", "tue" ... in any case. Returns what is wrong with it, or "".
  std::string add_weekday(std::string_view text);
  void add(Range range);

  bool empty() const { return ranges_.empty() && yearly_.empty() && weekdays_ == 0; }
  bool has(local_days day) const;
  /// The first day of the set that is not before `from`; none before the year 2400.
  std::optional<local_days> next(local_days from) const;
  /// The last day of the set that is, with all from `day` up to it, in one of its ranges; `day` itself where none has
  /// it.
  local_days end_of_range(local_days day) const;
  /// The set has no days of every year or of the week.
  bool ends() const { return yearly_.empty() && weekdays_ == 0; }
  /// The set's days of every year or of the week have each day of this date and this day of the week.
  bool has_kind(std::chrono::month_day date, std::chrono::weekday weekday) const;
  /// The first and the last of its single days and ranges; none: it has none.
  std::optional<local_days> first_date() const;
  std::optional<local_days> last_date() const;

  /// Its dates, then days of the year, then of the week, in order, with commas: parse() reads it. Equal sets that were
  /// written otherwise have one text, but for what several forms say of one day.
  std::string text() const;
  static std::optional<DaySet> parse(std::string_view text);

  bool operator==(const DaySet&) const = default;

 private:
  std::string add_yearly(std::string_view range);
  const Range* range_of(local_days day) const;
  std::optional<local_days> next_yearly(local_days from) const;

  std::vector<Range> ranges_;                   // in order, with a day between each two
  std::vector<std::chrono::month_day> yearly_;  // in order
  std::uint8_t weekdays_ = 0;                   // bit 0: Sunday
};

}  // namespace ballot::schedule
