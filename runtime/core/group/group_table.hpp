// GroupTable: the groups that this node knows, by name: which of them it leads, which are to be advanced at the end of
// the step, and when each wants to be woken. It knows nothing of what a group does.
//
//   GroupState& group = table.entry("nightly", guard);
//   table.mark_dirty(group);
//   while (GroupState* next = table.next_dirty()) ...
//
// Pure; used by Core only.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/group/group_state.hpp"
#include "core/store/store_guard.hpp"

namespace ballot::core {

class GroupTable {
 public:
  /// Becomes known, where it is not yet: what the store did before does not concern it.
  GroupState& entry(const std::string& name, const StoreGuard& guard);
  GroupState* find(const std::string& name);
  const GroupState* find(const std::string& name) const;
  /// Where this node leads it.
  const GroupState* led(const std::string& name) const;
  /// All of them, by name.
  std::map<std::string, GroupState>& all() { return groups_; }
  const std::map<std::string, GroupState>& all() const { return groups_; }

  /// Led, or being resigned.
  const std::set<GroupState*, ByName>& standing() const { return standing_; }
  void begin_standing(GroupState& group) { standing_.insert(&group); }
  void end_standing(GroupState& group) { standing_.erase(&group); }

  void mark_dirty(GroupState& group) { dirty_.insert(&group); }
  void mark_all_dirty();
  /// In order of their names; none: all are advanced.
  GroupState* next_dirty();

  /// After its times have changed. `open`: there is a session.
  void rearm(GroupState& group, bool open);
  std::optional<SteadyTime> wake() const;
  /// Whose time has come first; none: nobody's has.
  GroupState* due(SteadyTime now) const;

 private:
  std::map<std::string, GroupState> groups_;
  std::set<GroupState*, ByName> standing_, dirty_;
  std::set<std::pair<SteadyTime, GroupState*>, ByName> wakes_;
};

}  // namespace ballot::core
