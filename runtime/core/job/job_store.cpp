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
  pending_.reset();
  if (!view_.read(name_, stored, c.now.wall)) c.wants.reads.push_back(this);
}

const std::string& JobMachine::trouble() const {
  static const std::string none;
  if (!view_.trouble().empty()) return view_.trouble();
  if (!view_.regress().empty()) return view_.regress();
  return standing_ == Standing::halted && term_ ? term_->halted : none;
}

void JobMachine::lead(Context& c, const Term& term) {
  term_ = &term;
  slots_.unblock();
  retry_at_.reset();
  commands_.begin_term();
  const bool unrepaired = view_.heed_repair(term);
  if (!view_.is_sound() || !term.halted.empty()) return halt(c);
  standing_ = Standing::leading;
  if (unrepaired) return begin_repair(c, {std::nullopt, c.settings.node + ", as its group"});
  take_up(c);
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
  commands_.clear();
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
  for (const RunId& request : commands_.take_repair_requests()) refuse(request);
  for (LiveRun& run : runs_)
    if (std::exchange(run.asked, false)) refuse(run.open.id);
  for (const RunId& request : commands_.take_requests()) refuse(request);
}

void JobMachine::halt(Context& c) {
  standing_ = Standing::halted;
  refuse_asked(c, "the job is halted: " + trouble());
  pending_.reset();
  commands_.clear();
  ahead_.clear();
  for (LiveRun& run : runs_)
    if (run.unclaimed) run.repeat = false, run.next.reset();
  slots_.resume(std::max(view_.stored().cursor, view_.stored().since));
  for (LiveRun& run : runs_)
    if (run.state == LiveRun::State::held) end(c, run, Status::missed, Reason::halted);
  if (view_.tell_trouble())  // what halts the group is told once for all
    c.out.push_back(Notice{Level::error, "job halted: " + view_.trouble(), {{"job", name_}}});
}

void JobMachine::repair(Context& c, const std::optional<RunId>& request, const std::string& by) {
  const auto answer = [&](Answer what) {
    if (request) c.wants.answers.push_back({*request, std::move(what)});
  };
  if (commands_.repair()) return answer(Answer::refused(Errc::conflict, "a repair of the job is under way"));
  const bool of_cursor = standing_ == Standing::leading && clock_skew(c.now.wall);
  if (standing_ != Standing::halted && !of_cursor)
    return answer(Answer::did("nothing to repair: job " + name_ + " is not halted"));
  if (view_.is_newer()) return answer(Answer::refused(Errc::refused, view_.trouble()));
  if (!term_->halted.empty())
    return answer(Answer::refused(Errc::refused, "group " + term_->group + " is halted: " + term_->halted +
                                                     "; `ballot repair --group " + term_->group + "` ends it"));
  begin_repair(c, {request, by, of_cursor});
}

void JobMachine::begin_repair(Context& c, Repair repair) {
  commands_.begin_repair(std::move(repair));
  const WallTime now = in_seconds(c.now.wall);
  if (!commands_.repairs_claims()) {
    commands_.repair_found(view_.bring_cursor_back(now));
    return resume_settlement();
  }
  view_.restore(term_->group, now, going_on());
  standing_ = Standing::leading;
  for (LiveRun& run : runs_) run.repeat = false, run.next.reset();
  take_up(c);
  end_what_waited(c);
}

/// What this node executes stands in the register, whatever that has forgotten.
std::vector<OpenRun> JobMachine::going_on() const {
  std::vector<OpenRun> runs;
  for (const LiveRun& run : runs_) {
    const bool goes_on = run.state == LiveRun::State::starting || run.state == LiveRun::State::running;
    if (goes_on && !run.unclaimed) runs.push_back(run.open);
  }
  return runs;
}

