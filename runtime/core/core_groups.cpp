// The groups: campaigning, taking over, being evicted, losing.
#include <algorithm>

#include "base/assert.hpp"
#include "base/wall_text.hpp"
#include "core/core.hpp"
#include "core/record/outcome.hpp"

namespace ballot::core {
namespace {

constexpr Millis takeover_retry{200};
constexpr Millis look_pause{1000};  // between looks for other candidates while staying out

}  // namespace

GroupState& Core::group_of(const std::string& name) { return groups_.entry(name, guard_); }

void Core::on(Context& c, const backend::SessionOpened& event) {
  if (session_.on_opened(c.now, event) != Session::Edge::opened) return;
  c.out.push_back(Notice{Level::info, "session open", {{"timeout_ms", std::to_string(event.timeout.count())}}});
  c.out.push_back(Watch{std::string(request_prefix)});
  c.out.push_back(Watch{std::string(outcome_prefix)});
  c.out.push_back(Watch{std::string(node_prefix)});
  directory_.on_opened(event.id);
  guard_.on_opened(event.revision);
  heed(c, health_.on_clock(session_.clock_error()));
  list_jobs(c);
  for (auto& [name, group] : groups_.all())
    if (group.cool_until) groups_.mark_dirty(group);  // whether there is another candidate can be seen now
  perform(c, desk_.on_opened());
  store_.send_delayed(c.out);
}

void Core::on(Context& c, const backend::SessionClosed& event) {
  const bool was_open = session_.is_open();
  const bool is_closing = shutdown_.phase() == Shutdown::Phase::closing;
  const bool refused = session_.is_refused(event) && !is_closing;
  if (!event.text.empty() && !refused)
    c.out.push_back(Notice{shutdown_.is_asked() ? Level::info : Level::error,
                           "session closed: " + event.text,
                           {{"cause", std::string(to_string(event.cause))}}});
  session_.on_closed(c.now, event);
  if (was_open) lose_all(c, event.cause);
  if (!is_closing && !refused) return;
  if (refused) session_.end(true, c.out);
  shutdown_.end();
  c.out.push_back(Stopped{refused ? event.text : ""});
}

void Core::on(Context& c, const backend::Renewed& event) {
  const bool doubted = session_.in_doubt();
  session_.on_renewed(c.now, event);
  note_renewal(c, event);
  if (event.gone_back) lose_trust(c, "the store has gone back: " + event.text);
  if (event.outcome == Outcome::done && guard_.on_renewed(event.revision)) on_gone_back(c);
  heed(c, health_.on_clock(session_.clock_error()));
  if (doubted && !session_.in_doubt()) c.out.push_back(Notice{Level::info, "the session is renewed again", {}});
}

/// The first failure, its end, and in between once a minute: it is tried again ten times a second.
void Core::note_renewal(Context& c, const backend::Renewed& event) {
  if (event.outcome == Outcome::done) {
    renewal_noted_at_.reset();
  } else if (!event.text.empty() &&
             (!renewal_noted_at_ || c.now.steady >= *renewal_noted_at_ + std::chrono::minutes(1))) {
    renewal_noted_at_ = c.now.steady;
    c.out.push_back(Notice{Level::warn, "renewal failed: " + event.text, {}});
  }
}

/// The store itself shows that it has lost what it had acknowledged: of which groups is not known.
void Core::lose_trust(Context& c, const std::string& why) {
  for (GroupState* group : std::vector(groups_.standing().begin(), groups_.standing().end()))
    if (group->phase == GroupState::Phase::leading && group->term.halted.empty()) halt(c, *group, why);
}

/// Seen once each time: what is led is halted at once, the other groups when they are; unless they are repaired first.
void Core::on_gone_back(Context& c) {
  c.out.push_back(Notice{Level::error, guard_.how(), {}});
  lose_trust(c, guard_.how());
  guard_.begin_lists(c.now.steady);
}

void Core::list_repairs(Context& c) {
  guard_.end_lists();
  const bool any = std::any_of(groups_.all().begin(), groups_.all().end(), [&](const auto& one) {
    return one.second.is_wanted() && !one.second.guard.knows_of(guard_);
  });
  if (!any) return;
  store_.list(c.out, {.what = Reading::For::repairs}, group_register(""));
  guard_.next_list(c.now.steady);
}

void Core::on_repairs(Context&, const std::vector<Register>& registers) {
  for (const Register& r : registers) {
    GroupState* const found = groups_.find(r.name.substr(group_register("").size()));
    const auto parsed = parse_group_register(r.value);
    if (!found || !parsed || found->stands()) continue;
    found->guard.learn_repair(guard_, {parsed->repair, r.version, parsed->epoch});
  }
}

/// All terms are over; what was asked is unknown.
void Core::lose_all(Context& c, Cause cause) {
  listed_ = false;
  for (RecordFeed* feed : feeds_.all()) feed->on_lost();
  list_at_.reset();
  desk_.on_lost();
  for (Recording& recording : store_.on_lost()) on_recorded(c, std::move(recording), {});
  for (auto& [name, group] : groups_.all()) end_term(c, group, cause);
  forget_nodes();
}

void Core::end_term(Context& c, GroupState& group, Cause cause) {
  const bool led = group.stands() && !group.passing;
  group.phase = GroupState::Phase::idle;
  group.registers.clear();
  group.asked.clear();
  group.repairing = 0;
  group.pausing.reset();
  group.resuming = false;
  group.evicting = group.yielding = false;
  group.stored.end();
  group.reelects = group.reelecting = false;
  group.weighs_passing = group.passing = false;
  group.hands_to.clear();
  group.evictions_stored = 0;
  group.read_again.reset(), group.evict_kill.reset(), group.told.reset();
  groups_.end_standing(group);
  shutdown_.ready(group);
  groups_.rearm(group, session_.is_open());
  if (!led) return;
  desk_.on_term_ended(group.name);
  for (JobEntry* entry : std::vector(group.jobs.begin(), group.jobs.end()))
    if (entry->machine.term() == &group.term) {
      entry->machine.depose(c);
      touch(c, *entry);
      if (led_elsewhere(*entry)) wants_.changed.push_back(&entry->machine);
    }
  c.out.push_back(RecordTerm{
      {group.term.group, settings_.node, group.term.epoch, group.stored.value().elected_at, c.now.wall, cause}});
  Notice notice{shutdown_.is_asked() ? Level::info : Level::warn, "leads no more", {{"group", group.term.group}}};
  notice.fields.emplace_back("epoch", std::to_string(group.term.epoch));
  notice.fields.emplace_back("cause", std::string(to_string(cause)));
  c.out.push_back(std::move(notice));
}

/// The files define it in a group that this node still leads, and which now waits for another leader to release it.
bool Core::led_elsewhere(const JobEntry& entry) const {
  return entry.defined_in && entry.defined_in != entry.owner && groups_.led(entry.defined_in->name);
}

void Core::campaign(Context& c) {
  for (auto& [name, group] : groups_.all()) enter_or_leave(c, group);
}

/// A group is wanted while files name it, or while a register is left in it that no file of it defines.
void Core::enter_or_leave(Context& c, GroupState& group) {
  if (shutdown_.is_asked() || !listed_ || !session_.is_open()) return;
  const bool out = !group.is_wanted() || !may_take_part(group);
  if (group.phase == GroupState::Phase::idle && !out) {
    group.phase = GroupState::Phase::candidate;
    c.out.push_back(Campaign{group.name});
  } else if (group.phase == GroupState::Phase::candidate && out) {
    group.phase = GroupState::Phase::idle;
    resigns_.push_back(group.name);
  } else if (group.phase == GroupState::Phase::leading && !group.is_wanted()) {
    // Its answer brings us back: two writes of one version cannot both land, and of one whose fate is unknown neither
    // is the version known.
    if (!group.stored.is_settled()) return;
    resign(c, group, Cause::resigned);
  } else {
    advance_yielding(c, group);
  }
}

void Core::on(Context& c, const backend::Elected& event) {
  GroupState& group = group_of(event.group);
  if (group.phase != GroupState::Phase::candidate) return;
  group.phase = GroupState::Phase::reading;
  group.term = {};
  group.term.group = event.group;
  group.term.epoch = event.epoch;
  group.term.elected_at = c.now.wall;
  if (event.old_deadline)  // no term lasts longer than T, whatever the store says
    group.term.old_deadline = std::min(*event.old_deadline, c.now.steady + session_.timeout());
  group.term.limited = group.settings.max_running > 0;
  if (!event.resumed && guard_.on_elected(event.revision)) on_gone_back(c);
  group.resumed = event.resumed;
  group.last_alive = event.last_alive;
  read_takeover(c, group);
}

void Core::read_takeover(Context& c, GroupState& group) {
  group.read_again.reset();
  std::vector<std::string> names{group_register(group.name)};
  for (const JobEntry* entry : group.jobs) names.push_back(job_register(entry->machine.name()));
  store_.read(c.out, {Reading::For::takeover, group.name, group.term.epoch}, std::move(names));
}

/// The registers are read in our term. Where they show runs of which this node knows nothing, their outcomes are looked
/// for first.
void Core::on_takeover(Context& c, const Reading& asked, const backend::ReadDone& event) {
  GroupState& group = group_of(asked.group);
  if (group.phase != GroupState::Phase::reading || group.term.epoch != asked.epoch) return;
  if (event.outcome != Outcome::done) {
    group.read_again = c.now.steady + takeover_retry;
    return groups_.rearm(group, session_.is_open());
  }
  if (asked.what == Reading::For::outcomes) {
    prior_.learn_outcomes(event.registers);
    take_over(c, group, std::exchange(group.registers, {}));
    prior_.forget_outcomes();
    return;
  }
  for (const Register& r : event.registers)
    if (r.name == group_register(group.name) && weigh_passing(c, group, r)) {
      group.registers = event.registers;
      return;
    }
  settle_before(c, group, event.registers);
}

/// Nobody else is waited for: what became of the term before is looked for, and this one begins.
void Core::settle_before(Context& c, GroupState& group, const std::vector<Register>& registers) {
  auto names = unknown_outcomes(registers);
  if (names.empty()) return take_over(c, group, registers);
  group.registers = registers;
  store_.read(c.out, {Reading::For::outcomes, group.name, group.term.epoch}, std::move(names));
}

/// The term before is accounted for, and each job leads.
void Core::take_over(Context& c, GroupState& group, const std::vector<Register>& registers) {
  std::map<std::string_view, const Register*> by_name;
  for (const Register& r : registers) by_name[r.name] = &r;
  const auto find = [&](const std::string& name) {
    const auto it = by_name.find(name);
    return it == by_name.end() ? std::nullopt : std::optional<Register>(*it->second);
  };
  begin_term(c, group, find(group_register(group.name)));
  if (!directory_.peers().empty()) planner_.on_taken_over(c.now.steady);
  for (JobEntry* entry : group.jobs) {
    if (entry->machine.term()) continue;
    entry->machine.know(c, find(job_register(entry->machine.name())));
    wants_.changed.push_back(&entry->machine);
  }
  std::reverse(wants_.changed.begin(), wants_.changed.end());
  while (!wants_.changed.empty()) {  // at once: what was read of outcomes is for this term only
    JobMachine* job = wants_.changed.back();
    wants_.changed.pop_back();
    reconsider(c, *job);
  }
  feeds_.requests.on_changed();
  feeds_.outcomes.on_changed();
}

void Core::begin_term(Context& c, GroupState& group, const std::optional<Register>& stored) {
  group.phase = GroupState::Phase::leading;
  groups_.begin_standing(group);
  told_ = {};  // runs that it adopts hang on its deadline
  Term& term = group.term;
  const std::string unreadable = group.stored.load(stored);  // it may have said that the group is paused, or halted
  const GroupRegister before = group.stored.value();
  if (group.resumed && before.epoch == term.epoch) {
    term.elected_at = before.elected_at;  // one term: what was due meanwhile was not claimed too late by another
  } else if (before.epoch > 0) {
    term.term_before = {before.elected_at, before.ended_at.value_or(group.last_alive.value_or(before.elected_at))};
    if (before.ended_at) term.left_clean = before.epoch;
  }
  GroupRegister now = before;
  now.epoch = term.epoch;
  now.node = settings_.node;
  now.elected_at = term.elected_at;
  now.ended_at.reset();
  now.cause = Cause::none;
  if (!group.resumed) settle_turn(c, before, now);
  const std::string why =
      group.resumed ? "" : group.guard.judge(guard_, {before.repair, group.stored.version(), term.epoch}, group.name);
  if (now.halted.empty()) now.halted = why.empty() ? unreadable : why;
  term.halted = now.halted;
  term.repair = before.repair;
  tell_halt(c, group);
  term.paused = now.paused;
  group.yielding = term.draining = !may_take_part(group);
  if (group.yielding) group.evict_kill = c.now.steady + evict_wait;
  const bool is_changed = !group.resumed || now != before;
  group.stored.begin(std::move(now), is_changed);
  groups_.mark_dirty(group);
  c.out.push_back(RecordTerm{{term.group, settings_.node, term.epoch, term.elected_at, {}, Cause::none}});
  c.out.push_back(Notice{Level::info,
                         group.resumed ? "leads again, the same term" : "leads",
                         {{"group", term.group}, {"epoch", std::to_string(term.epoch)}}});
}

/// Nothing of the group is launched any more, until it is repaired.
void Core::halt(Context& c, GroupState& group, const std::string& why) {
  group.term.halted = group.stored.edit().halted = why;
  group.repairing = 0;
  group.term.repairing = false;
  groups_.mark_dirty(group);
  tell_halt(c, group);
  for (JobEntry* entry : std::vector(group.jobs.begin(), group.jobs.end()))
    if (entry->machine.standing() == JobMachine::Standing::leading) entry->machine.halt(c), touch(c, *entry);
}

/// Once, however often the group is led meanwhile.
void Core::tell_halt(Context& c, GroupState& group) {
  const std::string& why = group.term.halted;
  if (std::exchange(group.told_halt, why) != why && !why.empty())
    c.out.push_back(Notice{Level::error, "group halted: " + why, {{"group", group.name}}});
}

/// What time, its jobs, or its requests have made possible.
void Core::advance_group(Context& c, GroupState& group) {
  const auto due = [&](std::optional<SteadyTime>& at) {
    if (!at || *at > c.now.steady) return false;
    at.reset();
    return true;
  };
  if (due(group.cool_until)) group.look_again.reset();
  if (due(group.read_again)) read_takeover(c, group);
  if (const auto at = group.stored.read_at(); at && *at <= c.now.steady) {
    group.stored.on_reading();
    store_.read(c.out, {Reading::For::group, group.name, group.term.epoch}, {group_register(group.name)});
  }
  if (group.cool_until && session_.is_open() && due(group.look_again)) {
    group.look_again = c.now.steady + look_pause;
    store_.observe(c.out, group, group.name);
  }
  enter_or_leave(c, group);
  advance_group_requests(c, group);
  advance_reelection(c, group);
  advance_eviction(c, group);
  resign_if_done(c, group);
  if (group.stored.is_due() && group.phase == GroupState::Phase::leading) write_group(c, group);
}

/// A run's policy says `reelect`: the group is resigned at the first moment when nothing would suffer by it. Nothing is
/// killed for it, and nothing is held back before.
void Core::advance_reelection(Context& c, GroupState& group) {
  if (!group.reelects || group.hands_back() || group.phase != GroupState::Phase::leading) return;
  const auto at_rest = [&](const JobEntry* entry) {
    return entry->machine.term() != &group.term || (entry->machine.bound_runs() == 0 && !entry->machine.may_start());
  };
  if (!std::all_of(group.jobs.begin(), group.jobs.end(), at_rest)) return;
  group.reelecting = group.term.draining = true;
  for (JobEntry* entry : std::vector(group.jobs.begin(), group.jobs.end()))
    if (entry->machine.term() == &group.term) touch(c, *entry);
}

/// Evicted, or not allowed to lead: hands over once its jobs are done.
void Core::advance_eviction(Context& c, GroupState& group) {
  if (!group.hands_back() || group.phase != GroupState::Phase::leading) return;
  if (group.evict_kill && *group.evict_kill <= c.now.steady) {
    group.evict_kill.reset();
    for (JobEntry* entry : group.jobs)
      if (entry->machine.term() == &group.term) entry->machine.kill_all(c, Reason::leadership_lost);
  }
  if (group.evictions_stored == 0 && may_resign(group))
    resign(c, group, group.evicting ? Cause::evicted : Cause::resigned);
}

void Core::resign(Context& c, GroupState& group, Cause cause) {
  group.phase = GroupState::Phase::resigning;
  group.evict_kill.reset();
  group.term.draining = true;
  GroupRegister& last = group.stored.edit();
  last.ended_at = c.now.wall;
  last.cause = cause;
  write_group(c, group);
  resigns_.push_back(group.name);
}

void Core::on(Context& c, const backend::Deposed& event) {
  GroupState& group = group_of(event.group);
  if (group.phase == GroupState::Phase::idle || group.phase == GroupState::Phase::candidate) return;
  if (group.term.epoch != event.epoch) return;
  const bool evicted = group.evicting;
  const bool cools = evicted || group.reelecting;
  const bool resigned = group.phase == GroupState::Phase::resigning;
  for (const Request& request : group.asked)
    if (request.kind == Request::Kind::evict) wants_.answers.push_back({request.id, Answer::done()});
  end_term(c, group, shutdown_.is_asked() ? Cause::shutdown : evicted ? Cause::evicted : event.cause);
  if (shutdown_.is_asked()) return;
  if (cools) {
    group.cool_until = c.now.steady + 3 * session_.timeout();
    group.look_again = c.now.steady;
  }
  if (!resigned) group.phase = GroupState::Phase::candidate;  // the store asks us again
  groups_.mark_dirty(group);
}

}  // namespace ballot::core
