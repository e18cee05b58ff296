// Jobs that come after others: no slot began before those of its parents had ended as it asks, by what the runs did
// themselves; and none was skipped for one that had.
#include <algorithm>

#include "base/instance.hpp"
#include "base/wall_text.hpp"
#include "support/sim/judge/sim_judge.hpp"

namespace ballot {
namespace {

constexpr Millis just_ended{1000};        // and what comes after it is decided at once
constexpr Millis known_within{1000};      // what a register says, to whoever leads
constexpr Millis decided_within{12'000};  // what nothing is to be waited for: it is written with others

bool is_as_asked(Status status, AfterStatus asked) {
  if (status == Status::skipped || status == Status::missed) return false;
  return asked == AfterStatus::ended || (asked == AfterStatus::succeeded) == (status == Status::succeeded);
}

/// The last attempt of each scheduled slot, of the run that has a claim; of a range its last slot.
std::map<std::string, std::map<WallTime, Row>> by_slot(const testing::MergedLedger& ledger) {
  std::map<std::string, std::map<WallTime, Row>> all;
  for (const Row& row : ledger.rows()) {
    if (!testing::is_scheduled(row.trigger)) continue;
    const auto [at, is_new] = all[row.job].emplace(row.slot_until.value_or(row.slot), row);
    const auto rank = [](const Row& one) { return std::tuple(one.run.has_value(), one.fence > 0, one.attempt); };
    if (!is_new && rank(at->second) < rank(row)) at->second = row;
  }
  return all;
}

/// The row of the parent's latest slot at or before it, or else of its first one.
const Row* row_for(const std::map<std::string, std::map<WallTime, Row>>& all, const std::string& parent,
                   WallTime slot) {
  const auto of = all.find(parent);
  if (of == all.end()) return nullptr;
  auto next = of->second.upper_bound(slot);
  if (next != of->second.end() && next->second.slot <= slot) return &next->second;  // within its range
  return next == of->second.begin() ? &next->second : &std::prev(next)->second;
}

}  // namespace

void SimJudge::judge_chains(const testing::MergedLedger& ledger) {
  const auto is_chained = [](const auto& job) { return !job.second->job.details->after.empty(); };
  if (std::none_of(last_files_.begin(), last_files_.end(), is_chained)) return;
  const BySlot all = by_slot(ledger);
  for (const auto& [name, definition] : last_files_) {
    const Job& job = definition->job;
    // What a repair has brought back is decided anew, and rows of before stay.
    const auto is_repaired = [&](const std::string& one) {
      const core::JobRegister* const stored = oracle_.job_register(one);
      return spoiled_.contains(one) || !stored || stored->interventions->repaired_at;
    };
    const auto& parents = job.details->after;
    if (parents.empty() || is_repaired(name) || std::any_of(parents.begin(), parents.end(), is_repaired)) continue;
    for (const Start& start : oracle_.starts)
      if (start.job == name && testing::is_scheduled(start.trigger) && start.attempt == 1)
        judge_chained_start(start, job, all);
    const auto rows = all.find(name);
    if (rows == all.end()) continue;
    for (const auto& [slot, row] : rows->second)
      if (row.reason == Reason::upstream)
        judge_upstream(row, job, all, ledger);
      else if (row.status == Status::missed && !row.run)
        judge_chained_missed(row, job, all, ledger);
  }
}

/// Of a job that others come after, an earlier slot was still waiting for these when the row's was due.
bool SimJudge::has_waited_for_chain(const Row& row, WallTime slot, SteadyTime due) const {
  const bool is_parent = std::any_of(last_files_.begin(), last_files_.end(), [&](const auto& one) {
    const auto& parents = one.second->job.details->after;
    return std::find(parents.begin(), parents.end(), row.job) != parents.end();
  });
  return is_parent && std::any_of(oracle_.starts.begin(), oracle_.starts.end(), [&](const Start& start) {
           return start.job == row.job && start.slot < slot && start.at >= due;
         });
}

/// By what the parent's processes did: none of its slot's attempts goes on or follows. An attempt that some leader took
/// for lost counts as lost, or as failed: lost_limit, whatever its node says later.
void SimJudge::judge_chained_start(const Start& start, const Job& job, const BySlot& all) {
  for (const std::string& parent : job.details->after) {
    const Row* const row = row_for(all, parent, start.slot);
    const std::string what = "job " + job.name + ", slot " + format_slot(start.slot) + ", began ";
    if (!row) return oracle_.find(what + "and nothing is known of a slot of " + parent);
    const bool was_lost = row->run && oracle_.is_taken_for_lost({*row->run, row->attempt});
    if (was_lost && job.details->after_status != AfterStatus::succeeded) continue;
    if (!row->run || !is_as_asked(row->status, job.details->after_status))
      return oracle_.find(what + "and " + parent + " " + format_slot(row->slot) + " was " +
                          std::string(to_string(row->status)));
    for (const Start& before : oracle_.starts) {
      if (before.run != *row->run || before.attempt != row->attempt || before.orphaned) continue;
      const bool by_word = row->status == Status::lost || row->status == Status::killed;  // nobody saw it end
      if (!by_word && (before.at > start.at || before.ended.value_or(SteadyTime::max()) > start.at))
        return oracle_.find(what + "and " + parent + " " + format_slot(row->slot) + ", run " + row->run->text() +
                            ", had not ended");
    }
  }
}

/// As many later slots of the parent had ended before the next slot of the job began as are kept: its own end was given
/// up for them.
bool SimJudge::was_behind(const Row& row, const Job& job, const std::string& parent, const BySlot& all) const {
  const auto of = all.find(parent), own = all.find(job.name);
  if (of == all.end() || own == all.end()) return false;
  WallTime decided = WallTime::max();
  for (auto next = own->second.upper_bound(row.slot); next != own->second.end(); ++next)
    if (next->second.started_at) decided = std::min(decided, *next->second.started_at + std::chrono::minutes(1));
  std::size_t ended = 0;
  for (auto later = of->second.upper_bound(row.slot); later != of->second.end(); ++later)
    if (later->second.ended_at.value_or(later->first) < decided) ++ended;
  return ended >= core::slot_end_limit;
}

bool SimJudge::was_edited(const std::string& job) const {
  const auto at = in_flux_.find(job);
  return at != in_flux_.end() && at->second > SteadyTime::min();
}

/// When the last of them had ended as the job asks, by what their processes did; none: one has not, or it is not known.
std::optional<SteadyTime> SimJudge::parents_ended(const Row& row, const Job& job, const BySlot& all,
                                                  const testing::MergedLedger& ledger) const {
  SteadyTime ended = SteadyTime::min();
  for (const std::string& parent : job.details->after) {
    const Row* const of = row_for(all, parent, row.slot);
    if (was_edited(parent) || !of || !of->run || of->fence == 0 || !is_as_asked(of->status, job.details->after_status))
      return std::nullopt;
    const auto* const entry = ledger.find(*of->run, of->attempt);
    const Start* const start = oracle_.start_of({*of->run, of->attempt});
    if ((entry && entry->taken_for_lost) || lost_.contains({*of->run, of->attempt}) || !start || !start->ended)
      return std::nullopt;
    ended = std::max(ended, *start->ended);
  }
  return ended;
}

/// Its start deadline counts from when its parents had ended, or from its own slot; and to wait for them is no misfire.
void SimJudge::judge_chained_missed(const Row& row, const Job& job, const BySlot& all,
                                    const testing::MergedLedger& ledger) {
  const auto decided = missed_.find({row.job, row.slot_until.value_or(row.slot)});
  if (decided == missed_.end() || was_edited(job.name)) return;
  const std::string what = "job " + job.name + ", slot " + format_slot(row.slot) + ", was missed: ";
  const SteadyTime due(row.slot_until.value_or(row.slot) - SimClock::default_wall);
  const auto ended = parents_ended(row, job, all, ledger);
  const bool has_own = !job.details->has_slots_of_first;
  if (row.reason == Reason::start_deadline && (has_own || ended) &&
      decided->second - (has_own ? due : *ended) < job.start_deadline)
    oracle_.find(what + "start_deadline, and that has not passed since " +
                 (has_own ? "it was due" : "the last of its parents ended"));
  const Term* const term = oracle_.term(row.group, row.epoch);
  const bool is_limited = oracle_.group_limits.contains(row.group) || oracle_.node_limits[row.node] > 0;
  if (row.reason != Reason::misfire || !ended || *ended < due || !term || is_limited) return;
  if (term->began + just_ended < *ended && decided->second - *ended < just_ended &&
      !disturbed_since(row.node, *ended - just_ended))
    oracle_.find(what + "misfire, and it had waited for its parents");
}

/// Of as many ends as a parent's register keeps the first is that of the job's first slot, or of a later one.
SimJudge::Lag SimJudge::lag_of(const Job& job, const core::JobRegister& stored) const {
  Lag lag{stored.cursor};
  const testing::SlotOracle slots(job.schedule, job.timezone);
  const WallTime anchor = stored.anchors.empty() ? WallTime{} : stored.anchors[0].at;
  for (const std::string& parent : job.details->after) {
    const core::JobRegister* const of = oracle_.job_register(parent);
    if (!of || of->kept->ends.size() < core::slot_end_limit) continue;
    const core::SlotEnd& first = of->kept->ends.front();
    const auto due = slots.between(stored.cursor, first.to, anchor);
    if (due.empty()) continue;
    if (lag.behind.empty()) lag.behind = parent;
    lag.is_given_up = lag.is_given_up || due.front() < first.from;
  }
  return lag;
}

/// By registers that have been the same for a while, over a link that is in order. A slot whose parent's end is given
/// up waits for no other parent.
void SimJudge::shown(const std::string& node, const std::string& name, std::string_view behind) {
  const schedule::Definition* const file = definition_of(node, name);
  const core::JobRegister* const own = oracle_.job_register(name);
  if (!file || !own || own->definition != file->digest || file->job.schedule.empty() || spoiled_.contains(name)) return;
  const auto& parents = file->job.details->after;
  if (std::any_of(parents.begin(), parents.end(), [&](const auto& one) { return spoiled_.contains(one); })) return;
  const Lag lag = lag_of(file->job, *own);
  auto& [last, since] = lags_.try_emplace(name, lag, loop_.now()).first->second;
  const bool is_busy =
      !own->runs.empty() || oracle_.group_limits.contains(file->job.group) || oracle_.node_limits[node] > 0;
  if (lag != last || disturbed_since(node, since)) last = lag, since = loop_.now();
  const Millis stands = std::chrono::duration_cast<Millis>(loop_.now() - since);
  const std::string what = "job " + name + ", behind " + (lag.behind.empty() ? "none" : lag.behind);
  if (stands >= known_within && behind != lag.behind)
    oracle_.find(what + ", is shown as behind " + (behind.empty() ? "none" : std::string(behind)));
  if (stands >= decided_within && lag.is_given_up && !is_busy)
    oracle_.find(what + ", waits for an end that was given up");
}

/// It has the slots of its first parent, wherever an `@every` of that one counts from.
void SimJudge::judge_phase(const Job& job) {
  if (!job.details->has_slots_of_first || job.details->after.empty()) return;
  const core::JobRegister* const own = oracle_.job_register(job.name);
  const core::JobRegister* const first = oracle_.job_register(job.details->after.front());
  if (own && first && own->group == first->group && own->timing == first->timing && own->anchors != first->anchors)
    oracle_.find("job " + job.name + " has other slots than " + job.details->after.front() + ", which it comes after");
}

/// Where files differ from node to node, a leader may not have known that it was a parent. A run that was taken for
/// lost counts as that, whatever its node says later. By a clock that was ahead a pause has passed slots of the parent
/// that it had not passed by those that were right.
void SimJudge::judge_upstream(const Row& row, const Job& job, const BySlot& all, const testing::MergedLedger& ledger) {
  if (was_edited(job.name) || by_wrong_clock_.contains({job.name, row.slot})) return;
  for (const std::string& parent : job.details->after) {
    const Row* const of = row_for(all, parent, row.slot);
    if (was_edited(parent) || !of || !of->run || !is_as_asked(of->status, job.details->after_status)) return;
    if (of->fence == 0) return;  // it ran ahead of a claim that nobody made: for the registers the slot was missed
    const auto* const entry = ledger.find(*of->run, of->attempt);
    if ((entry && entry->taken_for_lost) || lost_.contains({*of->run, of->attempt}) ||
        was_behind(row, job, parent, all))
      return;
  }
  oracle_.find("job " + job.name + ", slot " + format_slot(row.slot) +
               ", was skipped: upstream, and all of its parents ended as it asks");
}

}  // namespace ballot
