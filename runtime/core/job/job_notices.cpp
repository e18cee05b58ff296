// When people are told: as a run starts; when the write that closes its last attempt stands in the store; when a write
// that settles slots as missed does. Only then is it certain, and only whoever wrote it knows: so it is told once,
// whoever executed the run. A write that landed in a term's last moments, and whose answer was lost, is told by nobody.
#include <algorithm>
#include <span>

#include "core/job/job_machine.hpp"
#include "core/notify.hpp"

namespace ballot::core {
namespace {

bool shows_run(const JobRegister& r, const RunId& run) {
  return std::any_of(r.runs.begin(), r.runs.end(), [&](const OpenRun& open) { return open.id == run; });
}

/// Not where another attempt is to come, nor where a term before has closed it: as lost, and it was not.
bool closes_run(const JobRegister& before, const JobRegister& next, const RunId& run) {
  return shows_run(before, run) && !shows_run(next, run);
}

}  // namespace

/// As it was launched; of a run that was adopted, as the files say now.
const schedule::DefinitionPtr& JobMachine::definition_of(const LiveRun& run) const {
  return run.definition ? run.definition : definition_;
}

/// Of further attempts nothing is told but how the run ends.
void JobMachine::tell_started(Context& c, const LiveRun& run) const {
  const schedule::DefinitionPtr& definition = definition_of(run);
  if (run.open.attempt > 1 || !wants_to_be_told(definition)) return;
  c.out.push_back(Notify{Notify::Event::started, run.row, definition, false});
}

/// The register says, for whoever leads when the next run ends, whether the last one failed.
void JobMachine::remember_failure(PendingWrite& write) {
  for (const runner::AttemptId& id : write.closes) {
    const LiveRun* run = find(id);
    if (!run || !closes_run(view_.stored(), write.next, id.run)) continue;
    if (is_failure(run->row)) write.next.failing = true;
    if (run->row.status == Status::succeeded) write.next.failing = false;
  }
}

/// The write stands in the store. The view has what stood there before.
void JobMachine::tell_written(Context& c, const PendingWrite& write) {
  for (const Disposition& d : std::span(write.next.dispositions).last(write.decided)) tell_missed(c, d, write.next);
  bool failing = view_.stored().failing;
  for (const runner::AttemptId& id : write.closes) {
    const LiveRun* run = find(id);
    if (!run || !closes_run(view_.stored(), write.next, id.run)) continue;
    const bool recovered = failing && run->row.status == Status::succeeded;
    failing = is_failure(run->row) || (failing && !recovered);
    const schedule::DefinitionPtr& definition = definition_of(*run);
    if (!wants_to_be_told(definition)) continue;
    const auto event = run->row.status == Status::missed ? Notify::Event::missed : Notify::Event::ended;
    c.out.push_back(Notify{event, run->row, definition, recovered});
  }
}

void JobMachine::tell_missed(Context& c, const Disposition& d, const JobRegister& in) const {
  if (d.status != Status::missed || !wants_to_be_told(definition_)) return;
  Row row;
  row.job = name_;
  row.group = in.group;
  row.slot = d.from;
  if (d.slots > 1) row.slot_until = d.to;
  row.slots = d.slots;
  row.status = d.status;
  row.reason = d.reason;
  row.node = c.settings.node;
  row.epoch = in.epoch;
  c.out.push_back(Notify{Notify::Event::missed, std::move(row), definition_, false});
}

}  // namespace ballot::core
