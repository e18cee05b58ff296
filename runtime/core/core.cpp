// The step: an event comes in, the jobs that it concerns move, and what they left is made into actions.
#include "core/core.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "core/invariants.hpp"

namespace ballot::core {

std::uint64_t term_key(std::string_view group, std::uint64_t epoch) {
  std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a
  const auto add = [&](unsigned char byte) { hash = (hash ^ byte) * 1099511628211ULL; };
  for (const char c : group) add(static_cast<unsigned char>(c));
  for (int i = 0; i < 8; ++i) add(static_cast<unsigned char>(epoch >> (8 * i)));
  return hash;
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
  Context c{now, settings_, session_, inventory_, runner_, random_, out, writes_, reads_, changed_};
  if (session_.on_time(now, last_request_, out) == Session::Edge::lost) {
    out.push_back(Notice{Level::error, "the session's deadline has passed: this node leads nothing", {}});
    lose_all(c, Cause::expired);
  }
  std::visit([&](const auto& e) { on(c, e); }, event);
  c.runner = runner_;
  const bool can_claim = c.may_claim();
  if (can_claim && !could_claim_) touch_all(c);
  could_claim_ = can_claim;
  fire_due(c);
  finish(c);
  BALLOT_CHECK_INVARIANTS(*this);
  return out;
}

Wake Core::wake() const {
  Wake wake;
  if (!wall_wakes_.empty()) wake.wall = std::get<0>(*wall_wakes_.begin());
  const auto earliest = [&](std::optional<SteadyTime> at) {
    if (at && (!wake.steady || *at < *wake.steady)) wake.steady = at;
  };
  if (!steady_wakes_.empty()) earliest(std::get<0>(*steady_wakes_.begin()));
  earliest(session_.wake());
  earliest(poll_at_);
  for (const auto& [name, group] : groups_)
    if (group.retry) earliest(group.retry);
  if (stop_ && !closing_) earliest(killed_ || stop_->leave ? give_up_at_ : stop_asked_at_ + stop_->wait);
  earliest(list_at_);
  return wake;
}

/// Lets a job do what is to be done, and keeps its wake-up times.
void Core::touch(Context& c, Entry& entry) {
  entry.machine.advance(c);
  const auto keep = [&](auto& wakes, auto& armed, const auto& wanted) {
    if (armed == wanted) return;
    if (armed) wakes.erase({*armed, entry.serial, &entry});
    if (wanted) wakes.insert({*wanted, entry.serial, &entry});
    armed = wanted;
  };
  keep(wall_wakes_, entry.wall, entry.machine.wall_wake);
  keep(steady_wakes_, entry.steady, entry.machine.steady_wake);
}

void Core::touch_all(Context& c) {
  for (auto& [name, entry] : jobs_)
    if (entry.machine.standing() == JobMachine::Standing::leading) touch(c, entry);
}

/// Touches each job whose time has come, once.
void Core::fire_due(Context& c) {
  std::vector<Entry*> due;
  for (auto it = wall_wakes_.begin(); it != wall_wakes_.end() && std::get<0>(*it) <= c.now.wall; ++it)
    due.push_back(std::get<2>(*it));
  for (auto it = steady_wakes_.begin(); it != steady_wakes_.end() && std::get<0>(*it) <= c.now.steady; ++it)
    due.push_back(std::get<2>(*it));
  std::sort(due.begin(), due.end(), [](const Entry* a, const Entry* b) { return a->serial < b->serial; });
  due.erase(std::unique(due.begin(), due.end()), due.end());
  for (Entry* entry : due) touch(c, *entry);
  if (poll_at_ && *poll_at_ <= c.now.steady) poll_waiting(c);
  if (list_at_ && *list_at_ <= c.now.steady) list(c);
  for (auto& [name, group] : groups_)
    if (group.retry && *group.retry <= c.now.steady) read_takeover(c, group);
}

/// Makes the step's writes and reads into one request each, and tells the runner of deadlines before launches.
void Core::finish(Context& c) {
  while (!changed_.empty()) {
    JobMachine* job = changed_.back();
    changed_.pop_back();
    reconsider(c, *job);
  }
  advance_stop(c);
  read_jobs(c);
  if (!writes_.empty()) {
    Write write{++last_request_, {}};
    std::vector<std::pair<JobMachine*, std::uint64_t>>& jobs = writes_in_flight_[write.request];
    for (JobWrite& job : writes_) {
      jobs.emplace_back(job.job, job.serial);
      write.batch.push_back(std::move(job.request));
    }
    c.out.push_back(std::move(write));
    writes_.clear();
  }
  for (std::size_t i = 0; i < group_batch_.size(); ++i) {
    group_writes_[++last_request_] = group_batch_names_[i];
    c.out.push_back(Write{last_request_, {std::move(group_batch_[i])}});
  }
  group_batch_.clear();
  group_batch_names_.clear();
  for (std::string& group : resigns_) c.out.push_back(Resign{std::move(group)});
  resigns_.clear();
  tell_deadlines(c);
}

/// A term with runs tells its deadline to the runner: before its first launch, and whenever the deadline has moved.
void Core::tell_deadlines(Context& c) {
  std::set<const Term*> terms;
  for (const Action& action : c.out) {
    const auto* record = std::get_if<Record>(&action);  // of a run that ended without having been launched too
    if (record && record->row.run) run_jobs_[*record->row.run] = record->row.job;
    const auto* launch = std::get_if<Launch>(&action);
    if (!launch) continue;
    const std::string& job = launch->definition->job.name;
    run_jobs_[launch->id.run] = job;
    terms.insert(entry(job).machine.term());
  }
  if (session_.is_open() && session_.deadline() != told_) {
    told_ = session_.deadline();
    for (const auto& [name, entry] : jobs_)
      if (entry.machine.term() && entry.machine.open_runs() > 0) terms.insert(entry.machine.term());
  }
  if (terms.empty()) return;
  Actions told;
  for (auto& [name, group] : groups_) {
    if (!terms.contains(&group.term) || group.told == session_.deadline()) continue;
    group.told = session_.deadline();
    told.push_back(TermDeadline{name, group.term.epoch, session_.deadline(), session_.grace(Millis::max())});
  }
  c.out.insert(c.out.begin(), told.begin(), told.end());
}

Core::Entry& Core::entry(const std::string& job) {
  const auto it = jobs_.find(job);
  if (it != jobs_.end()) return it->second;
  return jobs_.try_emplace(job, Entry{JobMachine(job), jobs_.size(), {}, {}}).first->second;
}

Core::Entry* Core::entry_of(const RunId& run) {
  const auto it = run_jobs_.find(run);
  return it == run_jobs_.end() ? nullptr : &entry(it->second);
}

void Core::on(Context& c, const Load& event) {
  std::set<std::string_view> defined;
  for (const schedule::DefinitionPtr& definition : event.jobs) {
    defined.insert(definition->job.name);
    entry(definition->job.name).machine.define(definition);
  }
  for (auto& [name, entry] : jobs_)
    if (!defined.contains(name)) entry.machine.define(nullptr);
  for (auto& [name, group] : groups_) group.configured = false;
  for (const Group& settings : event.groups) {
    GroupState& state = group(settings.name);
    state.settings = settings;
    state.configured = true;
  }
  loaded_ = true;
  if (inventoried_ && session_.generation() == 0) session_.begin(c.now, c.out);
  if (!session_.is_open() || !listed_) return;
  campaign(c);
  for (auto& [name, entry] : jobs_) reconsider(c, entry.machine);
}

void Core::on(Context& c, const Inventory& event) {
  const bool again = std::exchange(inventoried_, true);
  inventory_ = event;
  c.runner = runner_ = true;
  told_ = {};  // a new runner knows no deadline
  for (auto& [name, group] : groups_) group.told.reset();
  if (again)
    for (auto& [name, entry] : jobs_) {
      entry.machine.on_inventory(c);
      touch(c, entry);
    }
  if (loaded_ && session_.generation() == 0) session_.begin(c.now, c.out);
}

/// Nothing is claimed or launched until it is there again and has told its inventory.
void Core::on(Context& c, const RunnerGone&) { c.runner = runner_ = false; }

void Core::on(Context& c, const BackendEvent& event) {
  if (event.generation != session_.generation()) return;
  std::visit([&](const auto& what) { on(c, what); }, event.what);
}

void Core::on(Context& c, const runner::Started& event) {
  if (Entry* job = entry_of(event.id.run)) job->machine.on_started(c, event), touch(c, *job);
}

void Core::on(Context& c, const runner::Refused& event) {
  if (Entry* job = entry_of(event.id.run)) job->machine.on_refused(c, event), touch(c, *job);
}

void Core::on(Context& c, const runner::CannotStart& event) {
  if (Entry* job = entry_of(event.id.run)) job->machine.on_cannot_start(c, event), touch(c, *job);
}

void Core::on(Context& c, const runner::Ended& event) {
  Entry* job = entry_of(event.id.run);
  std::erase_if(inventory_.running, [&](const runner::Running& running) { return running.id == event.id; });
  if (!job) {  // of an earlier daemon, and its register has not been read yet
    inventory_.ended.push_back(event);
    return;
  }
  job->machine.on_ended(c, event);
  touch(c, *job);
}

void Core::on(Context& c, const Recorded& event) {
  for (const runner::AttemptId& id : event.ids) {
    Entry* job = entry_of(id.run);
    if (!job) continue;
    run_jobs_.erase(id.run);
    job->machine.on_recorded(id);
    touch(c, *job);
  }
}

void Core::on(Context& c, const TriggerJob& event) {
  const auto it = jobs_.find(event.job);
  if (it == jobs_.end() || !it->second.machine.definition()) {
    c.out.push_back(Reply{event.asker, false, "no job file defines " + event.job, {}, Errc::not_found});
    return;
  }
  it->second.machine.trigger(c, event);
  touch(c, it->second);
}

void Core::on(Context& c, const PauseJob& event) {
  const auto it = jobs_.find(event.job);
  if (it == jobs_.end()) {
    c.out.push_back(Reply{event.asker, false, "no job file defines " + event.job, {}, Errc::not_found});
    return;
  }
  it->second.machine.pause(c, event);
  touch(c, it->second);
}

/// Who may write the job's register has changed, or has just become known.
void Core::reconsider(Context& c, JobMachine& job) {
  const GroupState* owner = led(job.owner());
  if (owner && !job.is_known())
    reads_.push_back(&job);
  else if (owner && job.standing() == JobMachine::Standing::idle)
    job.lead(c, owner->term);
  else if (!owner && job.definition() && led(job.definition()->job.group) && !poll_at_)
    poll_at_ = c.now.steady + poll_pause;
  for (const LiveRun& run : job.runs())
    if (!run.has_ended()) run_jobs_[run.open.id] = job.name();
  touch(c, entry(job.name()));
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
    else if (job.paused())
      view.state = "paused";
    else if (job.clock_skew(now.wall))
      view.state = "clock_skew";
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
    views.push_back({name, names[static_cast<std::size_t>(group.phase)], group.term.epoch});
  return views;
}

int Core::open_runs() const {
  int count = 0;
  for (const auto& [name, entry] : jobs_) count += entry.machine.open_runs();
  return count;
}

}  // namespace ballot::core
