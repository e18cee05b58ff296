// A cron expression as text, read: 5 fields, 6 with seconds first, or a macro, after an optional `CRON_TZ=ZONE ` or
// `TZ=ZONE `.
//
//   second 0-59 (left out: 0) | minute 0-59 | hour 0-23 | day of the month 1-31 | month 1-12 | day of the week 0-7
//   @yearly @annually @monthly @weekly @daily @midnight @hourly | @every DURATION (whole seconds) | @reboot
//
// cron_field.hpp has the grammar of a field. Letters are read in any case. Days are as in cron: if the day-of-month or
// the day-of-week field starts with `*` or `?`, both must match (`*/2` restricts); else either may, and then L, W, #
// and H count as any other value: `0 0 L * 5` is each last day and each Friday.
// An expression that matches no date of the calendar is a fault, and so is everything that is not written here.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "schedule/cron_field.hpp"
#include "zones/time_zone.hpp"

namespace ballot::schedule {

using zones::TimeZone;

struct Every {
  std::chrono::seconds period;
  std::string text;  // "@every 90s", however it was spaced
};
struct Reboot {};

struct CronExpression {
  std::variant<CronFields, Every, Reboot> when;
  std::optional<TimeZone> zone;  // of CRON_TZ; `@every` and `@reboot` have no use for one
};

/// All faults of an expression: at most one in its zone, and one in each field.
using CronFaults = std::vector<CronFault>;

std::variant<CronExpression, CronFaults> parse_cron(std::string_view text, const HashSeed& seed);

}  // namespace ballot::schedule
