#include "core/job/job_parts.hpp"

#include "core/job/chain/chains.hpp"
#include "core/job/chain/upstream.hpp"
#include "core/job/job_machine.hpp"

namespace ballot::core {

JobFacts JobParts::facts() const {
  return {name,         definition,        view.stored(),   term,       leads(),
          is_defined(), commands.repair(), unclaimed.all(), read_again, is_to_pause()};
}

bool JobParts::is_defined() const {
  return view.exists() && definition && term && definition->job.group == term->group &&
         view.stored().definition == definition->digest;
}

bool JobParts::is_draining() const { return term->draining; }

bool JobParts::is_full() const { return view.stored().runs.size() >= open_run_limit + closable(); }

Millis JobParts::launch_budget(const Context& c) const {
  if (!definition || definition->job.on_leadership_lost == OnLeadershipLost::finish) return launch_margin;
  return c.session.terminate_budget(definition->job.kill_grace);
}

bool JobParts::may_run_ahead(const Context& c) const {
  if (!is_defined() || definition->job.guarantee != Guarantee::at_least_once || c.settings.dry_run) return false;
  if (!leads() || is_draining() || is_paused() || is_to_follow() || commands.comes_first()) return false;
  if (!c.may_start_unclaimed(launch_budget(c)) || c.session.doubt() != Session::Doubt::overdue) return false;
  const PendingWrite* sent = writer.pending();
  return !sent || !(sent->is<Define>() || sent->is<ChangePause>() || sent->is<FinishRepair>());
}

bool JobParts::is_so(const Request& pause) const {
  const JobRegister& stored = view.stored();
  if (pause.run != RunId{}) return !is_to_follow();
  if (pause.kind == Request::Kind::resume) return !stored.paused;
  return stored.paused && (stored.interventions->own_pause || !stored.interventions->standing_pause) &&
         stored.interventions->pause_terms == pause.terms;
}

void JobParts::forget_ended(WallTime now) {
  if (!standing() || !standing()->terms.is_over(now)) return;
  if (view.stored().interventions->standing_pause == standing()->id) return;
  of_all = std::make_shared<const PauseOfAll>(PauseOfAll{{}, of_all->end});
}

bool JobParts::is_pause_over(WallTime now) const {
  const auto ends = view.stored().pause_ends();
  return ends && *ends <= now;
}

bool JobParts::passes(WallTime slot) const {
  if (!view.is_known() || !view.stored().paused || (is_to_follow() && !follows_to())) return false;
  const auto ends = view.stored().pause_ends();
  return !ends || slot <= *ends;
}

const PauseEnd* JobParts::late_end(WallTime now) const {
  if (!of_all || !of_all->end || !is_to_follow() || follows_to() || !view.stored().paused) return nullptr;
  const PauseEnd& end = *of_all->end;
  const bool is_of_before = end.at < view.stored().interventions->paused_at.value_or(WallTime{});
  return is_of_before || now - end.at <= on_time_limit ? nullptr : &end;
}

bool JobParts::is_clean() const {
  if (role == RegisterRole::halted) return true;  // nothing of it can be written
  return !writer.pending() && unclaimed.empty() && !slots.settlement().has_decided() &&
         !runs.list().any([](const LiveRun& run) { return run.has_ended() && !run.repeat; });
}

std::vector<WallTime> JobParts::waiting() const {
  std::vector<WallTime> all = slots.waiting(view.stored());
  for (const WallTime slot : runs.list().waiting()) all.push_back(slot);
  return all;
}

bool JobParts::lacks_phase(const Context& c) const {
  return has_phase_of_first() && !phase_of_first(c, facts()) && !phase_of(definition->plan, view.stored());
}

bool JobParts::is_out_of_phase(const Context& c) const {
  const JobRegister* const first = has_phase_of_first() ? phase_of_first(c, facts()) : nullptr;
  return first && first->anchors != view.stored().anchors;
}

std::string JobParts::why_no_phase(const Context& c) const {
  const auto& parents = c.chains.parents(name);
  if (parents.empty() || parents.front()->role() != RegisterRole::halted || !lacks_phase(c)) return {};
  return name + " has the slots of " + parents.front()->name() +
         ", which is halted: where they count from is not known before `ballot repair " + parents.front()->name() + "`";
}

Overlap JobParts::overlap(const Context& c) const {
  Overlap overlap = runs.list().overlap(facts(), c.now.wall);
  overlap.fate_unknown = overlap.fate_unknown || unseen.may_go_on();
  return overlap;
}

void JobParts::resume_slots() {
  unclaimed.drop_entered(view.stored(), runs.list());
  slots.resume(unclaimed.settled_until(view.stored(), runs.list()));
}

bool JobParts::scan(const Context& c, ScanRules::Mode mode, WallTime until) {
  return slots.scan(c, facts(), overlap(c), mode, until);
}

}  // namespace ballot::core
