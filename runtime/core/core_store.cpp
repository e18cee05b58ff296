// The store's answers, and what is asked of it: reads, writes, records.
#include <algorithm>

#include "core/core.hpp"
#include "core/record/outcome.hpp"

namespace ballot::core {
namespace {

constexpr Millis repair_pause{60'000};  // between looks whether a register has been repaired that shows an open run

}  // namespace

void Core::list_jobs(Context& c) {
  listed_ = false;
  list_at_.reset();
  store_.list(c.out, {.what = Reading::For::list}, "j/");
}

void Core::on(Context& c, const backend::ReadDone& event) {
  const std::optional<Reading> found = store_.on_read(event.request);
  if (!found) return;
  const Reading& asked = *found;
  const bool done = event.outcome == Outcome::done;
  switch (asked.what) {
    case Reading::For::list:
    case Reading::For::own_outcomes: return on_list(c, asked, event);
    case Reading::For::takeover:
    case Reading::For::outcomes: return on_takeover(c, asked, event);
    case Reading::For::group: return on_group_read(c, group_of(asked.group), event);
    case Reading::For::jobs:
    case Reading::For::job_outcomes: return on_jobs_read(c, asked, event);
    case Reading::For::requests:
      on_feed_listed(c, feeds_.requests, done);
      if (done) perform(c, desk_.on_records(c.now, event.registers, shutdown_.is_asked()));
      return;
    case Reading::For::published:
      on_feed_listed(c, feeds_.outcomes, done);
      return done ? on_outcomes(c, event.registers) : void();
    case Reading::For::nodes:
      on_feed_listed(c, feeds_.nodes, done);
      return done ? on_nodes(c, event.registers) : void();
    case Reading::For::runs:
      if (done) return perform(c, desk_.on_runs_listed(asked.asker, event.registers, session_.is_open()));
      if (desk_.on_runs_unknown(asked.asker)) store_.retry_later(c.now.steady);
      return;
    case Reading::For::repairs: return done ? on_repairs(c, event.registers) : void();
    case Reading::For::trigger_fate:
      return done ? perform(c, desk_.on_fate(asked.asker, event.registers)) : desk_.on_fate_unknown(c.now, asked.asker);
  }
}

/// Where the list failed it is asked for again, a little later.
void Core::on_feed_listed(Context& c, RecordFeed& feed, bool done) {
  feed.on_listed(done);
  if (!done) store_.retry_later(c.now.steady);
}

/// Where the registers show runs of this node of which neither it nor its runner knows anything, it may have published
/// their ends before it was started again: these are looked for first.
void Core::on_list(Context& c, const Reading& asked, const backend::ReadDone& event) {
  if (event.outcome != Outcome::done) return void(list_at_ = c.now.steady + again_pause);
  const bool outcomes = asked.what == Reading::For::own_outcomes;
  if (outcomes) prior_.learn_outcomes(event.registers);
  const std::vector<Register>& registers = outcomes ? asked.registers : event.registers;
  if (auto names = outcomes ? std::vector<std::string>() : unknown_ends(registers); !names.empty()) {
    Reading next = asked;
    next.what = Reading::For::own_outcomes;
    next.registers = registers;
    return store_.read(c.out, std::move(next), std::move(names));
  }
  for (const Register& r : registers) {
    const auto job = job_of(r);
    if (!job) continue;
    JobEntry& entry = jobs_.entry(*job);
    if (entry.machine.term()) continue;
    entry.machine.know(c, r);
    entry.machine.adopt_own(c);
    touch(c, entry);
  }
  prior_.forget_outcomes();
  listed_ = true;
  close_open_rows(c, registers);
  forget_settled(c, registers);
  feeds_.requests.on_changed();  // there may be some of runs that were nobody's till now
  campaign(c);
}

std::vector<std::string> Core::unknown_ends(const std::vector<Register>& registers) const {
  std::vector<std::string> names;
  for (const Register& r : registers) {
    const auto parsed = parse_job_register(r.value);
    if (!parsed) continue;
    for (const OpenRun& run : parsed->runs)
      if (run.node == settings_.node && !run.waits_until && !jobs_.find(run.id) &&
          !prior_.inventory().knows({run.id, run.attempt}))
        names.push_back(outcome_record({run.id, run.attempt}));
  }
  return names;
}

bool Core::is_shown(const runner::AttemptId& id, const std::vector<Register>& registers) {
  return std::any_of(registers.begin(), registers.end(), [&](const Register& r) {
    const auto name = job_of(r);
    if (!name) return false;
    const JobMachine& job = jobs_.entry(*name).machine;
    const bool readable = job.is_known() && job.trouble().empty();
    return readable ? job.shows(id) : r.value.find(id.run.text()) != std::string::npos;
  });
}

/// Runs that a daemon before has left open in this node's ledger, and that the leaders since have closed without it:
/// how they ended is known here only.
void Core::close_open_rows(Context& c, const std::vector<Register>& registers) {
  for (const Row& row : prior_.take_open_rows()) {
    if (jobs_.find(*row.run)) continue;
    if (!is_shown({*row.run, row.attempt}, registers))
      adopt_row(c, row);
    else if (!jobs_.entry(row.job).machine.trouble().empty())
      prior_.keep_open_row(row);
  }
  if (prior_.has_open_rows()) list_at_ = c.now.steady + repair_pause;
}

/// What ended here before this daemon was there, and no register shows any more, has been settled without it.
void Core::forget_settled(Context& c, const std::vector<Register>& registers) {
  prior_.forget_ends([&](const runner::Ended& ended) {
    if (jobs_.find(ended.id.run)) return false;  // it is being recorded
    if (is_shown(ended.id, registers)) return false;
    c.out.push_back(Forget{ended.id});
    return true;
  });
}

/// The outcomes that may stand in the store of open runs that this node knows nothing of.
std::vector<std::string> Core::unknown_outcomes(const std::vector<Register>& registers) {
  std::vector<std::string> names;
  for (const Register& r : registers) {
    const auto parsed = r.name.starts_with("j/") ? parse_job_register(r.value) : Error{};
    if (!parsed) continue;
    for (const OpenRun& run : parsed->runs)
      if (!run.waits_until && !jobs_.find(run.id)) names.push_back(outcome_record({run.id, run.attempt}));
  }
  return names;
}

/// As in a takeover: where the registers show runs of which this node knows nothing, their outcomes are looked for
/// first.
void Core::on_jobs_read(Context& c, const Reading& asked, const backend::ReadDone& event) {
  const bool done = event.outcome == Outcome::done;
  const bool outcomes = asked.what == Reading::For::job_outcomes;
  if (done && outcomes) prior_.learn_outcomes(event.registers);
  if (done && !outcomes) {
    if (auto names = unknown_outcomes(event.registers); !names.empty()) {
      Reading next = asked;
      next.what = Reading::For::job_outcomes;
      next.registers = event.registers;
      return store_.read(c.out, std::move(next), std::move(names));
    }
  }
  std::map<std::string_view, const Register*> by_name;
  for (const Register& r : outcomes ? asked.registers : event.registers) by_name[r.name] = &r;
  for (JobEntry* job : asked.jobs) {
    const auto found = by_name.find(job_register(job->machine.name()));
    if (!done) {
      job->machine.on_read_unknown(c);
      unreleased_.wait(*job, c.now.steady + again_pause);
    } else {
      job->machine.on_read(c, found == by_name.end() ? std::nullopt : std::optional<Register>(*found->second));
      if (outcomes) reconsider(c, job->machine);  // at once: what was read of outcomes is for now only
    }
    touch(c, *job);
  }
  prior_.forget_outcomes();
}

void Core::on(Context& c, const backend::Wrote& event) {
  if (GroupState* const group = store_.on_group_written(event.request))
    return on_group_written(c, *group, event.answers.empty() ? WriteAnswer{} : event.answers[0]);
  if (auto recording = store_.on_recorded(event.request)) return on_recorded(c, std::move(*recording), event.answers);
  const auto jobs = store_.on_written(event.request);
  if (!jobs) return;
  if (std::exchange(kill_waits_, false)) feeds_.requests.on_changed();
  for (std::size_t i = 0; i < jobs->size(); ++i) {
    const auto& [job, serial] = (*jobs)[i];
    job->on_write_answer(c, serial, i < event.answers.size() ? event.answers[i] : WriteAnswer{});
    touch(c, jobs_.entry(job->name()));
  }
}

void Core::on(Context&, const backend::Changed& event) {
  for (RecordFeed* feed : feeds_.all())
    if (event.prefix == feed->prefix()) feed->on_changed();
}

// ---- the group's register

void Core::write_group(Context& c, GroupState& group) {
  if (auto write = group.stored.begin_write(group.name, group.term.epoch))
    store_.write(c.out, group, std::move(*write));
}

void Core::on_group_written(Context& c, GroupState& group, const WriteAnswer& answer) {
  if (!group.stands()) return;
  groups_.mark_dirty(group);
  if (group.stored.on_written(answer)) return group.guard.on_written(answer.version);
  if (group.phase == GroupState::Phase::resigning || answer.outcome == Outcome::not_leader) return;
  group.stored.read_again(c.now.steady + again_pause);
  groups_.rearm(group, session_.is_open());
  if (answer.outcome == Outcome::failed)
    c.out.push_back(
        Notice{Level::warn, "the group's register was not written: " + answer.text, {{"group", group.name}}});
}

/// After a write that may have happened.
void Core::on_group_read(Context& c, GroupState& group, const backend::ReadDone& event) {
  if (group.phase != GroupState::Phase::leading) return;
  groups_.mark_dirty(group);
  if (event.outcome == Outcome::done) return group.stored.on_read(event.registers);
  group.stored.on_unread(c.now.steady + again_pause);
  groups_.rearm(group, session_.is_open());
}

// ---- records

void Core::create(Context& c, Recording recording) {
  if (!session_.is_open()) return store_.delay(std::move(recording));
  store_.send(c.out, std::move(recording));
}

void Core::remove(Context& c, std::vector<std::string> names) {
  Recording recording;
  recording.removals = std::move(names);
  create(c, std::move(recording));
}

/// No answers: the session is over. What may not have arrived is sent again.
void Core::on_recorded(Context& c, Recording recording, const std::vector<WriteAnswer>& answers) {
  const auto fate = [&](std::size_t i) { return i < answers.size() ? answers[i] : WriteAnswer{}; };
  const auto arrived = [&](std::size_t i) {
    return fate(i).outcome == Outcome::done || fate(i).outcome == Outcome::conflict;
  };
  for (std::size_t i = 0; i < recording.outcomes.size(); ++i) {
    JobEntry& job = jobs_.entry(recording.jobs[i]);
    job.machine.on_published(c, recording.outcomes[i], arrived(i));
    touch(c, job);
  }
  if (!recording.outcomes.empty()) return;
  if (recording.of_self && answers.empty() && !session_.is_open()) return;  // the next session tells it anew
  const std::size_t count = std::max(recording.records.size(), recording.removals.size());
  bool again = false;
  for (std::size_t i = 0; i < count; ++i) again = again || !arrived(i);
  if (again && fate(0).outcome == Outcome::failed && recording.request)
    return perform(c, desk_.on_not_stored(*recording.request, fate(0).text));
  if (again) {
    store_.delay(std::move(recording));
    store_.retry_later(c.now.steady);
    return;
  }
  if (recording.of_self) return on_node_recorded(c, recording);
  if (recording.answered) perform(c, desk_.on_withdrawn(*recording.answered));
  if (!recording.evicts.empty()) {
    GroupState& group = group_of(recording.evicts);
    group.evictions_stored = std::max(0, group.evictions_stored - 1);
    groups_.mark_dirty(group);
  }
  if (recording.request) desk_.on_stored(*recording.request);
}

// ---- what a backend owes

/// Whatever a backend promises: what it has not answered for T counts as unknown, so that nothing waits for ever.
void Core::give_up_unanswered(Context& c) {
  const auto since = store_.owed_since();
  if (!since || !session_.is_open() || c.now.steady < *since + session_.timeout()) return;
  const RequestId last = store_.give_up_oldest();
  for (auto id = store_.oldest(); id && *id <= last; id = store_.oldest()) {
    on(c, backend::Wrote{*id, std::vector<WriteAnswer>(store_.writes_in(*id))});
    on(c, backend::ReadDone{*id, Outcome::unknown, {}, {}});
    on(c, backend::Observed{*id, Outcome::unknown, {}, {}});
    c.out.push_back(Notice{Level::warn, "the backend has not answered a request for the session's timeout", {}});
  }
}

// ---- at the end of a step

/// Jobs asked for their registers to be read (again); and what watches told is listed.
void Core::send_reads(Context& c) {
  std::vector<JobMachine*> jobs = std::exchange(wants_.reads, {});
  if (!session_.is_open()) return;
  if (!jobs.empty()) {
    Reading asked{.what = Reading::For::jobs};
    std::vector<std::string> names;
    for (const JobMachine* job : jobs) {
      JobEntry* one = &jobs_.entry(job->name());
      if (std::find(asked.jobs.begin(), asked.jobs.end(), one) != asked.jobs.end()) continue;
      names.push_back(job_register(job->name()));
      asked.jobs.push_back(one);
    }
    store_.read(c.out, std::move(asked), std::move(names));
  }
  if (desk_.begin_cleanup(c.now.steady)) {
    feeds_.requests.on_changed();
    feeds_.outcomes.on_changed();
  }
  if (!store_.begin_retry(c.now.steady)) return;
  store_.send_delayed(c.out);
  perform(c, desk_.list_again(true));
  list_if_dirty(c, feeds_.requests, Reading::For::requests);
  list_if_dirty(c, feeds_.outcomes, Reading::For::published);
  list_if_dirty(c, feeds_.nodes, Reading::For::nodes);
}

void Core::list_if_dirty(Context& c, RecordFeed& feed, Reading::For what) {
  if (feed.begin()) store_.list(c.out, {.what = what}, feed.prefix());
}

/// First come, first served.
void Core::release_held(Context& c) {
  const auto keep = [this] {
    for (JobMachine* job : std::exchange(wants_.held, {})) {
      JobEntry& entry = jobs_.entry(job->name());
      if (!std::exchange(entry.throttled, true)) store_.throttle(entry);
    }
  };
  keep();
  for (c.room = store_.room(wants_.writes.size()); c.room > 0;) {
    JobEntry* const next = store_.next_throttled();
    if (!next) break;
    next->throttled = false;
    touch(c, *next);
  }
  keep();
}

void Core::send_writes(Context& c) {
  if (!wants_.writes.empty()) store_.write(c.out, std::exchange(wants_.writes, {}));
  Recording published;
  for (const Row& row : std::exchange(wants_.outcomes, {})) {
    const runner::AttemptId id{*row.run, row.attempt};
    published.outcomes.push_back(id);
    published.jobs.push_back(row.job);
    published.records.push_back({outcome_record(id), outcome_text(row)});
  }
  if (!published.records.empty()) create(c, std::move(published));
  ask_for_replacement(c);
  if (!wants_.removals.empty()) remove(c, std::exchange(wants_.removals, {}));
}

/// Whichever node has them.
void Core::ask_for_replacement(Context& c) {
  Recording asked;
  for (const auto& [job, run] : std::exchange(wants_.replaced, {})) {
    Request request = of_node(c, Request::Kind::replace, job);
    request.run = run;
    asked.records.push_back({request_record(request.id), to_text(request)});
  }
  if (!asked.records.empty()) create(c, std::move(asked));
}

Request Core::of_node(Context& c, Request::Kind kind, const std::string& job) const {
  Request request;
  request.kind = kind;
  request.id = c.random.run_id(c.now.wall);
  request.job = job;
  request.until = c.now.wall + node_patience;
  request.by = settings_.node;
  return request;
}

/// Jobs whose register still belongs to another group's leader: look again whether it was released.
void Core::poll_unreleased(Context& c) {
  std::vector<JobEntry*> owned;  // by another group
  for (JobEntry* entry : unreleased_.take()) {
    const JobMachine& job = entry->machine;
    if (job.term() || (!(job.definition() && groups_.led(job.definition()->job.group)) && !groups_.led(job.owner())))
      continue;
    wants_.reads.push_back(&entry->machine);
    unreleased_.wait(*entry, c.now.steady + poll_pause);
    if (!job.owner().empty() && !groups_.led(job.owner())) owned.push_back(entry);
  }
  ask_for_release(c, std::move(owned));
}

/// Whoever leads the group that owns them may not know that they are there.
void Core::ask_for_release(Context& c, std::vector<JobEntry*> waiting) {
  Recording asked;
  for (JobEntry* entry : waiting) {
    if (entry->release_asked && c.now.steady < *entry->release_asked + node_patience) continue;
    entry->release_asked = c.now.steady;
    Request request = of_node(c, Request::Kind::release, entry->machine.name());
    request.group = entry->machine.owner();
    asked.records.push_back({request_record(request.id), to_text(request)});
  }
  if (!asked.records.empty()) create(c, std::move(asked));
}

}  // namespace ballot::core
