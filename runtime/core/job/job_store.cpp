// A job and the store: its register as read, the term that leads it, and what people ask.
#include <algorithm>
#include <functional>
#include <utility>

#include "core/job/job_machine.hpp"
#include "core/outcome.hpp"
#include "core/record_text.hpp"

namespace ballot::core {
namespace {

WallTime in_seconds(WallTime t) { return std::chrono::floor<std::chrono::seconds>(t); }

}  // namespace

void JobMachine::know(Context& c, const std::optional<Register>& stored) {
  const bool was_sound = known_ && exists_ && trouble_.empty() && regress_.empty();
  JobRegister before = std::exchange(register_, {});
  known_ = true;
  exists_ = stored.has_value();
  version_ = stored ? stored->version : 0;
  regress_.clear();
  newer_ = false;
  pending_.reset();
  trouble_ = stored ? read(*stored) : "";
  Shown now{register_.repair, version_, register_.fence};
  if (!trouble_.empty()) now = {seen_.most().repair, version_, seen_.most().count};
  regress_ = seen_.why_older(now, job_register(name_), "the fence of job " + name_);
  const bool older = !regress_.empty();
  if ((older || !trouble_.empty()) && was_sound && !before_) before_ = std::make_unique<JobRegister>(std::move(before));
  if (older && !std::exchange(older_seen_, true)) {  // perhaps read before what was seen since: it is read again
    known_ = exists_ = false;
    register_ = {};
    trouble_.clear();
    regress_.clear();
    return c.wants.reads.push_back(this);
  }
  older_seen_ = older;
  if (older) return;
  seen_.note(now);
  if (!trouble_.empty()) return;
  before_.reset();
  keep_cursor(c);
}

/// For a repair of one that is ahead.
void JobMachine::keep_cursor(const Context& c) {
  if (!clock_skew(c.now.wall)) cursor_ = std::max(register_.cursor, register_.since);
}

/// Why it cannot be read; then register_ has what makes sense of it.
std::string JobMachine::read(const Register& stored) {
  auto parsed = parse_job_register(stored.value);
  if (parsed) {
    register_ = std::move(*parsed);
    for (const OpenRun& run : register_.runs)
      if (run.fence > register_.fence) return "the register's fence is below that of run " + run.id.text();
    return "";
  }
  newer_ = parsed.error().code == Errc::refused;
  register_ = salvage_job_register(stored.value);
  return parsed.error().what;
}

const std::string& JobMachine::trouble() const {
  static const std::string none;
  if (!trouble_.empty()) return trouble_;
  if (!regress_.empty()) return regress_;
  return standing_ == Standing::halted && term_ ? term_->halted : none;
}

void JobMachine::lead(Context& c, const Term& term) {
  term_ = &term;
  slots_.unblock();
  retry_at_.reset();
  mend_.reset();
  look_.reset();
  unpause_until_.reset();
  const bool unrepaired = heed_repair(term);
  if (!trouble_.empty() || !regress_.empty() || !term.halted.empty()) return halt(c);
  standing_ = Standing::leading;
  if (unrepaired) return begin_repair(c, {std::nullopt, c.settings.node + ", as its group"});
  take_up(c);
}

/// Its group was repaired since: that the register has gone back is no reason to halt any more. True where it was not
/// repaired with it: whoever repaired the group did not know of it, or has not read it till now.
bool JobMachine::heed_repair(const Term& term) {
  const bool since = term.halted.empty() && term.repair > std::max(heeded_, seen_.most().repair);
  heeded_ = std::max(heeded_, term.repair);
  if (!since || (regress_.empty() && !term.repairing)) return false;
  regress_.clear();
  older_seen_ = false;
  return true;
}

/// The register is what this term goes on from.
void JobMachine::take_up(Context& c) {
  slots_.make_plan(facts());
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
  look_.reset();
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
  if (mend_ && mend_->request) refuse(*std::exchange(mend_->request, std::nullopt));
  if (look_) refuse(std::exchange(look_, std::nullopt)->id);
  for (LiveRun& run : runs_)
    if (std::exchange(run.asked, false)) refuse(run.open.id);
  for (const Request& request : std::exchange(manual_, {})) refuse(request.id);
  for (const Request& request : std::exchange(pauses_, {})) refuse(request.id);
}

void JobMachine::halt(Context& c) {
  standing_ = Standing::halted;
  refuse_asked(c, "the job is halted: " + trouble());
  pending_.reset();
  mend_.reset();
  unpause_until_.reset();
  ahead_.clear();
  for (LiveRun& run : runs_)
    if (run.unclaimed) run.repeat = false, run.next.reset();
  slots_.resume(std::max(register_.cursor, register_.since));
  for (LiveRun& run : runs_)
    if (run.state == LiveRun::State::held) end(c, run, Status::missed, Reason::halted);
  const std::size_t told = std::hash<std::string>()(trouble_);
  if (!trouble_.empty() && std::exchange(told_trouble_, told) != told)  // what halts the group is told once for all
    c.out.push_back(Notice{Level::error, "job halted: " + trouble_, {{"job", name_}}});
}

void JobMachine::repair(Context& c, const std::optional<RunId>& request, const std::string& by) {
  const auto answer = [&](Answer what) {
    if (request) c.wants.answers.push_back({*request, std::move(what)});
  };
  if (mend_) return answer(Answer::refused(Errc::conflict, "a repair of the job is under way"));
  const bool of_cursor = standing_ == Standing::leading && clock_skew(c.now.wall);
  if (standing_ != Standing::halted && !of_cursor)
    return answer(Answer::did("nothing to repair: job " + name_ + " is not halted"));
  if (newer_) return answer(Answer::refused(Errc::refused, trouble_));
  if (!term_->halted.empty())
    return answer(Answer::refused(Errc::refused, "group " + term_->group + " is halted: " + term_->halted +
                                                     "; `ballot repair --group " + term_->group + "` ends it"));
  begin_repair(c, {request, by, of_cursor});
}

/// From the newest register that this node has seen; from now where there is none.
void JobMachine::begin_repair(Context& c, Repair repair) {
  mend_ = std::make_unique<Repair>(std::move(repair));
  if (mend_->of_cursor) return bring_cursor_back(c);
  if (before_ && before_->cursor >= register_.cursor) register_ = std::move(*before_);
  before_.reset();
  trouble_.clear();
  regress_.clear();
  told_trouble_ = 0;
  const WallTime now = in_seconds(c.now.wall);
  if (register_.cursor == WallTime{}) register_.cursor = now;  // nobody knows which slots are left
  if (register_.since == WallTime{}) register_.since = now;
  register_.group = term_->group;
  register_.released = false;
  standing_ = Standing::leading;
  for (LiveRun& run : runs_) run.repeat = false, run.next.reset();
  keep_running(register_);
  take_up(c);
  end_what_waited(c);
}

/// To where it was last seen, for nothing is known of the slots from there on, and never to before one that was
/// claimed; those that it had passed for a reason have their rows.
void JobMachine::bring_cursor_back(const Context& c) {
  const WallTime now = in_seconds(c.now.wall);
  const WallTime to = std::max(register_.claimed_until, cursor_ == WallTime{} ? now : std::min(cursor_, now));
  mend_->cursor_ahead = std::max(register_.cursor, register_.since);
  register_.cursor = to;
  register_.since = std::min(register_.since, to);
  resume_settlement();
}

/// What this node executes stands in the register, whatever that has forgotten.
void JobMachine::keep_running(JobRegister& next) const {
  for (const LiveRun& run : runs_) {
    const bool goes_on = run.state == LiveRun::State::starting || run.state == LiveRun::State::running;
    if (!goes_on || run.unclaimed) continue;
    const auto shown =
        std::find_if(next.runs.begin(), next.runs.end(), [&](const OpenRun& open) { return open.id == run.open.id; });
    if (shown != next.runs.end())
      *shown = run.open;
    else if (next.runs.size() < open_run_limit)
      next.runs.push_back(run.open);
  }
}

/// What waits for its time or turn may have been started in what was forgotten. A job that always runs again goes on.
void JobMachine::end_what_waited(Context& c) {
  for (LiveRun& run : runs_) {
    if (!run.is_waiting()) continue;
    ++mend_->waited;
    end(c, run, Status::missed, Reason::halted);
    if (run.open.trigger == Trigger::rerun && run.open.attempt == 1 && is_defined())
      run.next = make_rerun(c, Millis(1));
  }
}

/// It was claimed before the register's last repair.
bool JobMachine::is_before_repair(const LiveRun& run) const {
  return !run.unclaimed && ((mend_ && !mend_->of_cursor) || run.open.fence < register_.repair);
}

/// Repairs: the slots of the halt are missed: halted, then the register is as new. True if it has begun something, or
/// waits for what has ended to be durable: what the register still shows as waiting would be started by the next term.
bool JobMachine::mend(Context& c) {
  if (!mend_) return false;
  slots_.rewind();
  if (!slots_.scan(c, facts(), overlap(c), ScanRules::Mode::halted, c.now.wall)) return true;
  const bool last = slots_.settlement().decided_count() <= room_to_carry();
  if (!last && room_to_carry() == 0) return held_ = true;
  const auto is_written = [](const LiveRun& run) { return !run.has_ended() || run.unclaimed || run.recorded; };
  if (last && !std::all_of(runs_.begin(), runs_.end(), is_written)) return held_ = true;
  PendingWrite write = begin_write(c, disposition_limit);
  JobRegister& next = write.next;
  if (!mend_->of_cursor) {
    // No store, however old, has seen as many claims of one job as milliseconds have passed since 1970.
    const auto above = static_cast<std::uint64_t>(c.now.wall.time_since_epoch().count());
    next.fence = std::max({next.fence + 1, seen_.most().count + 1, above, term_->repair});
    next.repair = next.fence;
  }
  write.mends = last;
  if (last) {
    const WallTime now = in_seconds(c.now.wall);
    if (clock_skew(c.now.wall)) mend_->cursor_ahead = std::max(next.cursor, next.since);
    next.cursor = std::max(now, next.claimed_until);
    next.since = std::min(next.since, now);
    next.repaired_at = c.now.wall;
    next.repaired_by = mend_->by;
  }
  send(c, std::move(write));
  return true;
}

/// A repair of what seems sound: somebody may have changed the register behind this node's back.
void JobMachine::look_at_store(Context& c, const std::optional<Register>& stored) {
  const Request request = *std::exchange(look_, std::nullopt);
  const bool as_known = stored ? stored->version == version_ : !exists_;
  if (!as_known && !pending_) {
    const std::uint64_t known = version_;
    older_seen_ = true;
    know(c, stored);
    if (!trouble_.empty() || !regress_.empty()) {
      halt(c);
      c.wants.changed.push_back(this);
    } else {
      go_on_from_store(c, known);
    }
  }
  if (regress_.empty()) return repair(c, request.id, request.by);
  c.wants.answers.push_back({request.id, Answer::refused(Errc::refused, regress_ + "; `ballot repair --group " +
                                                                            term_->group + "` ends the halt")});
}

/// Before anybody leads the register's group: the end of what was claimed here is known here only.
void JobMachine::adopt_own(Context& c) {
  if (term_ || !trouble_.empty()) return;
  drop_claims_that_failed(c);
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
  if (request.kind == Kind::repair) return ask_repair(c, request);
  if (standing_ == Standing::halted)
    return refuse("the job is halted: " + trouble() + "; `ballot repair` ends it", Errc::refused);
  if (request.kind == Kind::forget) return ask_forget(c, request);
  if (request.kind == Kind::trigger) return ask_trigger(c, request);
  pauses_.push_back(request);
}

void JobMachine::ask_repair(Context& c, const Request& request) {
  if (standing_ != Standing::leading || mend_ || pending_ || look_) return repair(c, request.id, request.by);
  look_ = request;
  c.wants.reads.push_back(this);
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
