#include "simulation/virtual_loop.hpp"

#include <algorithm>

namespace ballot::simulation {

VirtualLoop::Timer VirtualLoop::at(SteadyTime time, Owner owner, Task task) {
  const Key key{std::max(time, now_), ++sequence_};
  events_.emplace(key, Event{owner, std::move(task)});
  times_.emplace(key.second, key.first);
  return key.second;
}

void VirtualLoop::cancel(Timer timer) noexcept {
  const auto found = times_.find(timer);
  if (found == times_.end()) return;
  events_.erase({found->second, timer});
  times_.erase(found);
}

void VirtualLoop::drop(Owner owner) noexcept {
  if (owner == 0) return;
  for (auto event = events_.begin(); event != events_.end();) {
    if (event->second.owner != owner) {
      ++event;
      continue;
    }
    times_.erase(event->first.second);
    event = events_.erase(event);
  }
}

std::optional<SteadyTime> VirtualLoop::next_at() const noexcept {
  return events_.empty() ? std::nullopt : std::optional(events_.begin()->first.first);
}

bool VirtualLoop::run_next() {
  if (events_.empty()) return false;
  auto first = events_.extract(events_.begin());
  times_.erase(first.key().second);
  now_ = first.key().first;
  ++steps_;
  first.mapped().task();
  return true;
}

void VirtualLoop::run_until(SteadyTime time) {
  while (!events_.empty() && events_.begin()->first.first <= time) run_next();
  now_ = std::max(now_, time);
}

}  // namespace ballot::simulation
