// The clocks of a plugin: its thread reads them itself, as its timer must not depend on the loop's. Any thread.
//
//   const SteadyTime deadline = support::boot_now() + timeout;
#pragma once

#include <algorithm>
#include <ctime>
#include <optional>

#include "ballot/time.hpp"

namespace ballot::support {

inline Millis read_clock(clockid_t id) noexcept {
  timespec at{};
  ::clock_gettime(id, &at);
  return Millis(at.tv_sec * 1000 + at.tv_nsec / 1'000'000);
}

inline SteadyTime boot_now() noexcept { return SteadyTime(read_clock(CLOCK_BOOTTIME)); }
inline WallTime wall_now() noexcept { return WallTime(read_clock(CLOCK_REALTIME)); }

/// Of two instants, either of which there may not be.
inline std::optional<SteadyTime> earliest(std::optional<SteadyTime> one, std::optional<SteadyTime> other) {
  return one && other ? std::min(one, other) : one ? one : other;
}

}  // namespace ballot::support
