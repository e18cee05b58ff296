#include "runner/run_table.hpp"

#include <algorithm>

namespace ballot::runner {

HeldRun& RunTable::add(const AttemptId& id, HeldRun made) {
  HeldRun& held = runs_.try_emplace(id, std::move(made)).first->second;
  const auto most = static_cast<std::size_t>(std::max(held.output, held.report));
  of_descriptor_.resize(std::max(of_descriptor_.size(), most + 1));
  for (const int fd : {held.output, held.report}) of_descriptor_[static_cast<std::size_t>(fd)] = &held;
  of_child_[held.attempt.pid()] = &held;
  ++live_;
  return held;
}

HeldRun* RunTable::find(const AttemptId& id) {
  const auto found = runs_.find(id);
  return found == runs_.end() ? nullptr : &found->second;
}

HeldRun* RunTable::of_descriptor(int fd) const {
  const auto at = static_cast<std::size_t>(fd);
  return at < of_descriptor_.size() ? of_descriptor_[at] : nullptr;
}

HeldRun* RunTable::take_child(pid_t pid) {
  const auto found = of_child_.find(pid);
  if (found == of_child_.end()) return nullptr;
  HeldRun* const held = found->second;
  of_child_.erase(found);
  return held;
}

void RunTable::wake_at(HeldRun& held, SteadyTime at) {
  if (at == held.wakes_at) return;
  wakes_.erase({held.wakes_at, &held});
  if (at != SteadyTime::max()) wakes_.emplace(at, &held);
  held.wakes_at = at;
}

HeldRun* RunTable::due(SteadyTime now) const { return next_wake() <= now ? wakes_.begin()->second : nullptr; }

void RunTable::retire(HeldRun& held) {
  for (const int fd : {held.output, held.report}) {
    HeldRun*& owner = of_descriptor_[static_cast<std::size_t>(fd)];
    if (owner == &held) owner = nullptr;
  }
  wakes_.erase({held.wakes_at, &held});
  of_child_.erase(held.attempt.pid());
  std::erase(lingering_, &held);
  --live_;
}

}  // namespace ballot::runner
