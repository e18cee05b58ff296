// The groups: campaigning, taking over, losing; and the backend's answers.
#include <algorithm>

#include "base/assert.hpp"
#include "base/wall_text.hpp"
#include "core/core.hpp"

namespace ballot::core {
namespace {

constexpr Millis takeover_retry{200};

}  // namespace

Core::GroupState& Core::group(const std::string& name) {
  GroupState& group = groups_[name];
  group.settings.name = name;
  return group;
}

const Core::GroupState* Core::led(const std::string& group) const {
  const auto it = groups_.find(group);
  return it != groups_.end() && it->second.phase == GroupState::Phase::leading ? &it->second : nullptr;
}

void Core::on(Context& c, const backend::SessionOpened& event) {
  if (session_.on_opened(c.now, event) != Session::Edge::opened) return;
  c.out.push_back(Notice{Level::info, "session open", {{"timeout_ms", std::to_string(event.timeout.count())}}});
  list(c);
}

void Core::list(Context& c) {
  listed_ = false;
  list_at_.reset();
  reads_in_flight_[++last_request_] = {Asked::For::list, {}, 0, {}};
  c.out.push_back(List{last_request_, "j/"});
}

void Core::on(Context& c, const backend::SessionClosed& event) {
  const bool was_open = session_.is_open();
  const bool refused = session_.state() == Session::State::opening && event.cause == Cause::superseded && !closing_;
  if (!event.text.empty() && !refused)
    c.out.push_back(Notice{stop_ ? Level::info : Level::error,
                           "session closed: " + event.text,
                           {{"cause", std::string(to_string(event.cause))}}});
  session_.on_closed(c.now, event);
  if (was_open) lose_all(c, event.cause);
  if ((!closing_ && !refused) || stopped_) return;
  if (refused) session_.end(true, c.out);
  stopped_ = true;
  c.out.push_back(Stopped{refused ? event.text : ""});
}

void Core::on(Context& c, const backend::Renewed& event) {
  const bool doubted = session_.in_doubt();
  session_.on_renewed(c.now, event);
  if (event.outcome != Outcome::done && !event.text.empty())
    c.out.push_back(Notice{Level::warn, "renewal failed: " + event.text, {}});
  if (doubted && !session_.in_doubt()) c.out.push_back(Notice{Level::info, "the session is renewed again", {}});
}

/// All terms are over; what was asked is unknown.
void Core::lose_all(Context& c, Cause cause) {
  listed_ = false;
  list_at_.reset();
  reads_in_flight_.clear();
  writes_in_flight_.clear();
  group_writes_.clear();
  for (auto& [name, group] : groups_) end_term(c, group, cause);
}

void Core::end_term(Context& c, GroupState& group, Cause cause) {
  const bool led = group.phase == GroupState::Phase::leading || group.phase == GroupState::Phase::resigning;
  group.phase = GroupState::Phase::idle;
  group.retry.reset();
  group.told.reset();
  if (!led) return;
  for (auto& [name, entry] : jobs_)
    if (entry.machine.term() == &group.term) entry.machine.depose(c), touch(c, entry);
  c.out.push_back(
      RecordTerm{{group.term.group, settings_.node, group.term.epoch, group.stored.elected_at, c.now.wall, cause}});
  Notice notice{stop_ ? Level::info : Level::warn, "leads no more", {{"group", group.term.group}}};
  notice.fields.emplace_back("epoch", std::to_string(group.term.epoch));
  notice.fields.emplace_back("cause", std::string(to_string(cause)));
  c.out.push_back(std::move(notice));
}

/// A group is wanted while files name it, or while a register is left in it that no file of it defines.
bool Core::wanted(const std::string& group) const {
  const auto it = groups_.find(group);
  if (it != groups_.end() && it->second.configured) return true;
  return std::any_of(jobs_.begin(), jobs_.end(), [&](const auto& job) {
    const JobMachine& machine = job.second.machine;
    return machine.owner() == group || (machine.definition() && machine.definition()->job.group == group);
  });
}

void Core::campaign(Context& c) {
  if (stop_ || !listed_) return;
  std::set<std::string> names;
  for (const auto& [name, entry] : jobs_) {
    if (!entry.machine.owner().empty()) names.insert(entry.machine.owner());
    if (entry.machine.definition()) names.insert(entry.machine.definition()->job.group);
  }
  for (const auto& [name, group] : groups_)
    if (group.configured) names.insert(name);
  for (const std::string& name : names) {
    GroupState& state = group(name);
    if (state.phase != GroupState::Phase::idle) continue;
    state.phase = GroupState::Phase::candidate;
    c.out.push_back(Campaign{name});
  }
}

void Core::on(Context& c, const backend::Elected& event) {
  GroupState& group = this->group(event.group);
  if (group.phase != GroupState::Phase::candidate) return;
  group.phase = GroupState::Phase::reading;
  group.term = Term{event.group, event.epoch, c.now.wall, {}, event.old_deadline, false};
  group.resumed = event.resumed;
  group.last_alive = event.last_alive;
  read_takeover(c, group);
}

void Core::read_takeover(Context& c, GroupState& group) {
  group.retry.reset();
  Read read{++last_request_, {group_register(group.term.group)}};
  for (const auto& [name, entry] : jobs_) {
    const auto& definition = entry.machine.definition();
    if (entry.machine.owner() == group.term.group || (definition && definition->job.group == group.term.group))
      read.names.push_back(job_register(name));
  }
  reads_in_flight_[read.request] = {Asked::For::takeover, group.term.group, group.term.epoch, {}};
  c.out.push_back(std::move(read));
}

/// The registers are read in our term: the term before is accounted for, and each job leads.
void Core::take_over(Context& c, GroupState& group, const std::vector<Register>& registers) {
  std::map<std::string_view, const Register*> by_name;
  for (const Register& r : registers) by_name[r.name] = &r;
  const auto find = [&](const std::string& name) {
    const auto it = by_name.find(name);
    return it == by_name.end() ? std::nullopt : std::optional<Register>(*it->second);
  };
  group.phase = GroupState::Phase::leading;
  told_ = {};  // runs that it adopts hang on its deadline
  Term& term = group.term;
  group.stored = {};
  group.version = 0;
  if (const auto stored = find(group_register(term.group))) {
    group.version = stored->version;
    if (auto parsed = parse_group_register(stored->value))
      group.stored = std::move(*parsed);
    else
      c.out.push_back(Notice{Level::error, "group register: " + parsed.error().what, {{"group", term.group}}});
  }
  const GroupRegister before = group.stored;
  if (before.epoch > 0) {
    const WallTime alive = group.last_alive.value_or(before.elected_at);
    term.term_before = {before.elected_at, group.resumed ? term.elected_at : before.ended_at.value_or(alive)};
  }
  const WallTime recorded = group.resumed && before.epoch == term.epoch ? before.elected_at : term.elected_at;
  group.stored = {term.epoch, settings_.node, recorded, {}, Cause::none, before.unknown};
  if (!group.resumed) write_group(c, group);
  c.out.push_back(RecordTerm{{term.group, settings_.node, term.epoch, recorded, {}, Cause::none}});
  c.out.push_back(Notice{Level::info,
                         group.resumed ? "leads again, the same term" : "leads",
                         {{"group", term.group}, {"epoch", std::to_string(term.epoch)}}});
  for (auto& [name, entry] : jobs_) {
    const auto& definition = entry.machine.definition();
    const bool concerned = entry.machine.owner() == term.group || (definition && definition->job.group == term.group);
    if (!concerned || entry.machine.term()) continue;
    entry.machine.know(find(job_register(name)));
    changed_.push_back(&entry.machine);
  }
  std::reverse(changed_.begin(), changed_.end());
}

void Core::write_group(Context&, GroupState& group) {
  group_batch_.push_back(
      {group.term.group, group.term.epoch, group_register(group.term.group), to_text(group.stored), group.version});
  group_batch_names_.push_back(group.term.group);
}

void Core::on(Context& c, const backend::Deposed& event) {
  GroupState& group = this->group(event.group);
  if (group.phase == GroupState::Phase::idle || group.term.epoch != event.epoch) return;
  end_term(c, group, stop_ ? Cause::shutdown : event.cause);
  if (stop_) return;
  if (wanted(event.group))
    group.phase = GroupState::Phase::candidate;
  else
    resigns_.push_back(event.group);
}

void Core::on(Context& c, const backend::Wrote& event) {
  if (const auto it = group_writes_.find(event.request); it != group_writes_.end()) {
    GroupState& group = this->group(it->second);
    group_writes_.erase(it);
    if (event.answers.empty() || event.answers[0].outcome == Outcome::done) {
      if (!event.answers.empty()) group.version = event.answers[0].version;
      return;
    }
    c.out.push_back(Notice{
        Level::warn, "the group's register was not written: " + event.answers[0].text, {{"group", group.term.group}}});
    return;
  }
  const auto it = writes_in_flight_.find(event.request);
  if (it == writes_in_flight_.end()) return;
  const auto jobs = std::move(it->second);
  writes_in_flight_.erase(it);
  BALLOT_ASSERT(jobs.size() == event.answers.size(), "one answer for each write");
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& [job, serial] = jobs[i];
    job->on_write_answer(c, serial, event.answers[i]);
    touch(c, entry(job->name()));
  }
}

