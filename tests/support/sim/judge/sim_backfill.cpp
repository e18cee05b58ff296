// Backfills: slot by slot in their order, each once, whoever leads; none given up but for a reason that there was; and
// never more of them at once than was asked for. By what the registers showed, and what the runs did themselves.
#include <algorithm>

#include "base/instance.hpp"
#include "base/wall_text.hpp"
#include "support/sim/judge/sim_judge.hpp"

namespace ballot {
namespace {

using Kind = core::Request::Kind;

std::optional<WallTime> first_of(const schedule::Plan& plan, const core::JobRegister& stored,
                                 const core::SlotRanges& ranges) {
  std::vector<WallTime> anchors;
  for (const core::Anchor& anchor : stored.anchors) anchors.push_back(anchor.at);
  if (anchors.size() != plan.everies().size()) return std::nullopt;
  for (const core::SlotRange& range : ranges)
    if (const auto slot = plan.next_due(range.from - Millis(1), anchors); slot && slot->at <= range.to) return slot->at;
  return std::nullopt;
}

bool is_later(const core::OpenRun& a, const core::OpenRun& b) { return a.fence < b.fence; }

}  // namespace

/// By the register's own timing, as whoever leads has it.
std::optional<schedule::Plan> SimJudge::plan_of(const std::string& job, const core::JobRegister& stored) {
  if (stored.timing.expressions.empty()) return std::nullopt;
  return schedule::Plan::of_stored({stored.timing.expressions, stored.timing.timezone, stored.timing.not_before,
                                    stored.timing.not_after, stored.group, job});
}

/// After each change of the store.
void SimJudge::watch_backfills() {
  if (backfills_seen_at_ == store_.contents().revision) return;
  const bool is_older = store_.contents().revision < backfills_seen_at_;
  backfills_seen_at_ = store_.contents().revision;
  if (is_older) backfills_.clear();
  for (const auto& [name, definition] : last_files_)
    if (const core::JobRegister* const stored = oracle_.job_register(name)) watch_backfill(name, *stored);
}

void SimJudge::watch_backfill(const std::string& job, const core::JobRegister& stored) {
  const core::Backfill* const now = stored.backfill();
  const auto known = backfills_.find(job);
  if (known == backfills_.end() && !now) return;
  SeenBackfill& seen = backfills_[job];
  if (seen.before.backfill() && (!now || now->id != seen.before.backfill()->id))
    judge_end_of_backfill(job, seen, stored);
  if (now && (!seen.before.backfill() || now->id != seen.before.backfill()->id)) {
    if (!seen.ids.insert(now->id).second && stored.interventions->repair == 0)
      oracle_.find("a backfill of job " + job + " goes on again that was over: " + now->id.text());
    seen.begun.clear();
  } else if (now && now->begun != seen.before.backfill()->begun) {
    judge_step_of_backfill(job, seen, stored);
  }
  seen.before = stored;
}

/// One slot is begun: the first one that was left, and it has its run.
void SimJudge::judge_step_of_backfill(const std::string& job, SeenBackfill& seen, const core::JobRegister& stored) {
  const core::Backfill& before = *seen.before.backfill();
  const std::string what = "the backfill of job " + job + " ";
  const core::OpenRun* last = nullptr;
  for (const core::OpenRun& run : stored.runs)
    if (run.trigger == Trigger::backfill && run.attempt == 1 && (!last || is_later(*last, run))) last = &run;
  if (!last || last->fence != stored.fence || stored.backfill()->begun != before.begun + 1)
    return oracle_.find(what + "has moved on, and no run has begun");
  if (!seen.begun.insert(last->slot).second) oracle_.find(what + "begins twice: " + format_slot(last->slot));
  const auto plan = plan_of(job, seen.before);
  const auto first = plan ? first_of(*plan, seen.before, before.left) : std::nullopt;
  if (plan && first != last->slot)
    oracle_.find(what + "begins " + format_slot(last->slot) + ", and not " + (first ? format_slot(*first) : "nothing"));
  if (stored.paused) oracle_.find(what + "begins " + format_slot(last->slot) + " in a pause");
}

/// With slots left only where somebody has stopped it, its job was edited, or repaired.
void SimJudge::judge_end_of_backfill(const std::string& job, const SeenBackfill& seen, const core::JobRegister& now) {
  const auto plan = plan_of(job, seen.before);
  const bool is_all = plan && !first_of(*plan, seen.before, seen.before.backfill()->left);
  const bool is_stopped = std::any_of(asked_.begin(), asked_.end(), [&](const auto& one) {
    return one.second.request.kind == Kind::backfill_stop && one.second.request.job == job;
  });
  const bool is_repaired = now.interventions->repaired_at != seen.before.interventions->repaired_at;
  const bool is_edited = now.definition != seen.before.definition;
  if (!is_all && !is_stopped && !is_repaired && !is_edited)
    oracle_.find("the backfill of job " + job + " is over, and slots are left: " + to_text(*seen.before.backfill()));
}

/// One that was acknowledged is in the register, or was; and no more of its runs went on at once than it may have.
void SimJudge::judge_backfills() {
  std::map<std::string, int> most;
  for (const auto& [id, asked] : asked_) {
    if (asked.request.kind != Kind::backfill) continue;
    most[asked.request.job] = std::max(most[asked.request.job], asked.request.parallel);
    const auto seen = backfills_.find(asked.request.job);
    const bool was_there = seen != backfills_.end() && seen->second.ids.contains(id);
    if (asked.done && !was_there && !spoiled_.contains(asked.request.job))
      oracle_.find("a backfill is acknowledged, and was never there: job " + asked.request.job + ", " + id.text());
  }
  if (oracle_.overlap_within_promise) return;
  for (const auto& [job, parallel] : most) {
    std::vector<const Start*> living;
    for (const Start& start : oracle_.starts) {
      if (start.job != job || start.trigger != Trigger::backfill || !start.terminate) continue;
      std::erase_if(living, [&](const Start* other) {
        return other->orphaned || other->ended.value_or(SteadyTime::max()) <= start.at;
      });
      living.push_back(&start);
      if (std::ssize(living) > parallel)
        oracle_.find(std::to_string(living.size()) + " runs of a backfill at once: job " + job + ", run " +
                     start.run.text());
    }
  }
}

}  // namespace ballot
