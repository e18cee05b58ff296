#include "core/jobs/run_limits.hpp"

#include <utility>

namespace ballot::core {

void RunLimits::count(JobEntry& job) {
  const int running = job.machine.open_runs(), own = job.machine.own_runs();
  if (running == job.places->running && own == job.places->own_running) return;
  if (job.owner) job.owner->running += running - job.places->running;
  own_running_ += own - job.places->own_running;
  job.places.edit().running = running;
  job.places.edit().own_running = own;
  job.places.tidy();
}

void RunLimits::move(JobEntry& job, GroupEntry* before) {
  if (before) before->running -= job.places->running;
  if (job.owner) job.owner->running += job.places->running;
  leave(job);
}

void RunLimits::wait(JobEntry& job, int priority, WallTime due) {
  job.places.edit().rank = {-priority, due};
  job.places.edit().waits_in = job.owner;
  job.owner->waiters.insert(&job);
  groups_with_waiters_.insert(job.owner);
}

void RunLimits::leave(JobEntry& job) {
  GroupEntry* const group = job.places->waits_in;
  if (!group) return;
  group->waiters.erase(&job);
  job.places.edit().waits_in = nullptr;
  job.places.edit().rank = {};
  job.places.tidy();
  if (group->waiters.empty()) groups_with_waiters_.erase(group);
}

JobEntry* RunLimits::next() const {
  JobEntry* next = nullptr;
  if (limits_node() && own_running_ >= most_) return next;
  for (const GroupEntry* group : groups_with_waiters_)
    if (JobEntry* first = *group->waiters.begin(); group->has_place() && (!next || ByRank()(first, next))) next = first;
  return next;
}

}  // namespace ballot::core
