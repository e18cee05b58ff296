// Chained slots: what a trigger of a job begins of the jobs that come `after` it, decided by their registers alone, so
// that any leader that reads them decides the same.
//
//   a job's register | event                                                   | next
//   has none of it   | it is triggered, and not alone                          | its run goes on (`first`)
//   has none of it   | one that it comes after has it: upstream_of_chained()   | its run goes on, or it is decided
//                    |                                                         | that there is none (`next`)
//   its run goes on  | the run is closed                                       | ended
//   ended            | all jobs after it have it, and none that it comes after | none of it
//   any              | the register is released: no file defines the job       | ended, as missed
//   ended, released  | a file defines the job, and none before it has the slot | none of it
//
// A job takes the slot once: the write that claims its run, or says that there is none, is the one that brings the line
// into its register. The line leaves registers from the first job on, as no job that it comes after has it by then.
//
// Pure; used by JobWrites, JobClaims and JobMachine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/job/job_facts.hpp"
#include "core/job/register/pending_write.hpp"
#include "core/job/runs/run_list.hpp"

namespace ballot::core {

/// The trigger is one of the jobs that come after it too.
bool begins_chain(const Context& c, const JobFacts& job, const Request& request);
/// The register has room for one more such trigger. What keeps the others: the first job after it that has not taken
/// one of them up; "" where there is room.
std::string keeper_of_chain(const Context& c, const JobFacts& job);

/// Slots that the job is to take up, by slot. Where the chain moves to another group, a parent that has not moved yet
/// has slots of the group before: that one's leader has decided on those of the job.
std::vector<ChainedSlot> to_take_up(const Context& c, const JobFacts& job);

/// A parent that shows the slot was repaired since: its register may be one of before, and the job may have taken the
/// slot up, ended its run and forgotten it.
bool is_brought_up_again(const Context& c, const std::string& job, const ChainedSlot& slot);

/// The write closes runs, whose ends are kept; what no job can need any more goes.
void keep_chained(const Context& c, const JobFacts& job, PendingWrite& write, const RunList& runs);
/// A write would change what the register has of them.
bool is_chained_stale(const Context& c, const JobFacts& job);

}  // namespace ballot::core
