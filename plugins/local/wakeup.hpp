// Wakeup: what the plugin's thread waits on: a call from the loop, or an instant of the boot clock, which counts
// suspend.
#pragma once

#include <optional>

#include "ballot/time.hpp"

namespace ballot::local {

class Wakeup {
 public:
  /// Throws std::system_error where the system has no descriptors left.
  Wakeup();
  ~Wakeup();
  Wakeup(const Wakeup&) = delete;
  Wakeup& operator=(const Wakeup&) = delete;

  /// From any thread; does not block.
  void wake() noexcept;
  /// Until wake() or `time`; without one until wake(). A wake() before the call counts.
  void wait(std::optional<SteadyTime> time) noexcept;

 private:
  int event_;
  int timer_;
};

}  // namespace ballot::local
