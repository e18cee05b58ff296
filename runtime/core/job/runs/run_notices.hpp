// Reports of a job: log lines, and the events for which people want mails, hooks and pings.
//
// Notified is as a run starts; when the write that closes its last attempt is in the store; when a write that
// settles slots as missed does. Only then is it certain, and only whoever wrote it knows: so it is reported once,
// whoever executed the run. A write that landed in a term's last moments, and whose answer was lost, is reported by
// nobody.
//
// Pure. Knows nothing of who is notified, and how (io/notify); used by JobMachine and its parts.
#pragma once

#include "core/job/job_facts.hpp"
#include "core/job/register/pending_write.hpp"
#include "core/job/runs/live_run.hpp"
#include "core/job/runs/run_list.hpp"

namespace ballot::core {

Notice run_notice(Level level, std::string text, const LiveRun& run);
Notice end_notice(const LiveRun& run);
/// "cannot start: exec /usr/bin/backup: No such file or directory".
std::string why_not_started(const LiveRun& run, const runner::CannotStart& event);
Notice settled_notice(const Disposition& range, const std::string& job);

/// Why a run that was asked for by hand is not begun: for whoever asked.
std::string why_skipped(const JobFacts& job, Reason reason, const RunList& runs);

/// What such a run waits for that has been queued, as the last one: for whoever asked.
std::string why_queued(const RunList& runs);

/// As it was launched; of a run that was adopted, as the files say now.
const schedule::DefinitionPtr& definition_of(const JobFacts& job, const LiveRun& run);

/// Of a slot's first attempt that has started: how long after it was due. None where it is not known when that was.
std::optional<Millis> lateness_of(const JobFacts& job, const LiveRun& run);

void tell_started(Context& c, const JobFacts& job, const LiveRun& run);
/// The write is in the store. `job.stored` is what was there before.
void tell_written(Context& c, const JobFacts& job, const PendingWrite& write, const RunList& runs);
/// The register says, for whoever leads next, how the runs ended that the write closes: whether the last one failed,
/// when one succeeded, and that a slot was missed.
void remember_ends(const JobFacts& job, PendingWrite& write, const RunList& runs);

}  // namespace ballot::core
