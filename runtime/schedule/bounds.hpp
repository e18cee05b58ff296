// The years for which slots are computed: 1800 to 2399. What lies outside is never due.
#pragma once

#include <chrono>

#include "ballot/time.hpp"
#include "schedule/calendar.hpp"

namespace ballot::schedule {

/// No slot is before this instant.
inline constexpr WallTime first_instant = std::chrono::sys_days(std::chrono::year(1800) / 1 / 1);
/// Every slot is before this instant.
inline constexpr WallTime last_instant = std::chrono::sys_days(Calendar::horizon / 1 / 1);

}  // namespace ballot::schedule
