// JobTable: the jobs that this node knows, by name and by their runs that this node follows, and when each wants to be
// woken. It knows nothing of groups.
//
//   JobEntry& job = table.entry("backup");
//   ... job.machine.advance(c); table.rearm(job);
//   for (JobEntry* due : table.due(now, 100)) ...
//
// Pure; used by Core only.
#pragma once

#include <absl/container/btree_set.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/job/job_machine.hpp"
#include "core/jobs/wake_heap.hpp"

namespace ballot::core {

struct GroupEntry;

/// Where only so many runs may go on: what few jobs have at a time.
struct Places {
  GroupEntry* waits_in = nullptr;    // for a place to begin a run,
  std::pair<int, WallTime> rank{};   // lowest first: less its priority, then when it is due
  int running = 0, own_running = 0;  // as counted
  bool operator==(const Places&) const = default;
};

/// A job with what Core keeps of it.
struct JobEntry {
  JobEntry(const std::string& name, std::size_t number) : machine(name), serial(static_cast<std::uint32_t>(number)) {}

  JobMachine machine;
  GroupEntry* owner = nullptr;       // whose leader may write its register
  GroupEntry* defined_in = nullptr;  // by its definition
  Defaulted<Places> places;
  OptionalTime<SteadyTime> release_asked{};        // of the leader of the group that still owns it
  std::uint32_t serial = 0;                        // in the order of becoming known: a step's order
  std::uint32_t wall_place = 0, steady_place = 0;  // where it is armed
  bool open = false;                               // has runs that have not ended, or may have
  bool waits = false;                              // has runs of which an attempt is to come
  bool throttled = false;                          // waits for others' writes to be answered
  bool ended_elsewhere = false;                    // its register shows how another node's run ended
};

struct BySerial {
  bool operator()(const JobEntry* a, const JobEntry* b) const { return a->serial < b->serial; }
};

/// In the order of names, by which one is found too.
struct ByJobName {
  using is_transparent = void;
  static std::string_view name_of(const std::unique_ptr<JobEntry>& job) { return job->machine.name(); }
  static std::string_view name_of(std::string_view name) { return name; }
  bool operator()(const auto& a, const auto& b) const { return name_of(a) < name_of(b); }
};

class JobTable {
 public:
  using All = absl::btree_set<std::unique_ptr<JobEntry>, ByJobName>;

  /// `node`: this one.
  explicit JobTable(std::string node = "") : node_(std::move(node)) {}

  /// Becomes known, where it is not yet.
  JobEntry& entry(const std::string& name);
  /// Takes the ledger's knowledge of jobs' registers, also of jobs that become known later.
  void recall(const std::vector<KnownRow>& rows);
  JobEntry* find(const std::string& name);
  const JobEntry* find(const std::string& name) const;
  /// All of them, by name.
  const All& all() const { return jobs_; }

  /// Events of this run are given to its job.
  void keep(const RunId& run, JobEntry& job) { by_run_[run] = &job; }
  void forget(const RunId& run) { by_run_.erase(run); }
  JobEntry* find(const RunId& run) const;

  /// After its machine has done something.
  void rearm(JobEntry& job);
  /// Jobs whose time has come, each once, in their order; of very many those that wait longest, `most` by either
  /// clock.
  std::vector<JobEntry*> due(Now now, std::size_t most) const;
  bool has_due(Now now) const;
  std::optional<WallTime> wall_wake() const { return wall_wakes_.first(); }
  std::optional<SteadyTime> steady_wake() const { return steady_wakes_.first(); }

  /// Jobs that are open.
  std::vector<JobEntry*> open() const { return {open_.begin(), open_.end()}; }
  /// Jobs with runs of which an attempt is to come.
  const std::set<JobEntry*, BySerial>& waiting() const { return waiting_; }
  /// Jobs whose registers show how a run ended that another node executed.
  const std::set<JobEntry*, BySerial>& ended_elsewhere() const { return ended_elsewhere_; }

 private:
  struct RunHash {
    std::size_t operator()(const RunId& id) const;
  };

  const std::string node_;
  All jobs_;
  std::unordered_map<std::string, Shown> recalled_;  // of jobs that are not known yet
  std::unordered_map<RunId, JobEntry*, RunHash> by_run_;
  WakeHeap<JobEntry, WallTime, &JobEntry::wall_place> wall_wakes_;
  WakeHeap<JobEntry, SteadyTime, &JobEntry::steady_place> steady_wakes_;
  std::set<JobEntry*, BySerial> open_, waiting_, ended_elsewhere_;
};

}  // namespace ballot::core
