// GroupEntry: a group with what Core keeps of it: what the files say of it, the jobs that concern it, and its machine.
// Plain values.
#pragma once

#include <absl/container/btree_set.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/group/group_machine.hpp"
#include "core/jobs/job_table.hpp"
#include "core/node/peers.hpp"

namespace ballot::core {

struct ByRank {
  bool operator()(const JobEntry* a, const JobEntry* b) const {
    const auto& rank = a->places->rank;
    return rank != b->places->rank ? rank < b->places->rank : a->serial < b->serial;
  }
};

struct GroupEntry {
  GroupEntry(const std::string& name, GroupGuard guard) : machine(name, std::move(guard)) { settings.name = name; }

  GroupMachine machine;
  Group settings;
  bool configured = false;                    // the files have a table [group.NAME]
  std::uint64_t digest = 0;                   // of the jobs that the files define in it,
  int defined = 0;                            // so many, with instances of this node, which are in a group of their own
  std::vector<std::string> drift;             // nodes whose files define it otherwise
  absl::btree_set<JobEntry*, BySerial> jobs;  // that it owns or that its files define
  std::set<JobEntry*, ByRank> waiters;        // for a place
  int running = 0;                            // its runs, wherever they are
  std::optional<SteadyTime> wake;             // as armed
  std::optional<WallTime> wall_wake;          // the same

  const std::string& name() const { return settings.name; }
  /// Of all that the files say of it; 0: nothing.
  std::uint64_t content() const { return content_of(digest, defined); }
  /// The same of files without one of its jobs; `job`: its job_digest().
  std::uint64_t content_without(std::uint64_t job) const { return content_of(digest ^ job, defined - 1); }
  /// The files name it, or a register is left in it that no file of it defines.
  bool is_wanted() const { return configured || defined > 0 || !jobs.empty(); }
  bool has_place() const { return settings.max_running == 0 || running < settings.max_running; }

 private:
  std::uint64_t content_of(std::uint64_t jobs_digest, int job_count) const {
    if (!configured && job_count == 0) return 0;
    return std::max<std::uint64_t>(1, jobs_digest ^ (configured ? settings_digest(settings) : 0));
  }
};

/// A step's order must not hang on where memory was.
struct ByName {
  bool operator()(const GroupEntry* a, const GroupEntry* b) const { return a->name() < b->name(); }
  template <class Time>
  bool operator()(const std::pair<Time, GroupEntry*>& a, const std::pair<Time, GroupEntry*>& b) const {
    return a.first != b.first ? a.first < b.first : a.second->name() < b.second->name();
  }
};

}  // namespace ballot::core
