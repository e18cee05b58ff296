// Recorder: a Host that keeps every event in order of arrival, and every line of log. Any thread posts, the test's
// thread reads.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ballot/backend.hpp"

namespace ballot::conformance {

/// Wakes the test when something has happened.
class Signal {
 public:
  void notify() noexcept {
    {
      const std::lock_guard hold(mutex_);
      ++count_;
    }
    changed_.notify_all();
  }

  bool wait(const std::function<bool()>& done, Millis limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (true) {
      const std::uint64_t before = count();
      if (done()) return true;
      std::unique_lock hold(mutex_);
      if (!changed_.wait_until(hold, end, [&] { return count_ != before; })) break;
    }
    return done();
  }

 private:
  std::uint64_t count() {
    const std::lock_guard hold(mutex_);
    return count_;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t count_ = 0;
};

/// The order of calls and events over all candidates: a larger tick is later.
inline std::uint64_t next_tick() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

class Recorder final : public Host {
 public:
  struct Entry {
    std::uint64_t tick = 0;
    BackendEvent event;
  };

  explicit Recorder(Signal& signal) : signal_(signal) {}

  void post(BackendEvent event) noexcept override {
    {
      const std::lock_guard hold(mutex_);
      entries_.push_back({next_tick(), std::move(event)});
    }
    signal_.notify();
  }

  void log(Level, std::string_view text) noexcept override {
    {
      const std::lock_guard hold(mutex_);
      logged_.emplace_back(text);
    }
    signal_.notify();
  }

  std::vector<std::string> logged() const {
    const std::lock_guard hold(mutex_);
    return logged_;
  }

  std::vector<Entry> entries() const {
    const std::lock_guard hold(mutex_);
    return entries_;
  }

  std::size_t size() const {
    const std::lock_guard hold(mutex_);
    return entries_.size();
  }

  /// Every event of one kind in one generation.
  template <class What>
  std::vector<What> all(std::uint64_t generation) const {
    const std::lock_guard hold(mutex_);
    std::vector<What> found;
    for (const Entry& entry : entries_) {
      const What* what = std::get_if<What>(&entry.event.what);
      if (entry.event.generation == generation && what != nullptr) found.push_back(*what);
    }
    return found;
  }

  /// The first answer of one kind to `request`.
  template <class Answer>
  std::optional<Answer> answer(std::uint64_t generation, RequestId request) const {
    const std::lock_guard hold(mutex_);
    for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
      const Answer* answer = std::get_if<Answer>(&entry->event.what);
      if (entry->event.generation == generation && answer != nullptr && answer->request == request) return *answer;
    }
    return std::nullopt;
  }

  /// The epoch with which the node leads `group`, by its events.
  std::optional<std::uint64_t> leads(std::uint64_t generation, const std::string& group) const {
    const std::lock_guard hold(mutex_);
    std::optional<std::uint64_t> epoch;
    for (const Entry& entry : entries_) {
      if (entry.event.generation != generation) continue;
      if (const auto* elected = std::get_if<backend::Elected>(&entry.event.what); elected && elected->group == group)
        epoch = elected->epoch;
      if (const auto* deposed = std::get_if<backend::Deposed>(&entry.event.what); deposed && deposed->group == group)
        epoch.reset();
      if (std::holds_alternative<backend::SessionClosed>(entry.event.what)) epoch.reset();
    }
    return epoch;
  }

 private:
  Signal& signal_;
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
  std::vector<std::string> logged_;
};

}  // namespace ballot::conformance
