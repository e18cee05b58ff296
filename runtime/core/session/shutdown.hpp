// Shutdown: the clean stop and its bounds in time. It says when each phase is over; CleanStop acts on it.
//
//   phase    | event                                             | next
//   none     | ask()                                             | draining: nothing new is claimed
//   draining | the wait is over (not where the groups are left)  | killing: runs that end with their term are killed
//   draining | every group is handed over, or ready to be left   | closing
//   draining | the groups are to be left, and 10 s have passed   | closing
//   killing  | nothing is left to write, or the bound            | closing: the session is being closed
//   closing  | the session is closed, or 8 s                     | stopped
//   none     | the store refuses this node                       | stopped
//
// Pure; used by Core only.
#pragma once

#include <optional>
#include <set>

#include "core/event.hpp"
#include "core/group/group_entry.hpp"

namespace ballot::core {

class Shutdown {
 public:
  enum class Phase { none, draining, killing, closing, stopped };

  /// `led`: the groups that the stop waits for until each is ready(). False for a second call: the shorter wait counts
  /// then, and whether the groups are left stays as it was.
  bool ask(SteadyTime now, const Stop& stop, const std::set<GroupEntry*, ByName>& led);

  Phase phase() const { return phase_; }
  bool is_asked() const { return phase_ != Phase::none; }
  /// The terms are left to a restart.
  bool leaves() const { return is_asked() && leave_; }

  /// True once: the wait is over, and begin_killing() follows. `longest`: the longest kill_grace of the open runs.
  bool is_wait_over(SteadyTime now) const;
  void begin_killing(SteadyTime now, Millis longest);

  /// The group is handed over, or may be left to a restart.
  void ready(GroupEntry& group) { unready_.erase(&group); }
  const std::set<GroupEntry*, ByName>& unready() const { return unready_; }
  /// Writes and runs that are still open are left to the next term.
  bool is_past_bound(SteadyTime now) const;

  void begin_closing(SteadyTime now);
  /// The backend hangs, and must not keep the daemon from ending.
  bool is_closing_past_bound(SteadyTime now) const { return phase_ == Phase::closing && now >= close_by_; }
  void end() { phase_ = Phase::stopped; }

  std::optional<SteadyTime> wake() const;

 private:
  bool has_bound() const { return phase_ == Phase::killing || leave_; }

  Phase phase_ = Phase::none;
  bool leave_ = false;
  Millis wait_{0};
  SteadyTime asked_at_{}, give_up_at_{}, close_by_{};
  std::set<GroupEntry*, ByName> unready_;
};

}  // namespace ballot::core
