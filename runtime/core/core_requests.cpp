// What people ask: taken here, kept in the store, done by whoever leads (a kill: by whoever executes the run), answered
// there, told here; and what nodes ask of each other.
#include <algorithm>

#include "base/duration.hpp"
#include "core/core.hpp"
#include "core/outcome.hpp"

namespace ballot::core {
namespace {

constexpr Millis answer_life = std::chrono::minutes(1);  // past the patience of whoever asked
constexpr Millis leftover_slack{1000};
constexpr Millis outcome_pause{5000};  // in which a run whose outcome is known is closed, which removes it
constexpr Millis answered_kept = std::chrono::hours(1);

bool names_run(Request::Kind kind) { return kind == Request::Kind::kill || kind == Request::Kind::forget; }

}  // namespace

void Core::on(Context& c, const Ask& event) {
  const auto refuse = [&](std::string text, Errc code) {
    c.out.push_back(Reply{event.asker, false, std::move(text), {}, code});
  };
  if (stop_) return refuse("the daemon is stopping", Errc::unavailable);
  const Request& request = event.request;
  const auto job = jobs_.find(request.job);
  const bool known = job != jobs_.end() && (job->second.machine.definition() || job->second.machine.known_register());
  if (!request.job.empty() && !known) return refuse("no job file defines " + request.job, Errc::not_found);
  if (!request.group.empty() && !groups_.contains(request.group))
    return refuse("no group " + request.group + " is known", Errc::not_found);
  Asked asked{event.asker, request, c.now.steady + event.patience};
  asked.request.until = c.now.wall + event.patience;
  asked.run_suffix = event.run_suffix;
  const auto [place, added] = asked_.emplace(request.id, std::move(asked));
  if (!added) return refuse("the request is under way already", Errc::conflict);
  store_asked(c, place->second);
}

/// A kill and a forget name a run by its last digits: the registers say which one is meant, and of what job.
void Core::store_asked(Context& c, Asked& asked) {
  if (!session_.is_open()) return;  // once there is one
  if (names_run(asked.request.kind) && asked.request.job.empty()) {
    reads_in_flight_[++last_request_] = {Reading::For::runs, {}, 0, {}, asked.request.id};
    c.out.push_back(List{last_request_, "j/"});
    return;
  }
  Recording recording;
  recording.request = asked.request.id;
  recording.records.push_back({request_record(asked.request.id), to_text(asked.request)});
  create(c, std::move(recording));
}

void Core::on_runs_listed(Context& c, const RunId& request, const backend::ReadDone& event) {
  const auto it = asked_.find(request);
  if (it == asked_.end()) return;
  Asked& asked = it->second;
  if (event.outcome != Outcome::done) return store_asked(c, asked);
  int found = 0;
  for (const Register& r : event.registers)
    if (const auto parsed = parse_job_register(r.value))
      for (const OpenRun& run : parsed->runs) {
        if (!run.id.text().ends_with(asked.run_suffix)) continue;
        found += 1;
        asked.request.job = r.name.substr(2);
        asked.request.run = run.id;
      }
  if (found == 1) return store_asked(c, asked);
  const std::string text =
      found == 0 ? "no open run ends with " + asked.run_suffix + "; see `ballot history`"
                 : std::to_string(found) + " open runs end with " + asked.run_suffix + ": give more of its digits";
  reply(c, request, Answer::refused(found == 0 ? Errc::not_found : Errc::invalid, text));
}

void Core::on_requests(Context& c, const std::vector<Register>& records) {
  std::set<std::string_view> answered;
  for (const Register& record : records)
    if (record.name.ends_with(".answer")) answered.insert(record.name);
  for (const Register& record : records) {
    const std::string_view name = record.name;
    const auto id = RunId::parse(name.substr(request_prefix.size(), 36));
    if (!id) continue;
    if (name == end_record(*id))
      on_end_record(c, *id, record);
    else if (name == answer_record(*id))
      on_answer_record(c, *id, record);
    else if (!answered.contains(answer_record(*id)))
      on_request_record(c, *id, record);
  }
}

void Core::on_answer_record(Context& c, const RunId& id, const Register& record) {
  const auto answer = parse_answer(record.value);
  const auto asked = asked_.find(id);
  const bool ours = asked != asked_.end() && !asked->second.answered;
  if (ours && answer) reply(c, id, *answer);
  if (ours || !answer || answer->until < c.now.wall) return remove(c, {record.name, request_record(id)});
  look_after(c, answer->until);
}

void Core::on_end_record(Context& c, const RunId& id, const Register& record) {
  const auto row = parse_outcome(record.value);
  const auto asked = asked_.find(id);
  if (asked != asked_.end()) {
    if (!asked->second.answered) return;  // its answer comes first
    if (row) c.out.push_back(RunEnded{asked->second.asker, *row});
    asked_.erase(asked);
  } else if (row && row->ended_at && c.now.wall - *row->ended_at < answer_life) {
    return look_after(c, *row->ended_at + answer_life);
  }
  remove(c, {record.name});
}

void Core::on_request_record(Context& c, const RunId& id, const Register& record) {
  const auto request = parse_request(record.value);
  if (!request && request.error().code == Errc::refused) return;  // a newer node's
  const bool over = !request || request->until < c.now.wall;
  if (over) {
    if (!asked_.contains(id)) remove(c, {record.name});
    return;
  }
  look_after(c, request->until);
  if (answered_.contains(id)) return remove(c, {record.name});  // read before it was removed, or created a second time
  if (!taken_.contains(id) && !stop_) take(c, *request);
}

/// Whoever is to remove a record may be dead by then.
void Core::look_after(const Context& c, WallTime until) {
  const SteadyTime at = c.now.steady + std::max(until - c.now.wall, Millis(0)) + leftover_slack;
  leftovers_at_ = std::min(leftovers_at_.value_or(at), at);
}

/// Takes a request up, if it is this node's to do.
void Core::take(Context& c, const Request& request) {
  if (request.kind == Request::Kind::kill) return take_kill(c, request);
  if (request.kind == Request::Kind::release) return take_release(c, request);
  if (request.kind == Request::Kind::replace) return take_replace(c, request);
  if (!request.group.empty()) return take_for_group(c, request);
  const auto it = jobs_.find(request.job);
  if (it == jobs_.end() || !it->second.machine.term()) return;
  taken_[request.id] = it->second.machine.term()->group;
  if (it->second.owner && it->second.owner->evicting) return;
  it->second.machine.ask(c, request);
  touch(c, it->second);
}

void Core::take_kill(Context& c, const Request& request) {
  const auto it = jobs_.find(request.job);
  if (it == jobs_.end()) return;
  JobMachine& job = it->second.machine;
  if (job.executes(request.run)) {
    taken_[request.id] = "";
    job.ask(c, request);
    touch(c, it->second);
  } else if (job.standing() == JobMachine::Standing::leading) {
    if (job.shows(request.run))
      kill_waits_ = true;
    else
      answer(c, request.id, Answer::refused(Errc::not_found, "the run has ended"));
  }
}

/// The register of one of our groups, perhaps unknown here: once it is read, it is settled and released.
void Core::take_release(Context& c, const Request& request) {
  if (!led(request.group)) return;
  JobMachine& job = entry(request.job).machine;
  if (!job.term()) c.wants.reads.push_back(&job);
  remove(c, {request_record(request.id)});
}

void Core::take_replace(Context& c, const Request& request) {
  const auto it = jobs_.find(request.job);
  if (it == jobs_.end() || !it->second.machine.executes(request.run)) return;
  remove(c, {request_record(request.id)});
  if (it->second.machine.standing() == JobMachine::Standing::leading) return;  // it leads again, and decides itself
  it->second.machine.ask(c, request);
  touch(c, it->second);
}

void Core::take_for_group(Context& c, const Request& request) {
  using Kind = Request::Kind;
  const auto it = groups_.find(request.group);
  if (it == groups_.end() || it->second.phase != GroupState::Phase::leading) return;
  GroupState& group = it->second;
  taken_[request.id] = group.name;
  group.asked.push_back(request);
  moved_.insert(&group);
  const std::vector<JobEntry*> jobs(group.jobs.begin(), group.jobs.end());
  if (request.kind == Kind::repair && !group.term.halted.empty()) {
    group.term.halted.clear();
    group.stored.halted.clear();
    group.stored.repaired_at = c.now.wall;
    group.stored.repaired_by = request.by;
    group.changed = true;
    for (JobEntry* job : jobs)
      if (job->machine.term() == &group.term) job->machine.repair(c, std::nullopt, request.by);
    c.out.push_back(Notice{Level::warn, "group repaired by " + request.by, {{"group", group.name}}});
  } else if (request.kind == Kind::evict) {
    group.evicting = group.term.draining = true;
    group.yielding = false;
    group.evict_kill = c.now.steady + evict_wait;
    group.evictions_stored += 1;
    Recording removal;
    removal.removals.push_back(request_record(request.id));
    removal.evicts = group.name;
    create(c, std::move(removal));
  }
  for (JobEntry* job : jobs) touch(c, *job);
}

/// Pauses and resumptions are done one after the other, as they were asked.
void Core::begin_pause_or_resume(Context& c, GroupState& group) {
  using Kind = Request::Kind;
  const auto first = std::find_if(group.asked.begin(), group.asked.end(), [](const Request& request) {
    return request.kind == Kind::pause || request.kind == Kind::resume;
  });
  if (first == group.asked.end() || group.pausing == first->id) return;
  group.pausing = first->id;
  group.resuming = first->kind == Kind::resume && group.term.paused;
  if (first->kind == Kind::pause && !group.term.paused) group.term.paused = group.stored.paused = group.changed = true;
  for (JobEntry* job : std::vector(group.jobs.begin(), group.jobs.end())) {
    if (group.resuming && job->machine.term() == &group.term) job->machine.settle_pause(c);
    touch(c, *job);
  }
}

/// Answers what is done: the group's register says so, and its jobs do it.
void Core::advance_group_requests(Context& c, GroupState& group) {
  using Kind = Request::Kind;
  if (group.asked.empty() || group.phase != GroupState::Phase::leading) return;
  begin_pause_or_resume(c, group);
  const auto none = [&](auto is) {
    return std::none_of(group.jobs.begin(), group.jobs.end(),
                        [&](const JobEntry* job) { return job->machine.term() == &group.term && is(job->machine); });
  };
  const bool settled = none([](const JobMachine& job) { return job.is_settling_pause(); });
  if (group.resuming && group.term.paused && settled) {
    group.term.paused = group.stored.paused = false;
    group.changed = true;
    for (JobEntry* job : std::vector(group.jobs.begin(), group.jobs.end())) touch(c, *job);
  }
  if (group.changed || group.writing) return;
  const bool quiet = none([](const JobMachine& job) { return job.may_start(); });
  const bool mended = none([](const JobMachine& job) { return job.is_mending(); });
  const std::size_t answered = std::erase_if(group.asked, [&](const Request& request) {
    const bool begun = request.id == group.pausing;
    const bool done = (request.kind == Kind::pause && begun && quiet) ||
                      (request.kind == Kind::resume && begun && settled) || (request.kind == Kind::repair && mended);
    if (done) wants_.answers.push_back({request.id, Answer::done()});
    return done;
  });
  if (answered > 0) moved_.insert(&group);  // the next one may begin
}

/// The request is done, or will not be: told here, if it was asked here, else in the store.
void Core::answer(Context& c, const RunId& request, std::optional<Answer> answer) {
  taken_.erase(request);
  if (!answer) return remove(c, {request_record(request)});
  std::erase_if(answered_, [&](const auto& one) { return one.second < c.now.steady; });
  answered_[request] = c.now.steady + answered_kept;
  if (const auto asked = asked_.find(request); asked != asked_.end()) {
    asked->second.answer = std::move(answer);
    Recording removal;
    removal.removals.push_back(request_record(request));
    removal.answered = request;
    return create(c, std::move(removal));
  }
  answer->until = c.now.wall + answer_life;
  Recording recording;
  recording.records.push_back({answer_record(request), to_text(*answer)});
  create(c, std::move(recording));
  remove(c, {request_record(request)});
}

void Core::reply(Context& c, const RunId& request, const Answer& answer) {
  const auto it = asked_.find(request);
  if (it == asked_.end() || it->second.answered) return;
  c.out.push_back(Reply{it->second.asker, answer.ok, answer.text, answer.run, answer.code});
  it->second.answered = true;
  if (!answer.ok || !it->second.request.wait) asked_.erase(it);
}

void Core::tell_answer(Context& c, const RunId& request) {
  const auto it = asked_.find(request);
  if (it != asked_.end() && it->second.answer) reply(c, request, *it->second.answer);
}

/// A run that somebody waits for has ended.
void Core::tell_end(Context& c, const Row& row) {
  tell_answer(c, *row.run);
  if (const auto it = asked_.find(*row.run); it != asked_.end()) {
    c.out.push_back(RunEnded{it->second.asker, row});
    asked_.erase(it);
    return;
  }
  Recording recording;
  recording.records.push_back({end_record(*row.run), outcome_text(row)});
  create(c, std::move(recording));
}

/// Whoever asked waits no longer; the request goes, so that nothing comes of it behind his back.
void Core::expire_asked(Context& c) {
  std::vector<RunId> over;
  for (const auto& [id, asked] : asked_)
    if (!asked.answered && asked.until <= c.now.steady) over.push_back(id);
  for (const RunId& id : over) {
    if (asked_.at(id).answer) {  // done, and the request cannot be removed
      tell_answer(c, id);
      continue;
    }
    const Request& request = asked_.at(id).request;
    const std::string whose = names_run(request.kind) ? "the run's node" : "the group's leader";
    reply(c, id, Answer::refused(Errc::timeout, "not done in time: " + whose + " has not answered"));
    remove(c, {request_record(id)});
  }
}

/// The daemon stops: what others lead goes on without it, what it has not told anybody is withdrawn.
void Core::give_up_asked(Context& c, const std::string& why) {
  std::vector<RunId> open;
  for (const auto& [id, asked] : asked_)
    if (!asked.answered) open.push_back(id);
  for (const RunId& id : open) {
    tell_answer(c, id);
    remove(c, {request_record(id)});
    reply(c, id, Answer::refused(Errc::unavailable, why));
  }
}

void Core::on_outcomes(Context& c, const std::vector<Register>& records) {
  for (const Register& record : records) {
    const auto row = parse_outcome(record.value);
    if (!row) continue;
    const auto job = jobs_.find(row->job);
    if (job == jobs_.end()) continue;
    job->second.machine.on_outcome(c, *row);
    touch(c, job->second);
    if (job->second.machine.term()) look_after(c, c.now.wall + outcome_pause);
  }
}

}  // namespace ballot::core
