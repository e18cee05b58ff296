// The step: an event comes in, the jobs that it concerns move, and what they left is made into actions.
#include "core/core.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "base/fnv.hpp"
#include "core/invariants.hpp"

namespace ballot::core {

std::uint64_t term_key(std::string_view group, std::uint64_t epoch) {
  Fnv hash;
  hash.add(group);
  for (int i = 0; i < 8; ++i) hash.add(static_cast<unsigned char>(epoch >> (8 * i)));
  return hash.value();
}

Core::Core(CoreSettings settings)
    : settings_(std::move(settings)),
      random_(settings_.seed),
      limits_(settings_.max_running),
      store_(settings_.most_writes),
      directory_(settings_.node, {settings_.machine_id, settings_.boot_id, settings_.runner_socket}) {}
Core::~Core() = default;

Actions Core::step(Now now, const Event& event) {
  Actions out;
  Context c{now,
            settings_,
            session_,
            prior_.inventory(),
            prior_.outcomes(),
            has_runner(),
            store_.room(0),
            limits_.limits_node(),
            nullptr,
            random_,
            out,
            wants_};
  touched_.clear();
  const RequestId sent_before = store_.last_request();
  const bool lost = session_.on_time(now, store_.last_request(), out) == Session::Edge::lost;
  if (store_.last_request() > sent_before) guard_.on_renewal_sent();
  if (lost) {
    out.push_back(Notice{Level::error, "the session's deadline has passed: this node leads nothing", {}});
    lose_all(c, Cause::expired);
  }
  give_up_unanswered(c);
  std::visit([&](const auto& e) { on(c, e); }, event);
  c.runner = has_runner();
  const Readiness before = std::exchange(readiness_, readiness(c));
  if (readiness_ != before && readiness_ != Readiness::none) touch_all(c);
  fire_due(c);
  finish(c);
  BALLOT_CHECK_INVARIANTS(*this);
  return out;
}

Core::Readiness Core::readiness(const Context& c) const {
  if (c.may_claim(session_.terminate_budget(Millis::max()))) return Readiness::full;
  if (c.may_claim(launch_margin)) return Readiness::late;
  return session_.is_open() && session_.in_doubt() ? Readiness::ahead : Readiness::none;
}

Wake Core::wake() const {
  Wake wake;
  wake.wall = jobs_.wall_wake();
  const auto earliest = [&](std::optional<SteadyTime> at) {
    if (at && (!wake.steady || *at < *wake.steady)) wake.steady = at;
  };
  earliest(jobs_.steady_wake());
  earliest(groups_.wake());
  earliest(session_.wake());
  earliest(unreleased_.poll_at());
  if (session_.is_open()) earliest(store_.retry_at()), earliest(desk_.cleanup());
  earliest(list_at_);
  if (session_.is_open())
    earliest(directory_.compare_at()), earliest(planner_.scan_at()), earliest(planner_.move_at()),
        earliest(guard_.list_at());
  if (const auto since = store_.owed_since(); session_.is_open() && since) earliest(*since + session_.timeout());
  earliest(desk_.wake(session_.is_open()));
  earliest(shutdown_.wake());
  return wake;
}

/// Lets a job do what is to be done, and keeps its wake-up times and its places.
void Core::touch(Context& c, JobEntry& entry) {
  entry.machine.advance(c);
  jobs_.rearm(entry);
  limits_.count(entry);
  enrol(c, entry);
  touched_.push_back(&entry);
}

/// Keeps each group's list of the jobs that concern it.
void Core::enrol(Context&, JobEntry& entry) {
  const std::string& owner = entry.machine.owner();
  const auto& definition = entry.machine.definition();
  const auto place = [this](GroupState*& at, const std::string& name) {
    if (at ? at->name == name : name.empty()) return std::optional<GroupState*>();
    return std::optional(std::exchange(at, name.empty() ? nullptr : &group_of(name)));
  };
  GroupState* const before = entry.owner;
  const auto left = {place(entry.owner, owner), place(entry.defined_in, definition ? definition->job.group : "")};
  for (const auto& from : left) {
    if (!from) continue;
    if (*from && *from != entry.owner && *from != entry.defined_in) {
      (*from)->jobs.erase(&entry);
      groups_.mark_dirty(**from);
    }
    for (GroupState* to : {entry.owner, entry.defined_in})
      if (to && to->jobs.insert(&entry).second) groups_.mark_dirty(*to);
  }
  if (entry.owner != before) limits_.move(entry, before);
  const auto concerned = [this](const GroupState& state) {
    return shutdown_.is_asked() || state.hands_back() || state.reelects || !state.asked.empty();
  };
  if (entry.owner && concerned(*entry.owner)) groups_.mark_dirty(*entry.owner);
}

// ---- places: where only so many runs may go on at once

void Core::queue_waiters() {
  for (const PlaceWanted& wanted : std::exchange(wants_.places, {})) {
    JobEntry& entry = jobs_.entry(wanted.job->name());
    limits_.leave(entry);
    if (entry.machine.term() && entry.owner) limits_.wait(entry, wanted.priority, wanted.due);
  }
}

void Core::grant_places(Context& c) {
  queue_waiters();
  for (JobEntry* next = limits_.next(); next; next = limits_.next()) {
    limits_.leave(*next);
    c.granted = &next->machine;
    touch(c, *next);
    c.granted = nullptr;
    queue_waiters();
  }
}

void Core::touch_all(Context& c) {
  for (GroupState* group : groups_.standing())
    for (JobEntry* entry : std::vector(group->jobs.begin(), group->jobs.end()))
      if (entry->machine.standing() == JobMachine::Standing::leading) touch(c, *entry);
}

/// Touches each job whose time has come, once.
void Core::fire_due(Context& c) {
  for (JobEntry* entry : jobs_.due(c.now)) touch(c, *entry);
  while (GroupState* const due = groups_.due(c.now.steady)) {
    GroupState& group = *due;
    advance_group(c, group);
    groups_.rearm(group, session_.is_open());
    if (group.wake && *group.wake <= c.now.steady) break;  // it waits for what this step sends
  }
  if (unreleased_.is_due(c.now.steady)) poll_unreleased(c);
  if (list_at_ && *list_at_ <= c.now.steady) list_jobs(c);
  if (session_.is_open()) {
    if (const auto at = directory_.compare_at(); at && *at <= c.now.steady) compare_files(c);
    if (planner_.is_scan_due(c.now.steady)) plan_handovers(c);
    if (planner_.is_move_due(c.now.steady)) begin_handover(c);
    if (const auto at = guard_.list_at(); at && *at <= c.now.steady) list_repairs(c);
  }
  perform(c, desk_.expire(c.now, session_.is_open()));
}

/// Makes of what the jobs want one request each, and tells the runner of deadlines before launches.
void Core::finish(Context& c) {
  while (!wants_.changed.empty()) {
    JobMachine* job = wants_.changed.back();
    wants_.changed.pop_back();
    reconsider(c, *job);
  }
  for (const Answered& one : std::exchange(wants_.answers, {})) answer(c, one.request, one.answer);
  for (const std::string& name : std::exchange(wants_.reelect, {})) {
    GroupState& state = group_of(name);
    state.reelects = state.phase == GroupState::Phase::leading;
    groups_.mark_dirty(state);
  }
  while (GroupState* const group = groups_.next_dirty()) {
    advance_group(c, *group);
    groups_.rearm(*group, session_.is_open());
    for (const Answered& one : std::exchange(wants_.answers, {})) answer(c, one.request, one.answer);
  }
  release_held(c);
  grant_places(c);
  advance_stop(c);
  publish_node_record(c);
  ask_runners(c);
  for (const Row& row : std::exchange(wants_.awaited, {})) perform(c, desk_.on_run_ended(row));
  send_reads(c);
  send_writes(c);
  store_.end_step(c.now.steady);
  for (std::string& group : resigns_) c.out.push_back(Resign{std::move(group)});
  resigns_.clear();
  tell_deadlines(c);
}

/// A term with runs tells its deadline to the runner: before its first launch, and whenever the deadline has moved.
void Core::tell_deadlines(Context& c) {
  std::set<std::pair<std::string_view, GroupState*>> terms;
  const auto add = [&](const JobEntry& job) {
    if (job.machine.term() && job.owner) terms.emplace(job.owner->name, job.owner);
  };
  for (const Action& action : c.out) {
    const auto* record = std::get_if<RecordRow>(&action);  // of a run that ended without having been launched too
    if (record && record->row.run) jobs_.keep(*record->row.run, jobs_.entry(record->row.job));
    const auto* launch = std::get_if<Launch>(&action);
    if (!launch) continue;
    JobEntry& job = jobs_.entry(launch->definition->job.name);
    jobs_.keep(launch->id.run, job);
    add(job);
  }
  if (session_.is_open() && session_.deadline() != told_) {
    told_ = session_.deadline();
    for (const JobEntry* job : jobs_.open()) add(*job);
  }
  if (terms.empty()) return;
  Actions told;
  for (const auto& [name, group] : terms) {
    if (group->told == session_.deadline()) continue;
    group->told = session_.deadline();
    told.push_back(
        TermDeadline{std::string(name), group->term.epoch, session_.deadline(), session_.grace(Millis::max())});
  }
  c.out.insert(c.out.begin(), told.begin(), told.end());
}

void Core::define_groups(const std::vector<Group>& groups) {
  std::set<std::string_view> named;
  for (const Group& settings : groups) {
    named.insert(settings.name);
    GroupState& state = group_of(settings.name);
    if (!state.configured || !(state.settings == settings)) directory_.on_changed();
    state.settings = settings;
    state.configured = true;
    state.term.limited = settings.max_running > 0;
    groups_.mark_dirty(state);
  }
  for (auto& [name, group] : groups_.all())
    if (group.configured && !named.contains(name)) {
      group.configured = false;
      group.settings = {};
      group.settings.name = name;
      group.term.limited = false;
      directory_.on_changed();
      groups_.mark_dirty(group);
    }
}

void Core::on(Context& c, const Load& event) {
  std::set<std::string_view> defined;
  for (const schedule::DefinitionPtr& definition : event.jobs) defined.insert(definition->job.name);
  Reload reload{event.jobs, {}, event.groups};
  for (const auto& [name, entry] : jobs_.all())
    if (entry.machine.definition() && !defined.contains(name)) reload.removed.push_back(name);
  prior_.on_load(event.open_rows);
  on(c, reload);
}

void Core::on(Context& c, const Reload& event) {
  const auto define = [&](JobEntry& entry, const schedule::DefinitionPtr& definition) {
    count_definition(entry.machine.definition(), -1);
    entry.machine.define(definition);
    count_definition(definition, 1);
    enrol(c, entry);
    if (session_.is_open() && listed_) reconsider(c, entry.machine);
  };
  for (const std::string& name : event.removed) define(jobs_.entry(name), nullptr);
  for (const schedule::DefinitionPtr& definition : event.jobs) define(jobs_.entry(definition->job.name), definition);
  define_groups(event.groups);
  begin(c);
}

/// Once the files and the runner are known: first the runs without a claim that a daemon before has left, which no
/// register shows.
void Core::begin(Context& c) {
  if (!prior_.is_known() || session_.generation() > 0) return;
  for (const Row& row : prior_.take_unclaimed_rows()) adopt_row(c, row);
  session_.begin(c.now, c.out);
}

void Core::adopt_row(Context& c, const Row& row) {
  JobEntry& job = jobs_.entry(row.job);
  jobs_.keep(*row.run, job);
  job.machine.adopt_row(c, row);
  touch(c, job);
}

void Core::on(Context& c, const Inventory& event) {
  const bool again = prior_.on_inventory(event);
  health_.on_inventory();
  c.runner = has_runner();
  told_ = {};  // a new runner knows no deadline
  for (GroupState* group : groups_.standing()) group->told.reset();
  if (again)
    for (JobEntry* entry : jobs_.open()) {
      entry->machine.on_inventory(c);
      touch(c, *entry);
    }
  begin(c);
}

void Core::on(Context& c, const RunnerGone&) { heed(c, health_.on_runner_gone()); }

void Core::on(Context& c, const RunnerSilence& event) { heed(c, health_.on_silence(event)); }

/// What this node may lead may have changed.
void Core::heed(Context& c, NodeHealth::Change change) {
  c.runner = has_runner();
  for (Notice& notice : change.notices) c.out.push_back(std::move(notice));
  if (!change.of_eligibility) return;
  groups_.mark_all_dirty();
  for (auto& [name, group] : groups_.all()) advance_yielding(c, group);
}

void Core::on(Context& c, const RunnerWord& event) {
  bool more = false;
  for (JobEntry* entry : jobs_.open()) {
    if (!entry->machine.has_foreign(event.node)) continue;
    entry->machine.on_runner_word(c, event);
    more = more || entry->machine.has_foreign(event.node);
    touch(c, *entry);
  }
  if (!more || event.gone) c.out.push_back(AskRunner{event.node, {}});
}

void Core::on(Context& c, const BackendEvent& event) {
  if (event.generation != session_.generation()) return;
  std::visit([&](const auto& what) { on(c, what); }, event.what);
}

void Core::on(Context& c, const runner::Started& event) {
  if (JobEntry* job = jobs_.find(event.id.run)) job->machine.on_started(c, event), touch(c, *job);
}

void Core::on(Context& c, const runner::Refused& event) {
  if (JobEntry* job = jobs_.find(event.id.run)) job->machine.on_refused(c, event), touch(c, *job);
}

void Core::on(Context& c, const runner::CannotStart& event) {
  if (JobEntry* job = jobs_.find(event.id.run)) job->machine.on_cannot_start(c, event), touch(c, *job);
}

void Core::on(Context& c, const runner::Ended& event) {
  JobEntry* job = jobs_.find(event.id.run);
  prior_.on_gone(event.id);
  if (!job) {  // of an earlier daemon: its register has not been read yet, or shows it no more
    if (listed_)
      c.out.push_back(Forget{event.id});
    else
      prior_.keep_end(event);
    return;
  }
  job->machine.on_ended(c, event);
  touch(c, *job);
}

void Core::on(Context& c, const Recorded& event) {
  for (const runner::AttemptId& id : event.ids) {
    JobEntry* job = jobs_.find(id.run);
    if (!job) continue;
    if (job->machine.on_recorded(id)) jobs_.forget(id.run);
    touch(c, *job);
  }
  for (const Settled& settled : event.settled) {
    JobEntry& job = jobs_.entry(settled.job);
    if (job.machine.on_recorded(settled)) touch(c, job);
  }
}

/// Who may write the job's register has changed, or has just become known.
void Core::reconsider(Context& c, JobMachine& job) {
  const GroupState* owner = groups_.led(job.owner());
  JobEntry& entry = jobs_.entry(job.name());
  if (owner && !job.is_known()) {
    wants_.reads.push_back(&job);
  } else if (owner && job.standing() == JobMachine::Standing::idle) {
    job.lead(c, owner->term);
    feeds_.requests.on_changed();  // there may be some that were nobody's till now
    feeds_.outcomes.on_changed();
  } else if (!owner && job.definition() && groups_.led(job.definition()->job.group)) {
    unreleased_.wait(entry, c.now.steady + poll_pause);
  }
  if (owner && !job.regress().empty() && owner->term.halted.empty()) halt(c, group_of(owner->name), job.regress());
  for (const LiveRun& run : job.runs())
    if (!run.has_ended()) jobs_.keep(run.open.id, entry);
  touch(c, entry);
}

}  // namespace ballot::core
