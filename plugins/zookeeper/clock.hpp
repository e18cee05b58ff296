// The clocks of this plugin: the plugin's thread reads them itself, as its timer must not depend on the loop's.
#pragma once

#include <ctime>

#include "ballot/time.hpp"

namespace ballot::zookeeper {

inline Millis read_clock(clockid_t id) noexcept {
  timespec at{};
  ::clock_gettime(id, &at);
  return Millis(at.tv_sec * 1000 + at.tv_nsec / 1'000'000);
}

inline SteadyTime boot_now() noexcept { return SteadyTime(read_clock(CLOCK_BOOTTIME)); }
inline WallTime wall_now() noexcept { return WallTime(read_clock(CLOCK_REALTIME)); }

}  // namespace ballot::zookeeper
