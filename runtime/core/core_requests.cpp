// What people ask: taken here, kept in the store, done by whoever leads (a kill: by whoever executes the run), answered
// there, told here; and what nodes ask of each other.
#include <algorithm>

#include "base/duration.hpp"
#include "core/core.hpp"
#include "core/outcome.hpp"

namespace ballot::core {
namespace {

constexpr Millis relist_pause{200};
constexpr Millis fate_slack{1300};                       // past manual_slack: by then nobody begins what was asked for,
constexpr Millis fate_patience{3000};                    // and so long the store may take to say whether somebody has
constexpr Millis answer_life = std::chrono::minutes(1);  // past the patience of whoever asked
constexpr Millis leftover_slack{1000};
constexpr Millis outcome_pause{5000};  // in which a run whose outcome is known is closed, which removes it
constexpr Millis answered_kept = std::chrono::hours(1);

/// What became of it; a repair during which the store went back again was none.
Answer repair_answer(const GroupState& group) {
  if (group.term.halted.empty()) return Answer::did(group.repair_text);
  return Answer::refused(Errc::refused, "group " + group.name + " is halted again: " + group.term.halted);
}

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
  asked.sent = true;
  Recording recording;
  recording.request = asked.request.id;
  recording.records.push_back({request_record(asked.request.id), to_text(asked.request)});
  create(c, std::move(recording));
}

void Core::on_runs_listed(Context& c, const RunId& request, const backend::ReadDone& event) {
  const auto it = asked_.find(request);
  if (it == asked_.end()) return;
  Asked& asked = it->second;
  if (event.outcome != Outcome::done) {
    asked.lists_again = true;
    records_at_ = c.now.steady + relist_pause;
    return;
  }
  int found = 0;
  for (const Register& r : event.registers)
    if (const auto parsed = job_of(r) ? parse_job_register(r.value) : Error{})
      for (const OpenRun& run : parsed->runs) {
        if (!run.id.text().ends_with(asked.run_suffix)) continue;
        found += 1;
        asked.request.job = *job_of(r);
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
  const bool over = !request || request->id != id || request->until < c.now.wall;
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
  log_request(c, request);
  if (it->second.owner && it->second.owner->evicting) return;
  outcomes_changed_ = outcomes_changed_ || request.kind == Request::Kind::repair;
  it->second.machine.ask(c, request);
  touch(c, it->second);
}

/// Whoever can write into the store can ask: who it was stands in the log of the node that does it.
void Core::log_request(Context& c, const Request& request) {
  Notice notice{Level::info, "request taken", {{"request", std::string(to_string(request.kind))}}};
  if (!request.job.empty()) notice.fields.emplace_back("job", request.job);
  if (!request.group.empty()) notice.fields.emplace_back("group", request.group);
  if (names_run(request.kind)) notice.fields.emplace_back("run", request.run.text());
  notice.fields.emplace_back("by", request.by.empty() ? "nobody named" : request.by);
  notice.fields.emplace_back("id", request.id.text());
  c.out.push_back(std::move(notice));
}

void Core::take_kill(Context& c, const Request& request) {
  const auto it = jobs_.find(request.job);
  if (it == jobs_.end()) return;
  JobMachine& job = it->second.machine;
  if (job.executes(request.run)) {
    taken_[request.id] = "";
    log_request(c, request);
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
  log_request(c, request);
  it->second.machine.ask(c, request);
  touch(c, it->second);
}

void Core::take_for_group(Context& c, const Request& request) {
  using Kind = Request::Kind;
  const auto it = groups_.find(request.group);
  if (it == groups_.end() || it->second.phase != GroupState::Phase::leading) return;
  GroupState& group = it->second;
  if (request.kind == Kind::repair && group.newer)
    return answer(c, request.id, Answer::refused(Errc::refused, group.term.halted));
  taken_[request.id] = group.name;
  log_request(c, request);
  group.asked.push_back(request);
  moved_.insert(&group);
  const std::vector<JobEntry*> jobs(group.jobs.begin(), group.jobs.end());
  if (request.kind == Kind::repair) {
    outcomes_changed_ = true;
    begin_repair(c, group, request);
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

/// Jobs first: the group's register says that it is halted until all of them are as new, so that a leader that dies
/// meanwhile leaves no old register to be gone on from.
void Core::begin_repair(Context& c, GroupState& group, const Request& request) {
  if (!group.term.halted.empty()) {
    const auto above = static_cast<std::uint64_t>(c.now.wall.time_since_epoch().count());
    group.repairing = std::max({group.stored.repair + 1, group.guard.repair() + 1, above});
    group.term.repair = group.repairing;
    group.term.repairing = true;
    group.term.halted.clear();
  }
  group.repaired_by = request.by;
  int begun = 0;
  std::string not_repaired;
  for (JobEntry* job : std::vector(group.jobs.begin(), group.jobs.end())) {
    if (job->machine.term() != &group.term) continue;
    job->machine.repair(c, std::nullopt, request.by);
    begun += job->machine.is_mending();
    if (job->machine.standing() == JobMachine::Standing::halted)
      not_repaired += "; not job " + job->machine.name() + ": " + job->machine.trouble();
  }
  group.repair_text = group.repairing > 0 || begun > 0 ? "repaired: group " : "nothing to repair: group ";
  group.repair_text += group.name;
  if (group.repairing > 0 || begun > 0)
    group.repair_text += ", " + std::to_string(begun) + (begun == 1 ? " job" : " jobs");
  else if (not_repaired.empty())
    group.repair_text += " is not halted, nor is a job of it";
  group.repair_text += not_repaired;
}

/// Its jobs' registers are written.
void Core::finish_repair(Context& c, GroupState& group) {
  GroupRegister& stored = group.stored;
  stored.halted.clear();
  stored.repaired_at = c.now.wall;
  stored.repaired_by = group.repaired_by;
  stored.repair = std::exchange(group.repairing, 0);
  group.term.repairing = false;
  group.guard.on_repaired(guard_, {stored.repair, group.version, group.term.epoch});
  group.told_halt.clear();
  group.changed = true;
  c.out.push_back(Notice{Level::warn, "group repaired by " + group.repaired_by, {{"group", group.name}}});
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
  const bool mended = none([](const JobMachine& job) { return job.is_mending(); });
  if (group.repairing > 0 && mended) finish_repair(c, group);
  if (group.changed || group.writing) return;
  const bool quiet = none([](const JobMachine& job) { return job.may_start(); });
  const std::size_t answered = std::erase_if(group.asked, [&](const Request& request) {
    const bool begun = request.id == group.pausing;
    const bool done = (request.kind == Kind::pause && begun && quiet) ||
                      (request.kind == Kind::resume && begun && settled) || (request.kind == Kind::repair && mended);
    if (done && request.kind == Kind::repair)
      wants_.answers.push_back({request.id, repair_answer(group)});
    else if (done)
      wants_.answers.push_back({request.id, Answer::done()});
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
  for (const RunId& id : over) expire(c, id, asked_.at(id));
}

SteadyTime Core::fate_unknown_at(const Asked& asked) { return asked.until + fate_slack + fate_patience; }

SteadyTime Core::wake_of(const Asked& asked) const {
  if (!asked.fate_at) return asked.until;
  if (asked.fate_asked || !session_.is_open()) return fate_unknown_at(asked);
  return std::min(*asked.fate_at, fate_unknown_at(asked));
}

/// Of a trigger it must be certain that nothing comes of it: its answer may be under way, or its leader gone.
void Core::expire(Context& c, const RunId& id, Asked& asked) {
  if (asked.answer) return tell_answer(c, id);  // done, and the request cannot be removed
  if (asked.request.kind == Request::Kind::trigger && asked.sent) {
    if (!asked.fate_at) asked.fate_at = asked.until + fate_slack;
    if (c.now.steady < fate_unknown_at(asked)) return ask_fate(c, id, asked);
    const std::string why = "the store does not say whether it was begun; see `ballot history`";
    reply(c, id, Answer::refused(Errc::unavailable, why));
  } else {
    const std::string whose = names_run(asked.request.kind) ? "the run's node" : "the group's leader";
    reply(c, id, Answer::refused(Errc::timeout, "not done in time: " + whose + " has not answered"));
  }
  remove(c, {request_record(id)});
}

void Core::ask_fate(Context& c, const RunId& id, Asked& asked) {
  if (c.now.steady < *asked.fate_at || !session_.is_open() || std::exchange(asked.fate_asked, true)) return;
  Reading reading{Reading::For::trigger_fate, {}, 0, {}, id};
  read(c, std::move(reading), {answer_record(id), job_register(asked.request.job)});
}

/// The answer that nobody has read yet, or the run itself, where its leader died before it could answer.
void Core::on_fate(Context& c, const RunId& id, const backend::ReadDone& event) {
  const auto it = asked_.find(id);
  if (it == asked_.end() || it->second.answered) return;
  if (event.outcome != Outcome::done) {
    it->second.fate_asked = false;
    it->second.fate_at = std::max(*it->second.fate_at, c.now.steady + relist_pause);
    return;
  }
  std::optional<Answer> answer;
  for (const Register& r : event.registers) {
    if (r.name == answer_record(id)) {
      if (auto parsed = parse_answer(r.value)) answer = std::move(*parsed);
    } else if (const auto job = parse_job_register(r.value); job && !answer) {
      const bool open =
          std::any_of(job->runs.begin(), job->runs.end(), [&](const OpenRun& run) { return run.id == id; });
      const bool closed = std::find(job->triggered.begin(), job->triggered.end(), id) != job->triggered.end();
      if (open || closed) answer = Answer::done(id);
    }
  }
  const std::string late = "not done in time: the group's leader has not answered";
  remove(c, {request_record(id), answer_record(id)});
  reply(c, id, answer.value_or(Answer::refused(Errc::timeout, late)));
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
