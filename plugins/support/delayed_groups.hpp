// DelayedGroups: groups that something is to be done about later, each at its time and once. Knows nothing of what that
// is. Pure.
//
//   delayed.add("nightly", now + 1s);   ... while (auto group = delayed.take(now)) ...
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "ballot/time.hpp"

namespace ballot::support {

class DelayedGroups {
 public:
  /// Nothing where it is delayed already. Mostly in order of time: one that is due waits for those added before it.
  void add(const std::string& group, SteadyTime at) {
    if (names_.insert(group).second) queue_.emplace_back(at, group);
  }
  std::optional<std::string> take(SteadyTime now) {
    if (queue_.empty() || queue_.front().first > now) return std::nullopt;
    std::string group = std::move(queue_.front().second);
    queue_.pop_front();
    names_.erase(group);
    return group;
  }
  std::optional<SteadyTime> due() const { return queue_.empty() ? std::nullopt : std::optional(queue_.front().first); }

 private:
  std::deque<std::pair<SteadyTime, std::string>> queue_;
  std::unordered_set<std::string> names_;
};

}  // namespace ballot::support
