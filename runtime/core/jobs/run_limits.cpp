#include "core/jobs/run_limits.hpp"

#include <utility>

namespace ballot::core {

void RunLimits::count(JobEntry& job) {
  const int running = job.machine.open_runs(), own = job.machine.own_runs();
  if (running == job.places->running && own == job.places->own_running) return;
  if (job.owner) {
    job.owner->running += running - job.places->running;
    review(*job.owner);
  }
  own_running_ += own - job.places->own_running;
  job.places.edit().running = running;
  job.places.edit().own_running = own;
  job.places.tidy();
}

void RunLimits::move(JobEntry& job, GroupEntry* before) {
  leave(job);
  if (before) {
    before->running -= job.places->running;
    review(*before);
  }
  if (job.owner) {
    job.owner->running += job.places->running;
    review(*job.owner);
  }
}

void RunLimits::review(GroupEntry& group) {
  if (!group.waiters.empty() && group.has_place())
    open_groups_.insert(&group);
  else
    open_groups_.erase(&group);
}

void RunLimits::wait(JobEntry& job, int priority, WallTime waits_since) {
  job.places.edit().rank = {-priority, waits_since};
  job.places.edit().waits_in = job.owner;
  job.owner->waiters.insert(&job);
  review(*job.owner);
}

void RunLimits::leave(JobEntry& job) {
  GroupEntry* const group = job.places->waits_in;
  if (!group) return;
  group->waiters.erase(&job);
  job.places.edit().waits_in = nullptr;
  job.places.edit().rank = {};
  job.places.tidy();
  review(*group);
}

JobEntry* RunLimits::next(int unknown) const {
  JobEntry* next = nullptr;
  if (limits_node() && own_running_ + unknown >= most_) return next;
  for (const GroupEntry* group : open_groups_)
    if (JobEntry* first = *group->waiters.begin(); !next || ByRank()(first, next)) next = first;
  return next;
}

}  // namespace ballot::core
