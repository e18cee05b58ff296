// The two clocks, as the runner reads them. clock_gettime is async-signal-safe: the child reads them before exec too.
#pragma once

#include <algorithm>
#include <ctime>

#include "ballot/time.hpp"

namespace ballot::runner {

inline Millis read_clock(clockid_t clock) noexcept {
  timespec t{};
  ::clock_gettime(clock, &t);
  return std::chrono::floor<Millis>(std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec));
}

inline SteadyTime steady_now() noexcept { return SteadyTime(read_clock(CLOCK_BOOTTIME)); }
inline WallTime wall_now() noexcept { return WallTime(read_clock(CLOCK_REALTIME)); }

/// t + d, but for what would not fit: max(), which is never. Graces and deadlines come from files.
constexpr SteadyTime later(SteadyTime t, Millis d) noexcept {
  return d > SteadyTime::max() - std::max(t, SteadyTime{}) ? SteadyTime::max() : t + d;
}

}  // namespace ballot::runner
