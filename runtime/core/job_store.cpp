// A job and the store: its register as read, the term that leads it, and what people ask.
#include <algorithm>
#include <utility>

#include "core/job.hpp"
#include "core/outcome.hpp"

namespace ballot::core {

void JobMachine::know(Context& c, const std::optional<Register>& stored) {
  known_ = true;
  exists_ = stored.has_value();
  version_ = stored ? stored->version : 0;
  register_ = {};
  trouble_.clear();
  regress_.clear();
  newer_ = false;
  pending_.reset();
  const bool older = version_ < highest_version_;
  if (older && !std::exchange(older_seen_, true)) {  // perhaps read before what was seen since: it is read again
    known_ = exists_ = false;
    return c.wants.reads.push_back(this);
  }
  older_seen_ = older;
  if (older)
    regress_ = "the store has gone back: the register " + job_register(name_) + " has version " +
               std::to_string(version_) + ", and " + std::to_string(highest_version_) + " was seen";
  highest_version_ = std::max(highest_version_, version_);
  if (!stored) return;
  auto parsed = parse_job_register(stored->value);
  if (parsed) {
    register_ = std::move(*parsed);
  } else {
    trouble_ = parsed.error().what;
    newer_ = parsed.error().code == Errc::refused;
    register_ = salvage_job_register(stored->value);
  }
  if (parsed && register_.fence < highest_fence_)
    regress_ = "the store has gone back: the fence of job " + name_ + " is " + std::to_string(register_.fence) +
               ", and " + std::to_string(highest_fence_) + " was seen";
  highest_fence_ = std::max(highest_fence_, register_.fence);
}

void JobMachine::lead(Context& c, const Term& term) {
  term_ = &term;
  blocked_ = false;
  blocked_since_.reset();
  retry_at_.reset();
  mend_.reset();
  unpause_until_.reset();
  if (!trouble_.empty() || !regress_.empty() || !term.halted.empty()) return halt(c);
  standing_ = Standing::leading;
  take_up(c);
}

/// The register is what this term goes on from.
void JobMachine::take_up(Context& c) {
  make_plan();
  copy_dispositions(c);
  settle_open_runs(c);
  resume_settlement();
}

void JobMachine::depose(Context& c) {
  term_ = nullptr;
  standing_ = Standing::idle;
  ahead_.clear();
  flush_at_.reset();
  close_at_.reset();
  manual_.clear();
  pauses_.clear();
  mend_.reset();
  unpause_until_.reset();
  for (LiveRun& run : runs_)
    if (run.state == LiveRun::State::held) end(c, run, Status::missed, Reason::stale);
  for (LiveRun& run : runs_) run.repeat = false, run.next.reset();
  std::erase_if(runs_, [](const LiveRun& run) { return run.state == LiveRun::State::foreign || run.is_waiting(); });
  rearm(c);
}

/// Whoever waits for an answer gets it: it will not be done.
void JobMachine::refuse_asked(Context& c, const std::string& why) {
  const auto refuse = [&](const RunId& request) {
    c.wants.answers.push_back({request, Answer::refused(Errc::refused, why)});
  };
  if (pending_ && pending_->answers) refuse(*std::exchange(pending_->answers, std::nullopt));
  for (LiveRun& run : runs_)
    if (std::exchange(run.asked, false)) refuse(run.open.id);
  for (const Request& request : std::exchange(manual_, {})) refuse(request.id);
  for (const Request& request : std::exchange(pauses_, {})) refuse(request.id);
}

void JobMachine::halt(Context& c) {
  standing_ = Standing::halted;
  if (trouble_.empty()) trouble_ = !regress_.empty() ? regress_ : term_->halted;
  pending_.reset();
  ahead_.clear();
  for (LiveRun& run : runs_)
    if (run.unclaimed) run.repeat = false, run.next.reset();
  settlement_.reset(std::max(register_.cursor, register_.since));
  refuse_asked(c, "the job is halted: " + trouble_);
  for (LiveRun& run : runs_)
    if (run.state == LiveRun::State::held) end(c, run, Status::missed, Reason::halted);
  c.out.push_back(Notice{Level::error, "job halted: " + trouble_, {{"job", name_}}});
}

void JobMachine::repair(Context& c, const std::optional<RunId>& request, const std::string& by) {
  const auto answer = [&](Answer what) {
    if (request) c.wants.answers.push_back({*request, std::move(what)});
  };
  if (standing_ != Standing::halted) return answer(Answer::done());
  if (newer_) return answer(Answer::refused(Errc::refused, trouble_));
  trouble_.clear();
  regress_.clear();
  if (register_.group.empty()) register_.group = term_->group;
  standing_ = Standing::leading;
  take_up(c);
  mend_ = {request, by};
}

/// Before anybody leads the register's group: the end of what was claimed here is known here only.
void JobMachine::adopt_own(Context& c) {
  if (term_ || !trouble_.empty()) return;
  drop_claims_that_failed();
  for (const OpenRun& open : register_.runs) {
    if (open.node != c.settings.node || open.waits_until) continue;
    LiveRun* live = find({open.id, open.attempt});
    if (!live)
      adopt_run(c, open);
    else if (live->unclaimed)
      entered(c, *live, open);
    else if (live->state == LiveRun::State::claiming)
      end(c, *live, Status::missed, Reason::stale);
  }
}

bool JobMachine::executes(const RunId& run) const {
  return std::any_of(runs_.begin(), runs_.end(), [&](const LiveRun& live) {
    return live.open.id == run && live.state != LiveRun::State::foreign && !live.has_ended();
  });
}

bool JobMachine::shows(const RunId& run) const {
  return std::any_of(register_.runs.begin(), register_.runs.end(), [&](const OpenRun& open) { return open.id == run; });
}

bool JobMachine::shows(const runner::AttemptId& attempt) const {
  return std::any_of(register_.runs.begin(), register_.runs.end(), [&](const OpenRun& open) {
    return open.id == attempt.run && open.attempt == attempt.attempt && !open.waits_until;
  });
}

void JobMachine::ask(Context& c, const Request& request) {
  using Kind = Request::Kind;
  const auto refuse = [&](std::string why, Errc code) {
    c.wants.answers.push_back({request.id, Answer::refused(code, std::move(why))});
  };
  if (request.kind == Kind::kill) return ask_kill(c, request);
  if (request.kind == Kind::replace) return ask_replace(c, request);
  if (request.kind == Kind::repair) return repair(c, request.id, request.by);
  if (standing_ == Standing::halted)
    return refuse("the job is halted: " + trouble_ + "; `ballot repair` ends it", Errc::refused);
  if (request.kind == Kind::forget) return ask_forget(c, request);
  if (request.kind == Kind::trigger) return ask_trigger(c, request);
  pauses_.push_back(request);
}

void JobMachine::ask_trigger(Context& c, const Request& request) {
  const auto known = std::any_of(runs_.begin(), runs_.end(), [&](LiveRun& run) {
    if (run.open.id != request.id) return false;
    if (run.state == LiveRun::State::claiming) run.asked = true;
    return true;
  });
  const LiveRun* claiming = find({request.id, 1});
  const auto& closed = register_.triggered;
  if (claiming && claiming->state == LiveRun::State::claiming) return;
  if (known || std::find(closed.begin(), closed.end(), request.id) != closed.end())
    c.wants.answers.push_back({request.id, Answer::done(request.id)});
  else if (!definition_ || definition_->job.group != term_->group)
    c.wants.answers.push_back({request.id, Answer::refused(Errc::not_found, "no job file defines " + name_)});
  else
    manual_.push_back(request);
}

void JobMachine::ask_kill(Context& c, const Request& request) {
  kills_.emplace_back(request.id, request.run);
  for (LiveRun& run : runs_)
    if (run.open.id == request.run && !run.has_ended()) {
      run.kill_asked = true;
      kill(c, run, Reason::operator_);
    }
}

void JobMachine::ask_replace(Context& c, const Request& request) {
  for (LiveRun& run : runs_)
    if (run.open.id == request.run && !run.has_ended()) kill(c, run, Reason::replaced);
}

void JobMachine::ask_forget(Context& c, const Request& request) {
  for (LiveRun& run : runs_) {
    if (run.open.id != request.run || run.has_ended()) continue;
    if (run.state != LiveRun::State::foreign) {
      const std::string why = "the run is executed by this node (" + c.settings.node + "): `ballot kill` ends it";
      return c.wants.answers.push_back({request.id, Answer::refused(Errc::conflict, why)});
    }
    kills_.emplace_back(request.id, request.run);
    return end(c, run, Status::lost, Reason::forgotten);
  }
  c.wants.answers.push_back(
      {request.id, Answer::refused(Errc::not_found, "no such run is open; see `ballot history`")});
}

}  // namespace ballot::core