/// What waits for its time or turn may have been started in what was forgotten. A job that always runs again goes on.
void JobMachine::end_what_waited(Context& c) {
  for (LiveRun& run : runs_) {
    if (!run.is_waiting()) continue;
    commands_.repair_ended_waiting();
    end(c, run, Status::missed, Reason::halted);
    if (run.open.trigger == Trigger::rerun && run.open.attempt == 1 && is_defined())
      run.next = make_rerun(c, Millis(1));
  }
}

/// It was claimed before the register's last repair.
bool JobMachine::is_before_repair(const LiveRun& run) const {
  return !run.unclaimed && (commands_.repairs_claims() || run.open.fence < view_.stored().repair);
}

/// Repairs: the slots of the halt are missed: halted, then the register is as new. True if it has begun something, or
/// waits for what has ended to be durable: what the register still shows as waiting would be started by the next term.
bool JobMachine::mend(Context& c) {
  if (!commands_.repair()) return false;
  slots_.rewind();
  if (!slots_.scan(c, facts(), overlap(c), ScanRules::Mode::halted, c.now.wall)) return true;
  const bool last = slots_.settlement().decided_count() <= room_to_carry();
  if (!last && room_to_carry() == 0) return held_ = true;
  const auto is_written = [](const LiveRun& run) { return !run.has_ended() || run.unclaimed || run.recorded; };
  if (last && !std::all_of(runs_.begin(), runs_.end(), is_written)) return held_ = true;
  PendingWrite write = begin_write(c, disposition_limit);
  JobRegister& next = write.next;
  if (commands_.repairs_claims()) raise_fence(next, view_.highest_fence(), term_->repair, c.now.wall);
  write.mends = last;
  if (last) {
    if (clock_skew(c.now.wall)) commands_.repair_found(std::max(next.cursor, next.since));
    commands_.repair()->complete(next, c.now.wall);
  }
  send(c, std::move(write));
  return true;
}

/// A repair of what seems sound: somebody may have changed the register behind this node's back.
void JobMachine::look_at_store(Context& c, const std::optional<Register>& stored) {
  const Request request = *commands_.take_look();
  const bool as_known = stored ? stored->version == view_.version() : !view_.exists();
  if (!as_known && !pending_) {
    const std::uint64_t known = view_.version();
    view_.expect_newest();
    know(c, stored);
    if (!view_.is_sound()) {
      halt(c);
      c.wants.changed.push_back(this);
    } else {
      go_on_from_store(c, known);
    }
  }
  if (view_.regress().empty()) return repair(c, request.id, request.by);
  c.wants.answers.push_back({request.id, Answer::refused(Errc::refused, view_.regress() + "; `ballot repair --group " +
                                                                            term_->group + "` ends the halt")});
}

/// Before anybody leads the register's group: the end of what was claimed here is known here only.
void JobMachine::adopt_own(Context& c) {
  if (term_ || !view_.trouble().empty()) return;
  drop_claims_that_failed(c);
  for (const OpenRun& open : view_.stored().runs) {
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
  commands_.add_pause(request);
}

void JobMachine::ask_repair(Context& c, const Request& request) {
  if (standing_ != Standing::leading || commands_.repair() || pending_ || commands_.looks())
    return repair(c, request.id, request.by);
  commands_.look_first(request);
  c.wants.reads.push_back(this);
}

void JobMachine::ask_trigger(Context& c, const Request& request) {
  const auto known = std::any_of(runs_.begin(), runs_.end(), [&](LiveRun& run) {
    if (run.open.id != request.id) return false;
    if (run.state == LiveRun::State::claiming) run.asked = true;
    return true;
  });
  const LiveRun* claiming = find({request.id, 1});
  const auto& closed = view_.stored().triggered;
  if (claiming && claiming->state == LiveRun::State::claiming) return;
  if (known || std::find(closed.begin(), closed.end(), request.id) != closed.end())
    c.wants.answers.push_back({request.id, Answer::done(request.id)});
  else if (!definition_ || definition_->job.group != term_->group)
    c.wants.answers.push_back({request.id, Answer::refused(Errc::not_found, "no job file defines " + name_)});
  else
    commands_.add_trigger(request);
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
