// FleetProbes: asks nodes that were silent again, on a thread of its own, so that nobody who asks a question waits for
// them. The thread begins with the first silent node, or with the first one that is to be kept.
//
//   event                       | next
//   wake(): a node is silent,   | the probe is called
//   or which there are changed  |
//   the probe says when to go on | it is called again then
//   it says: nobody is silent   | it waits for wake()
//
// Thread: wake() from any; the destructor ends what is asked.
//
//   FleetProbes probes([&](const auto& goes_on) { return ask_those_that_are_due(goes_on); });
//   probes.wake();
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "ballot/time.hpp"

namespace ballot::library {

class FleetProbes {
 public:
  /// Asks the nodes that are due, and says when the next one is; none: nobody is silent. `goes_on`: false ends it.
  using Probe = std::function<std::optional<SteadyTime>(const std::function<bool()>& goes_on)>;

  explicit FleetProbes(Probe probe) : probe_(std::move(probe)) {}
  ~FleetProbes();
  FleetProbes(const FleetProbes&) = delete;
  FleetProbes& operator=(const FleetProbes&) = delete;

  /// Without a thread to be had it is for the next call to begin one.
  void wake();

 private:
  void run();
  bool goes_on();
  bool wait_until(std::optional<SteadyTime> due);

  const Probe probe_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_woken_ = false, is_over_ = false;  // under mutex_, as the thread is
  std::thread thread_;
};

}  // namespace ballot::library
