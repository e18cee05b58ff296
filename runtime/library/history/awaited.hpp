// Awaited: a value between the loop, which finds it, and a thread that waits for it.
//
// Any threads. Shared by both, as whoever waits may have gone when the value comes.
//
//   const auto awaited = std::make_shared<Awaited<int>>();
//   loop.post([awaited] { awaited->finish(7); });
//   const std::optional<int> value = awaited->wait(until, goes_on);
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "ballot/time.hpp"
#include "io/clocks.hpp"

namespace ballot::library {

inline constexpr Millis glance{50};  // between two looks at whether it still goes on

template <class T>
class Awaited {
 public:
  void finish(T value) {
    const std::lock_guard lock(mutex_);
    value_ = std::move(value);
    changed_.notify_all();
  }
  /// None: it has not come until then, or `goes_on` is false. Called once.
  std::optional<T> wait(SteadyTime until, const std::function<bool()>& goes_on) {
    std::unique_lock lock(mutex_);
    while (!value_ && io::read_clocks().steady < until && goes_on()) changed_.wait_for(lock, glance);
    return std::move(value_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<T> value_;
};

}  // namespace ballot::library
