// GroupHandover: voluntary hand-overs of one group: to a preferred node, or to the one that the group's name chooses,
// so that leadership spreads. Handed over is by resigning with the target's name in the group's register; whoever is
// elected instead forwards the group before it leads. A hand-over that failed makes the next one wait: from a minute,
// doubled each time, to an hour.
//
//   the leader's          | event                                    | next
//   none                  | begin()                                  | target observed
//   target observed       | it takes part                            | its machine resigns, for it
//   target observed       | it does not, or the moment has passed    | none
//
//   who is elected        | event                                    | next
//   reading               | the register names another node          | target observed
//   target observed       | it takes part                            | forwarding: it resigns, and leads nothing
//   target observed       | it does not                              | reading: the term begins
//
// Pure; lives for one call; used by GroupMachine only.
#pragma once

#include <optional>
#include <string>

#include "core/group/group_state.hpp"

namespace ballot::core {

class GroupHandover {
 public:
  GroupHandover(GroupContext& g, GroupState& state) : g_(g), s_(state) {}

  // ---- of the leader
  bool may_begin() const;
  /// The group may be resigned, no run is open, and no slot is near; or one always was, ten times.
  bool is_quiet(bool may_resign);
  void begin(const std::string& session);
  /// Names the target in the register: the group is resigned next.
  void name_target(const std::string& node);

  // ---- of whoever is elected
  /// `stored`: the group's register. True: the target is being observed.
  bool considers_forwarding(const Register& stored);
  /// Leads nothing: the register stays as the term before has left it, but for the count. Resign next.
  void begin_forwarding();
  /// Settles the last hand-over as a term finds it that begins.
  void settle(const GroupRegister& before, GroupRegister& now) const;

 private:
  std::string why(const std::string& node) const;

  GroupContext& g_;
  GroupState& s_;
};

}  // namespace ballot::core
