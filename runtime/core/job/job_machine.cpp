#include "core/job/job_machine.hpp"

#include <algorithm>
#include <utility>

#include "core/job/expect/expectations.hpp"
#include "core/job/job_backfill.hpp"
#include "core/job/job_claims.hpp"
#include "core/job/job_writes.hpp"
#include "core/job/trigger_answers.hpp"
#include "core/request/pause_answers.hpp"

namespace ballot::core {
namespace {

constexpr Millis adoption_limit{60'000};  // from a release to an adoption whose slots between are accounted for

using Mode = ScanRules::Mode;

template <class T>
void at_earliest(OptionalTime<T>& wake, std::type_identity_t<OptionalTime<T>> candidate) {
  if (candidate && (!wake || *candidate < *wake)) wake = candidate;
}

}  // namespace

JobWrites JobMachine::writes(Context& c) { return {c, job_, *this}; }

JobClaims JobMachine::claims(Context& c) { return {c, job_, *this}; }

/// Of a register that cannot be read it is not known; whoever leads it keeps it until its term is over.
const std::string& JobMachine::owner() const {
  static const std::string nobody;
  if (job_.term && !job_.view.trouble().empty()) return job_.term->group;
  return job_.view.owner(job_.definition ? *job_.definition->job.group : nobody);
}

const std::string& JobMachine::trouble() const {
  static const std::string none;
  if (!job_.view.trouble().empty()) return job_.view.trouble();
  if (!job_.view.rollback_reason().empty()) return job_.view.rollback_reason();
  return job_.role == RegisterRole::halted && job_.term ? job_.term->halted : none;
}

std::optional<WallTime> JobMachine::next_slot(WallTime now, WallTime after) const {
  if (!job_.definition || !job_.definition->job.enabled) return std::nullopt;
  const JobRegister& stored = job_.view.stored();
  if (job_.view.is_known()) after = std::max(after, stored.cursor);
  return job_.slots.next_slot(now, after, *job_.definition, stored);
}

void JobMachine::set_register(Context& c, const std::optional<Register>& stored) {
  job_.writer.drop();
  if (!job_.view.read(job_.name, stored, c.now.wall)) c.wants.reads.push_back(this);
  if (job_.definition) job_.view.share_with(job_.definition->job);
}

void JobMachine::lead(Context& c, const Term& term) {
  job_.term = &term;
  job_.slots.unblock();
  job_.writer.begin_term();
  job_.commands.begin_term();
  job_.unseen.begin_term(c, job_.facts());
  const bool unrepaired = job_.view.heed_repair(term);
  if (!job_.view.is_sound() || !term.halted.empty()) return halt(c);
  job_.role = RegisterRole::leading;
  if (unrepaired) return begin_repair(c, {std::nullopt, as_its_group(c.settings.node)});
  writes(c).take_up();
}

void JobMachine::depose(Context& c) {
  job_.term = nullptr;
  job_.role = RegisterRole::idle;
  job_.unclaimed.clear();
  job_.unseen.end_term();
  job_.writer.end_term();
  job_.commands.clear();
  job_.runs.end_term(c, job_.facts());
  rearm(c);
}

void JobMachine::halt(Context& c) {
  job_.role = RegisterRole::halted;
  writes(c).refuse_asked("the job is halted: " + trouble());
  job_.writer.drop();
  job_.commands.clear();
  job_.unclaimed.clear();
  job_.resume_slots();
  job_.runs.halt(c, job_.facts());
  if (job_.view.is_new_trouble())  // what halts the group is logged once for all
    c.out.push_back(Notice{Level::error, "job halted: " + job_.view.trouble(), {{"job", job_.name}}});
}

void JobMachine::repair(Context& c, const std::optional<RunId>& request, const std::string& by) {
  const auto answer = [&](Answer what) {
    if (request) c.wants.answers.push_back({*request, std::move(what)});
  };
  if (job_.commands.repair()) return answer(Answer::refused(Errc::conflict, "a repair of the job is under way"));
  const bool of_cursor = job_.leads() && clock_skew(c.now.wall);
  if (job_.role != RegisterRole::halted && !of_cursor)
    return answer(Answer::did("nothing to repair: job " + job_.name + " is not halted"));
  if (job_.view.is_newer()) return answer(Answer::refused(Errc::refused, job_.view.trouble()));
  if (!job_.term->halted.empty())
    return answer(Answer::refused(Errc::refused, "group " + job_.term->group + " is halted: " + job_.term->halted +
                                                     "; `ballot repair --group " + job_.term->group + "` ends it"));
  begin_repair(c, {request, by, of_cursor});
}

void JobMachine::begin_repair(Context& c, Repair repair) {
  job_.commands.begin_repair(std::move(repair));
  if (!job_.commands.repairs_claims()) return;
  job_.commands.repair_lost(job_.view.restore(*job_.term, whole_seconds(c.now.wall), job_.runs.list().going_on()));
  if (job_.definition) job_.view.take_definition(*job_.definition, job_.commands.repair()->lost);
  job_.role = RegisterRole::leading;
  job_.runs.drop_next_attempts();
  writes(c).take_up();
  job_.commands.repair_ended_waiting(job_.runs.end_what_waited(c, job_.facts()));
}

/// Repairs: the slots of the halt are missed: halted, then the register is as new. True if it has begun something, or
/// waits for what has ended to be durable: what the register still shows as waiting would be started by the next term;
/// or for the rows of slots that the register carries and that the repair's cursor is before: nobody could read it.
bool JobMachine::write_repair(Context& c) {
  if (!job_.commands.repair()) return false;
  // No write is on its way here, which would have the cursor where it was. Slots that it had passed have their rows.
  if (!job_.commands.repairs_claims() && !job_.commands.repair()->cursor_ahead) {
    const bool only_claim = job_.view.claim_skew(c.now.wall);
    job_.commands.repair_found(job_.view.bring_cursor_back(whole_seconds(c.now.wall)), only_claim);
    job_.resume_slots();
  }
  job_.slots.rewind();
  if (!job_.scan(c, Mode::halted, c.now.wall)) return true;
  const bool last = job_.slots.settlement().decided_count() <= job_.writer.room_to_carry();
  if (last && job_.commands.repairs_claims()) claims(c).leave_chained(JobClaims::Leaves::as_repaired);
  const bool unwritten =
      job_.runs.list().any([](const LiveRun& run) { return run.has_ended() && !run.unclaimed && !run.recorded; });
  const auto& carried = job_.view.stored().dispositions;
  const bool beyond = job_.writer.carried() > 0 && !carried.empty() && carried.back().to > whole_seconds(c.now.wall);
  if (last ? unwritten || beyond : job_.writer.room_to_carry() == 0) return job_.writer.block_writes(true), true;
  PendingWrite write = writes(c).begin(disposition_limit);
  if (!job_.commands.repairs_claims()) write.drop_undone(job_.view.stored().cursor);
  if (job_.commands.repairs_claims()) raise_fence(write.next, job_.view.highest_fence(), job_.term->repair, c.now.wall);
  if (last) {
    write.intent = FinishRepair{};
    if (clock_skew(c.now.wall)) job_.commands.repair_found(std::max(write.next.cursor, write.next.since), false);
    job_.commands.repair()->complete(write.next, c.now.wall);
    write.next.end_backfill();
    job_.commands.repair_keeps(job_.slots.claimed_after(c.now.wall, write.next));
  }
  writes(c).send(std::move(write));
  return true;
}

/// A repair of what seems sound: somebody may have changed the register behind this node's back. Nobody has where this
/// node has written it since, which it does over what it knows only; what was read is older then.
void JobMachine::check_store(Context& c, const std::optional<Register>& stored) {
  const auto [request, version] = *job_.commands.take_read_request();
  const bool is_written = job_.view.version() != version;
  const bool as_known = is_written || (stored ? stored->version == job_.view.version() : !job_.view.exists());
  if (!as_known && !job_.writer.pending()) {
    const std::uint64_t known = job_.view.version();
    job_.view.expect_newest();
    set_register(c, stored);
    if (is_of_another_group()) return leave(c);
    if (job_.view.is_sound())
      writes(c).go_on_from_store(known);
    else
      halt(c), c.wants.changed.push_back(this);
  }
  if (job_.view.rollback_reason().empty()) return repair(c, request.id, request.by);
  c.wants.answers.push_back(
      {request.id, Answer::refused(Errc::refused, job_.view.rollback_reason() + "; `ballot repair --group " +
                                                      job_.term->group + "` ends the halt")});
}

void JobMachine::advance(Context& c) {
  job_.unseen.advance(c.now.steady);
  if (job_.leads()) job_.forget_ended(c.now.wall);
  if (job_.leads()) writes(c).repeat();
  job_.slots.begin_step();
  job_.writer.block_writes(false);
  if (job_.leads()) {
    job_.runs.forget_unclaimed(c, job_.facts());
    claims(c).run_ahead();
  }
  if (job_.leads() && !job_.writer.pending() && job_.writer.may_begin(c.now.steady) && c.session.is_open()) {
    job_.runs.advance(c, job_.facts());
    job_.writer.block_writes(c.room == 0);
    if (job_.writer.are_writes_blocked()) {
      c.wants.throttled.push_back(this);
      if (!job_.commands.comes_first() && !job_.is_to_follow())
        settle(c);  // due now is due, however long it waits for others
    } else if (!claims(c).catch_up() && !write_repair(c) && !redefine(c) && !change_pause(c) && !finish_pause(c) &&
               !JobBackfill{c, job_, *this}.change() && settle(c)) {
      if (!claims(c).begin_lost() && !claims(c).begin_waiting() && !claims(c).begin_manual() &&
          !claims(c).begin_chained() && !claims(c).begin_due() && !claims(c).begin_backfill() &&
          !JobBackfill{c, job_, *this}.finish())
        writes(c).flush();
    }
  }
  if (!job_.leads()) job_.runs.publish(c);
  rearm(c);
}

/// Decides the slots up to now. False while there is more to decide than a step may take.
bool JobMachine::settle(Context& c) {
  if (job_.is_draining() || job_.is_paused() || !job_.is_defined()) {
    job_.slots.rewind();
    return true;
  }
  if (!job_.may_claim(c)) {
    if (!job_.may_run_ahead(c)) job_.slots.block(c, job_.facts());
    return true;
  }
  return job_.slots.settle(c, job_.facts(), job_.overlap(c));
}

/// Brings the register to what the files say: a new definition, none any more, or the register released. What the
/// definition before left unsettled is missed: no_definition. True if it has begun something.
bool JobMachine::redefine(Context& c) {
  const JobRegister& stored = job_.view.stored();
  const bool wanted = job_.definition && job_.definition->job.group == job_.term->group;
  const bool mine = job_.view.exists() && !stored.released;
  if (!mine && !wanted) return false;
  if (wanted && job_.lacks_phase(c)) return false;  // till its parent is defined
  if (mine && wanted && stored.definition == job_.definition->digest && !job_.is_out_of_phase(c)) {
    if (std::exchange(job_.replans, false)) job_.slots.rewind(), job_.slots.make_plan(job_.facts());
    return false;
  }
  if (!wanted) job_.runs.end_waiting(c, job_.facts(), Status::missed, Reason::no_definition);
  if (!wanted && claims(c).leave_chained(JobClaims::Leaves::as_moved)) return false;
  if (mine && !wanted && stored.definition.empty() && stored.runs.size() > job_.closable()) return false;
  const bool adopts = !mine && job_.view.exists() && c.now.wall - stored.cursor <= adoption_limit;
  if (adopts) job_.slots.plan_to_adopt(job_.facts());
  if (mine || adopts) {
    job_.slots.rewind();
    if (!job_.scan(c, Mode::undefined, c.now.wall) || writes(c).write_ahead()) return true;
  }
  const JobRegister* const phase = job_.has_phase_of_first() ? phase_of_first(c, job_.facts()) : nullptr;
  PendingWrite write = writes(c).begin(disposition_limit);
  write.define(job_.facts(), wanted, adopts ? stored.cursor : whole_seconds(c.now.wall), c.now.wall, phase);
  if (wanted) write.see_boot(job_.facts(), c.settings);
  writes(c).send(std::move(write));
  return true;
}

/// Pauses, or resumes, as asked for, but first by the end that the pause has itself, then with all instances: on
/// resuming the slots passed are settled as skipped: paused. What the runner has been asked to start may start after a
/// pause is acknowledged. True if it has begun something.
bool JobMachine::change_pause(Context& c) {
  for (const Request& done : job_.commands.take_done([&](const Request& pause) { return job_.is_so(pause); }))
    c.wants.answers.push_back({done.id, done.kind == Request::Kind::resume
                                            ? writes(c).resume_answer()
                                            : pause_done("job " + job_.name, done.terms)});
  if (!job_.view.exists()) return false;
  const bool over = job_.is_pause_over(c.now.wall), ends = over && !(job_.is_to_follow() && !job_.follows_to());
  const bool follows = !ends && job_.is_to_follow();
  if (!(ends || follows || job_.commands.next_pause())) return false;
  const JobRegister& stored = job_.view.stored();
  const bool pausing = !ends && (follows ? job_.follows_to() : job_.commands.is_pause_next());
  job_.slots.rewind();
  if (job_.waits_to_pause()) return true;
  const PauseEnd* const end = follows ? job_.late_end(c.now.wall) : nullptr;
  WallTime at = end ? end->at : c.now.wall;
  if (over) at = std::min(at, *stored.pause_ends());
  if (stored.paused && !pausing && (!job_.scan(c, Mode::paused, at) || writes(c).write_ahead())) return true;
  PendingWrite write = writes(c).begin(disposition_limit);
  if (ends)
    write.end_pause();
  else if (follows)
    write.follow_pause(job_.standing(), pausing, c.now.wall);
  else
    write.set_paused(*job_.commands.next_pause(), c.now.wall);
  const bool is_asked = !ends && !follows;
  write.intent = ChangePause{is_asked ? std::optional(job_.commands.take_pause()) : std::nullopt, at, ends};
  writes(c).send(std::move(write));
  return true;
}

/// The group resumes: what it passed is written before it claims again. True if it has begun something.
bool JobMachine::finish_pause(Context& c) {
  if (!job_.commands.unpause_until()) return false;
  job_.slots.rewind();
  if (!job_.scan(c, Mode::paused, *job_.commands.unpause_until()) || writes(c).write_ahead()) return true;
  const bool expects = is_to_expect_from(job_.view.stored(), *job_.commands.unpause_until());
  if (expects || job_.slots.settlement().has_decided()) return writes(c).send(writes(c).begin(disposition_limit)), true;
  job_.commands.group_pause_ended();
  return false;
}

void JobMachine::rearm(Context& c) {
  wall_wake.reset();
  steady_wake.reset();
  if (!job_.leads()) {
    steady_wake = job_.runs.publish_wake();
    return;
  }
  if (job_.may_run_ahead(c)) {
    if (const auto due = job_.slots.next_due(c, job_.facts()); due && *due > c.now.wall) wall_wake = due;
    if (job_.slots.is_scanning()) steady_wake = c.now.steady;
  }
  if (job_.writer.pending()) return at_earliest(steady_wake, job_.writer.pending()->repeat_at);
  steady_wake = job_.writer.retry_at();
  if (steady_wake) return;
  const DueSlot* first = job_.slots.settlement().first_due();
  steady_wake = job_.runs.list().foreign_wake(c.now.steady, first || job_.commands.next_trigger());
  at_earliest(steady_wake, job_.unseen.wake());
  at_earliest(wall_wake, job_.commands.trigger_ends(c.now.wall));
  if (!job_.is_pause_over(c.now.wall)) at_earliest(wall_wake, job_.view.stored().pause_ends());
  if (job_.writer.are_writes_blocked() || job_.waits_to_pause()) return;
  at_earliest(steady_wake, job_.runs.list().waiting_wake(c.now.steady));
  at_earliest(steady_wake, slow_wake(job_.runs.list(), c.now.steady));
  if (job_.view.stored().kept->success->from != WallTime{}) at_earliest(wall_wake, overdue_wake(c, job_.facts()));
  at_earliest(steady_wake, job_.writer.flush_at());
  at_earliest(steady_wake, job_.writer.close_at());
  if (first && job_.definition) at_earliest(wall_wake, first->due + job_.definition->job.start_deadline + Millis(1));
  if (job_.slots.is_scanning()) at_earliest(steady_wake, c.now.steady);
  if (job_.is_draining() || job_.is_paused() || job_.slots.is_blocked() || !job_.is_defined()) return;
  const auto due = job_.slots.next_due(c, job_.facts());
  if (due && *due <= c.now.wall)
    at_earliest(steady_wake, c.now.steady);
  else
    at_earliest(wall_wake, due);
}

void JobMachine::on_write_answer(Context& c, std::uint64_t serial, const WriteAnswer& answer) {
  if (!job_.writer.pending() || job_.writer.pending()->serial != serial) return;
  if (!job_.leads()) return writes(c).settle_late(answer);
  switch (job_.writer.on_answer(answer, c.now.steady)) {
    case RegisterWriter::Next::wait: return;
    case RegisterWriter::Next::confirm: return writes(c).confirm(answer.version);
    case RegisterWriter::Next::failed: return writes(c).fail();
    case RegisterWriter::Next::read: c.wants.reads.push_back(this);
  }
}

void JobMachine::on_read(Context& c, const std::optional<Register>& stored) {
  if (job_.leads()) {
    if (!job_.writer.is_reading()) return job_.commands.has_read_request() ? check_store(c, stored) : void();
    resolve(c, stored);
    if (job_.commands.has_read_request()) c.wants.reads.push_back(this);
    return;
  }
  set_register(c, stored);
  c.wants.changed.push_back(this);
}

void JobMachine::on_read_unknown(Context& c) {
  job_.writer.read_later(c.now.steady);
  if (const auto look = job_.commands.take_read_request())
    c.wants.answers.push_back(
        {look->request.id, Answer::refused(Errc::unavailable, "the store does not answer; try again")});
}

/// The write was refused, or an answer was lost: the register itself says whether it was ours.
void JobMachine::resolve(Context& c, const std::optional<Register>& stored) {
  if (stored && stored->value == job_.writer.pending()->request.value) return writes(c).confirm(stored->version);
  const std::unique_ptr<PendingWrite> write = job_.writer.take();
  const std::uint64_t known = job_.view.version();
  job_.view.expect_newest();
  set_register(c, stored);
  const runner::AttemptId* claim = write->claim();
  const LiveRun* run = claim ? job_.runs.find(*claim) : nullptr;
  const bool landed = run && contains(job_.view.stored(), run->open);
  if (!landed) writes(c).give_up(*write);
  // The group's repair, of this term, may not have known of it.
  const bool unrepaired = !job_.view.rollback_reason().empty() && job_.view.heed_repair(*job_.term);
  if (unrepaired && job_.view.is_sound() && !is_of_another_group()) {
    Repair repair = job_.commands.repair() ? *job_.commands.repair() : Repair{{}, as_its_group(c.settings.node)};
    repair.of_cursor = false;
    return begin_repair(c, std::move(repair));
  }
  if (!job_.view.is_sound()) {
    halt(c);
    return c.wants.changed.push_back(this);
  }
  if (is_of_another_group() || job_.view.stored().epoch > job_.term->epoch) {  // ours is over, whatever events came
    if (landed) job_.runs.end(c, job_.facts(), *claim, Status::missed, Reason::stale);
    job_.writer.retry_later(c.now.steady);
  }
  if (is_of_another_group()) return leave(c);
  writes(c).go_on_from_store(known);
}

void JobMachine::leave(Context& c) {
  kill_all(c, Reason::leadership_lost, ends_with_term);
  depose(c);
  c.wants.changed.push_back(this);
}

void JobMachine::on_runner_word(Context& c, const RunnerWord& word) {
  job_.runs.on_runner_word(c, job_.facts(), word);
  job_.unseen.on_runner_word(job_.facts(), word, job_.runs.list());
}

/// Where the store does not know terms, a claim may have landed after the register was read, which then does not show
/// the run: its record is left until this term has written the register.
void JobMachine::on_outcome(Context& c, const Row& outcome) {
  const bool halted = job_.role == RegisterRole::halted;  // a repair may show the run again
  if (!job_.leads() && !halted) return;
  const bool shown = shows(runner::AttemptId{*outcome.run, outcome.attempt});
  const bool may_show = !shown && job_.view.stored().epoch != job_.term->epoch;
  job_.kept_outcome = job_.kept_outcome || may_show;
  job_.runs.on_outcome(c, job_.facts(), outcome, halted || shown || may_show);
}

void JobMachine::ask(Context& c, const Request& request) {
  using Kind = Request::Kind;
  if (request.kind == Kind::kill) return job_.runs.ask_kill(c, job_.facts(), request);
  if (request.kind == Kind::replace) return job_.runs.ask_replace(c, job_.facts(), request);
  if (request.kind == Kind::repair) return ask_repair(c, request);
  if (job_.role == RegisterRole::halted)
    c.wants.answers.push_back(
        {request.id, Answer::refused(Errc::refused, "the job is halted: " + trouble() + "; `ballot repair` ends it")});
  else if (request.kind == Kind::forget)
    job_.runs.ask_forget(c, job_.facts(), request);
  else if (request.kind == Kind::trigger)
    ask_trigger(c, request);
  else if (is_of_backfill(request.kind))
    job_.commands.add_backfill(request);
  else
    job_.commands.add_pause(request);
}

void JobMachine::ask_repair(Context& c, const Request& request) {
  if (!job_.leads() || job_.commands.repair() || job_.writer.pending() || job_.commands.has_read_request())
    return repair(c, request.id, request.by);
  job_.commands.read_first(request, job_.view.version());
  c.wants.reads.push_back(this);
}

bool JobMachine::leaves_to_another_group(const RunId& trigger) const {
  if (!job_.term || !job_.definition || job_.definition->job.group == job_.term->group) return false;
  const auto& closed = job_.view.stored().triggered;
  return !shows(trigger) && std::find(closed.begin(), closed.end(), trigger) == closed.end();
}

void JobMachine::ask_trigger(Context& c, const Request& request) {
  const RunList::Known known = job_.runs.ask_again(request.id);
  if (known == RunList::Known::claiming) return;
  if (auto answer = answer_to_trigger(c, job_.facts(), request, known == RunList::Known::yes))
    return c.wants.answers.push_back({request.id, *std::move(answer)});
  if (const std::string why = job_.why_no_phase(c); !why.empty())
    return c.wants.answers.push_back({request.id, Answer::refused(Errc::refused, why)});
  job_.commands.add_trigger(request);
}

}  // namespace ballot::core
