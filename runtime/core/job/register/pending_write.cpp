#include "core/job/register/pending_write.hpp"

#include <algorithm>
#include <utility>

#include "core/job/register/definition_lines.hpp"

namespace ballot::core {
namespace {

constexpr Millis passed_over_slack{60'000};

}  // namespace

const runner::AttemptId* PendingWrite::claim() const {
  if (const auto* slot = intent_as<ClaimDueSlot>()) return &slot->run;
  if (const auto* waiting = intent_as<ClaimWaiting>()) return &waiting->run;
  if (const auto* at_once = intent_as<ClaimAtOnce>()) return &at_once->run;
  return nullptr;
}

std::optional<RunId> PendingWrite::asked_for() const {
  if (const auto* pause = intent_as<ChangePause>()) return pause->request;
  if (const auto* backfill = intent_as<ChangeBackfill>()) return backfill->request;
  return std::nullopt;
}

void PendingWrite::carry(const Disposition& range, std::vector<Row> slots) {
  for (Row& row : slots) rows.push_back(std::move(row));
  next.dispositions.push_back(range);
  next.cursor = std::max(next.cursor, range.to);
  const bool is_missed = range.status == Status::missed;
  if (is_missed || range.reason == Reason::paused) pass_over({range.from, range.to});
  if (is_missed) next.count_missed(range.slots);
  ++decided;
}

void PendingWrite::drop_undone(WallTime cursor) {
  RareList<Disposition> kept;
  const std::size_t before = next.dispositions.size() - decided;
  for (std::size_t i = 0; i < next.dispositions.size(); ++i)
    if (i >= before || next.dispositions[i].to <= cursor) kept.push_back(next.dispositions[i]);
  next.dispositions = std::move(kept);
}

void PendingWrite::close(const LiveRun& run) {
  closes.push_back(run.id());
  // Of a run that a later term took for lost, the next attempt goes on, or was closed by that term.
  if (!shows_attempt(next, run)) return;
  erase_if(next.runs, [&](const OpenRun& open) { return open.id == run.open.id; });
  if (run.next) next.runs.push_back(*run.next);
  if (run.is_by_hand() && (!run.next || run.next->id != run.open.id)) next.triggered.push_back(run.open.id);
}

void PendingWrite::keep_bounds(const Term& term) {
  if (term.repair > next.interventions->repair && next.runs.empty()) {  // it was not there when its group was repaired
    next.interventions.edit().repair = term.repair;
    next.fence = std::max(next.fence, term.repair);
  }
  next.note_claims_passed();
  next.bound_triggered();
}

void PendingWrite::enter(OpenRun& run) {
  run.fence = ++next.fence;
  next.runs.push_back(run);
}

void PendingWrite::pass(WallTime slot) {
  next.cursor = std::max(next.cursor, slot);
  next.claimed_until = std::max(next.claimed_until, slot);
  for (PassedOver& range : next.passed_over)
    if (range.from <= slot && slot <= range.to) range.from = slot + a_second;
  // A clock that was ahead by the length of a range is right again, or the range is past by now, so long after it.
  erase_if(next.passed_over, [&](const PassedOver& range) {
    return range.from > range.to || slot - range.to > range.to - range.from + passed_over_slack;
  });
}

void PendingWrite::pass_over(PassedOver range) {
  RareList<PassedOver>& ranges = next.passed_over;
  range.from = std::max(range.from, next.claimed_until + a_second);  // a repair has brought the cursor back behind it
  if (range.from > range.to) return;
  if (!ranges.empty() && ranges.back().to > next.claimed_until) {
    ranges.back().to = range.to;
    return;
  }
  ranges.push_back(range);
  if (ranges.size() <= passed_over_limit) return;
  const auto shortest = std::min_element(ranges.begin(), ranges.end(), [](const PassedOver& a, const PassedOver& b) {
    return a.to - a.from < b.to - b.from;
  });
  ranges.erase(shortest);
}

void PendingWrite::define(const JobFacts& job, bool wanted, WallTime since, WallTime now, const JobRegister* phase) {
  intent = Define{};
  next.definition = wanted ? job.definition->digest : DigestText();
  if (wanted) next.group = job.definition->job.group;
  next.released = !wanted && next.runs.empty();  // whoever takes it next knows nothing of runs that it still shows
  Timing timing = wanted ? timing_of(job.definition->job) : Timing{};
  // Its slots are those of a schedule: of another one they would be others.
  if (timing.expressions.empty() || timing != next.timing) next.end_backfill();
  if (wanted || next.released) next.timing = std::move(timing);
  next.since = since;
  next.cursor = std::max(next.cursor, whole_seconds(now));
  // Without a definition the anchors stay, as a pause does: until it is released its slots are those of the plan in
  // force, and a file that was broken for a while brings its job back.
  if (!wanted) return;
  const RareList<Anchor> before =
      std::exchange(next.anchors, phase ? phase->anchors : RareList<Anchor>(anchored_anew(job.definition->plan, next)));
  if (before != next.anchors) next.end_backfill();
}

void PendingWrite::set_paused(const Request& asked, WallTime now) {
  if (asked.kind != Request::Kind::pause) return end_pause();
  Interventions& of = next.interventions.edit();
  if (!std::exchange(next.paused, true)) of.paused_by = asked.by, of.paused_at = now;
  if (!of.paused_at) of.paused_at = now;  // of a release that did not say so: its terms need one
  of.pause_terms = asked.terms;
  of.own_pause = of.standing_pause.has_value();
}

void PendingWrite::follow_pause(const StandingPause* of_all, bool pausing, WallTime now) {
  if (!pausing) end_pause();
  Interventions& of = next.interventions.edit();
  of.own_pause = false;
  of.standing_pause = of_all ? std::optional(of_all->id) : std::nullopt;
  if (!of_all) return;
  if (!std::exchange(next.paused, true)) of.paused_by = of_all->by, of.paused_at = now;
  if (!of.paused_at) of.paused_at = now;
  of.pause_terms = of_all->terms;
}

void PendingWrite::end_pause() {
  Interventions& of = next.interventions.edit();
  next.paused = false;
  of.paused_at.reset();
  of.paused_by.clear();
  of.pause_terms = {};
  of.own_pause = of.standing_pause.has_value();
}

void PendingWrite::see_boot(const JobFacts& job, const CoreSettings& settings) {
  if (!job.definition || !job.definition->plan.on_reboot() || next.cursor < whole_seconds(settings.booted_at)) return;
  const auto& seen = next.kept->boots;
  if (std::find(seen.begin(), seen.end(), settings.boot_id) != seen.end()) return;
  RareList<std::string>& boots = next.kept.edit().boots;
  if (boots.size() >= boot_limit) boots.erase(boots.begin());
  boots.push_back(settings.boot_id);
}

}  // namespace ballot::core
