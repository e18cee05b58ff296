// TimerFd: one kernel timer on the loop. What WallTimer and BootTimer share.
//
// Thread: the loop's. It knows nothing of what the clocks show: it is given nanoseconds since the clock's own zero.
#pragma once

#include <sys/timerfd.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <memory>

namespace boost::asio {
class io_context;
}

namespace ballot::io {

enum class Woken {
  expired,       // the instant has come
  clock_stepped  // the wall clock was set: read it again
};

/// The system calls behind a timer, so that a test can step a clock without touching the machine's.
struct TimerCalls {
  int (*settime)(int, int, const itimerspec*, itimerspec*) noexcept = ::timerfd_settime;
  ssize_t (*read)(int, void*, size_t) = ::read;
};

class TimerFd {
 public:
  /// `clock`: CLOCK_REALTIME or CLOCK_BOOTTIME. Throws std::system_error where the kernel gives no timer.
  TimerFd(boost::asio::io_context& loop, int clock, std::function<void(Woken)> on_woken, TimerCalls calls = {});
  /// No callback after return; may be called from the callback.
  ~TimerFd();

  /// One callback, unless disarmed before. Replaces what was armed. An instant that has passed expires at once. With
  /// CLOCK_REALTIME a step of the clock wakes too. After either the timer is disarmed.
  void arm(std::chrono::nanoseconds at);

  /// No callback until armed again, also if the instant has come already.
  void disarm();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ballot::io
