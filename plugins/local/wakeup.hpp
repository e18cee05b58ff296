// Wakeup: what the plugin's thread waits on: a call from the loop, an instant of the boot clock, which counts suspend,
// or another process.
#pragma once

#include <optional>
#include <vector>

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
  /// Until wake(), `time` where there is one, or until one of `others` is readable, which is told. A wake() before the
  /// call counts.
  bool wait(std::optional<SteadyTime> time, const std::vector<int>& others);

 private:
  int event_;
  int timer_;
};

}  // namespace ballot::local
