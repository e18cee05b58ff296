// CronFields: what the five or six fields of a cron expression say, as sets of bits.
//
// Plain data: cron_expression writes it, Calendar reads it. Small on purpose: a hundred thousand jobs keep one each.
#pragma once

#include <cstdint>

namespace ballot::schedule {

struct CronFields {
  std::uint64_t seconds = 0;           // bit n: second n
  std::uint64_t minutes = 0;           // bit n: minute n
  std::uint64_t nth_weekdays = 0;      // bit 8 * weekday + n: `weekday#n`; n = 0: the month's last (`weekdayL`)
  std::uint32_t hours = 0;             // bit n: hour n
  std::uint32_t days = 0;              // bit n: day n of the month
  std::uint32_t days_from_end = 0;     // bit n: the month's last day less n (`L`, `L-n`)
  std::uint32_t nearest_weekdays = 0;  // bit n: the weekday nearest to day n (`nW`); n = 0: the month's last (`LW`)
  std::uint16_t months = 0;            // bit n: month n
  std::uint8_t weekdays = 0;           // bit n: weekday n, Sunday is 0
  bool either_day = false;             // a day of the month or a weekday is enough; else both must match
  bool operator==(const CronFields&) const = default;
};

}  // namespace ballot::schedule
