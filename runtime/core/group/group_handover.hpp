// GroupHandover: voluntary hand-overs of one group: to a preferred node, or to the one that the group's name chooses,
// so that leadership spreads. Handed over is by resigning with the target's name in the group's register; whoever is
// elected instead forwards the group before it leads. Each of them stays out of the election until the target leads:
// a store that elects in an order of names would choose them again and again. A hand-over that failed makes the next
// one wait: from a minute, doubled each time, to an hour.
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
#include <vector>

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
  /// Names the target in the register, if it is among those and the moment is still right: resign next.
  bool names_target(const std::vector<Candidate>& candidates);

  // ---- of whoever is elected
  /// `stored`: the group's register. True: the target is being observed.
  bool considers_forwarding(const Register& stored);
  /// Leads nothing: the register stays as the term before has left it, but for the count. Resign next.
  void begin_forwarding();

  // ---- of whoever has given it away
  /// Takes no part in the election for now.
  void stay_out(Handback given_away);
  /// This node stays out for longer: the target takes part, and does not lead yet; after an eviction: another node
  /// takes part.
  bool waits_for_others(const std::vector<Candidate>& candidates) const;

  // ---- of a term that begins
  /// Settles the last hand-over as a term finds it that begins.
  void settle(const GroupRegister& before, GroupRegister& now) const;

 private:
  std::string why(const std::string& node) const;

  GroupContext& g_;
  GroupState& s_;
};

}  // namespace ballot::core
