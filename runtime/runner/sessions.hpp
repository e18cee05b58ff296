// Sessions: until when the runs of each of the daemon's sessions may be exec'd and, with `terminate`, go on.
//
// A session that no deadline was given for has none. Pure: it is told the time.
//
//   sessions.set({.session = 7, .at = deadline, .grace = g});
//   sessions.limit(7);                       // nothing is exec'd past it
//   if (auto killing = sessions.due(7, now)) // the signal is due now, KILL at *killing
#pragma once

#include <algorithm>
#include <map>
#include <optional>

#include "base/runner_wire.hpp"

namespace ballot::runner {

class Sessions {
 public:
  void set(const Deadline& deadline) {
    sessions_[deadline.session] = {deadline.at, deadline.grace, false};
    while (sessions_.size() > most) sessions_.erase(sessions_.begin());
  }

  SteadyTime limit(std::uint64_t session) const {
    const auto found = sessions_.find(session);
    return found == sessions_.end() ? SteadyTime::max() : found->second.at;
  }

  /// When KILL is due, if the signal is due by `now`.
  std::optional<SteadyTime> due(std::uint64_t session, SteadyTime now) const {
    const auto found = sessions_.find(session);
    if (found == sessions_.end() || now < found->second.signal_at()) return std::nullopt;
    return found->second.kill_at();
  }

  /// The sessions whose signal has become due; each is told once for each deadline that it was given.
  template <class F>
  void take_due(SteadyTime now, F&& tell) {
    for (auto& [session, entry] : sessions_)
      if (!entry.told && entry.signal_at() <= now) entry.told = true, tell(session);
  }

  /// When the next signal is due.
  std::optional<SteadyTime> next() const {
    std::optional<SteadyTime> first;
    for (const auto& [session, entry] : sessions_)
      if (!entry.told) first = std::min(first.value_or(SteadyTime::max()), entry.signal_at());
    return first;
  }

 private:
  static constexpr std::size_t most = 64;  // sessions are numbered upwards: the oldest goes
  static constexpr Millis kill_margin{200};

  struct Entry {
    SteadyTime at{};
    Millis grace{0};
    bool told = false;
    SteadyTime kill_at() const { return at - kill_margin; }
    SteadyTime signal_at() const { return at - std::max(grace, kill_margin); }
  };
  std::map<std::uint64_t, Entry> sessions_;
};

}  // namespace ballot::runner
