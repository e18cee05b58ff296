// Chains that somebody has triggered: each job that comes after one that was triggered, or after one of these, has one
// run of it or says why not; and none began before those of the jobs it comes after had ended as it asks.
#include <algorithm>

#include "base/wall_text.hpp"
#include "support/sim/judge/sim_judge.hpp"

namespace ballot {
namespace {

/// The last attempt; null: no ledger has any.
const Row* last_row(const testing::MergedLedger& ledger, const RunId& run) {
  const Row* last = nullptr;
  for (const auto& [key, entry] : ledger.attempts())
    if (entry.row.run == run && (!last || last->attempt < entry.row.attempt)) last = &entry.row;
  return last;
}

constexpr Millis ended_lately{120'000};  // and the jobs after it may be about to be begun

bool is_good(Status status, AfterStatus asked) {
  if (status == Status::skipped || status == Status::missed) return false;
  return asked == AfterStatus::ended || (asked == AfterStatus::succeeded) == (status == Status::succeeded);
}

}  // namespace

/// Its definition was always the same on all nodes, and its register was always sound.
bool SimJudge::is_steady(const std::string& job) const {
  const auto flux = in_flux_.find(job);
  const core::JobRegister* const stored = oracle_.job_register(job);
  return (flux == in_flux_.end() || flux->second == SteadyTime::min()) && !spoiled_.contains(job) && stored &&
         !stored->interventions->repaired_at;
}

void SimJudge::judge_triggered_chains(const testing::MergedLedger& ledger) {
  for (const auto& [id, reply] : triggers_) {
    const core::Request& request = asked_.at(id).request;
    const Row* const row = last_row(ledger, id);
    if (!reply.ok || reply.repeats || request.alone || !row || !is_steady(request.job)) continue;
    judge_triggered_job({id, row->slot, true, std::nullopt}, request.job, ledger);
  }
  for (const Start& start : oracle_.starts) {
    if (start.trigger != Trigger::chain || start.attempt != 1) continue;
    for (const auto& [id, reply] : triggers_) {
      const core::ChainedSlot slot{id, start.slot, false, std::nullopt};
      if (slot.run(start.job) != start.run) continue;
      judge_order(start, slot, ledger);
      judge_repaired(start, slot);
      if (asked_.at(id).request.alone)
        oracle_.find("job " + start.job + ", run " + start.run.text() + ", begins after run " + id.text() +
                     ", which somebody has triggered alone");
    }
  }
}

/// Of the jobs that come after `parent`, which has the slot: once its run has ended, and those of others that have it.
void SimJudge::judge_triggered_job(const core::ChainedSlot& slot, const std::string& parent,
                                   const testing::MergedLedger& ledger) {
  const Row* const before = last_row(ledger, slot.run(parent));
  const core::JobRegister* const stored = oracle_.job_register(parent);
  const bool goes_on = stored && std::any_of(stored->runs.begin(), stored->runs.end(),
                                             [&](const core::OpenRun& run) { return run.id == slot.run(parent); });
  if (!before || !is_final(before->status) || goes_on) return;
  for (const auto& [name, definition] : last_files_) {
    const std::vector<std::string>& parents = definition->job.details->after;
    if (std::find(parents.begin(), parents.end(), parent) == parents.end() || !definition->job.enabled) continue;
    const auto others_steady = [&](const std::string& one) { return is_steady(one); };
    if (!is_steady(name) || !std::all_of(parents.begin(), parents.end(), others_steady)) continue;
    const core::ChainedSlot next{slot.trigger, slot.slot, false, std::nullopt};
    if (!last_row(ledger, next.run(name)) && !oracle_.start_of({next.run(name), 1})) {
      const bool is_soon = before->ended_at &&
                           *before->ended_at > (SimClock::default_wall + loop_.now().time_since_epoch()) - ended_lately;
      const bool waits = std::any_of(parents.begin(), parents.end(), [&](const std::string& other) {
        const auto& runs = oracle_.job_register(other)->runs;
        return std::any_of(runs.begin(), runs.end(), [&](const core::OpenRun& run) { return run.slot <= slot.slot; });
      });
      if (is_soon || waits || !oracle_.job_register(name)->runs.empty()) continue;
      return oracle_.find("job " + parent + " was triggered, run " + slot.trigger.text() + ", slot " +
                          format_slot(slot.slot) + ", and job " + name + ", which comes after it, has no row of it");
    }
    judge_triggered_skip(next, *definition, ledger);
    judge_triggered_job(next, name, ledger);
  }
}

/// For its parents, of which those that are part of the chain had all ended as it asks.
void SimJudge::judge_triggered_skip(const core::ChainedSlot& slot, const schedule::Definition& definition,
                                    const testing::MergedLedger& ledger) {
  const Row* const row = last_row(ledger, slot.run(definition.job.name));
  if (!row || row->reason != Reason::upstream) return;
  for (const std::string& parent : definition.job.details->after) {
    const bool is_first = asked_.at(slot.trigger).request.job == parent;
    const RunId run = core::ChainedSlot{slot.trigger, slot.slot, is_first, std::nullopt}.run(parent);
    const Row* const before = last_row(ledger, run);
    if (!before || !is_good(before->status, definition.job.details->after_status)) return;
    const auto* const entry = ledger.find(run, before->attempt);
    if ((entry && entry->taken_for_lost) || lost_.contains({run, before->attempt})) return;
  }
  find("skipped, and all of the jobs that it comes after ended as it asks", *row, row->node);
}

/// What was claimed before the job's register was repaired may have been forgotten with it.
void SimJudge::judge_repaired(const Start& start, const core::ChainedSlot& slot) {
  const auto repaired = repaired_.find(start.job);
  const core::JobRegister* const stored = oracle_.job_register(start.job);
  if (repaired == repaired_.end() || !stored || !stored->interventions->repaired_at) return;
  const bool is_of_before =
      asked_.at(slot.trigger).at < repaired->second && slot.slot <= *stored->interventions->repaired_at;
  if (is_of_before && start.at > repaired->second && start.fence > stored->interventions->repair)
    oracle_.find("job " + start.job + ", of the chain of run " + slot.trigger.text() +
                 ", began after its register was repaired, and may have begun before");
}

void SimJudge::judge_order(const Start& start, const core::ChainedSlot& slot, const testing::MergedLedger& ledger) {
  const auto definition = last_files_.find(start.job);
  if (definition == last_files_.end() || !is_steady(start.job)) return;
  const JobDetails& details = *definition->second->job.details;
  const std::string what = "job " + start.job + ", of the chain of run " + slot.trigger.text() + ", began ";
  for (const std::string& parent : details.after) {
    const bool is_first = asked_.at(slot.trigger).request.job == parent;
    const RunId run = core::ChainedSlot{slot.trigger, slot.slot, is_first, std::nullopt}.run(parent);
    const Row* const row = last_row(ledger, run);
    if (!row || !is_steady(parent)) continue;  // it is no part of the chain
    const auto* const entry = ledger.find(run, row->attempt);
    if (entry && entry->taken_for_lost) continue;
    if (!is_good(row->status, details.after_status))
      return oracle_.find(what + "and " + parent + ", run " + run.text() + ", was " +
                          std::string(to_string(row->status)));
    for (const Start& before : oracle_.starts) {
      const bool by_word = row->status == Status::lost || row->status == Status::killed;  // nobody saw it end
      if (before.run != run || before.orphaned || by_word) continue;
      if (oracle_.is_taken_for_lost({run, before.attempt})) continue;
      if (before.at > start.at || before.ended.value_or(SteadyTime::max()) > start.at)
        return oracle_.find(what + "and run " + run.text() + " of " + parent + " had not ended");
    }
  }
}

}  // namespace ballot
