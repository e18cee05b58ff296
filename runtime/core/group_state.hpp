// GroupState: one election as this node takes part in it. Plain values; the moves are Core's.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/job.hpp"
#include "core/register.hpp"

namespace ballot::core {

struct GroupState;

/// A job with what Core keeps of it.
struct JobEntry {
  JobEntry(const std::string& name, std::size_t number) : machine(name), serial(number) {}

  JobMachine machine;
  std::size_t serial = 0;        // in the order of becoming known: a step's order
  std::optional<WallTime> wall;  // as armed
  std::optional<SteadyTime> steady;
  GroupState* owner = nullptr;       // whose leader may write its register
  GroupState* defined_in = nullptr;  // by its definition
  bool open = false;                 // has runs that have not ended
  bool held = false;                 // waits for others' writes to be answered
};

struct BySerial {
  bool operator()(const JobEntry* a, const JobEntry* b) const { return a->serial < b->serial; }
};

struct GroupState {
  enum class Phase { idle, candidate, reading, leading, resigning };

  std::string name;
  Phase phase = Phase::idle;
  Group settings;
  bool configured = false;             // [group.NAME] stands in the files
  std::set<JobEntry*, BySerial> jobs;  // that it owns or that its files define

  Term term;
  bool resumed = false;
  std::optional<WallTime> last_alive;
  std::uint64_t highest_epoch = 0;  // of all that was seen
  std::vector<Register> registers;  // as read, while outcomes of their open runs are asked for

  GroupRegister stored;
  std::uint64_t version = 0;
  bool changed = false, writing = false;  // `stored` is to be written; it is on its way

  std::vector<Request> asked;  // pause, resume, repair, evict of the group, under way
  bool evicting = false;
  int evictions_stored = 0;  // requests to be evicted that the store still holds: the next leader is not meant
  std::optional<SteadyTime> evict_kill;  // when the runs that an eviction waits for are killed
  std::optional<SteadyTime> cool_until;  // evicted: not a candidate before, unless there is no other

  std::optional<SteadyTime> told;  // the deadline that the runner was told last
  std::optional<SteadyTime> read_again, write_again, look_again;
  std::optional<SteadyTime> wake;  // as armed

  bool is_wanted() const { return configured || !jobs.empty(); }
  bool stands() const { return phase == Phase::leading || phase == Phase::resigning; }
};

}  // namespace ballot::core
