#include "core/invariants.hpp"

#include <algorithm>

#include "core/core.hpp"

namespace ballot::core {

std::string Invariants::broken(const Core& core) {
  for (const JobEntry* entry : core.parts_.advanced) {
    std::string what = broken(entry->machine);
    if (!what.empty()) return "job " + entry->machine.name() + ": " + what;
    GroupEntry* const group = entry->owner;
    if (group && core.parts_.limits.lets_go(*group) != (!group->waiters.empty() && group->has_place()))
      return "group " + group->name() + ": its places are not for those that wait";
  }
  const auto& led = core.parts_.groups.led();
  if (!led.empty() && !core.session().is_open()) return "group " + (*led.begin())->name() + " is led without a session";
  return {};
}

std::string Invariants::broken(const JobMachine& machine) {
  const JobParts& job = machine.job_;
  const bool leads = job.role == JobMachine::Role::leading;
  if (leads && !job.term) return "leads without a term";
  if (leads && job.view.exists() && job.slots.settlement().settled_until() < job.view.stored().cursor)
    return "slots behind the cursor are decided again";
  const PendingWrite* sent = job.writer.pending();
  if (sent) {
    const JobRegister& next = sent->next;
    if (next.cursor < job.view.stored().cursor && !sent->is<FinishRepair>()) return "a write moves the cursor back";
    if (next.fence < job.view.stored().fence) return "a write moves the fence back";
    const Backfill* const backfill = next.backfill();
    if (backfill && !backfill->left.empty() && backfill->left.back().to > next.cursor && !sent->is<FinishRepair>())
      return "a backfill has slots that are not settled";
    if (next.runs.size() > open_run_limit) return "a write has more open runs than a register may";
    if (sent->request.value.size() > register_limit) return "a write is larger than a register may be";
  }
  int executing = 0, claiming = 0;
  for (const LiveRun& run : job.runs.list()) {
    executing += run.state == LiveRun::State::starting || run.state == LiveRun::State::running;
    claiming += run.state == LiveRun::State::claiming;
    const bool confirmed = std::any_of(job.view.stored().runs.begin(), job.view.stored().runs.end(),
                                       [&](const OpenRun& open) { return open.id == run.open.id; });
    // Of a term before the runner starts nothing any more, and a later one may have closed it.
    const bool is_of_term = leads && run.open.epoch == job.term->epoch;
    if (is_of_term && run.state == LiveRun::State::starting && !confirmed && !run.unclaimed)
      return "a run starts without a confirmed claim";
  }
  if (claiming > 1 || (claiming == 1 && leads && !sent)) return "a claim has no write in flight";
  const bool skips = job.definition && job.definition->job.concurrency == Concurrency::skip;
  if (skips && executing > 1) return "two runs of a `skip` job at once";
  return {};
}

}  // namespace ballot::core
