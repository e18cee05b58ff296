// Upstream: whether a slot of a job may begin, by how the slots of the jobs that it comes `after` have ended.
//
// Of each parent its latest slot at or before the slot counts, by the parent's register as last confirmed: so any
// leader that reads the registers decides the same, and none needs to have seen the parent's run end.
//
//   the parent's latest slot                         | the slot
//   is not settled, runs, or is to be tried again    | waits
//   there is none yet                                | waits for the first one
//   has ended as `after_status` asks                 | begins, once all parents' have
//   has ended otherwise, was skipped or missed       | skipped: upstream
//   is not settled, and lies in a pause              | skipped: upstream
//   is settled, and nothing says how it had ended,   | skipped: upstream
//     as after more than eight later ones            |
//   the parent is not defined in the group           | missed: no_definition
//
// Of a chain that somebody has triggered (see chained.hpp) a parent that is part of it counts with its run of that
// trigger. Of another one the latest run counts, whatever it was begun for, and one that has had none is no success:
//
//   the parent's run of the trigger                  | the job's slot
//   goes on, or is to come                           | waits
//   has ended                                        | as above
//   the parent has none, and has not had a run yet   | skipped: upstream
//
// Pure; used by SlotFeed, JobClaims and JobMachine.
#pragma once

#include <string>
#include <vector>

#include "core/job/job_facts.hpp"

namespace ballot::core {

class JobMachine;

struct Upstream {
  enum class Verdict { begins, waits, ended_otherwise, undefined };
  Verdict verdict = Verdict::begins;
  const JobMachine* parent = nullptr;  // the first one for which it does not begin
  WallTime ended_at{};                 // when the last of them has, where it begins
  std::string runs;                    // of the parents' slots, with commas between
};

/// Of a slot of the job. Requires: its definition.
Upstream upstream_of(const Context& c, const JobFacts& job, WallTime slot);

/// Of a slot of a triggered chain. Requires: its definition.
Upstream upstream_of_chained(const Context& c, const JobFacts& job, const ChainedSlot& slot);

/// Where a job that has the slots of its first parent counts its `@every` from: as that one's register does. Null: that
/// is not known yet.
const JobRegister* phase_of_first(const Context& c, const JobFacts& job);

/// It has no schedule of its own: no slot of it is due before its first parent's has ended.
inline bool has_slots_of_first(const schedule::DefinitionPtr& definition) {
  return definition && definition->job.details->has_slots_of_first;
}

}  // namespace ballot::core
