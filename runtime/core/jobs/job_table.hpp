// JobTable: the jobs that this node knows, by name and by their runs that this node follows, and when each wants to be
// woken. It knows nothing of groups.
//
//   JobEntry& job = table.entry("backup");
//   ... job.machine.advance(c); table.rearm(job);
//   for (JobEntry* due : table.due(now, 100)) ...
//
// Pure; used by Core only.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/job/job_machine.hpp"

namespace ballot::core {

struct GroupEntry;

/// A job with what Core keeps of it.
struct JobEntry {
  JobEntry(const std::string& name, std::size_t number) : machine(name), serial(number) {}

  JobMachine machine;
  std::size_t serial = 0;        // in the order of becoming known: a step's order
  std::optional<WallTime> wall;  // as armed
  std::optional<SteadyTime> steady;
  GroupEntry* owner = nullptr;                // whose leader may write its register
  GroupEntry* defined_in = nullptr;           // by its definition
  bool open = false;                          // has runs that have not ended, or may have
  bool throttled = false;                     // waits for others' writes to be answered
  GroupEntry* waits_in = nullptr;             // for a place to begin a run,
  std::tuple<int, WallTime> rank{};           // lowest first: less its priority, then when it is due
  int running = 0, own_running = 0;           // as counted
  std::optional<SteadyTime> release_asked{};  // of the leader of the group that still owns it
};

struct BySerial {
  bool operator()(const JobEntry* a, const JobEntry* b) const { return a->serial < b->serial; }
};

class JobTable {
 public:
  /// Becomes known, where it is not yet.
  JobEntry& entry(const std::string& name);
  JobEntry* find(const std::string& name);
  const JobEntry* find(const std::string& name) const;
  /// All of them, by name.
  const std::map<std::string, JobEntry>& all() const { return jobs_; }

  /// Events of this run are given to its job.
  void keep(const RunId& run, JobEntry& job) { by_run_[run] = &job; }
  void forget(const RunId& run) { by_run_.erase(run); }
  JobEntry* find(const RunId& run) const;

  /// After its machine has done something.
  void rearm(JobEntry& job);
  /// Those whose time has come, each once, in their order; of very many those that wait longest, `most` by either
  /// clock.
  std::vector<JobEntry*> due(Now now, std::size_t most) const;
  bool has_due(Now now) const;
  std::optional<WallTime> wall_wake() const;
  std::optional<SteadyTime> steady_wake() const;

  /// Those that are open.
  std::vector<JobEntry*> open() const { return {open_.begin(), open_.end()}; }

 private:
  struct RunHash {
    std::size_t operator()(const RunId& id) const;
  };

  std::map<std::string, JobEntry> jobs_;
  std::unordered_map<RunId, JobEntry*, RunHash> by_run_;
  std::set<std::tuple<WallTime, std::size_t, JobEntry*>> wall_wakes_;
  std::set<std::tuple<SteadyTime, std::size_t, JobEntry*>> steady_wakes_;
  std::set<JobEntry*, BySerial> open_;
};

}  // namespace ballot::core
