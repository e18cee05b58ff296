// What people ask: taken here, kept in the store, done by whoever leads (a kill: by whoever executes the run), answered
// there, told here; and what nodes ask of each other.
#include <algorithm>

#include "base/duration.hpp"
#include "core/core.hpp"
#include "core/record/outcome.hpp"

namespace ballot::core {
namespace {

constexpr Millis outcome_pause{5000};  // in which a run whose outcome is known is closed, which removes it

/// What became of it; a repair during which the store went back again was none.
Answer repair_answer(const GroupState& group) {
  if (group.term.halted.empty()) return Answer::did(group.repair_text);
  return Answer::refused(Errc::refused, "group " + group.name + " is halted again: " + group.term.halted);
}

}  // namespace

void Core::on(Context& c, const Ask& event) {
  const auto refuse = [&](std::string text, Errc code) {
    c.out.push_back(Reply{event.asker, false, std::move(text), {}, code});
  };
  if (shutdown_.is_asked()) return refuse("the daemon is stopping", Errc::unavailable);
  const Request& request = event.request;
  const JobEntry* const job = jobs_.find(request.job);
  const bool known = job && (job->machine.definition() || job->machine.known_register());
  if (!request.job.empty() && !known) return refuse("no job file defines " + request.job, Errc::not_found);
  if (!request.group.empty() && !groups_.find(request.group))
    return refuse("no group " + request.group + " is known", Errc::not_found);
  perform(c, desk_.accept(c.now, event, session_.is_open()));
}

/// In their order.
void Core::perform(Context& c, RequestDesk::Errands errands) {
  for (RequestDesk::Errand& errand : errands) std::visit([&](auto& what) { perform(c, what); }, errand);
}

void Core::perform(Context& c, Recording& recording) { create(c, std::move(recording)); }

void Core::perform(Context& c, const RequestDesk::TakeUp& errand) { take(c, errand.request); }

void Core::perform(Context& c, const RequestDesk::ListRuns& errand) {
  store_.list(c.out, {.what = Reading::For::runs, .asker = errand.request}, "j/");
}

void Core::perform(Context& c, const RequestDesk::ReadFate& errand) {
  store_.read(c.out, {.what = Reading::For::trigger_fate, .asker = errand.request},
              {answer_record(errand.request), job_register(errand.job)});
}

void Core::perform(Context& c, const Reply& reply) { c.out.push_back(reply); }

void Core::perform(Context& c, const RunEnded& ended) { c.out.push_back(ended); }

/// Takes a request up, if it is this node's to do.
void Core::take(Context& c, const Request& request) {
  if (request.kind == Request::Kind::kill) return take_kill(c, request);
  if (request.kind == Request::Kind::release) return take_release(c, request);
  if (request.kind == Request::Kind::replace) return take_replace(c, request);
  if (!request.group.empty()) return take_for_group(c, request);
  JobEntry* const job = jobs_.find(request.job);
  if (!job || !job->machine.term()) return;
  desk_.take(request.id, job->machine.term()->group);
  log_request(c, request);
  if (job->owner && job->owner->evicting) return;
  if (request.kind == Request::Kind::repair) feeds_.outcomes.on_changed();
  job->machine.ask(c, request);
  touch(c, *job);
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
  JobEntry* const found = jobs_.find(request.job);
  if (!found) return;
  JobMachine& job = found->machine;
  if (job.executes(request.run)) {
    desk_.take(request.id, "");
    log_request(c, request);
    job.ask(c, request);
    touch(c, *found);
  } else if (job.standing() == JobMachine::Standing::leading) {
    if (job.shows(request.run))
      kill_waits_ = true;
    else
      answer(c, request.id, Answer::refused(Errc::not_found, "the run has ended"));
  }
}

/// The register of one of our groups, perhaps unknown here: once it is read, it is settled and released.
void Core::take_release(Context& c, const Request& request) {
  if (!groups_.led(request.group)) return;
  JobMachine& job = jobs_.entry(request.job).machine;
  if (!job.term()) c.wants.reads.push_back(&job);
  remove(c, {request_record(request.id)});
}

void Core::take_replace(Context& c, const Request& request) {
  JobEntry* const job = jobs_.find(request.job);
  if (!job || !job->machine.executes(request.run)) return;
  remove(c, {request_record(request.id)});
  if (job->machine.standing() == JobMachine::Standing::leading) return;  // it leads again, and decides itself
  log_request(c, request);
  job->machine.ask(c, request);
  touch(c, *job);
}

void Core::take_for_group(Context& c, const Request& request) {
  using Kind = Request::Kind;
  GroupState* const led = groups_.find(request.group);
  if (!led || led->phase != GroupState::Phase::leading) return;
  GroupState& group = *led;
  if (request.kind == Kind::repair && group.stored.is_newer())
    return answer(c, request.id, Answer::refused(Errc::refused, group.term.halted));
  desk_.take(request.id, group.name);
  log_request(c, request);
  group.asked.push_back(request);
  groups_.mark_dirty(group);
  const std::vector<JobEntry*> jobs(group.jobs.begin(), group.jobs.end());
  if (request.kind == Kind::repair) {
    feeds_.outcomes.on_changed();
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
    group.repairing = std::max({group.stored.value().repair + 1, group.guard.repair() + 1, above});
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
  GroupRegister& stored = group.stored.edit();
  stored.halted.clear();
  stored.repaired_at = c.now.wall;
  stored.repaired_by = group.repaired_by;
  stored.repair = std::exchange(group.repairing, 0);
  group.term.repairing = false;
  group.guard.on_repaired(guard_, {stored.repair, group.stored.version(), group.term.epoch});
  group.told_halt.clear();
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
  if (first->kind == Kind::pause && !group.term.paused) group.term.paused = group.stored.edit().paused = true;
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
    group.term.paused = group.stored.edit().paused = false;
    for (JobEntry* job : std::vector(group.jobs.begin(), group.jobs.end())) touch(c, *job);
  }
  const bool mended = none([](const JobMachine& job) { return job.is_mending(); });
  if (group.repairing > 0 && mended) finish_repair(c, group);
  if (!group.stored.is_settled()) return;
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
  if (answered > 0) groups_.mark_dirty(group);  // the next one may begin
}

/// The request is done, or will not be.
void Core::answer(Context& c, const RunId& request, std::optional<Answer> answer) {
  perform(c, desk_.answer(c.now, request, std::move(answer)));
}

void Core::on_outcomes(Context& c, const std::vector<Register>& records) {
  for (const Register& record : records) {
    const auto row = parse_outcome(record.value);
    if (!row) continue;
    JobEntry* const job = jobs_.find(row->job);
    if (!job) continue;
    job->machine.on_outcome(c, *row);
    touch(c, *job);
    if (job->machine.term()) desk_.clean_up_at(c.now, c.now.wall + outcome_pause);
  }
}

}  // namespace ballot::core
