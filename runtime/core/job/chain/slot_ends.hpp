// What a job's register keeps of how its slots have ended, for the jobs that come `after` it: see SlotEnd. Of two that
// follow each other the earlier one goes once no child has a slot between them that it has not settled; the last one
// stays. A child that does not settle its slots keeps its parent's, which waits for no child: where there are more than
// may be kept the earliest goes, and the child's slot of it is `skipped: upstream`.
//
// Pure; used by JobWrites.
#pragma once

#include "core/job/job_facts.hpp"
#include "core/job/register/pending_write.hpp"
#include "core/job/runs/run_list.hpp"

namespace ballot::core {

/// The write settles slots, or closes runs: their ends are kept in it, where a job comes after this one.
void keep_slot_ends(const Context& c, const JobFacts& job, PendingWrite& write, const RunList& runs);

}  // namespace ballot::core
