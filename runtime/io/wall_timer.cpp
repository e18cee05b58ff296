#include "io/wall_timer.hpp"

#include <algorithm>

namespace ballot::io {
namespace {

/// Nanoseconds end in 2262, milliseconds do not.
std::chrono::nanoseconds to_nanoseconds(Millis since_zero) {
  constexpr Millis last = std::chrono::floor<Millis>(std::chrono::nanoseconds::max());
  return std::clamp(since_zero, Millis(0), last);
}

}  // namespace

void WallTimer::arm(WallTime at) { timer_.arm(to_nanoseconds(at.time_since_epoch())); }
void BootTimer::arm(SteadyTime at) { timer_.arm(to_nanoseconds(at.time_since_epoch())); }

}  // namespace ballot::io
