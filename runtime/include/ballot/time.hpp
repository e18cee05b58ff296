/// \file
/// Time as ballot counts it. Nothing here reads a clock: only the loop does.
#pragma once

#include <chrono>

namespace ballot {

/// What all durations are.
using Millis = std::chrono::milliseconds;

/// An instant of the wall clock, UTC. Slots of schedules are whole seconds, everything else has milliseconds.
using WallTime = std::chrono::sys_time<Millis>;

/// This machine's boot clock (CLOCK_BOOTTIME): it never steps, and it counts suspend. Deadlines are given in it.
struct BootClock {
  /// As the standard has it.
  ///@{
  using duration = Millis;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<BootClock, duration>;
  static constexpr bool is_steady = true;
  ///@}
};
/// An instant of it.
using SteadyTime = BootClock::time_point;

/// Both clocks, read together.
struct Now {
  WallTime wall;      ///< for people
  SteadyTime steady;  ///< for deadlines
};

}  // namespace ballot
