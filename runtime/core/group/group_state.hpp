// GroupState: what a GroupMachine and its two parts, GroupRequests and GroupHandover, know of one group; and what they
// may use in a step. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/group/register_writer.hpp"
#include "core/job/job_context.hpp"
#include "core/request/request.hpp"
#include "core/store/store_client.hpp"
#include "core/store/store_guard.hpp"

namespace ballot::core {

class Jobs;
struct GroupEntry;
struct JobEntry;

inline constexpr Millis handback_wait{30'000};  // for runs that hold a group to be handed back, until they are killed

/// What a group may use in a step.
struct GroupContext {
  Context& c;
  GroupEntry& entry;  // the group's own
  Jobs& jobs;
  StoreClient& store;
  const StoreGuard& guard;
  bool is_listed = false;   // all jobs' registers are, in this session: it may campaign
  bool is_node_fit = true;  // to lead anything
  bool is_stopping = false;
  bool leaves_terms = false;  // to a restart
  bool is_dirty = false;      // set by the machine: it is to be advanced at the end of the step
};

struct GroupState {
  enum class Phase { idle, candidate, reading, leading, resigning };

  /// Pause, resume, repair, evict of the whole group, under way.
  struct Requests {
    std::vector<Request> asked;
    std::uint64_t repairing = 0;   // the number of the repair under way; the register still says that it is halted
    std::string repaired_by;       // who asked for the last one,
    std::string repair_text;       // and what became of it
    std::optional<RunId> pausing;  // the pause or resumption among them that has begun;
    bool resuming = false;         // it is to end a pause
    int evictions_stored = 0;      // that the store still shows: the next leader is not meant
  };

  std::string name;
  Phase phase = Phase::idle;
  Term term;
  bool resumed = false;  // the same term, after a restart
  std::optional<WallTime> last_alive;
  GroupGuard guard;
  std::string logged_halt;          // the error that was logged
  std::vector<Register> registers;  // as read, while something else is read or observed before the term begins
  GroupRegisterWriter stored;       // its register
  Requests requests;

  bool evicting = false;
  bool reelects = false;                 // is resigned as soon as none of its runs goes on,
  bool reelecting = false;               // and now is
  bool yielding = false;                 // hands over as soon as its runs allow: this node may not lead it
  std::optional<SteadyTime> kill_at;     // when the runs that an eviction or yielding waits for are killed
  std::optional<SteadyTime> cool_until;  // evicted: not a candidate before, unless there is no other

  std::string hands_to;         // a session: handed over to it if it takes part
  int busy_times = 0;           // so often it was not, for what was going on
  bool weighs_passing = false;  // elected; whether the one to whom it is handed over takes part is being observed
  bool passing = false;         // it does: this term leads nothing

  std::optional<SteadyTime> deadline_sent;  // to the runner
  std::optional<SteadyTime> read_at;        // the registers, before the term begins
  std::optional<SteadyTime> observe_at;     // while it stays out: for other candidates

  bool hands_back() const { return evicting || yielding || reelecting; }
};

}  // namespace ballot::core
