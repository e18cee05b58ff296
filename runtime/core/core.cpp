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

std::size_t Core::RunHash::operator()(const RunId& id) const {
  std::size_t hash = 0;
  for (std::size_t i = 8; i < 16; ++i) hash = hash << 8 | id.bytes[i];
  return hash;
}

Core::Core(CoreSettings settings) : settings_(std::move(settings)), random_(settings_.seed) {}
Core::~Core() = default;

Actions Core::step(Now now, const Event& event) {
  Actions out;
  Context c{
      now,     settings_, session_, inventory_, outcomes_, has_runner(), room_to_write(), settings_.max_running > 0,
      nullptr, random_,   out,      wants_};
  touched_.clear();
  const RequestId sent_before = last_request_;
  const bool lost = session_.on_time(now, last_request_, out) == Session::Edge::lost;
  if (last_request_ > sent_before) guard_.on_renewal_sent();
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
  if (!wall_wakes_.empty()) wake.wall = std::get<0>(*wall_wakes_.begin());
  const auto earliest = [&](std::optional<SteadyTime> at) {
    if (at && (!wake.steady || *at < *wake.steady)) wake.steady = at;
  };
  if (!steady_wakes_.empty()) earliest(std::get<0>(*steady_wakes_.begin()));
  if (!group_wakes_.empty()) earliest(group_wakes_.begin()->first);
  earliest(session_.wake());
  earliest(poll_at_);
  if (session_.is_open()) earliest(records_at_), earliest(leftovers_at_);
  earliest(list_at_);
  if (session_.is_open()) earliest(compare_at_), earliest(scan_at_), earliest(move_at_), earliest(repairs_at_);
  if (session_.is_open() && !sent_.empty()) earliest(sent_.front().second + session_.timeout());
  for (const auto& [id, asked] : asked_)
    if (!asked.answered) earliest(wake_of(asked));
  if (stop_ && !closing_) earliest(killed_ || stop_->leave ? give_up_at_ : stop_asked_at_ + stop_->wait);
  if (closing_ && !stopped_) earliest(close_by_);
  return wake;
}

/// Lets a job do what is to be done, and keeps its wake-up times and its places.
void Core::touch(Context& c, JobEntry& entry) {
  entry.machine.advance(c);
  const auto keep = [&](auto& wakes, auto& armed, const auto& wanted) {
    if (armed == wanted) return;
    if (armed) wakes.erase({*armed, entry.serial, &entry});
    if (wanted) wakes.insert({*wanted, entry.serial, &entry});
    armed = wanted;
  };
  keep(wall_wakes_, entry.wall, entry.machine.wall_wake);
  keep(steady_wakes_, entry.steady, entry.machine.steady_wake);
  count_runs(entry);
  const bool open = entry.machine.open_runs() > 0;
  if (open != std::exchange(entry.open, open)) open ? void(open_.insert(&entry)) : void(open_.erase(&entry));
  enrol(c, entry);
  touched_.push_back(&entry);
}

/// Keeps each group's list of the jobs that concern it.
void Core::enrol(Context&, JobEntry& entry) {
  const std::string& owner = entry.machine.owner();
  const auto& definition = entry.machine.definition();
  const auto place = [this](GroupState*& at, const std::string& name) {
    if (at ? at->name == name : name.empty()) return std::optional<GroupState*>();
    return std::optional(std::exchange(at, name.empty() ? nullptr : &group(name)));
  };
  GroupState* const before = entry.owner;
  const auto left = {place(entry.owner, owner), place(entry.defined_in, definition ? definition->job.group : "")};
  for (const auto& from : left) {
    if (!from) continue;
    if (*from && *from != entry.owner && *from != entry.defined_in) {
      (*from)->jobs.erase(&entry);
      moved_.insert(*from);
    }
    for (GroupState* to : {entry.owner, entry.defined_in})
      if (to && to->jobs.insert(&entry).second) moved_.insert(to);
  }
  if (entry.owner != before) {
    if (before) before->running -= entry.running;
    if (entry.owner) entry.owner->running += entry.running;
    leave_queue(entry);
  }
  const auto concerned = [this](const GroupState& state) {
    return stop_ || state.hands_back() || state.reelects || !state.asked.empty();
  };
  if (entry.owner && concerned(*entry.owner)) moved_.insert(entry.owner);
}

// ---- places: where only so many runs may go on at once

