#include "core/jobs/run_limits.hpp"

#include <utility>

namespace ballot::core {

void RunLimits::count(JobEntry& job) {
  const int running = job.machine.open_runs(), own = job.machine.own_runs();
  if (job.owner) job.owner->running += running - job.running;
  own_running_ += own - job.own_running;
  job.running = running;
  job.own_running = own;
}

void RunLimits::move(JobEntry& job, GroupEntry* before) {
  if (before) before->running -= job.running;
  if (job.owner) job.owner->running += job.running;
  leave(job);
}

void RunLimits::wait(JobEntry& job, int priority, WallTime due) {
  job.rank = {-priority, due};
  job.waits_in = job.owner;
  job.owner->waiters.insert(&job);
  groups_with_waiters_.insert(job.owner);
}

void RunLimits::leave(JobEntry& job) {
  GroupEntry* const group = std::exchange(job.waits_in, nullptr);
  if (!group) return;
  group->waiters.erase(&job);
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
