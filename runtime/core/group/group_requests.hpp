// GroupRequests: pause, resume, repair and evict of a whole group, as its leader does them. A pause or a repair is done
// once the group's register says so and the jobs do it; pauses and resumptions one after the other.
//
//   request | begins                                              | done
//   pause   | the register says paused                            | it is written, and no job may start anything
//   resume  | each job settles the slots of the pause             | they have; the register says so, and is written
//   (none)  | the same, once the pause's own end has come         | the same; nobody is answered
//   repair  | each job gets a new register, above all that were   | they have; the register is not halted any more,
//           |                                                     | and is written
//   evict   | the group drains, and is handed over by its machine | the term is over
//
// Pure; lives for one call; used by GroupMachine only.
#pragma once

#include "core/group/group_state.hpp"

namespace ballot::core {

/// A pause of all of the group, as its register has it; for audits. `until`: when it has ended.
void record_pause(Context& c, const std::string& group, const GroupRegister& paused, std::optional<WallTime> until);

/// When the group's pause ends by itself, where that is to come; none: it is past, and is being done, or there is none.
std::optional<WallTime> pause_end_after(WallTime now, const GroupRegister& stored);

/// The term is paused where the group's register says so.
void heed_pause(Term& term, const GroupRegister& stored);

class GroupRequests {
 public:
  GroupRequests(GroupContext& g, GroupState& state) : g_(g), s_(state), r_(state.requests) {}

  void begin(const Request& request);
  /// Answers what is done.
  void advance();

 private:
  void begin_eviction(const Request& request);
  bool waits_for_renewal() const;
  void begin_repair(const Request& request);
  void finish_repair();
  void begin_pause_or_resume();
  void begin_resumption(WallTime at);
  void set_paused(const Request& asked);
  void finish_resumption();
  bool is_over() const;
  Answer answer_to(Request::Kind kind) const;
  Answer repair_answer() const;

  GroupContext& g_;
  GroupState& s_;
  GroupState::Requests& r_;
};

}  // namespace ballot::core
