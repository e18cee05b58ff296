// What the oracle sees as it happens. What it makes of the ledgers in the end is in sim_accounts.cpp.
#include "support/sim/judge/sim_oracle.hpp"

#include <algorithm>
#include <cstdio>

#include "base/instance.hpp"
#include "base/wall_text.hpp"

namespace ballot {
namespace {

constexpr std::size_t events_kept = 60;

std::string paused_key(const core::Request& request) {
  return request.group.empty() ? request.job : "group " + request.group;
}

bool is_another_nodes(const std::string& name, const std::string& node) {
  return is_instance(name) && node_of_instance(name) != node;
}

}  // namespace

void SimOracle::note(const std::string& who, std::string what) { keep({loop_.now(), who, std::move(what)}); }

void SimOracle::note(const std::string& who, const Row& recorded) {
  if (recorded.run && (recorded.status == Status::lost || recorded.reason == Reason::lost_limit))
    taken_for_lost_.insert({*recorded.run, recorded.attempt});
  if (recorded.run && recorded.reason == Reason::forgotten) forgotten_.emplace(*recorded.run, loop_.now());
  if (!recorded.run) note_without_run(recorded);
  if (is_another_nodes(recorded.job, who)) find(who + " records a slot of another node: " + line_of(recorded));
  keep({loop_.now(), who, recorded});
}

/// What a repair had undone is not undone once its own term has decided it anew.
void SimOracle::note_without_run(const Row& recorded) {
  without_run_[recorded.job][recorded.slot] = recorded.epoch;
  if (const auto history = jobs_.find(recorded.job); history != jobs_.end())
    for (Undone& one : history->second.undone)
      if (recorded.epoch == one.repaired.epoch) one.by_same_term.erase(recorded.slot);
}

void SimOracle::keep(Noted noted) {
  if (trace) std::printf("%s\n", text_of(noted).c_str());
  last_.push_back(std::move(noted));
  if (last_.size() > events_kept) last_.pop_front();
}

std::string SimOracle::text_of(const Noted& noted) {
  char time[32];
  std::snprintf(time, sizeof time, "%10.3f ", static_cast<double>(noted.at.time_since_epoch().count()) / 1000);
  const Row* row = std::get_if<Row>(&noted.what);
  return time + noted.who + ": " + (row ? "records " + line_of(*row) : std::get<std::string>(noted.what));
}

void SimOracle::find(const std::string& what) {
  if (!finding_.empty()) return;
  finding_ = what + "\nthe last events, in true time:\n";
  for (const Noted& noted : last_) finding_ += text_of(noted) + "\n";
}

// ---- STARTs and ENDs

std::size_t SimOracle::started(const std::string& node, const core::Launch& launch) {
  const Job& job = launch.definition->job;
  const std::string what = "job " + job.name + ", slot " + format_slot(launch.slot) + ", run " + launch.id.run.text();
  if (is_another_nodes(job.name, node)) find(node + " runs the instance of another node: " + what);
  note(node, "START " + what + ", epoch " + std::to_string(launch.epoch) + ", fence " + std::to_string(launch.fence));
  if (launch.fence == 0) {
    if (job.guarantee != Guarantee::at_least_once) find("started without a claim: " + what);
    if (start_of(launch.id)) find("started twice: " + what);
  } else {
    check_claimed(launch, what);
  }
  const Term* by = term(launch.group, launch.epoch);
  if (!by || loop_.now() >= store_.promised_until(by->session))
    find("started by a term that the store may have ended: " + what);
  const bool by_hand = launch.trigger == Trigger::manual;
  const bool unaware = launch.fence == 0 && overlap_within_promise;  // that another leads already
  if (!by_hand && !unaware && (is_paused(job.name) || is_paused("group " + *job.group)))
    find("started after its pause was acknowledged: " + what);
  by_attempt_[launch.id] = starts.size();
  starts.push_back({job.name,
                    node,
                    launch.group,
                    launch.slot,
                    launch.id.attempt,
                    launch.id.run,
                    launch.fence,
                    launch.epoch,
                    launch.trigger,
                    launch.terminate,
                    !job.details->function.empty(),
                    loop_.now(),
                    {}});
  const auto [life, fresh] = life_of_.emplace(launch.id.run, lives_[job.name].size());
  if (fresh) lives_[job.name].push_back({launch.id.run, loop_.now(), {}});
  lives_[job.name][life->second].until.reset();
  return starts.size() - 1;
}

void SimOracle::clock_set(Millis offset) {
  most_off_ = std::max({most_off_, offset, -offset});
  most_ahead_ = std::max(most_ahead_, offset);
  most_behind_ = std::max(most_behind_, -offset);
}

/// It was acknowledged, and no end that somebody has asked for may have come since, by any clock.
bool SimOracle::is_paused(const std::string& key) const {
  const auto paused = paused_.find(key);
  if (paused == paused_.end()) return false;
  for (const std::string& of : {key, std::string(common_name(key))}) {
    const auto asked = pause_ends_.find(of);
    if (asked != pause_ends_.end() && std::any_of(asked->second.begin(), asked->second.end(), [&](WallTime ends) {
          return ends > paused->second - most_off_ - Millis(60'000) && ends <= wall() + most_off_;
        }))
      return false;
  }
  return true;
}

WallTime SimOracle::wall() const { return SimClock::default_wall + loop_.now().time_since_epoch(); }

/// Once for each slot and attempt, as the register says, and under a fence that grows.
void SimOracle::check_claimed(const core::Launch& launch, const std::string& what) {
  const Job& job = launch.definition->job;
  const std::string who = core::is_of_slot(launch.trigger) ? job.name : launch.id.run.text();
  if (!begun_.emplace(who, launch.slot, launch.id.attempt).second) find("started twice: " + what);
  std::uint64_t& fence = fences_[job.name];
  const bool one_at_a_time = !at_once.contains(job.name);
  if (one_at_a_time && launch.fence <= fence) find("started with a fence that has not grown: " + what);
  fence = std::max(fence, launch.fence);
  const auto history = jobs_.find(job.name);
  const Claim* claim = nullptr;
  if (history != jobs_.end())
    if (const auto it = history->second.claims.find(launch.id); it != history->second.claims.end()) claim = &it->second;
  if (!claim || claim->run.fence != launch.fence || claim->run.epoch != launch.epoch)
    find("started without a claim in the register: " + what);
}

void SimOracle::ended(std::size_t start, SteadyTime lived_until, std::optional<runner::Ended> outcome) {
  Start& one = starts[start];
  one.ended = lived_until;
  one.outcome = std::move(outcome);
  end_life(one);
  note(one.node, "END job " + one.job + ", run " + one.run.text());
  const Term* by = term(one.group, one.epoch);
  if (one.terminate && !one.orphaned && by && lived_until >= store_.promised_until(by->session))
    find("a `terminate` run outlived its term: job " + one.job + ", run " + one.run.text());
}

void SimOracle::orphaned(std::size_t start) {
  Start& one = starts[start];
  one.orphaned = true;
  one.ended = loop_.now();
  end_life(one);
}

/// Another attempt of it, of a term that knows nothing of this one, may go on.
void SimOracle::end_life(const Start& over) {
  const bool goes_on = std::any_of(starts.begin(), starts.end(),
                                   [&](const Start& other) { return other.run == over.run && !other.ended; });
  if (!goes_on) lives_[over.job][life_of_.at(over.run)].until = loop_.now();
}

const std::vector<RunLife>& SimOracle::lives(const std::string& job) const {
  static const std::vector<RunLife> none;
  const auto it = lives_.find(job);
  return it == lives_.end() ? none : it->second;
}

const Start* SimOracle::start_of(const runner::AttemptId& id) const {
  const auto it = by_attempt_.find(id);
  return it == by_attempt_.end() ? nullptr : &starts[it->second];
}

// ---- what people ask

/// A resume that is under way, or whose fate is unknown, may come after any pause; one that was asked after a pause
/// does.
void SimOracle::asked(const core::Request& request) {
  asked_[request.id] = asked_.size();
  if (request.terms.ends) pause_ends_[paused_key(request)].push_back(*request.terms.ends);
  if (request.kind != core::Request::Kind::resume) return;
  last_resume_[paused_key(request)] = asked_[request.id];
  paused_.erase(paused_key(request));
  std::erase_if(paused_, [&](const auto& paused) { return common_name(paused.first) == request.job; });
  resuming_[paused_key(request)].insert(request.id);
}

void SimOracle::answered(const core::Request& request, bool done) {
  const std::string key = paused_key(request);
  if (request.kind == core::Request::Kind::pause || request.kind == core::Request::Kind::resume)
    note("people", std::string(request.kind == core::Request::Kind::pause ? "the pause of " : "the resumption of ") +
                       key + (done ? " is done" : " is refused"));
  if (!done) return;
  if (request.kind == core::Request::Kind::resume) resuming_[key].erase(request.id);
  if (request.kind != core::Request::Kind::pause) return;
  for (const std::string& resumes : {key, std::string(common_name(key))}) {
    const auto resumed = last_resume_.find(resumes);
    if (!resuming_[resumes].empty() || (resumed != last_resume_.end() && resumed->second > asked_[request.id])) return;
  }
  paused_[key] = wall();
}

// ---- the store

void SimOracle::watch() {
  watch_terms();
  const SimStore::Contents& contents = store_.contents();
  if (contents.revision == revision_) return;
  if (contents.revision < revision_) jobs_.clear();  // an older snapshot: what was promised begins anew
  revision_ = contents.revision;
  const std::string prefix = core::job_register("");
  for (auto it = contents.registers.lower_bound(prefix); it != contents.registers.end(); ++it) {
    if (!it->first.starts_with(prefix)) break;
    watch_register(it->first.substr(prefix.size()), it->second);
  }
}

void SimOracle::watch_terms() {
  if (std::exchange(term_changes_, store_.term_changes()) == store_.term_changes()) return;
  for (const auto& [group, epoch] : store_.contents().epochs) {
    const SimStore::SessionId session = store_.leading_session(group);
    Term*& leading = leading_[group];
    if (leading && session != 0 && leading->epoch == epoch) {
      leading->session = session;  // another one, where the node has taken its session over
      leading->alive = store_.renewed_at(session);
      continue;
    }
    if (leading) {
      leading->ended = loop_.now();
      leading->alive = store_.renewed_at(leading->session);  // by a renewal of this very instant, perhaps
      note("store", "term " + std::to_string(leading->epoch) + " of group " + group + " is over");
      leading = nullptr;
    }
    const auto leader = store_.leader(group);
    if (!leader) continue;
    leading = &terms_[{group, leader->epoch}];
    leading->group = group;
    leading->node = leader->node;
    leading->epoch = leader->epoch;
    leading->session = leader->session;
    leading->alive = store_.renewed_at(leader->session);
    leading->began = loop_.now();
    if (is_another_nodes(group, leader->node)) find(leader->node + " leads another node's group " + group);
    note("store", leader->node + " leads group " + group + ", epoch " + std::to_string(leader->epoch));
  }
}

const SimOracle::Term* SimOracle::term(const std::string& group, std::uint64_t epoch) const {
  const auto it = terms_.find({group, epoch});
  return it == terms_.end() ? nullptr : &it->second;
}

std::vector<const SimOracle::Term*> SimOracle::terms_of(const std::string& group) const {
  std::vector<const Term*> some;
  for (auto it = terms_.lower_bound({group, 0}); it != terms_.end() && it->first.first == group; ++it)
    some.push_back(&it->second);
  return some;
}

const SimOracle::Term* SimOracle::leading(const std::string& group) const {
  const auto it = leading_.find(group);
  return it == leading_.end() ? nullptr : it->second;
}

std::map<std::string, const SimOracle::Term*> SimOracle::leaders() const {
  std::map<std::string, const Term*> all;
  for (const auto& [group, term] : leading_)
    if (term) all[group] = term;
  return all;
}

const SimOracle::Claims* SimOracle::claims_of(const std::string& job) const {
  const auto it = jobs_.find(job);
  return it == jobs_.end() ? nullptr : &it->second.claims;
}

const core::JobRegister* SimOracle::job_register(const std::string& job) const {
  const auto it = jobs_.find(job);
  return it == jobs_.end() ? nullptr : &it->second.now;
}

void SimOracle::watch_register(const std::string& job, const Register& stored) {
  History& history = jobs_[job];
  if (history.version == stored.version) return;
  const bool first = std::exchange(history.version, stored.version) == 0;
  auto next = core::parse_job_register(stored.value);
  if (!next) return unreadable(job);
  check_text(job, stored.value, *next);
  if (!first) {
    const bool repaired = next->interventions->repaired_at != history.now.interventions->repaired_at;
    if (repaired) std::erase_if(history.settled, [&](WallTime slot) { return slot > next->cursor; });
    const bool forgets = next->interventions->repair != history.now.interventions->repair;  // what was claimed
    if (forgets) std::erase_if(history.claimed, [&](const auto& one) { return one.first > next->cursor; });
    if (repaired && next->cursor < history.now.cursor) {
      Undone& undone = history.undone.emplace_back(
          Undone{next->cursor, history.now.cursor, std::min(history.now.epoch, next->epoch - 1), *next});
      for (const auto& [slot, epoch] : without_run_[job])
        if (epoch == next->epoch) undone.by_same_term.insert(slot);
      forget_notified(job, undone);
    }
    if (next->cursor < history.now.cursor && !repaired) find("the cursor of job " + job + " went back");
    if (next->fence < history.now.fence) find("the fence of job " + job + " went back");
    if (history.now.released && next->since == history.now.cursor) {  // adopted: the slots between are the new plan's
      const core::JobRegister before = std::exchange(history.now, *next);
      make_plan(job, history);
      history.now = before;
    }
    settle(history, *next);
    if (!repaired) check_anchors(job, history.now, *next);
  }
  watch_claims(job, history, *next);
  if (!first) {
    watch_expectations(job, history.now, *next);
    watch_recovery(history.now, *next);
    if (changed) changed(job, history.now, *next);
  }
  const bool same = !first && next->timing == history.now.timing && next->anchors == history.now.anchors &&
                    next->since == history.now.since && next->group == history.now.group;
  history.now = std::move(*next);
  if (!same) make_plan(job, history);
}

/// What the accounts rest on is read a second time, without the program's own reader.
void SimOracle::check_text(const std::string& job, const std::string& text, const core::JobRegister& read) {
  const auto field = [&](const std::string& name) {
    const std::size_t at = text.find("\n" + name + " ");
    if (at == std::string::npos) return std::string();
    const std::size_t from = at + name.size() + 2;
    return text.substr(from, text.find('\n', from) - from);
  };
  const std::pair<std::string, std::string> fields[] = {{"cursor", format_slot(read.cursor)},
                                                        {"since", format_slot(read.since)},
                                                        {"fence", std::to_string(read.fence)},
                                                        {"epoch", std::to_string(read.epoch)},
                                                        {"group", *read.group}};
  for (const auto& [name, value] : fields)
    if (field(name) != value)
      find("the register of job " + job + " says " + name + " " + field(name) + ", and is read as " + value);
}

/// Every slot that the cursor passes is settled by this write, by the plan that was in force before it.
void SimOracle::settle(History& history, const core::JobRegister& next) {
  if (!history.plan) return;
  const WallTime from = std::max(history.now.cursor, history.now.since);
  if (history.own_slots) {
    const WallTime anchor = history.anchors.empty() ? WallTime{} : history.anchors.front();
    for (const WallTime slot : history.own_slots->between(from, next.cursor, anchor))
      history.settle(slot, history.own_slots->leaves_out(slot, anchor));
    return;
  }
  for (auto slot = history.plan->next(from, history.anchors); slot && slot->at <= next.cursor;
       slot = history.plan->next(slot->at, history.anchors))
    history.settle(slot->at, slot->kind == schedule::Slot::Kind::left_out);
}

void SimOracle::make_plan(const std::string& job, History& history) {
  const core::JobRegister& now = history.now;
  history.plan.reset();
  history.own_slots.reset();
  history.anchors.clear();
  if (now.timing.expressions.empty()) return;
  std::vector<std::string> expressions = *now.timing.expressions;
  std::erase(expressions, "@reboot");
  if (counts_slots) history.own_slots.emplace(expressions, now.timing.timezone.empty() ? "UTC" : *now.timing.timezone);
  history.plan = schedule::Plan::of_stored(
      {now.timing.expressions, now.timing.timezone, now.timing.not_before, now.timing.not_after, now.group, job});
  if (!history.plan) return;  // forged
  for (const std::string& text : history.plan->everies()) {
    const auto anchor =
        std::find_if(now.anchors.begin(), now.anchors.end(), [&](const auto& a) { return a.text == text; });
    history.anchors.push_back(anchor == now.anchors.end() ? now.since : anchor->at);
  }
}

/// A claim that was given up may land after all, behind a run of its slot that has been started without one.
const SimOracle::Claim* SimOracle::another_claim(const History& history, const core::OpenRun& run) {
  if (!run.at_least_once || !core::is_of_slot(run.trigger)) return nullptr;
  const auto it = std::find_if(history.claims.begin(), history.claims.end(), [&](const auto& one) {
    const core::OpenRun& other = one.second.run;
    return other.id != run.id && other.slot == run.slot && core::is_of_slot(other.trigger) && other.node == run.node &&
           other.epoch == run.epoch;
  });
  return it == history.claims.end() ? nullptr : &it->second;
}

void SimOracle::watch_claims(const std::string& job, History& history, const core::JobRegister& next) {
  for (const core::OpenRun& run : next.runs) {
    if (run.waits_until) continue;
    const auto [claim, fresh] = history.claims.try_emplace({run.id, run.attempt}, Claim{run});
    if (!fresh) continue;
    if (run.fence < next.interventions->repair) continue;  // of before: entered by the repair, for it goes on
    const std::string what = "job " + job + ", slot " + format_slot(run.slot) + ", run " + run.id.text();
    note(run.node, "claims " + what);
    if (run.fence <= history.fence) find("claimed with a fence that has not grown: " + what);
    history.fence = std::max(history.fence, run.fence);
    if (!core::is_of_slot(run.trigger) || run.attempt > 1) continue;
    if (another_claim(history, run)) continue;
    if (run.slot <= history.now.cursor) find("claimed behind the cursor: " + what);
    if (!history.claimed.emplace(run.slot, run.id).second) find("claimed twice: " + what);
  }
  for (auto& [id, claim] : history.claims) {
    if (!claim.open) continue;
    claim.open = std::any_of(next.runs.begin(), next.runs.end(), [&](const core::OpenRun& run) {
      return run.id == id.run && run.attempt == id.attempt && !run.waits_until;
    });
    const Claim* other = another_claim(history, claim.run);
    if (!claim.open) claim.closed = loop_.now();
    claim.is_superseded = !claim.open && !start_of(id) && other;
    if (!claim.open && other && start_of(id) && start_of({other->run.id, other->run.attempt}))
      find("claimed twice: job " + job + ", slot " + format_slot(claim.run.slot) + ", run " + id.run.text());
    const bool repaired = next.interventions->repair > 0;  // what the register had forgotten may have been open
    if (!claim.open && durable && !durable(id) && !claim.is_superseded && !repaired)
      find("closed before its row was durable: job " + job + ", run " + id.run.text());
  }
}

}  // namespace ballot
