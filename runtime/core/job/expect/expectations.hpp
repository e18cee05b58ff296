// Expectations: what a job's file expects of its runs and of the job, and when somebody is to be told that it is not
// so: each once.
//
//   expected        | noticed                                       | told
//   late_after      | as the claim of a slot that came later        | once a slot
//   expect_within   | as an attempt goes on for longer, or has      | once a run
//   expect_success  | as no run has succeeded for so long           | once, until one does
//
// What is noticed is written into the job's register first, and told once that write is confirmed: whoever leads next
// neither repeats nor forgets it. A run goes by what its claim expects; that it goes on is for certain where it is this
// node's, or another one's that is known to have it still. How long it takes is counted by the boot clock where this
// node has seen it begin.
//
// Pure. Knows nothing of who is told, and how (io/notify); used by JobMachine and its parts.
#pragma once

#include <optional>

#include "core/job/job_facts.hpp"
#include "core/job/register/pending_write.hpp"
#include "core/job/runs/run_list.hpp"

namespace ballot::core {

/// An attempt is claimed: what its job expects of it from now on. `beside`: the register that is to show it; where that
/// has no room for more than a release before this one reads, nothing is expected, and the log says so.
void expect(Context& c, OpenRun& run, const Job& job, const JobRegister& beside);
/// A slot that was due then begins later than its job expects.
bool begins_late(const schedule::DefinitionPtr& definition, WallTime due, WallTime now);

/// Counts from now on how long the attempt still may take, where that is expected and not counted yet.
void count_time(LiveRun& run, const Now& now);
/// Something is to be written, so that it can be told.
bool is_to_notice(const Context& c, const JobFacts& job, const RunList& runs);
/// When something is, if nothing happens before; none: never, or now.
std::optional<SteadyTime> slow_wake(const RunList& runs, SteadyTime now);
std::optional<WallTime> overdue_wake(const Context& c, const JobFacts& job);

/// The register says what is to be noticed by then; and, where a pause is over, from when on success is expected again.
void note_expectations(const Context& c, const JobFacts& job, PendingWrite& write, const RunList& runs,
                       std::optional<WallTime> resumed_at);
/// The write is in the store. `job.stored` is what was there before.
void tell_expectations(Context& c, const JobFacts& job, const PendingWrite& write, const RunList& runs);

/// Pauses end with a write that says from when on success is expected again: it is not in the register yet.
bool is_to_expect_from(const JobRegister& stored, WallTime resumed_at);

/// When the job is overdue by its definition and its register; none: never, as nothing is expected of it, or no day on
/// which it may run is near.
std::optional<WallTime> overdue_at(const schedule::Definition& definition, const JobRegister& stored);

}  // namespace ballot::core
