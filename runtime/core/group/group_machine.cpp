#include "core/group/group_machine.hpp"

#include <algorithm>

#include "base/candidates.hpp"
#include "core/group/group_handover.hpp"
#include "core/group/group_jobs.hpp"
#include "core/group/group_requests.hpp"

namespace ballot::core {
namespace {

constexpr Millis read_pause{200};      // before what could not be read is read again
constexpr Millis observe_pause{1000};  // between observations while this node stays out of the election

/// True once: its time has come.
bool is_due(std::optional<SteadyTime>& at, SteadyTime now) {
  if (!at || *at > now) return false;
  at.reset();
  return true;
}

}  // namespace

std::optional<SteadyTime> GroupMachine::wake(bool open) const {
  std::optional<SteadyTime> wake;
  const auto observe_at = open ? state_.observe_at : std::nullopt;  // else once there is a session
  for (const auto& at :
       {state_.read_at, state_.stored.read_at(), observe_at, state_.kill_at, state_.cool_until, state_.vacancy.wake()})
    if (at && (!wake || *at < *wake)) wake = at;
  return wake;
}

std::optional<WallTime> GroupMachine::wall_wake(WallTime now) const {
  return leads() ? pause_end_after(now, state_.stored.value()) : std::nullopt;
}

void GroupMachine::advance(GroupContext& g) {
  const SteadyTime now = g.c.now.steady;
  if (is_due(state_.cool_until, now)) state_.observe_at.reset();
  state_.vacancy.advance(g.c, state_.name);
  if (is_due(state_.read_at, now)) read_registers(g);
  if (const auto at = state_.stored.read_at(); at && *at <= now) {
    state_.stored.on_reading();
    g.store.read(g.c.out, {StoreClient::Reading::For::group, state_.name, state_.term.epoch},
                 {group_register(state_.name)});
  }
  if (state_.cool_until && g.c.session.is_open() && is_due(state_.observe_at, now)) {
    state_.observe_at = now + observe_pause;
    g.store.observe(g.c.out, g.entry, state_.name);
  }
  enter_or_leave(g);
  GroupRequests(g, state_).advance();
  advance_reelection(g);
  advance_handback(g);
  if (g.is_stopping && leads() && may_resign(g)) resign(g, Cause::shutdown);
  if (state_.stored.is_due() && leads()) write(g);
}

// ---- candidacy

void GroupMachine::enter_or_leave(GroupContext& g) {
  if (g.is_stopping || !g.is_listed || !g.c.session.is_open()) return;
  const bool out = !g.entry.is_wanted() || !may_take_part(g);
  if (state_.phase == Phase::idle && !out) {
    state_.phase = Phase::candidate;
    g.c.out.push_back(Campaign{state_.name});
  } else if (state_.phase == Phase::candidate && out) {
    state_.phase = Phase::idle;
    state_.vacancy.end(g.c, state_.name);
    g.c.wants.resigns.push_back(state_.name);
  } else if (leads() && !g.entry.is_wanted()) {
    // Its answer brings us back: two writes of one version cannot both land, and of one whose fate is unknown neither
    // is the version known.
    if (state_.stored.is_settled()) resign(g, Cause::resigned);
  } else {
    advance_eligibility(g);
  }
}

bool GroupMachine::may_take_part(const GroupContext& g) const {
  return !state_.cool_until && g.is_node_fit && state_.unfit.empty() && may_lead(g.entry.settings, g.c.settings.node);
}

void GroupMachine::on_unfit(GroupContext& g, const std::string& why) {
  if (std::exchange(state_.unfit, why) == why) return;
  Notice notice{Level::info, "fit to lead again", {{"group", state_.name}}};
  if (!why.empty()) notice = {Level::warn, "not fit to lead: " + why, {{"group", state_.name}}};
  g.c.out.push_back(std::move(notice));
  advance_eligibility(g);
  g.is_dirty = true;
}

/// From Elected on the store shows a leader; the group is led once its term begins.
void GroupMachine::on_vacancy(GroupContext& g, bool is_vacant) {
  if (state_.phase != Phase::candidate) return;
  is_vacant ? state_.vacancy.begin(g.c) : state_.vacancy.end(g.c, state_.name);
  g.is_dirty = true;
}

void GroupMachine::advance_eligibility(GroupContext& g) {
  if (!leads() || g.is_stopping || state_.handback == Handback::evicted) return;
  const bool is_ineligible = !may_take_part(g);
  if ((state_.handback == Handback::ineligible) == is_ineligible) return;
  state_.handback = is_ineligible ? Handback::ineligible : Handback::none;
  state_.term.draining = is_ineligible;
  state_.kill_at.reset();
  if (is_ineligible) state_.kill_at = g.c.now.steady + handback_wait;
  advance_all(g);
}

// ---- a term begins

void GroupMachine::on_elected(GroupContext& g, const backend::Elected& event) {
  state_.phase = Phase::reading;
  Term& term = state_.term = {};
  term.group = event.group;
  term.epoch = event.epoch;
  term.elected_at = g.c.now.wall;
  term.elected = g.c.now.steady;
  if (event.old_deadline)  // no term lasts longer than T, whatever the store says
    term.old_deadline = std::min(*event.old_deadline, g.c.now.steady + g.c.session.timeout());
  term.limited = g.entry.settings.max_running > 0;
  state_.resumed = event.resumed;
  state_.last_alive = event.last_alive;
  read_registers(g);
}

/// The other nodes' records may say that the store has gone back. They are listed before, and waited for for T/2.
void GroupMachine::read_registers(GroupContext& g) {
  state_.read_at.reset();
  const SteadyTime wait_until = state_.term.elected + g.c.session.timeout() / 2;
  if (!g.knows_nodes && g.c.now.steady < wait_until) return void(state_.read_at = wait_until);
  std::vector<std::string> names{group_register(state_.name)};
  StoreClient::Reading asked{StoreClient::Reading::For::takeover, state_.name, state_.term.epoch};
  for (const JobEntry* entry : g.entry.jobs) {
    names.push_back(job_register(entry->machine.name()));
    asked.add_pause(entry->machine.name(), names);
  }
  g.store.read(g.c.out, std::move(asked), std::move(names));
}

void GroupMachine::on_unread(SteadyTime now) { state_.read_at = now + read_pause; }

bool GroupMachine::considers_forwarding(GroupContext& g, const Register& stored, const std::vector<Register>& read) {
  if (!GroupHandover(g, state_).considers_forwarding(stored)) return false;
  state_.registers = read;
  return true;
}

void GroupMachine::begin_term(GroupContext& g, const std::optional<Register>& stored) {
  state_.phase = Phase::leading;
  state_.vacancy.end(g.c, state_.name);
  Term& term = state_.term;
  const std::string unreadable = state_.stored.load(stored);  // it may have said that the group is paused, or halted
  const GroupRegister before = state_.stored.value();
  count_terms(g, before);
  GroupRegister now = before;
  now.epoch = term.epoch;
  now.node = g.c.settings.node;
  now.elected_at = term.elected_at;
  now.led_before = term.led_before;
  now.ended_at.reset();
  now.cause = Cause::none;
  if (!state_.resumed) GroupHandover(g, state_).settle(before, now);
  const std::string why =
      state_.resumed ? ""
                     : state_.guard.verify(g.guard, {before.repair, state_.stored.version(), term.epoch}, state_.name);
  if (now.halted.empty()) {
    now.halted = why.empty() ? unreadable : why;
    now.halted_at = now.halted.empty() ? std::nullopt : std::optional(g.c.now.wall);
  }
  if (why.empty()) g.c.wants.known.push_back(known());
  term.halted = now.halted;
  state_.halted_at = g.c.now.steady;
  term.repair = before.repair;
  log_halt(g);
  heed_pause(term, now);
  term.draining = !may_take_part(g);
  state_.handback = term.draining ? Handback::ineligible : Handback::none;
  if (term.draining) state_.kill_at = g.c.now.steady + handback_wait;
  const bool is_changed = !state_.resumed || now != before;
  if (now.paused) record_pause(g.c, state_.name, now, std::nullopt);
  state_.stored.begin(std::move(now), is_changed);
  g.is_dirty = true;
  RecordTerm begun{{term.group, g.c.settings.node, term.epoch, term.elected_at, {}, Cause::none}};
  if (!state_.resumed) begun.elected_after = before.end();
  g.c.out.push_back(std::move(begun));
  g.c.out.push_back(Notice{Level::info,
                           state_.resumed ? "leads again, the same term" : "leads",
                           {{"group", term.group}, {"epoch", std::to_string(term.epoch)}}});
}

/// Records what the term knows of the terms before it. `before`: the register as they have left it.
/// A term before that one had its last renewal no later than when that one was elected.
void GroupMachine::count_terms(const GroupContext& g, const GroupRegister& before) {
  Term& term = state_.term;
  if (state_.resumed && before.epoch == term.epoch) {
    term.led_before = before.led_before;
    term.elected_at = before.elected_at;  // one term: what was due meanwhile was not claimed too late by another
  } else {
    term.led_before = led_before(before, term.epoch, state_.last_alive, g.c.session.lease());
    if (before.epoch == 0) return;
    if (before.ended_at)
      term.left_clean = before.epoch;
    else if (before.elected_at + g.c.session.timeout() <= g.c.now.wall)
      term.only_before = before.node;
  }
}

std::optional<TermDeadline> GroupMachine::send_deadline(const Session& session) {
  if (state_.deadline_sent == session.deadline()) return std::nullopt;
  state_.deadline_sent = session.deadline();
  return TermDeadline{state_.name, state_.term.epoch, session.deadline(), session.grace(Millis::max())};
}

// ---- and ends

void GroupMachine::end_term(GroupContext& g, Cause cause) {
  const bool led = is_led();
  state_.phase = Phase::idle;
  state_.vacancy.end(g.c, state_.name);
  state_.registers.clear();
  state_.requests.asked.clear();
  state_.requests.repairs_later = false;
  state_.requests.repairing = 0;
  state_.requests.pausing.reset();
  state_.requests.resuming = false;
  state_.requests.evictions_stored = 0;
  state_.stored.end();
  state_.handback = Handback::none;
  state_.resigned_for = Cause::none;
  state_.reelects = false;
  state_.read_at.reset(), state_.kill_at.reset(), state_.deadline_sent.reset();
  if (!led) return;
  depose_jobs(g);
  const Term& term = state_.term;
  const WallTime elected = state_.stored.value().elected_at;
  // One that has resigned: as its register says, also where the clock was set meanwhile.
  const WallTime ended = state_.stored.value().ended_at.value_or(std::max(elected, g.c.session.last_led(g.c.now)));
  g.c.out.push_back(RecordTerm{{term.group, g.c.settings.node, term.epoch, elected, ended, cause}});
  const bool on_purpose = g.is_stopping || cause == Cause::resigned;
  Notice notice{on_purpose ? Level::info : Level::warn, "leads no more", {{"group", term.group}}};
  notice.fields.emplace_back("epoch", std::to_string(term.epoch));
  notice.fields.emplace_back("cause", std::string(to_string(cause)));
  g.c.out.push_back(std::move(notice));
}

/// A job that the files define in another group that this node leads waits for this group's next leader to release it;
/// or is led there now, where nobody can read whose it is.
void GroupMachine::depose_jobs(GroupContext& g) {
  for_each_led(g, state_.term, [&](JobEntry& entry) {
    entry.machine.depose(g.c);
    g.jobs.advance(entry);
    const GroupEntry* const next = entry.defined_in;
    if (next && next != &g.entry && next->machine.leads()) g.c.wants.changed.push_back(&entry.machine);
  });
}

void GroupMachine::on_deposed(GroupContext& g, const backend::Deposed& event) {
  if (state_.phase == Phase::idle || state_.phase == Phase::candidate || state_.term.epoch != event.epoch) return;
  const bool evicted = state_.handback == Handback::evicted;
  const Handback handback = state_.handback;
  const bool resigned = state_.phase == Phase::resigning;
  const bool as_asked = event.cause == Cause::resigned && state_.resigned_for != Cause::none;
  const Cause cause = as_asked ? state_.resigned_for : event.cause;
  for (const Request& request : state_.requests.asked)
    if (request.kind == Request::Kind::evict) g.c.wants.answers.push_back({request.id, Answer::done()});
  end_term(g, g.is_stopping ? Cause::shutdown : evicted ? Cause::evicted : cause);
  if (g.is_stopping) return;
  GroupHandover(g, state_).stay_out(handback);
  if (!resigned) state_.phase = Phase::candidate;  // the store asks us again
  g.is_dirty = true;
}

/// What is left to a restart keeps its term, whatever it was to be resigned for.
bool GroupMachine::may_resign(const GroupContext& g) const { return !g.leaves_terms && is_at_rest(g); }

bool GroupMachine::is_at_rest(const GroupContext& g) const {
  const WhichRuns ending = g.is_stopping ? ended_by_stop(g.leaves_terms) : ends_with_term;
  return state_.stored.is_settled() &&
         none_led(g, state_.term, [&](const JobMachine& job) { return !job.is_clean() || job.open_runs(ending) > 0; });
}

void GroupMachine::resign(GroupContext& g, Cause cause) {
  state_.phase = Phase::resigning;
  state_.kill_at.reset();
  state_.term.draining = true;
  state_.resigned_for = cause;
  GroupRegister& last = state_.stored.edit();
  last.ended_at = g.c.now.wall;
  last.cause = cause == Cause::unfit ? Cause::resigned : cause;  // builds before this one do not know the word
  write(g);
  g.c.wants.resigns.push_back(state_.name);
}

// ---- halted

void GroupMachine::halt(GroupContext& g, const std::string& why) {
  GroupRegister& stored = state_.stored.edit();
  if (stored.halted.empty()) stored.halted_at = g.c.now.wall;
  state_.term.halted = stored.halted = why;
  state_.halted_at = g.c.now.steady;
  state_.requests.repairing = 0;
  state_.term.repairing = false;
  g.is_dirty = true;
  log_halt(g);
  for (JobEntry* entry : std::vector(g.entry.jobs.begin(), g.entry.jobs.end()))
    if (entry->machine.role() == JobMachine::Role::leading) entry->machine.halt(g.c), g.jobs.advance(*entry);
}

/// Once, however often the group is led meanwhile.
void GroupMachine::log_halt(GroupContext& g) {
  const std::string& why = state_.term.halted;
  if (std::exchange(state_.logged_halt, why) != why && !why.empty())
    g.c.out.push_back(Notice{Level::error, "group halted: " + why, {{"group", state_.name}}});
}

// ---- its register

void GroupMachine::write(GroupContext& g) {
  if (auto write = state_.stored.begin_write(state_.name, state_.term.epoch))
    g.store.write(g.c.out, g.entry, std::move(*write));
}

void GroupMachine::on_written(GroupContext& g, const WriteAnswer& answer) {
  if (!writes_register()) return;
  g.is_dirty = true;
  if (state_.stored.on_written(answer)) return state_.guard.on_written(answer.version);
  if (state_.phase == Phase::resigning || answer.outcome == StoreResult::not_leader) return;
  state_.stored.read_again(g.c.now.steady + again_pause);
}

/// After a write that may have happened.
void GroupMachine::on_read(GroupContext& g, const backend::ReadDone& event) {
  if (!leads()) return;
  g.is_dirty = true;
  if (event.outcome == StoreResult::done)
    state_.stored.on_read(event.registers);
  else
    state_.stored.on_unread(g.c.now.steady + again_pause);
}

// ---- requests, and what hands the group back

std::optional<Answer> GroupMachine::refusal(const Request& request) const {
  if (request.kind != Request::Kind::repair || !state_.stored.is_newer()) return std::nullopt;
  return Answer::refused(Errc::refused, state_.term.halted);
}

void GroupMachine::take(GroupContext& g, const Request& request) {
  const std::vector<JobEntry*> jobs(g.entry.jobs.begin(), g.entry.jobs.end());
  GroupRequests(g, state_).begin(request);
  for (JobEntry* job : jobs) g.jobs.advance(*job);
}

void GroupMachine::on_eviction_removed(GroupContext& g) {
  state_.requests.evictions_stored = std::max(0, state_.requests.evictions_stored - 1);
  g.is_dirty = true;
}

void GroupMachine::reelect(GroupContext& g) {
  state_.reelects = leads();
  g.is_dirty = true;
}

/// The group is resigned at the first moment when nothing would suffer by it. Nothing is killed for it, and nothing
/// waits before.
void GroupMachine::advance_reelection(GroupContext& g) {
  if (!state_.reelects || state_.drains() || !leads()) return;
  const bool at_rest = none_led(
      g, state_.term, [](const JobMachine& job) { return job.open_runs(ends_with_term) > 0 || job.may_start(); });
  if (!at_rest) return;
  state_.handback = Handback::reelect;
  state_.term.draining = true;
  for_each_led(g, state_.term, [&](JobEntry& entry) { g.jobs.advance(entry); });
}

/// Handed over once its jobs are done; what does not end is killed.
void GroupMachine::advance_handback(GroupContext& g) {
  if (!state_.drains() || !leads()) return;
  if (is_due(state_.kill_at, g.c.now.steady))
    for_each_led(g, state_.term,
                 [&](JobEntry& entry) { entry.machine.kill_all(g.c, Reason::leadership_lost, ends_with_term); });
  if (state_.requests.evictions_stored == 0 && may_resign(g))
    resign(g, state_.handback == Handback::evicted      ? Cause::evicted
              : state_.handback == Handback::ineligible ? ineligible_cause(g)
                                                        : Cause::resigned);
}

// ---- hand-over

bool GroupMachine::may_hand_over(GroupContext& g) { return GroupHandover(g, state_).may_begin(); }

bool GroupMachine::is_quiet(GroupContext& g) { return GroupHandover(g, state_).is_quiet(may_resign(g)); }

void GroupMachine::begin_handover(GroupContext& g, const std::string& session) {
  GroupHandover(g, state_).begin(session);
}

bool GroupMachine::on_observed(GroupContext& g, const std::optional<Election>& election) {
  const auto takes_part = [&](auto is) {
    return election && std::any_of(election->candidates.begin(), election->candidates.end(), is);
  };
  if (state_.phase == Phase::reading && state_.handback == Handback::forwarding) {
    const std::string& target = state_.stored.value().hand_over_to;
    if (!takes_part([&](const Candidate& other) { return other.node == target; })) {
      state_.handback = Handback::none;
      return true;
    }
    GroupHandover(g, state_).begin_forwarding();
    write(g);
    g.c.wants.resigns.push_back(state_.name);
    return false;
  }
  if (state_.handback == Handback::handover) {
    state_.handback = Handback::none;
    if (election && may_resign(g) && GroupHandover(g, state_).names_target(election->candidates))
      resign(g, Cause::resigned);
  }
  if (!election || !state_.cool_until) return false;
  if (GroupHandover(g, state_).waits_for_others(election->candidates)) return false;
  state_.cool_until.reset();
  state_.observe_at.reset();
  g.is_dirty = true;
  return false;
}

// ---- the stop

void GroupMachine::on_stop(GroupContext& g) {
  state_.term.draining = true;
  g.is_dirty = is_led();
  if (state_.phase != Phase::candidate && state_.phase != Phase::reading) return;
  state_.phase = Phase::idle;
  state_.vacancy.end(g.c, state_.name);
  g.c.wants.resigns.push_back(state_.name);
}

void GroupMachine::on_closing(GroupContext& g) {
  state_.phase = Phase::idle;
  for_each_led(g, state_.term, [&](JobEntry& entry) { entry.machine.depose(g.c), g.jobs.advance(entry); });
}

}  // namespace ballot::core
