#include "core/group/group_table.hpp"

namespace ballot::core {

GroupEntry& GroupTable::entry(const std::string& name, const StoreGuard& guard) {
  const auto [it, is_new] = groups_.try_emplace(name, name, GroupGuard(guard));
  if (!is_new || recalled_.empty()) return it->second;
  if (const auto known = recalled_.extract(name)) it->second.machine.recall(guard, &known.mapped());
  return it->second;
}

void GroupTable::recall(const StoreGuard& guard, const std::vector<KnownRow>& rows) {
  for (const KnownRow& row : rows)
    if (row.of == KnownRow::Of::group) recalled_.emplace(row.name, row);
  for (auto& [name, group] : groups_) {
    const auto known = recalled_.extract(name);
    group.machine.recall(guard, known ? &known.mapped() : nullptr);
  }
}

GroupEntry* GroupTable::find(const std::string& name) {
  const auto it = groups_.find(name);
  return it == groups_.end() ? nullptr : &it->second;
}

const GroupEntry* GroupTable::find(const std::string& name) const {
  const auto it = groups_.find(name);
  return it == groups_.end() ? nullptr : &it->second;
}

const GroupEntry* GroupTable::leading(const std::string& name) const {
  const GroupEntry* const group = find(name);
  return group && group->machine.leads() ? group : nullptr;
}

GroupEntry* GroupTable::leading(const std::string& name) {
  GroupEntry* const group = find(name);
  return group && group->machine.leads() ? group : nullptr;
}

void GroupTable::mark_all_dirty() {
  for (auto& [name, group] : groups_) dirty_.insert(&group);
}

GroupEntry* GroupTable::next_dirty() {
  if (dirty_.empty()) return nullptr;
  GroupEntry* const next = *dirty_.begin();
  dirty_.erase(dirty_.begin());
  return next;
}

void GroupTable::keep(GroupEntry& group) {
  group.machine.is_led() ? void(led_.insert(&group)) : void(led_.erase(&group));
}

void GroupTable::rearm(GroupEntry& group, bool open, WallTime now) {
  const auto arm = [&](auto& wakes, auto& armed, const auto& wake) {
    if (wake == armed) return;
    if (armed) wakes.erase({*armed, &group});
    if (wake) wakes.insert({*wake, &group});
    armed = wake;
  };
  arm(wakes_, group.wake, group.machine.wake(open));
  arm(wall_wakes_, group.wall_wake, group.machine.wall_wake(now));
}

std::optional<SteadyTime> GroupTable::wake() const {
  return wakes_.empty() ? std::nullopt : std::optional(wakes_.begin()->first);
}

std::optional<WallTime> GroupTable::wall_wake() const {
  return wall_wakes_.empty() ? std::nullopt : std::optional(wall_wakes_.begin()->first);
}

GroupEntry* GroupTable::due(Now now) const {
  if (!wakes_.empty() && wakes_.begin()->first <= now.steady) return wakes_.begin()->second;
  return wall_wakes_.empty() || wall_wakes_.begin()->first > now.wall ? nullptr : wall_wakes_.begin()->second;
}

}  // namespace ballot::core
