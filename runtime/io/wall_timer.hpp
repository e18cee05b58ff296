// WallTimer and BootTimer: one callback at an instant of a clock.
//
// WallTimer also wakes when the wall clock is set, so that its owner consults the schedule again; BootTimer counts
// suspend and never steps. Thread: the loop's. While one exists the loop does not run out of work.
//
//   WallTimer timer(loop, [&](Woken woken) { scheduler.wake(read_clocks(), woken); });
//   timer.arm(next_slot);
#pragma once

#include "ballot/time.hpp"
#include "io/timer_fd.hpp"

namespace ballot::io {

class WallTimer {
 public:
  /// Throws std::system_error where the kernel gives no timer. No callback after destruction, which may happen in it.
  WallTimer(boost::asio::io_context& loop, std::function<void(Woken)> on_woken, TimerCalls calls = {})
      : timer_(loop, CLOCK_REALTIME, std::move(on_woken), calls) {}

  /// One callback, then disarmed. WallTime::max() waits for a step of the clock only. Replaces what was armed.
  void arm(WallTime at);

  /// No callback until armed again.
  void disarm() { timer_.disarm(); }

 private:
  TimerFd timer_;
};

class BootTimer {
 public:
  /// As WallTimer's.
  BootTimer(boost::asio::io_context& loop, std::function<void()> on_expired)
      : timer_(loop, CLOCK_BOOTTIME, [f = std::move(on_expired)](Woken) { f(); }) {}

  /// One callback, then disarmed. Replaces what was armed.
  void arm(SteadyTime at);

  /// No callback until armed again.
  void disarm() { timer_.disarm(); }

 private:
  TimerFd timer_;
};

}  // namespace ballot::io
