// GroupState: what a GroupMachine and its two parts, GroupRequests and GroupHandover, know of one group; and what they
// may use in a step. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/group/register_writer.hpp"
#include "core/group/vacancy.hpp"
#include "core/job/job_context.hpp"
#include "core/request/request.hpp"
#include "core/store/store_client.hpp"
#include "core/store/store_guard.hpp"

namespace ballot::core {

class Jobs;
struct GroupEntry;
struct JobEntry;

inline constexpr Millis handback_wait{30'000};  // until runs are killed that keep a group from being handed back

/// What a group may use in a step.
struct GroupContext {
  Context& c;
  GroupEntry& entry;  // the group's own
  Jobs& jobs;
  StoreClient& store;
  const StoreGuard& guard;
  bool is_listed = false;    // all jobs' registers are, in this session: it may campaign
  bool knows_nodes = false;  // what the other nodes publish was listed in this session
  bool is_node_fit = true;   // to lead anything
  bool is_stopping = false;
  bool leaves_terms = false;  // to a restart
  bool is_dirty = false;      // set by the machine: it is to be advanced at the end of the step
};

/// Why a group is given away that this node leads or was elected for. The upper ones of these are not given up for a
/// lower one. Out: how long this node takes no part in the group's election afterwards, unless it is alone.
///
/// | handback   | while   | begins                                     | ends                                 | out |
/// | ---------- | ------- | ------------------------------------------ | ------------------------------------ | --- |
/// | evicted    | leading | an operator asks                           | with the term                        | 3 T |
/// | ineligible | leading | this node may not lead it any more         | with the term; or it may again       | -   |
/// | reelect    | leading | a run's policy, once nothing goes on       | with the term                        | 3 T |
/// | handover   | leading | another node should lead: is it there?     | with the term, for that node; or not | T   |
/// | forwarding | reading | it is handed over to another: is it there? | with the term, which leads nothing   | T   |
///
/// After the last two no longer than until that node leads.
enum class Handback { none, evicted, ineligible, reelect, handover, forwarding };

struct GroupState {
  enum class Phase { idle, candidate, reading, leading, resigning };

  /// Pause, resume, repair, evict of the whole group, under way.
  struct Requests {
    std::vector<Request> asked;
    bool repairs_later = false;    // a renewal of after the halt is to say first what else there is to repair
    std::uint64_t repairing = 0;   // the number of the repair under way; the register still says that it is halted
    std::string repaired_by;       // who asked for the last one,
    std::string repair_text;       // and what became of it
    std::optional<RunId> pausing;  // the pause or resumption among them that has begun;
    std::string pause_text;        // what whoever asked for the pause is told; "": no more than that it is done
    bool resuming = false;         // it, or the pause's own end, is to end a pause,
    WallTime resumed_at{};         // of the slots up to then
    int evictions_stored = 0;      // that the store still shows: the next leader is not meant
  };

  std::string name;
  std::string unfit;  // why this node may not lead it, as the store says
  Phase phase = Phase::idle;
  Term term;
  bool resumed = false;  // the same term, after a restart
  std::optional<WallTime> last_alive;
  GroupGuard guard;
  std::string logged_halt;          // the error that was logged
  SteadyTime halted_at{};           // in this term
  std::vector<Register> registers;  // as read, while something else is read or observed before the term begins
  GroupRegisterWriter stored;       // its register
  Requests requests;

  Handback handback = Handback::none;
  Cause resigned_for = Cause::none;      // while it is being resigned after it was led
  bool reelects = false;                 // a run's policy says so: reelect, once none of its runs goes on
  std::optional<SteadyTime> kill_at;     // when the runs that an eviction or an ineligible node waits for are killed
  std::optional<SteadyTime> cool_until;  // given away: no candidate before, unless there is no other

  Vacancy vacancy;  // while this node is a candidate

  std::string handover_session;  // of the node that it is handed over to, if that takes part,
  std::string handed_to;         // and its name, once it was
  int busy_times = 0;            // so often it was not, for what was going on

  std::optional<SteadyTime> deadline_sent;  // to the runner
  std::optional<SteadyTime> read_at;        // the registers, before the term begins
  std::optional<SteadyTime> observe_at;     // while it stays out: for other candidates

  /// Nothing new is claimed: it is resigned once its jobs are done.
  bool drains() const {
    return handback == Handback::evicted || handback == Handback::ineligible || handback == Handback::reelect;
  }
};

}  // namespace ballot::core