/// A job's runs count in the group that owns its register; those that this node has, also here.
void Core::count_runs(JobEntry& entry) {
  const int running = entry.machine.open_runs(), own = entry.machine.own_runs();
  if (entry.owner) entry.owner->running += running - entry.running;
  own_running_ += own - entry.own_running;
  entry.running = running;
  entry.own_running = own;
}

void Core::leave_queue(JobEntry& entry) {
  GroupState* const group = std::exchange(entry.waits_in, nullptr);
  if (!group) return;
  group->waiters.erase(&entry);
  if (group->waiters.empty()) crowded_.erase(group);
}

void Core::keep_waiters() {
  for (const PlaceWanted& wanted : std::exchange(wants_.places, {})) {
    JobEntry& entry = this->entry(wanted.job->name());
    leave_queue(entry);
    if (!entry.machine.term() || !entry.owner) continue;
    entry.rank = {-wanted.priority, wanted.due};
    entry.waits_in = entry.owner;
    entry.owner->waiters.insert(&entry);
    crowded_.insert(entry.owner);
  }
}

/// Of all jobs whose group has a place, the one that comes first.
JobEntry* Core::next_in_line() const {
  JobEntry* next = nullptr;
  if (settings_.max_running > 0 && own_running_ >= settings_.max_running) return next;
  for (const GroupState* group : crowded_)
    if (JobEntry* first = *group->waiters.begin(); group->has_place() && (!next || ByRank()(first, next))) next = first;
  return next;
}

void Core::grant_places(Context& c) {
  keep_waiters();
  for (JobEntry* next = next_in_line(); next; next = next_in_line()) {
    leave_queue(*next);
    c.granted = &next->machine;
    touch(c, *next);
    c.granted = nullptr;
    keep_waiters();
  }
}

void Core::touch_all(Context& c) {
  for (GroupState* group : standing_)
    for (JobEntry* entry : std::vector(group->jobs.begin(), group->jobs.end()))
      if (entry->machine.standing() == JobMachine::Standing::leading) touch(c, *entry);
}

