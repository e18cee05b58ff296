#include "support/sim/sim_loop.hpp"

#include <algorithm>

namespace ballot {

Millis SimLoop::between(Millis low, Millis high) {
  if (high <= low) return low;
  return low + Millis(random_.below(static_cast<std::uint64_t>((high - low).count()) + 1));
}

bool SimLoop::chance(unsigned in_1000) {
  if (in_1000 == 0) return false;
  return in_1000 >= 1000 || random_.below(1000) < in_1000;
}

SimLoop::Timer SimLoop::at(SteadyTime time, Owner owner, Task task) {
  const Key key{std::max(time, now_), ++sequence_};
  events_.emplace(key, Event{owner, std::move(task)});
  times_.emplace(key.second, key.first);
  return key.second;
}

void SimLoop::cancel(Timer timer) noexcept {
  const auto found = times_.find(timer);
  if (found == times_.end()) return;
  events_.erase({found->second, timer});
  times_.erase(found);
}

void SimLoop::drop(Owner owner) noexcept {
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

bool SimLoop::run_next() {
  if (events_.empty()) return false;
  auto first = events_.extract(events_.begin());
  times_.erase(first.key().second);
  now_ = first.key().first;
  ++steps_;
  first.mapped().task();
  return true;
}

void SimLoop::run_until(SteadyTime time) {
  while (!events_.empty() && events_.begin()->first.first <= time) run_next();
  now_ = std::max(now_, time);
}

bool SimLoop::run_while_not(const std::function<bool()>& done, Millis limit) {
  const SteadyTime end = now_ + limit;
  while (!done()) {
    if (events_.empty() || events_.begin()->first.first > end) {
      now_ = std::max(now_, end);
      return done();
    }
    run_next();
  }
  return true;
}

}  // namespace ballot