// Nothing is watched or observed yet.
void Core::on(Context&, const backend::Changed&) {}
void Core::on(Context&, const backend::Observed&) {}

void Core::on(Context& c, const backend::ReadDone& event) {
  const auto it = reads_in_flight_.find(event.request);
  if (it == reads_in_flight_.end()) return;
  const Asked asked = std::move(it->second);
  reads_in_flight_.erase(it);
  const bool done = event.outcome == Outcome::done;
  if (asked.what == Asked::For::list) {
    if (!done) {
      list_at_ = c.now.steady + takeover_retry;
      return;
    }
    for (const Register& r : event.registers) {
      JobMachine& job = entry(r.name.substr(2)).machine;
      if (!job.term()) job.know(r);
    }
    listed_ = true;
    campaign(c);
  } else if (asked.what == Asked::For::takeover) {
    GroupState& group = this->group(asked.group);
    if (group.phase != GroupState::Phase::reading || group.term.epoch != asked.epoch) return;
    if (done)
      take_over(c, group, event.registers);
    else
      group.retry = c.now.steady + takeover_retry;
  } else {
    if (!done && !poll_at_) poll_at_ = c.now.steady + takeover_retry;
    for (const std::string& name : asked.jobs) {
      const auto found = std::find_if(event.registers.begin(), event.registers.end(),
                                      [&](const Register& r) { return r.name == job_register(name); });
      Entry& job = entry(name);
      if (!done)
        job.machine.on_read_unknown(c);
      else
        job.machine.on_read(c, found == event.registers.end() ? std::nullopt : std::optional<Register>(*found));
      touch(c, job);
    }
  }
}

/// Jobs asked for their registers to be read (again).
void Core::read_jobs(Context& c) {
  if (reads_.empty() || !session_.is_open()) return reads_.clear();
  Read read{++last_request_, {}};
  Asked asked{Asked::For::jobs, {}, 0, {}};
  for (const JobMachine* job : reads_) {
    read.names.push_back(job_register(job->name()));
    asked.jobs.push_back(job->name());
  }
  reads_.clear();
  reads_in_flight_[read.request] = std::move(asked);
  c.out.push_back(std::move(read));
}

/// Jobs whose register still belongs to another group's leader: look again whether it was released.
void Core::poll_waiting(Context& c) {
  poll_at_.reset();
  for (auto& [name, entry] : jobs_) {
    const JobMachine& job = entry.machine;
    if (job.term() || (!(job.definition() && led(job.definition()->job.group)) && !led(job.owner()))) continue;
    reads_.push_back(&entry.machine);
    poll_at_ = c.now.steady + poll_pause;
  }
}

}  // namespace ballot::core
