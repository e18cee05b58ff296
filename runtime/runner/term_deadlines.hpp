// TermDeadlines: until when the runs of each term of the daemon's may be exec'd and, with `terminate`, go on.
//
// Past ones are forgotten an hour later: the daemon must not come back to a number. Pure: the caller passes the time.
// With thousands of terms a call still reads only the first.
//
//   deadlines.set({.term_key = 7, .at = deadline, .grace = g});
//   deadlines.limit(7);                       // nothing is exec'd past it
//   for (auto term : deadlines.take_due(now)) ... deadlines.due(term, now)  // when KILL is due
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/runner_wire.hpp"
#include "runner/clock.hpp"

namespace ballot::runner {

inline constexpr Millis kill_margin{200};  // before a term's deadline KILL is sent

class TermDeadlines {
 public:
  void set(const Deadline& deadline) {
    Entry& entry = terms_[deadline.term_key];
    next_.erase({entry.wakes_at, deadline.term_key});
    entry = {deadline.at, deadline.at - std::max(deadline.grace, kill_margin), {}};
    wake(deadline.term_key, entry, entry.signal_at);
  }

  /// none: no deadline was given. Then nothing would end what is to end at it.
  std::optional<SteadyTime> limit(std::uint64_t term_key) const {
    const auto found = terms_.find(term_key);
    return found == terms_.end() ? std::nullopt : std::optional(found->second.at);
  }

  /// When KILL is due, if the signal is due by `now`.
  std::optional<SteadyTime> due(std::uint64_t term_key, SteadyTime now) const {
    const auto found = terms_.find(term_key);
    if (found == terms_.end() || now < found->second.signal_at) return std::nullopt;
    return found->second.at - kill_margin;
  }

  /// The terms whose signal has become due, ascending; each once for each deadline that it was given.
  std::vector<std::uint64_t> take_due(SteadyTime now) {
    std::vector<std::uint64_t> due;
    while (!next_.empty() && next_.begin()->first <= now) {
      const std::uint64_t term_key = next_.begin()->second;
      next_.erase(next_.begin());
      Entry& entry = terms_[term_key];
      if (entry.wakes_at == entry.signal_at) {
        due.push_back(term_key);
        wake(term_key, entry, later(std::max(entry.at, entry.signal_at), forget_after));
      } else {
        terms_.erase(term_key);
      }
    }
    std::sort(due.begin(), due.end());
    return due;
  }

  /// When take_due() has something to do; max(): never.
  SteadyTime next() const { return next_.empty() ? SteadyTime::max() : next_.begin()->first; }

  std::size_t size() const { return terms_.size(); }

 private:
  static constexpr Millis forget_after = std::chrono::hours(1);

  struct Entry {
    SteadyTime at{}, signal_at{};
    SteadyTime wakes_at{};  // its place in next_
  };

  void wake(std::uint64_t term_key, Entry& entry, SteadyTime at) {
    entry.wakes_at = at;
    next_.emplace(at, term_key);
  }

  std::unordered_map<std::uint64_t, Entry> terms_;
  std::set<std::pair<SteadyTime, std::uint64_t>> next_;
};

}  // namespace ballot::runner