/// Touches each job whose time has come, once.
void Core::fire_due(Context& c) {
  std::vector<JobEntry*> due;
  for (auto it = wall_wakes_.begin(); it != wall_wakes_.end() && std::get<0>(*it) <= c.now.wall; ++it)
    due.push_back(std::get<2>(*it));
  for (auto it = steady_wakes_.begin(); it != steady_wakes_.end() && std::get<0>(*it) <= c.now.steady; ++it)
    due.push_back(std::get<2>(*it));
  std::sort(due.begin(), due.end(), BySerial());
  due.erase(std::unique(due.begin(), due.end()), due.end());
  for (JobEntry* entry : due) touch(c, *entry);
  while (!group_wakes_.empty() && group_wakes_.begin()->first <= c.now.steady) {
    GroupState& group = *group_wakes_.begin()->second;
    advance_group(c, group);
    rearm(group);
    if (group.wake && *group.wake <= c.now.steady) break;  // it waits for what this step sends
  }
  if (poll_at_ && *poll_at_ <= c.now.steady) poll_waiting(c);
  if (list_at_ && *list_at_ <= c.now.steady) list(c, Reading::For::list, "j/");
  if (session_.is_open()) {
    if (compare_at_ && *compare_at_ <= c.now.steady) compare_files(c);
    if (scan_at_ && *scan_at_ <= c.now.steady) plan_moves(c);
    if (move_at_ && *move_at_ <= c.now.steady) next_move(c);
    if (repairs_at_ && *repairs_at_ <= c.now.steady) look_for_repairs(c);
  }
  expire_asked(c);
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
    GroupState& state = group(name);
    state.reelects = state.phase == GroupState::Phase::leading;
    moved_.insert(&state);
  }
  while (!moved_.empty()) {
    GroupState& group = **moved_.begin();
    moved_.erase(moved_.begin());
    advance_group(c, group);
    rearm(group);
    for (const Answered& one : std::exchange(wants_.answers, {})) answer(c, one.request, one.answer);
  }
  release_held(c);
  grant_places(c);
  advance_stop(c);
  tell_of_self(c);
  ask_runners(c);
  for (const Row& row : std::exchange(wants_.awaited, {})) tell_end(c, row);
  const RequestId before = sent_.empty() ? 0 : sent_.back().first;
  send_reads(c);
  send_writes(c);
  if (last_request_ > before) sent_.emplace_back(last_request_, c.now.steady);
  while (!sent_.empty() && oldest_in_flight().value_or(last_request_ + 1) > sent_.front().first) sent_.pop_front();
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
    if (record && record->row.run) run_jobs_[*record->row.run] = &entry(record->row.job);
    const auto* launch = std::get_if<Launch>(&action);
    if (!launch) continue;
    JobEntry& job = entry(launch->definition->job.name);
    run_jobs_[launch->id.run] = &job;
    add(job);
  }
  if (session_.is_open() && session_.deadline() != told_) {
    told_ = session_.deadline();
    for (const JobEntry* job : open_) add(*job);
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

JobEntry& Core::entry(const std::string& job) {
  const auto it = jobs_.find(job);
  if (it != jobs_.end()) return it->second;
  return jobs_.try_emplace(job, JobEntry(job, jobs_.size())).first->second;
}

JobEntry* Core::entry_of(const RunId& run) {
  const auto it = run_jobs_.find(run);
  return it == run_jobs_.end() ? nullptr : it->second;
}

void Core::define_groups(const std::vector<Group>& groups) {
  std::set<std::string_view> named;
  for (const Group& settings : groups) {
    named.insert(settings.name);
    GroupState& state = group(settings.name);
    self_changed_ = self_changed_ || !state.configured || !(state.settings == settings);
    state.settings = settings;
    state.configured = true;
    state.term.limited = settings.max_running > 0;
    moved_.insert(&state);
  }
  for (auto& [name, group] : groups_)
    if (group.configured && !named.contains(name)) {
      group.configured = false;
      group.settings = {};
      group.settings.name = name;
      group.term.limited = false;
      self_changed_ = true;
      moved_.insert(&group);
    }
}

void Core::on(Context& c, const Load& event) {
  std::set<std::string_view> defined;
  for (const schedule::DefinitionPtr& definition : event.jobs) defined.insert(definition->job.name);
  Reload reload{event.jobs, {}, event.groups};
  for (const auto& [name, entry] : jobs_)
    if (entry.machine.definition() && !defined.contains(name)) reload.removed.push_back(name);
  if (!std::exchange(loaded_, true)) open_rows_ = event.open_rows;
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
  for (const std::string& name : event.removed) define(entry(name), nullptr);
  for (const schedule::DefinitionPtr& definition : event.jobs) define(entry(definition->job.name), definition);
  define_groups(event.groups);
  begin(c);
}

/// Once the files and the runner are known: first the runs without a claim that a daemon before has left, which no
/// register shows.
void Core::begin(Context& c) {
  if (!inventoried_ || !loaded_ || session_.generation() > 0) return;
  for (const Row& row : open_rows_)
    if (row.fence == 0) adopt_row(c, row);
  std::erase_if(open_rows_, [](const Row& row) { return row.fence == 0; });
  session_.begin(c.now, c.out);
}

void Core::adopt_row(Context& c, const Row& row) {
  JobEntry& job = entry(row.job);
  run_jobs_[*row.run] = &job;
  job.machine.adopt_row(c, row);
  touch(c, job);
}

void Core::on(Context& c, const Inventory& event) {
  const bool again = std::exchange(inventoried_, true);
  inventory_ = event;
  c.runner = runner_ = true;
  told_ = {};  // a new runner knows no deadline
  for (GroupState* group : standing_) group->told.reset();
  if (again)
    for (JobEntry* entry : std::vector(open_.begin(), open_.end())) {
      entry->machine.on_inventory(c);
      touch(c, *entry);
    }
  begin(c);
}

/// Nothing is claimed or launched until it is there again and has told its inventory.
void Core::on(Context& c, const RunnerGone&) {
  runner_ = false;
  on(c, RunnerSilence{});
}

void Core::on(Context& c, const RunnerSilence& event) {
  const bool was_for_long = std::exchange(silence_, event).for_long;
  c.runner = has_runner();
  if (was_for_long == event.for_long) return;
  c.out.push_back(event.for_long
                      ? Notice{Level::error, "the runner does not answer: this node gives its groups away", {}}
                      : Notice{Level::info, "this node takes part in elections again", {}});
  for (auto& [name, group] : groups_) moved_.insert(&group), advance_yielding(c, group);
}

void Core::on(Context& c, const RunnerWord& event) {
  bool more = false;
  for (JobEntry* entry : std::vector(open_.begin(), open_.end())) {
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
  if (JobEntry* job = entry_of(event.id.run)) job->machine.on_started(c, event), touch(c, *job);
}

void Core::on(Context& c, const runner::Refused& event) {
  if (JobEntry* job = entry_of(event.id.run)) job->machine.on_refused(c, event), touch(c, *job);
}

void Core::on(Context& c, const runner::CannotStart& event) {
  if (JobEntry* job = entry_of(event.id.run)) job->machine.on_cannot_start(c, event), touch(c, *job);
}

void Core::on(Context& c, const runner::Ended& event) {
  JobEntry* job = entry_of(event.id.run);
  std::erase_if(inventory_.running, [&](const runner::Running& running) { return running.id == event.id; });
  if (!job) {  // of an earlier daemon: its register has not been read yet, or shows it no more
    if (listed_)
      c.out.push_back(Forget{event.id});
    else
      inventory_.ended.push_back(event);
    return;
  }
  job->machine.on_ended(c, event);
  touch(c, *job);
}

void Core::on(Context& c, const Recorded& event) {
  for (const runner::AttemptId& id : event.ids) {
    JobEntry* job = entry_of(id.run);
    if (!job) continue;
    if (job->machine.on_recorded(id)) run_jobs_.erase(id.run);
    touch(c, *job);
  }
  for (const Settled& settled : event.settled) {
    JobEntry& job = entry(settled.job);
    if (job.machine.on_recorded(settled)) touch(c, job);
  }
}

/// Who may write the job's register has changed, or has just become known.
void Core::reconsider(Context& c, JobMachine& job) {
  const GroupState* owner = led(job.owner());
  JobEntry& entry = this->entry(job.name());
  if (owner && !job.is_known()) {
    wants_.reads.push_back(&job);
  } else if (owner && job.standing() == JobMachine::Standing::idle) {
    job.lead(c, owner->term);
    requests_changed_ = outcomes_changed_ = true;  // there may be some that were nobody's till now
  } else if (!owner && job.definition() && led(job.definition()->job.group)) {
    waiting_.insert(&entry);
    if (!poll_at_) poll_at_ = c.now.steady + poll_pause;
  }
  if (owner && !job.regress().empty() && owner->term.halted.empty()) halt(c, group(owner->name), job.regress());
  for (const LiveRun& run : job.runs())
    if (!run.has_ended()) run_jobs_[run.open.id] = &entry;
  touch(c, entry);
}

std::vector<JobView> Core::jobs(Now now) const {
  std::vector<JobView> views;
  for (const auto& [name, entry] : jobs_) {
    const JobMachine& job = entry.machine;
    if (!job.definition()) continue;
    JobView view;
    view.name = name;
    view.group = job.definition()->job.group;
    if (led(view.group)) view.leader = settings_.node;
    view.next = job.next_slot(now.wall);
    view.trouble = job.trouble();
    if (job.standing() == JobMachine::Standing::halted)
      view.state = "halted";
    else if (!job.owner().empty() && job.owner() != view.group)
      view.state = "waiting for group " + job.owner();
    else if (!job.definition()->job.enabled)
      view.state = "disabled";
    else if (job.paused() || (led(view.group) && led(view.group)->term.paused)) {
      view.state = "paused";
      view.next.reset();
    } else if (job.clock_skew(now.wall))
      view.state = "clock_skew";
    else if (const auto group = groups_.find(view.group); group != groups_.end() && !group->second.drift.empty())
      view.state = "drift";
    else
      view.state = "active";
    views.push_back(std::move(view));
  }
  return views;
}

std::vector<GroupView> Core::groups() const {
  constexpr const char* names[] = {"idle", "candidate", "reading", "leading", "resigning"};
  std::vector<GroupView> views;
  for (const auto& [name, group] : groups_)
    views.push_back({name, names[static_cast<std::size_t>(group.phase)], group.term.epoch, group.term.paused,
                     group.term.halted, group.drift});
  return views;
}

std::vector<WallTime> Core::waiting(const std::string& job) const {
  const auto found = jobs_.find(job);
  return found == jobs_.end() ? std::vector<WallTime>() : found->second.machine.waiting();
}

int Core::open_runs() const {
  int count = 0;
  for (const JobEntry* entry : open_) count += entry->machine.open_runs();
  return count;
}

}  // namespace ballot::core
