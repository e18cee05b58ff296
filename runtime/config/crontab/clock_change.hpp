// Where cron and a job differ on a day when the clocks change.
//
// Cron asks whether minute or hour begins with `*`: such lines go by the wall's clock as it stands, and are started in
// both passes of a repeated hour and not for what was skipped; all others are made up for, each time by itself, and not
// repeated. A job asks whether the hours are all of the day's: docs/jobs.md, daylight saving. Most lines come out the
// same. Pure.
//
//   if (const auto change = find_clock_change("*/15 2 * * *", plan, zone, now)) ...
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "schedule/plan.hpp"
#include "zones/time_zone.hpp"

namespace ballot::config {

struct ClockChange {
  WallTime at;
  std::size_t by_cron = 0, by_job = 0;  // starts, at a jump ahead; within the two passes, where the clock goes back
};

/// The first change in the 400 days after `from` at which they differ. `plan`: of the schedule, in the zone. Clocks
/// that jump by more than three hours are not looked at.
std::optional<ClockChange> find_clock_change(const std::string& schedule, const schedule::Plan& plan,
                                             const zones::TimeZone& zone, WallTime from);

}  // namespace ballot::config
