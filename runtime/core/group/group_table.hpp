// GroupTable: the groups that this node knows, by name: which of them it leads, which are to be advanced at the end of
// the step, and when each wants to be woken. It knows nothing of what a group does.
//
//   GroupEntry& group = table.entry("nightly", guard);
//   table.mark_dirty(group);
//   while (GroupEntry* next = table.next_dirty()) ...
//
// Pure; used by Core only.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/group/group_entry.hpp"
#include "core/store/store_guard.hpp"

namespace ballot::core {

class GroupTable {
 public:
  /// Becomes known, where it is not yet: what the store did before does not concern it, but for what is recalled.
  GroupEntry& entry(const std::string& name, const StoreGuard& guard);
  /// Takes the ledger's knowledge of groups, also of groups that become known later. After that of the store.
  void recall(const StoreGuard& guard, const std::vector<KnownRow>& rows);
  GroupEntry* find(const std::string& name);
  const GroupEntry* find(const std::string& name) const;
  /// Where this node leads it; null: it does not.
  const GroupEntry* leading(const std::string& name) const;
  GroupEntry* leading(const std::string& name);
  /// All of them, by name.
  std::map<std::string, GroupEntry>& all() { return groups_; }
  const std::map<std::string, GroupEntry>& all() const { return groups_; }

  /// Led, or being resigned.
  const std::set<GroupEntry*, ByName>& led() const { return led_; }
  /// After its machine has done something.
  void keep(GroupEntry& group);
  /// The same, and it is not to be advanced in this step: also its wake-up times. `open`: there is a session.
  void rearm(GroupEntry& group, bool open, WallTime now);

  void mark_dirty(GroupEntry& group) { dirty_.insert(&group); }
  void mark_all_dirty();
  /// In order of their names; none: all are advanced.
  GroupEntry* next_dirty();

  std::optional<SteadyTime> wake() const;
  std::optional<WallTime> wall_wake() const;
  /// Whose time has come first; none: nobody's has.
  GroupEntry* due(Now now) const;

 private:
  std::map<std::string, GroupEntry> groups_;
  std::map<std::string, KnownRow> recalled_;  // of those that are not known yet
  std::set<GroupEntry*, ByName> led_, dirty_;
  std::set<std::pair<SteadyTime, GroupEntry*>, ByName> wakes_;
  std::set<std::pair<WallTime, GroupEntry*>, ByName> wall_wakes_;
};

}  // namespace ballot::core
