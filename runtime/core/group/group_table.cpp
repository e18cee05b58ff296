#include "core/group/group_table.hpp"

namespace ballot::core {

GroupState& GroupTable::entry(const std::string& name, const StoreGuard& guard) {
  const auto [place, added] = groups_.try_emplace(name);
  GroupState& group = place->second;
  if (!added) return group;
  group.name = group.settings.name = name;
  group.guard = GroupGuard(guard);
  return group;
}

GroupState* GroupTable::find(const std::string& name) {
  const auto it = groups_.find(name);
  return it == groups_.end() ? nullptr : &it->second;
}

const GroupState* GroupTable::find(const std::string& name) const {
  const auto it = groups_.find(name);
  return it == groups_.end() ? nullptr : &it->second;
}

const GroupState* GroupTable::led(const std::string& name) const {
  const GroupState* const group = find(name);
  return group && group->phase == GroupState::Phase::leading ? group : nullptr;
}

void GroupTable::mark_all_dirty() {
  for (auto& [name, group] : groups_) dirty_.insert(&group);
}

GroupState* GroupTable::next_dirty() {
  if (dirty_.empty()) return nullptr;
  GroupState* const next = *dirty_.begin();
  dirty_.erase(dirty_.begin());
  return next;
}

void GroupTable::rearm(GroupState& group, bool open) {
  std::optional<SteadyTime> wake;
  const auto look = open ? group.look_again : std::nullopt;  // else once there is a session
  for (const auto& at : {group.read_again, group.stored.read_at(), look, group.evict_kill, group.cool_until})
    if (at && (!wake || *at < *wake)) wake = at;
  if (wake == group.wake) return;
  if (group.wake) wakes_.erase({*group.wake, &group});
  if (wake) wakes_.insert({*wake, &group});
  group.wake = wake;
}

std::optional<SteadyTime> GroupTable::wake() const {
  return wakes_.empty() ? std::nullopt : std::optional(wakes_.begin()->first);
}

GroupState* GroupTable::due(SteadyTime now) const {
  return wakes_.empty() || wakes_.begin()->first > now ? nullptr : wakes_.begin()->second;
}

}  // namespace ballot::core
