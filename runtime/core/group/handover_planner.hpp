// HandoverPlanner: which groups somebody else should lead, and when each is handed over: one at a time, 50 a second at
// most, scanned for every 10 s while there is one. Whether a group may be handed over now is Core's to say.
//
//   planner.begin_scan();
//   for (each group that is led) planner.consider(group, directory.best(...), now, steady_since);
//   planner.end_scan(now);
//   ... while (GroupEntry* group = planner.next()) ...
//
// Pure; used by Core only.
#pragma once

#include <deque>
#include <optional>

#include "core/group/group_entry.hpp"
#include "core/node/peers.hpp"

namespace ballot::core {

class HandoverPlanner {
 public:
  /// A group was taken over: a scan comes a second later, unless one is due already.
  void on_taken_over(SteadyTime now);
  void scan_now(SteadyTime now) { scan_at_ = now; }
  void clear();

  bool is_scan_due(SteadyTime now) const { return scan_at_ && *scan_at_ <= now; }
  void begin_scan();
  /// `steady_since`: since when this node has published the same; it hands nothing over before it has for 30 s.
  void consider(GroupEntry& group, const Peers::Best& best, SteadyTime now, SteadyTime steady_since);
  void end_scan(SteadyTime now);

  bool is_move_due(SteadyTime now) const { return move_at_ && *move_at_ <= now; }
  void begin_move() { move_at_.reset(); }
  /// What the next one was put off for, after begin_move(), is known.
  void go_on(SteadyTime now) {
    if (!groups_.empty() && !move_at_) move_at_ = now;
  }
  /// The next group that somebody else should lead; none: all were considered.
  GroupEntry* next();
  /// It cannot be handed over for what goes on in it.
  void on_busy(SteadyTime now);
  void on_moved(SteadyTime now);

  std::optional<SteadyTime> scan_at() const { return scan_at_; }
  std::optional<SteadyTime> move_at() const { return move_at_; }

 private:
  void scan_by(SteadyTime at);

  std::deque<GroupEntry*> groups_;
  std::optional<SteadyTime> scan_at_, move_at_;
};

}  // namespace ballot::core
