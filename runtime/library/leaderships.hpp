// Leaderships: which groups a node leads, for any thread to ask. Threads: any.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "ballot/runtime.hpp"

namespace ballot::library {

class Leaderships {
 public:
  /// False: it is closed.
  bool begin(const std::string& group, std::uint64_t epoch) {
    const std::lock_guard lock(mutex_);
    if (is_closed_) return false;
    epochs_[group] = epoch;
    return true;
  }
  /// Nothing is led, nor will be, whatever is begun.
  void close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    epochs_.clear();
  }
  bool is_led(const std::string& group, std::uint64_t epoch) const {
    const std::lock_guard lock(mutex_);
    const auto at = epochs_.find(group);
    return at != epochs_.end() && at->second == epoch;
  }
  /// Ends what is led of the group, or of all with "": their epochs.
  std::map<std::string, std::uint64_t> end_all(const std::string& group) {
    const std::lock_guard lock(mutex_);
    std::map<std::string, std::uint64_t> ended;
    if (group.empty())
      ended.swap(epochs_);
    else if (auto one = epochs_.extract(group))
      ended.insert(std::move(one));
    return ended;
  }
  void set_deadline(SteadyTime deadline) {
    const std::lock_guard lock(mutex_);
    deadline_ = deadline;
  }
  std::optional<Leadership> find(const std::string& group, SteadyTime now) const {
    const std::lock_guard lock(mutex_);
    const auto at = epochs_.find(group);
    if (at == epochs_.end() || now >= deadline_) return std::nullopt;
    return Leadership{group, at->second, deadline_};
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::uint64_t> epochs_;
  SteadyTime deadline_ = SteadyTime::min();  // of all terms: they are one session's
  bool is_closed_ = false;
};

}  // namespace ballot::library
