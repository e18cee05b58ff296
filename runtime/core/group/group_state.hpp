// GroupState: one election as this node takes part in it. Plain values; the moves are Core's.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/group/register_writer.hpp"
#include "core/jobs/job_table.hpp"
#include "core/node/peers.hpp"
#include "core/record/register.hpp"
#include "core/store/store_guard.hpp"

namespace ballot::core {

struct ByRank {
  bool operator()(const JobEntry* a, const JobEntry* b) const {
    return a->rank != b->rank ? a->rank < b->rank : a->serial < b->serial;
  }
};

struct GroupState {
  enum class Phase { idle, candidate, reading, leading, resigning };

  std::string name;
  Phase phase = Phase::idle;
  Group settings;
  bool configured = false;              // [group.NAME] stands in the files
  std::uint64_t digest = 0;             // of the jobs that the files define in it,
  int defined = 0;                      // so many
  std::vector<std::string> drift;       // nodes whose files define it otherwise
  std::set<JobEntry*, BySerial> jobs;   // that it owns or that its files define
  std::set<JobEntry*, ByRank> waiters;  // for a place
  int running = 0;                      // its runs, wherever they are

  Term term;
  bool resumed = false;
  std::optional<WallTime> last_alive;
  GroupGuard guard;
  std::string told_halt;            // the error that was logged
  std::vector<Register> registers;  // as read, while outcomes of their open runs are asked for

  GroupRegisterWriter stored;  // its register

  std::vector<Request> asked;    // pause, resume, repair, evict of the group, under way
  std::uint64_t repairing = 0;   // the number of the repair under way; its register still says that it is halted
  std::string repaired_by;       // who asked for the last one,
  std::string repair_text;       // and what became of it
  std::optional<RunId> pausing;  // the pause or resumption among them that has begun;
  bool resuming = false;         // it is to end a pause
  bool evicting = false;
  int evictions_stored = 0;  // requests to be evicted that the store still holds: the next leader is not meant
  bool reelects = false;     // is resigned as soon as none of its runs goes on,
  bool reelecting = false;   // and now is
  bool yielding = false;     // hands over as soon as its runs allow: this node may not lead it
  std::optional<SteadyTime> evict_kill;  // when the runs that an eviction or yielding waits for are killed
  std::optional<SteadyTime> cool_until;  // evicted: not a candidate before, unless there is no other

  std::string hands_to;         // a session: handed over to it if it takes part
  int busy_looks = 0;           // so often it was not, for what was going on
  bool weighs_passing = false;  // elected, and looks whether the one is there to whom the group is handed over
  bool passing = false;         // it was: this term leads nothing

  std::optional<SteadyTime> told;  // the deadline that the runner was told last
  std::optional<SteadyTime> read_again, look_again;
  std::optional<SteadyTime> wake;  // as armed

  /// Of all that the files say of it; 0: nothing.
  std::uint64_t content() const {
    if (!configured && defined == 0) return 0;
    return std::max<std::uint64_t>(1, digest ^ (configured ? settings_digest(settings) : 0));
  }
  bool is_wanted() const { return configured || !jobs.empty(); }
  bool has_place() const { return settings.max_running == 0 || running < settings.max_running; }
  bool hands_back() const { return evicting || yielding || reelecting; }
  bool stands() const { return phase == Phase::leading || phase == Phase::resigning; }
};

/// A step's order must not hang on where memory was.
struct ByName {
  bool operator()(const GroupState* a, const GroupState* b) const { return a->name < b->name; }
  bool operator()(const std::pair<SteadyTime, GroupState*>& a, const std::pair<SteadyTime, GroupState*>& b) const {
    return a.first != b.first ? a.first < b.first : a.second->name < b.second->name;
  }
};

}  // namespace ballot::core
