// Wakeup: what a plugin's thread waits on: a call from another thread, an instant of the boot clock, which counts
// suspend, or any file descriptor. Knows nothing of what it is woken for: a Mailbox has that. wake() from any thread,
// wait() from one.
//
//   wakeup.wait(due, {socket});      // another thread: wakeup.wake();
#pragma once

#include <optional>
#include <vector>

#include "ballot/time.hpp"

namespace ballot::support {

class Wakeup {
 public:
  /// Throws std::system_error where the system has no descriptors left.
  Wakeup();
  ~Wakeup();
  Wakeup(const Wakeup&) = delete;
  Wakeup& operator=(const Wakeup&) = delete;

  /// From any thread; does not block.
  void wake() noexcept;
  /// Until wake(), `time` where there is one, or until one of `others` is readable, which is returned. A wake() before
  /// the call counts.
  bool wait(std::optional<SteadyTime> time, const std::vector<int>& others = {});

 private:
  int event_;
  int timer_;
};

}  // namespace ballot::support
