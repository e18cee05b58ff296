#include "schedule/calendar.hpp"

#include <bit>

namespace ballot::schedule {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::local_days;
using std::chrono::local_seconds;
using std::chrono::seconds;
using std::chrono::year_month;
using std::chrono::year_month_day;
using std::chrono::years;

/// One month as the fields see it: its length, and the weekday (0 is Sunday) on which it begins.
struct Month {
  unsigned length, first_weekday;

  explicit Month(year_month month)
      : length(static_cast<unsigned>((month / std::chrono::last).day())),
        first_weekday(std::chrono::weekday(local_days(month / 1)).c_encoding()) {}

  unsigned weekday_of(unsigned day) const { return (first_weekday + day - 1) % 7; }
  /// The first day that is this weekday.
  unsigned first(unsigned weekday) const { return 1 + (weekday + 7 - first_weekday) % 7; }
  /// Every day that is one of the weekdays.
  std::uint64_t days_of(std::uint64_t weekdays) const {
    const std::uint64_t week = (weekdays >> first_weekday | weekdays << (7 - first_weekday)) & 0x7f;
    return (week | week << 7 | week << 14 | week << 21 | week << 28) << 1;
  }
  /// The weekday nearest to a day, in this month; 0 if the month has no such day.
  unsigned nearest_weekday(unsigned day) const {
    if (day > length) return 0;
    if (weekday_of(day) == 6) return day == 1 ? 3 : day - 1;
    if (weekday_of(day) == 0) return day == length ? day - 2 : day + 1;
    return day;
  }
};

template <class Bits>
unsigned lowest(Bits bits) {
  return static_cast<unsigned>(std::countr_zero(bits));
}

/// The members of a set that are not below `low`.
template <class Bits>
Bits at_least(Bits bits, unsigned low) {
  return low < sizeof(Bits) * 8 ? static_cast<Bits>(bits >> low << low) : Bits{0};
}

std::uint32_t days_from_end(std::uint32_t distances, const Month& month) {
  std::uint32_t result = 0;
  for (; distances != 0; distances &= distances - 1)
    if (lowest(distances) < month.length) result |= 1u << (month.length - lowest(distances));
  return result;
}

std::uint32_t nearest_weekdays(std::uint32_t wanted, const Month& month) {
  std::uint32_t result = 0;
  for (; wanted != 0; wanted &= wanted - 1) {
    const unsigned near = lowest(wanted);
    result |= 1u << month.nearest_weekday(near == 0 ? month.length : near);
  }
  return result;
}

std::uint32_t nth_weekdays(std::uint64_t wanted, const Month& month) {
  std::uint32_t result = 0;
  for (; wanted != 0; wanted &= wanted - 1) {
    const unsigned weekday = lowest(wanted) / 8, nth = lowest(wanted) % 8;
    const unsigned first = month.first(weekday);
    const unsigned day = nth == 0 ? first + (month.length - first) / 7 * 7 : first + (nth - 1) * 7;
    if (day <= month.length) result |= 1u << day;
  }
  return result;
}

struct TimeOfDay {
  unsigned hour, minute, second;
};

TimeOfDay parts(seconds since_midnight) {
  const auto count = static_cast<unsigned>(since_midnight.count());
  return {count / 3600, count / 60 % 60, count % 60};
}

seconds time_of(unsigned hour, unsigned minute, unsigned second) { return seconds(hour * 3600 + minute * 60 + second); }

}  // namespace

std::optional<local_seconds> Calendar::next(local_seconds from) const {
  const local_days today = floor<days>(from);
  const auto date = next_day(today);
  if (!date) return std::nullopt;
  if (*date > today) return *date + *next_time(seconds(0));
  if (const auto time = next_time(from - today)) return today + *time;
  const auto later = next_day(today + days(1));
  if (!later) return std::nullopt;
  return *later + *next_time(seconds(0));
}

bool Calendar::never() const {
  const local_days begin = local_days((horizon - years(400)) / 1 / 1);
  return !next_day(begin);
}

std::optional<local_days> Calendar::next_day(local_days from) const {
  const year_month_day start{from};
  unsigned first_month = static_cast<unsigned>(start.month());
  const unsigned first_day = static_cast<unsigned>(start.day());
  for (auto year = start.year(); year < horizon; ++year, first_month = 1) {
    for (auto left = at_least<std::uint32_t>(fields_.months, first_month); left != 0; left &= left - 1) {
      const year_month month = year / static_cast<int>(lowest(left));
      const bool starting = month == start.year() / start.month();
      const std::uint32_t matching = at_least(days_of(month), starting ? first_day : 1);
      if (matching != 0) return local_days(month / static_cast<int>(lowest(matching)));
    }
  }
  return std::nullopt;
}

std::uint32_t Calendar::days_of(year_month ym) const {
  const Month month(ym);
  std::uint32_t by_day = fields_.days;
  auto by_weekday = static_cast<std::uint32_t>(month.days_of(fields_.weekdays));
  if (fields_.days_from_end != 0) by_day |= days_from_end(fields_.days_from_end, month);
  if (fields_.nearest_weekdays != 0) by_day |= nearest_weekdays(fields_.nearest_weekdays, month);
  if (fields_.nth_weekdays != 0) by_weekday |= nth_weekdays(fields_.nth_weekdays, month);
  const std::uint32_t existing = (2u << month.length) - 2;
  return (fields_.either_day ? by_day | by_weekday : by_day & by_weekday) & existing;
}

std::optional<seconds> Calendar::next_time(seconds from) const {
  const auto [hour, minute, second] = parts(from);
  const bool this_hour = (fields_.hours >> hour & 1) != 0;
  const bool this_minute = this_hour && (fields_.minutes >> minute & 1) != 0;
  if (const auto left = at_least(fields_.seconds, second); this_minute && left != 0)
    return time_of(hour, minute, lowest(left));
  if (const auto left = at_least(fields_.minutes, minute + 1); this_hour && left != 0)
    return time_of(hour, lowest(left), lowest(fields_.seconds));
  if (const auto left = at_least(fields_.hours, hour + 1); left != 0)
    return time_of(lowest(left), lowest(fields_.minutes), lowest(fields_.seconds));
  return std::nullopt;
}

}  // namespace ballot::schedule
