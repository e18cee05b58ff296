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
  const auto it = jobs_.find(name);
  if (it != jobs_.end()) return it->second;
  return jobs_.try_emplace(name, JobEntry(name, jobs_.size())).first->second;
}

JobEntry* JobTable::find(const std::string& name) {
  const auto it = jobs_.find(name);
  return it == jobs_.end() ? nullptr : &it->second;
}

const JobEntry* JobTable::find(const std::string& name) const {
  const auto it = jobs_.find(name);
  return it == jobs_.end() ? nullptr : &it->second;
}

JobEntry* JobTable::find(const RunId& run) const {
  const auto it = by_run_.find(run);
  return it == by_run_.end() ? nullptr : it->second;
}

void JobTable::rearm(JobEntry& job) {
  const auto keep = [&](auto& wakes, auto& armed, const auto& wanted) {
    if (armed == wanted) return;
    if (armed) wakes.erase({*armed, job.serial, &job});
    if (wanted) wakes.insert({*wanted, job.serial, &job});
    armed = wanted;
  };
  keep(wall_wakes_, job.wall, job.machine.wall_wake);
  keep(steady_wakes_, job.steady, job.machine.steady_wake);
  const bool open = job.machine.has_runs();
  if (open != std::exchange(job.open, open)) open ? void(open_.insert(&job)) : void(open_.erase(&job));
}

std::vector<JobEntry*> JobTable::due(Now now) const {
  std::vector<JobEntry*> due;
  for (auto it = wall_wakes_.begin(); it != wall_wakes_.end() && std::get<0>(*it) <= now.wall; ++it)
    due.push_back(std::get<2>(*it));
  for (auto it = steady_wakes_.begin(); it != steady_wakes_.end() && std::get<0>(*it) <= now.steady; ++it)
    due.push_back(std::get<2>(*it));
  std::sort(due.begin(), due.end(), BySerial());
  due.erase(std::unique(due.begin(), due.end()), due.end());
  return due;
}

std::optional<WallTime> JobTable::wall_wake() const {
  return wall_wakes_.empty() ? std::nullopt : std::optional(std::get<0>(*wall_wakes_.begin()));
}

std::optional<SteadyTime> JobTable::steady_wake() const {
  return steady_wakes_.empty() ? std::nullopt : std::optional(std::get<0>(*steady_wakes_.begin()));
}

}  // namespace ballot::core
