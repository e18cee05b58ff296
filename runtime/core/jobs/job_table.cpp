#include "core/jobs/job_table.hpp"

#include <algorithm>
#include <utility>

namespace ballot::core {

/// The last eight bytes are random: a run's time says little.
std::size_t JobTable::RunHash::operator()(const RunId& id) const {
  std::size_t hash = 0;
  for (std::size_t i = 8; i < 16; ++i) hash = hash << 8 | id.bytes[i];
  return hash;
}

JobEntry& JobTable::entry(const std::string& name) {
  const auto it = jobs_.lower_bound(std::string_view(name));
  if (it != jobs_.end() && (*it)->machine.name() == name) return **it;
  JobEntry& added = **jobs_.insert(it, std::make_unique<JobEntry>(name, jobs_.size()));
  if (!recalled_.empty())
    if (const auto known = recalled_.extract(name)) added.machine.recall(known.mapped());
  return added;
}

void JobTable::recall(const std::vector<KnownRow>& rows) {
  for (const KnownRow& row : rows) {
    if (row.of != KnownRow::Of::job) continue;
    const Shown known{row.repair, 0, row.count};
    if (JobEntry* job = find(row.name))
      job->machine.recall(known);
    else
      recalled_.emplace(row.name, known);
  }
}

JobEntry* JobTable::find(const std::string& name) { return const_cast<JobEntry*>(std::as_const(*this).find(name)); }

const JobEntry* JobTable::find(const std::string& name) const {
  const auto it = jobs_.find(std::string_view(name));
  return it == jobs_.end() ? nullptr : it->get();
}

JobEntry* JobTable::find(const RunId& run) const {
  const auto it = by_run_.find(run);
  return it == by_run_.end() ? nullptr : it->second;
}

void JobTable::rearm(JobEntry& job) {
  wall_wakes_.set(job, job.machine.wall_wake);
  steady_wakes_.set(job, job.machine.steady_wake);
  const bool open = job.machine.has_runs();
  if (open != std::exchange(job.open, open)) open ? void(open_.insert(&job)) : void(open_.erase(&job));
  const std::span<const LiveRun> runs = job.machine.runs();
  const bool waits = std::any_of(runs.begin(), runs.end(), [](const LiveRun& run) { return run.is_waiting(); });
  if (waits != std::exchange(job.waits, waits)) waits ? void(waiting_.insert(&job)) : void(waiting_.erase(&job));
  const JobRegister* const known = job.machine.known_register();
  const bool elsewhere = known && known->last_end->run && *known->last_end->node != node_;
  if (elsewhere == std::exchange(job.ended_elsewhere, elsewhere)) return;
  elsewhere ? void(ended_elsewhere_.insert(&job)) : void(ended_elsewhere_.erase(&job));
}

std::vector<JobEntry*> JobTable::due(Now now, std::size_t most) const {
  std::vector<JobEntry*> due = wall_wakes_.due(now.wall, most);
  const std::vector<JobEntry*> steady = steady_wakes_.due(now.steady, most);
  due.insert(due.end(), steady.begin(), steady.end());
  std::sort(due.begin(), due.end(), BySerial());
  due.erase(std::unique(due.begin(), due.end()), due.end());
  return due;
}

bool JobTable::has_due(Now now) const {
  const auto wall = wall_wake();
  const auto steady = steady_wake();
  return (wall && *wall <= now.wall) || (steady && *steady <= now.steady);
}

}  // namespace ballot::core
