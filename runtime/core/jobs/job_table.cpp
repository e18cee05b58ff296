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

std::vector<JobEntry*> JobTable::due(Now now, std::size_t most) const {
  std::vector<JobEntry*> due;
  const auto take = [&due, most](const auto& wakes, auto until) {
    std::size_t left = most;
    for (auto it = wakes.begin(); left > 0 && it != wakes.end() && std::get<0>(*it) <= until; ++it, --left)
      due.push_back(std::get<2>(*it));
  };
  take(wall_wakes_, now.wall);
  take(steady_wakes_, now.steady);
  std::sort(due.begin(), due.end(), BySerial());
  due.erase(std::unique(due.begin(), due.end()), due.end());
  return due;
}

bool JobTable::has_due(Now now) const {
  const auto wall = wall_wake();
  const auto steady = steady_wake();
  return (wall && *wall <= now.wall) || (steady && *steady <= now.steady);
}

std::optional<WallTime> JobTable::wall_wake() const {
  return wall_wakes_.empty() ? std::nullopt : std::optional(std::get<0>(*wall_wakes_.begin()));
}

std::optional<SteadyTime> JobTable::steady_wake() const {
  return steady_wakes_.empty() ? std::nullopt : std::optional(std::get<0>(*steady_wakes_.begin()));
}

}  // namespace ballot::core
