#include "library/history/fleet_probes.hpp"

#include <pthread.h>

#include <system_error>
#include <utility>

#include "base/signals_blocked.hpp"
#include "io/clocks.hpp"

namespace ballot::library {

FleetProbes::~FleetProbes() {
  {
    const std::lock_guard hold(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void FleetProbes::wake() {
  const std::lock_guard hold(mutex_);
  is_woken_ = true;
  changed_.notify_all();
  if (thread_.joinable() || is_over_) return;
  try {
    const SignalsBlocked blocked;
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    return;  // threads are used up: nodes that are silent stay so until the next one is
  }
}

bool FleetProbes::goes_on() {
  const std::lock_guard hold(mutex_);
  return !is_over_;
}

/// False: it is over.
bool FleetProbes::wait_until(std::optional<SteadyTime> due) {
  std::unique_lock lock(mutex_);
  while (!is_over_ && !is_woken_) {
    if (!due) {
      changed_.wait(lock);
      continue;
    }
    const Millis left = *due - io::read_clocks().steady;
    if (left <= Millis(0)) break;
    changed_.wait_for(lock, left);
  }
  is_woken_ = false;
  return !is_over_;
}

void FleetProbes::run() {
  ::pthread_setname_np(::pthread_self(), "ballot-probe");
  std::optional<SteadyTime> due;
  while (wait_until(due)) due = probe_([this] { return goes_on(); });
}

}  // namespace ballot::library
