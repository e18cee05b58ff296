#include "core/job/job_machine.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "core/job/run_notices.hpp"

namespace ballot::core {
namespace {

constexpr Millis manual_slack{1000};      // a trigger's claim that is confirmed later past its `until` starts nothing
constexpr Millis adoption_limit{60'000};  // from a release to an adoption whose slots between are accounted for

using Mode = ScanRules::Mode;

WallTime at_second(WallTime t) { return std::chrono::floor<std::chrono::seconds>(t); }

template <class T>
void at_earliest(std::optional<T>& wake, std::optional<T> candidate) {
  if (candidate && (!wake || *candidate < *wake)) wake = candidate;
}

}  // namespace

// ---- what is asked of it

const std::string& JobMachine::owner() const {
  static const std::string nobody;
  return view_.owner(definition_ ? definition_->job.group : nobody);
}

const std::string& JobMachine::trouble() const {
  static const std::string none;
  if (!view_.trouble().empty()) return view_.trouble();
  if (!view_.regress().empty()) return view_.regress();
  return standing_ == Standing::halted && term_ ? term_->halted : none;
}

std::optional<WallTime> JobMachine::next_slot(WallTime now) const {
  if (!definition_ || !definition_->job.enabled || paused()) return std::nullopt;
  return slots_.next_slot(now, view_.is_known() ? std::max(now, view_.stored().cursor) : now, *definition_);
}

std::vector<WallTime> JobMachine::waiting() const {
  std::vector<WallTime> slots = slots_.settlement().waiting();
  for (const WallTime slot : runs_.list().waiting()) slots.push_back(slot);
  return slots;
}

bool JobMachine::is_clean() const {
  if (standing_ == Standing::halted) return true;  // nothing of it can be written
  return !writer_.pending() && unclaimed_.empty() && !slots_.settlement().has_decided() &&
         !runs_.list().any([](const LiveRun& run) { return run.has_ended() && !run.repeat; });
}

JobFacts JobMachine::facts() const {
  return {name_, definition_, view_.stored(), term_, leads(), is_defined(), commands_.repair(), unclaimed_.all()};
}

bool JobMachine::is_defined() const {
  return view_.exists() && definition_ && term_ && definition_->job.group == term_->group &&
         view_.stored().definition == definition_->digest;
}

/// The register holds as many runs as it may, and none of them can be closed yet: one that waits for its next attempt
/// keeps its place.
bool JobMachine::is_full() const { return view_.stored().runs.size() >= open_run_limit + runs_.list().closable(); }

/// How far away the deadline must be for a run to be launched.
Millis JobMachine::launch_budget(const Context& c) const {
  if (!definition_ || definition_->job.on_leadership_lost == OnLeadershipLost::finish) return launch_margin;
  return c.session.terminate_budget(definition_->job.kill_grace);
}

// ---- the register and the term

void JobMachine::know(Context& c, const std::optional<Register>& stored) {
  writer_.drop();
  if (!view_.read(name_, stored, c.now.wall)) c.wants.reads.push_back(this);
}

void JobMachine::lead(Context& c, const Term& term) {
  term_ = &term;
  slots_.unblock();
  writer_.begin_term();
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
}

/// What became of slots that the term before passed stands in the register: its ledger may be gone, so it goes into
/// this one too.
void JobMachine::copy_dispositions(Context& c) {
  const JobRegister& stored = view_.stored();
  for (const Disposition& d : stored.dispositions)
    for (Row& row : slots_.rows_of(d, row_of_slots(stored, c))) c.out.push_back(RecordRow{std::move(row), true});
  writer_.await_all_settled(c, name_, stored.dispositions.size());
}

/// What the rows of its slots have in common.
Row JobMachine::row_of_slots(const JobRegister& in, const Context& c) const {
  Row row;
  row.job = name_;
  row.group = in.group;
  row.node = c.settings.node;
  row.epoch = in.epoch;
  return row;
}

void JobMachine::settle_open_runs(Context& c) {
  runs_.settle(c, facts(), unclaimed_.superseded(view_.stored(), runs_.list()));
  resume_slots();
}

/// From what the register has settled, or was run ahead of it.
void JobMachine::resume_slots() {
  unclaimed_.drop_entered(view_.stored(), runs_.list());
  slots_.resume(unclaimed_.settled_until(view_.stored(), runs_.list()));
}

void JobMachine::depose(Context& c) {
  term_ = nullptr;
  standing_ = Standing::idle;
  unclaimed_.clear();
  writer_.end_term();
  commands_.clear();
  runs_.end_term(c, facts());
  rearm(c);
}

/// Whoever waits for an answer gets it: it will not be done.
void JobMachine::refuse_asked(Context& c, const std::string& why) {
  const auto refuse = [&](const RunId& request) {
    c.wants.answers.push_back({request, Answer::refused(Errc::refused, why)});
  };
  if (const auto request = writer_.take_request()) refuse(*request);
  for (const RunId& request : commands_.take_repair_requests()) refuse(request);
  for (const RunId& run : runs_.take_asked()) refuse(run);
  for (const RunId& request : commands_.take_requests()) refuse(request);
}

void JobMachine::halt(Context& c) {
  standing_ = Standing::halted;
  refuse_asked(c, "the job is halted: " + trouble());
  writer_.drop();
  commands_.clear();
  unclaimed_.clear();
  resume_slots();
  runs_.halt(c, facts());
  if (view_.tell_trouble())  // what halts the group is told once for all
    c.out.push_back(Notice{Level::error, "job halted: " + view_.trouble(), {{"job", name_}}});
}

// ---- repairs

void JobMachine::repair(Context& c, const std::optional<RunId>& request, const std::string& by) {
  const auto answer = [&](Answer what) {
    if (request) c.wants.answers.push_back({*request, std::move(what)});
  };
  if (commands_.repair()) return answer(Answer::refused(Errc::conflict, "a repair of the job is under way"));
  const bool of_cursor = leads() && clock_skew(c.now.wall);
  if (standing_ != Standing::halted && !of_cursor)
    return answer(Answer::did("nothing to repair: job " + name_ + " is not halted"));
  if (view_.is_newer()) return answer(Answer::refused(Errc::refused, view_.trouble()));
  if (!term_->halted.empty())
    return answer(Answer::refused(Errc::refused, "group " + term_->group + " is halted: " + term_->halted +
                                                     "; `ballot repair --group " + term_->group + "` ends it"));
  begin_repair(c, {request, by, of_cursor});
}

/// Of the cursor: those slots that it had passed for a reason have their rows.
void JobMachine::begin_repair(Context& c, Repair repair) {
  commands_.begin_repair(std::move(repair));
  const WallTime now = at_second(c.now.wall);
  if (!commands_.repairs_claims()) {
    commands_.repair_found(view_.bring_cursor_back(now));
    return resume_slots();
  }
  view_.restore(term_->group, now, runs_.list().going_on());
  standing_ = Standing::leading;
  runs_.drop_next_attempts();
  take_up(c);
  commands_.repair_ended_waiting(runs_.end_what_waited(c, facts()));
}

/// Repairs: the slots of the halt are missed: halted, then the register is as new. True if it has begun something, or
/// waits for what has ended to be durable: what the register still shows as waiting would be started by the next term.
bool JobMachine::mend(Context& c) {
  if (!commands_.repair()) return false;
  slots_.rewind();
  if (!scan(c, Mode::halted, c.now.wall)) return true;
  const bool last = slots_.settlement().decided_count() <= writer_.room_to_carry();
  const bool unwritten =
      runs_.list().any([](const LiveRun& run) { return run.has_ended() && !run.unclaimed && !run.recorded; });
  if (last ? unwritten : writer_.room_to_carry() == 0) return writer_.hold(true), true;
  PendingWrite write = begin_write(c, disposition_limit);
  if (commands_.repairs_claims()) raise_fence(write.next, view_.highest_fence(), term_->repair, c.now.wall);
  write.mends = last;
  if (last) {
    if (clock_skew(c.now.wall)) commands_.repair_found(std::max(write.next.cursor, write.next.since));
    commands_.repair()->complete(write.next, c.now.wall);
  }
  send(c, std::move(write));
  return true;
}

/// A repair of what seems sound: somebody may have changed the register behind this node's back.
void JobMachine::look_at_store(Context& c, const std::optional<Register>& stored) {
  const Request request = *commands_.take_look();
  const bool as_known = stored ? stored->version == view_.version() : !view_.exists();
  if (!as_known && !writer_.pending()) {
    const std::uint64_t known = view_.version();
    view_.expect_newest();
    know(c, stored);
    if (view_.is_sound())
      go_on_from_store(c, known);
    else
      halt(c), c.wants.changed.push_back(this);
  }
  if (view_.regress().empty()) return repair(c, request.id, request.by);
  c.wants.answers.push_back({request.id, Answer::refused(Errc::refused, view_.regress() + "; `ballot repair --group " +
                                                                            term_->group + "` ends the halt")});
}

// ---- what is to be done now

void JobMachine::advance(Context& c) {
  if (leads()) repeat_write(c);
  slots_.begin_step();
  writer_.hold(false);
  if (leads()) {
    runs_.forget_unclaimed(c, facts());
    run_ahead(c);
  }
  if (leads() && !writer_.pending() && writer_.may_begin(c.now.steady) && c.session.is_open()) {
    runs_.advance(c, facts());
    writer_.hold(c.room == 0);
    if (writer_.is_held()) {
      c.wants.held.push_back(this);
      if (!commands_.comes_first()) settle(c);  // due now is due, however long it waits for its turn
    } else if (!catch_up(c) && !mend(c) && !redefine(c) && !change_pause(c) && !finish_pause(c) && settle(c)) {
      if (!claim_again(c) && !claim_waiting(c) && !claim_manual(c) && !claim_due(c)) flush(c);
    }
  }
  if (!leads()) runs_.publish(c);
  rearm(c);
}

bool JobMachine::scan(const Context& c, ScanRules::Mode mode, WallTime until) {
  return slots_.scan(c, facts(), runs_.list().overlap(facts(), c.now.wall), mode, until);
}

/// Decides the slots up to now. False while there is more to look at than a step may take.
bool JobMachine::settle(Context& c) {
  if (term_->draining || is_paused() || !is_defined()) {
    slots_.rewind();
    return true;
  }
  if (!may_claim(c)) {
    if (!may_run_ahead(c)) slots_.block(c, facts());
    return true;
  }
  return slots_.settle(c, facts(), runs_.list().overlap(facts(), c.now.wall));
}

/// Brings the register to what the files say: a new definition, none any more, or the register released. What the
/// definition before left unsettled is missed: no_definition. True if it has begun something.
bool JobMachine::redefine(Context& c) {
  const JobRegister& stored = view_.stored();
  const bool wanted = definition_ && definition_->job.group == term_->group;
  const bool mine = view_.exists() && !stored.released;
  if (!mine && !wanted) return false;
  if (mine && wanted && stored.definition == definition_->digest) return false;
  if (!wanted) runs_.end_waiting(c, facts(), Status::missed, Reason::no_definition);
  if (mine && !wanted && stored.definition.empty() && stored.runs.size() > runs_.list().closable()) return false;
  const bool adopts = !mine && view_.exists() && c.now.wall - stored.cursor <= adoption_limit;
  if (adopts) slots_.plan_to_adopt(facts());
  if (mine || adopts) {
    slots_.rewind();
    if (!scan(c, Mode::undefined, c.now.wall) || write_ahead(c)) return true;
  }
  PendingWrite write = begin_write(c, disposition_limit);
  write.define(facts(), wanted, adopts ? stored.cursor : at_second(c.now.wall), c.now.wall);
  if (wanted) write.see_boot(facts(), c.settings);
  send(c, std::move(write));
  return true;
}

/// Pauses, or resumes: on resuming the slots passed are settled as skipped: paused. What the runner has been told to
/// start may start after a pause is acknowledged. True if it has begun something.
bool JobMachine::change_pause(Context& c) {
  for (const RunId& request : commands_.take_done(view_.stored().paused))
    c.wants.answers.push_back({request, Answer::done()});
  if (!commands_.next_pause() || !view_.exists()) return false;
  const bool pausing = commands_.is_pause_next();
  slots_.rewind();
  if (waits_to_pause()) return true;
  if (!pausing && (!scan(c, Mode::paused, c.now.wall) || write_ahead(c))) return true;
  PendingWrite write = begin_write(c, disposition_limit);
  write.next.paused = pausing;
  write.answers = commands_.take_pause();
  send(c, std::move(write));
  return true;
}

void JobMachine::settle_pause(Context& c) {
  if (leads() && is_defined()) commands_.end_group_pause(c.now.wall);
}

/// The group resumes: what it passed is written before it claims again. True if it has begun something.
bool JobMachine::finish_pause(Context& c) {
  if (!commands_.unpause_until()) return false;
  slots_.rewind();
  if (!scan(c, Mode::paused, *commands_.unpause_until()) || write_ahead(c)) return true;
  if (slots_.settlement().has_decided()) return send(c, begin_write(c, disposition_limit)), true;
  commands_.group_pause_ended();
  return false;
}

/// More is decided than the next write has room for: some of it is written first, or waits for the ledger to have what
/// the register still carries. True if so.
bool JobMachine::write_ahead(Context& c) {
  const std::size_t room = writer_.room_to_carry();
  if (slots_.settlement().decided_count() <= room) return false;
  writer_.hold(room == 0);
  if (room > 0) send(c, begin_write(c, room));
  return true;
}

/// Writes what is decided and closes what has ended, when it has waited long enough.
void JobMachine::flush(Context& c) {
  const bool closable = runs_.list().any([](const LiveRun& run) { return run.may_close(); });
  if (writer_.is_flush_due(slots_.settlement(), closable, term_->draining, c.now.steady))
    send(c, begin_write(c, disposition_limit));
}

void JobMachine::rearm(Context& c) {
  wall_wake.reset();
  steady_wake.reset();
  if (!leads()) {
    steady_wake = runs_.publish_wake();
    return;
  }
  if (may_run_ahead(c)) {
    if (const auto due = slots_.next_due(c, facts()); due && *due > c.now.wall) wall_wake = due;
    if (slots_.is_scanning()) steady_wake = c.now.steady;
  }
  if (writer_.pending()) return at_earliest(steady_wake, writer_.pending()->repeat_at);
  steady_wake = writer_.retry_at();
  if (steady_wake) return;
  const DueSlot* first = slots_.settlement().first_due();
  steady_wake = runs_.list().foreign_wake(c.now.steady, first || commands_.next_trigger());
  at_earliest(wall_wake, commands_.trigger_ends(c.now.wall));
  if (writer_.is_held() || waits_to_pause()) return;
  at_earliest(steady_wake, runs_.list().waiting_wake(c.now.steady));
  at_earliest(steady_wake, writer_.flush_at());
  at_earliest(steady_wake, writer_.close_at());
  if (first && definition_)
    at_earliest(wall_wake, std::optional(first->due + definition_->job.start_deadline + Millis(1)));
  if (slots_.is_scanning()) at_earliest(steady_wake, std::optional(c.now.steady));
  if (term_->draining || is_paused() || slots_.is_blocked() || !is_defined()) return;
  const auto due = slots_.next_due(c, facts());
  if (due && *due <= c.now.wall)
    at_earliest(steady_wake, std::optional(c.now.steady));
  else
    at_earliest(wall_wake, due);
}

// ---- claims

/// Where only so many runs may go on at once, on the node or in the group, a run begins when Core grants it a place:
/// jobs of higher priority come first, then those that are due longer.
bool JobMachine::may_begin(Context& c, WallTime due) {
  if (!term_->limited && !c.node_limited) return true;
  if (c.granted == this) return c.granted = nullptr, true;
  c.wants.places.push_back({this, definition_ ? definition_->job.priority : 0, due});
  return false;
}

void JobMachine::claim(Context& c, PendingWrite write, OpenRun run, std::optional<WallTime> begin_by) {
  bind(run, definition_->job, term_->epoch, c.settings.node);
  write.enter(run);
  write.claim = runner::AttemptId{run.id, run.attempt};
  runs_.claim(facts(), std::move(run), !write.waited, begin_by);
  send(c, std::move(write));
}

OpenRun JobMachine::run_of_slot(Context& c, const DueSlot& due) const {
  OpenRun run;
  run.id = c.random.run_id(c.now.wall);
  run.slot = due.at;
  run.trigger = due.trigger;
  return run;
}

bool JobMachine::claim_due(Context& c) {
  const DueSlot* due = slots_.settlement().first_due();
  if (!due || is_full() || !may_claim(c)) return false;
  if (definition_->job.concurrency == Concurrency::replace) runs_.replace(c, facts());
  if (!runs_.list().has_room(definition_) || !may_begin(c, due->due)) return false;
  if (write_ahead(c)) return true;
  PendingWrite write = begin_write(c, disposition_limit);
  write.claims_due_slot = true;
  write.pass(due->at);
  write.see_boot(facts(), c.settings);
  claim(c, std::move(write), run_of_slot(c, *due));
  return true;
}

/// Begins the next attempt of a run that was lost, under its id. What no file defines any more is not repeated.
bool JobMachine::claim_again(Context& c) {
  const LiveRun* lost = runs_.list().first_lost();
  if (!lost || !lost->recorded) return false;
  if (!is_defined() || c.settings.dry_run) return runs_.leave_lost(lost->id()), false;
  if (term_->draining || is_paused() || !runs_.list().may_go_on(definition_) || !may_claim(c) ||
      !may_begin(c, lost->open.slot))
    return false;
  OpenRun run = runs_.take_lost(lost->id());
  claim(c, begin_write(c, 0), std::move(run));
  return true;
}

/// Begins the attempt whose time has come; a run that is queued when its turn has.
bool JobMachine::claim_waiting(Context& c) {
  const DueSlot* due = slots_.settlement().first_due();
  const LiveRun* next = runs_.list().first_ready(facts(), due ? std::optional(due->due) : std::nullopt, c.now.steady);
  if (!next) return false;
  if (c.settings.dry_run) return runs_.end_waiting(c, facts(), Status::skipped, Reason::dry_run), false;
  if (term_->draining || !is_defined() || !may_claim(c) || !may_begin(c, *next->open.waits_until)) return false;
  PendingWrite write = begin_write(c, 0);
  write.waited = next->open;
  OpenRun run = runs_.take_waiting(next->id());
  std::erase_if(write.next.runs, [&](const OpenRun& open) { return open.id == run.id; });
  claim(c, std::move(write), std::move(run));
  return true;
}

/// Begins the oldest manual run, queues it, or says why not. A stopping daemon leaves it to the next leader.
bool JobMachine::claim_manual(Context& c) {
  while (commands_.next_trigger() && !term_->draining) {
    const Concurrency concurrency = definition_ ? definition_->job.concurrency : Concurrency::skip;
    const Request request = *commands_.next_trigger();
    const bool has_room = runs_.list().has_room(definition_);
    if (request.until < c.now.wall && !(concurrency == Concurrency::replace && runs_.list().is_replacing())) {
      commands_.drop_oldest_trigger();
      c.wants.answers.push_back({request.id, std::nullopt});
      continue;
    }
    if (!is_defined()) return false;  // moved or deleted: it is answered when the register is released
    if (c.settings.dry_run) {
      refuse_manual(c, request, Reason::dry_run);
      continue;
    }
    if (!has_room && concurrency == Concurrency::skip) {
      if (runs_.list().any([](const LiveRun& run) { return run.is_in_question(); })) return false;
      refuse_manual(c, request, Reason::overlap);
      continue;
    }
    if (!may_claim(c)) return false;
    if (concurrency == Concurrency::replace) runs_.replace(c, facts());
    if (concurrency == Concurrency::queue &&
        (!has_room || slots_.settlement().first_due() || runs_.list().queued() > 0)) {
      const Queued queued = queue_manual(c, request);
      if (queued == Queued::refused) continue;
      return queued == Queued::written;
    }
    if (!runs_.list().has_room(definition_) || is_full() || !may_begin(c, c.now.wall)) return false;
    commands_.drop_oldest_trigger();
    OpenRun run = run_by_hand(c, request);
    claim(c, begin_write(c, 0), std::move(run), request.until + manual_slack);
    return true;
  }
  return false;
}

OpenRun JobMachine::run_by_hand(const Context& c, const Request& request) {
  OpenRun run;
  run.id = request.id;
  run.slot = runs_.slot_by_hand(c.now.wall);
  run.trigger = Trigger::manual;
  run.awaited = request.wait;
  return run;
}

/// It waits in the register, so that it survives this term. What makes room for it is closed first.
JobMachine::Queued JobMachine::queue_manual(Context& c, const Request& request) {
  const Job& job = definition_->job;
  const RunList& runs = runs_.list();
  const auto waiting = static_cast<int>(slots_.settlement().due_count()) + runs.queued();
  if (waiting >= job.queue_limit && job.queue_overflow == QueueOverflow::drop_old && job.queue_limit > 0) {
    const LiveRun* oldest = runs.first_queued();
    const DueSlot* due = slots_.settlement().first_due();
    if (oldest && (!due || oldest->open.slot < due->due))
      runs_.end(c, facts(), oldest->id(), Status::skipped, Reason::queue_full);
    else if (due)
      slots_.decide_first(Status::skipped, Reason::queue_full);
  } else if (waiting >= job.queue_limit || view_.stored().runs.size() >= open_run_limit + runs.leaving()) {
    refuse_manual(c, request, Reason::queue_full);
    return Queued::refused;
  }
  if (is_full()) return Queued::waits;
  commands_.drop_oldest_trigger();
  PendingWrite write = begin_write(c, 0);
  write.queues = request.id;
  OpenRun run = run_by_hand(c, request);
  run.waits_until = run.slot;
  run.queued = true;
  write.next.runs.push_back(std::move(run));
  send(c, std::move(write));
  return Queued::written;
}

void JobMachine::refuse_manual(Context& c, const Request& request, Reason reason) {
  Row row;
  row.job = name_;
  row.group = term_->group;
  row.slot = runs_.slot_by_hand(c.now.wall);
  row.trigger = Trigger::manual;
  row.status = Status::skipped;
  row.reason = reason;
  row.node = c.settings.node;
  row.epoch = term_->epoch;
  c.out.push_back(RecordRow{row});
  c.wants.answers.push_back({request.id, Answer::refused(Errc::conflict, why_skipped(facts(), reason))});
  commands_.drop_trigger(request.id);
}

// ---- runs ahead of the register

/// Nothing that could change which slots there are, or whether they may run, is under way; and it is the store that
/// does not answer, not the clock that has stepped: a wrong clock would pass slots that are not due.
bool JobMachine::may_run_ahead(const Context& c) const {
  if (!is_defined() || definition_->job.guarantee != Guarantee::at_least_once || c.settings.dry_run) return false;
  if (!leads() || term_->draining || is_paused() || commands_.comes_first()) return false;
  if (!c.may_start_unclaimed(launch_budget(c)) || c.session.doubt() != Session::Doubt::overdue) return false;
  const PendingWrite* sent = writer_.pending();
  return !sent || (sent->next.definition == view_.stored().definition && !sent->next.paused && !sent->answers &&
                   !sent->mends && !sent->next.released);
}

void JobMachine::run_ahead(Context& c) {
  if (!may_run_ahead(c)) return;
  runs_.launch_in_doubt(c, facts());
  if (writer_.pending() && !writer_.pending()->follows) leave_behind(c);
  if (!scan(c, Mode::due, c.now.wall)) return;
  const Job& job = definition_->job;
  for (const DueSlot* due = slots_.settlement().first_due(); due; due = slots_.settlement().first_due()) {
    if (c.now.wall - due->due > job.start_deadline) {
      slots_.decide_first(Status::missed, Reason::start_deadline);
      continue;
    }
    if (job.concurrency == Concurrency::replace) runs_.replace(c, facts());
    const std::vector<OpenRun>& open = writer_.pending() ? writer_.pending()->next.runs : view_.stored().runs;
    if (!runs_.list().has_room(definition_) || unclaimed_.is_full(open) || !may_begin(c, due->due)) return;
    OpenRun run = run_of_slot(c, *due);
    bind(run, job, term_->epoch, c.settings.node);
    const std::size_t decided = slots_.settlement().decided_count();
    unclaimed_.add(slots_.settlement().decided(decided), runner::AttemptId{run.id, run.attempt});
    slots_.drop_decided(decided);
    slots_.drop_first_due();
    runs_.start_unclaimed(c, facts(), std::move(run));
  }
}

/// What the write in flight carries is taken for decided: a run that it claims is started, and the slots go on.
void JobMachine::leave_behind(Context& c) {
  const std::size_t decided = writer_.pending()->decided;
  const std::optional<runner::AttemptId> claimed = writer_.detach();
  std::vector<Disposition> passed = slots_.settlement().decided(decided);
  slots_.drop_decided(decided);
  if (claimed) slots_.drop_first_due();
  unclaimed_.add(std::move(passed), claimed);
  if (claimed) runs_.start_unclaimed(c, facts(), *claimed);
}

/// Brings the register up to what was started without it. True if it has begun something, or must wait.
bool JobMachine::catch_up(Context& c) {
  unclaimed_.drop_entered(view_.stored(), runs_.list());
  if (unclaimed_.empty()) return false;
  PendingWrite write = begin_write(c, 0);
  write.follows = true;
  const std::size_t room = writer_.room_to_carry();
  bool enters = false;
  for (const Ahead& one : unclaimed_.all()) {
    for (const Disposition& d : std::span(one.passed).first(std::min(room - write.decided, one.passed.size())))
      carry(c, write, d);
    const bool all = one.passed.empty() || write.next.cursor >= one.until();
    if (!all || (one.run && write.next.runs.size() >= open_run_limit)) break;
    const LiveRun* const run = one.run ? runs_.find(*one.run) : nullptr;
    if (!run) continue;
    OpenRun open = run->open;
    write.pass(open.slot);
    write.enter(open);
    runs_.enter(open);
    enters = true;
  }
  write.see_boot(facts(), c.settings);
  if (write.decided == 0 && !enters && write.closes.empty()) {
    if (!claim_waiting(c)) writer_.hold(true);  // the register is full: of runs that go on, or wait for their turn
    return true;
  }
  send(c, std::move(write));
  return true;
}

// ---- the write in flight

PendingWrite JobMachine::begin_write(Context& c, std::size_t most_decided) {
  PendingWrite write = writer_.begin(view_.stored(), *term_);
  for (const Disposition& d : slots_.settlement().decided(std::min(most_decided, writer_.room_to_carry())))
    carry(c, write, d);
  std::erase_if(write.next.runs, [this](const OpenRun& open) {
    return unclaimed_.is_superseded(open, runs_.list()) && !runs_.find({open.id, open.attempt});
  });
  for (const LiveRun& run : runs_.list())
    if (run.may_close()) write.close(run);
  write.keep_bounds(*term_);
  write.see_boot(facts(), c.settings);
  return write;
}

void JobMachine::carry(const Context& c, PendingWrite& write, const Disposition& range) const {
  write.carry(range, slots_.rows_of(range, row_of_slots(write.next, c)));
}

void JobMachine::send(Context& c, PendingWrite write) {
  remember_failure(facts(), write, runs_.list());
  const PendingWrite& sent = writer_.send(std::move(write), name_, *term_, view_.version());
  if (sent.request.value.size() > register_limit)  // of what others have put there
    return on_write_failed(c, "the register would be larger than " + std::to_string(register_limit) + " bytes");
  c.wants.writes.push_back({this, sent.serial, sent.request});
  if (c.room > 0) --c.room;
}

void JobMachine::repeat_write(Context& c) {
  switch (writer_.repeat(c.now.steady)) {
    case RegisterWriter::Repeat::none: return;
    case RegisterWriter::Repeat::read: return c.wants.reads.push_back(this);
    case RegisterWriter::Repeat::write:
      c.wants.writes.push_back({this, writer_.pending()->serial, writer_.pending()->request});
  }
}

void JobMachine::on_write_answer(Context& c, std::uint64_t serial, const WriteAnswer& answer) {
  if (!writer_.pending() || writer_.pending()->serial != serial) return;
  if (!leads()) return settle_late(c, answer);
  switch (writer_.on_answer(answer, c.now.steady)) {
    case RegisterWriter::Next::wait: return;
    case RegisterWriter::Next::confirm: return confirm(c, answer.version);
    case RegisterWriter::Next::failed: return on_write_failed(c, answer.text);
    case RegisterWriter::Next::read: c.wants.reads.push_back(this);
  }
}

/// Nothing was written, for want of space perhaps: no claim, no launch, said loudly, and tried again.
void JobMachine::on_write_failed(Context& c, const std::string& text) {
  c.out.push_back(Notice{Level::error, "the store refused a write: " + text, {{"job", name_}}});
  writer_.retry_later(c.now.steady);
  give_up(c, *writer_.take());
  slots_.block(c, facts());
}

/// The answer to a write of a term that is over. What landed has happened, but a run that it claims is not started.
/// What is still unknown then is decided when the register is read again.
void JobMachine::settle_late(Context& c, const WriteAnswer& answer) {
  const std::unique_ptr<PendingWrite> write = writer_.take();
  const bool claims = write->claim && runs_.find(*write->claim);
  if (answer.outcome == Outcome::done) {
    for (const Row& row : write->rows) c.out.push_back(RecordRow{row});
    runs_.show(c, write->next);
    tell_written(c, facts(), *write, runs_.list());
    if (claims) runs_.end(c, facts(), *write->claim, Status::missed, Reason::stale);
  } else if (answer.outcome != Outcome::unknown && !write->unknown && claims) {
    runs_.drop_claim(c, *write->claim);
  }
}

void JobMachine::on_read(Context& c, const std::optional<Register>& stored) {
  if (leads()) {
    if (!writer_.is_reading()) return commands_.looks() ? look_at_store(c, stored) : void();
    resolve(c, stored);
    if (commands_.looks()) c.wants.reads.push_back(this);
    return;
  }
  know(c, stored);
  c.wants.changed.push_back(this);
}

void JobMachine::on_read_unknown(Context& c) {
  writer_.read_later(c.now.steady);
  if (const auto look = commands_.take_look())
    c.wants.answers.push_back({look->id, Answer::refused(Errc::unavailable, "the store does not answer; try again")});
}

/// The write was refused, or an answer was lost: the register itself says whether it was ours.
void JobMachine::resolve(Context& c, const std::optional<Register>& stored) {
  if (stored && stored->value == writer_.pending()->request.value) return confirm(c, stored->version);
  const std::unique_ptr<PendingWrite> write = writer_.take();
  const std::uint64_t known = view_.version();
  view_.expect_newest();
  know(c, stored);
  const LiveRun* run = write->claim ? runs_.find(*write->claim) : nullptr;
  const bool landed = run && holds(view_.stored(), run->open);
  if (!landed) give_up(c, *write);
  if (!view_.is_sound()) {
    halt(c);
    return c.wants.changed.push_back(this);
  }
  if (view_.stored().epoch > term_->epoch) {  // another term has written: ours is over, whatever we have been told
    if (landed) runs_.end(c, facts(), *write->claim, Status::missed, Reason::stale);
    writer_.retry_later(c.now.steady);
  }
  go_on_from_store(c, known);
}

/// The register was read again in the same term.
void JobMachine::go_on_from_store(Context& c, std::uint64_t known) {
  slots_.make_plan(facts());
  // Of a write that was given up, and has landed after all; or somebody else has written there.
  if (view_.version() != known || writer_.carried() > view_.stored().dispositions.size()) copy_dispositions(c);
  settle_open_runs(c);
}

/// Nothing was written: the claimed run never was, and its slot is decided anew. Who asked by hand may ask again.
void JobMachine::give_up(Context& c, const PendingWrite& write) {
  const auto refuse = [&](const RunId& request, const char* text) {
    c.wants.answers.push_back({request, Answer::refused(Errc::unavailable, text)});
  };
  if (write.answers) refuse(*write.answers, "the change could not be written; try again");
  if (write.queues) refuse(*write.queues, "it could not be queued; try again");
  if (!write.claim) return;
  if (const LiveRun* run = runs_.find(*write.claim); run && run->asked)
    refuse(run->open.id, "the claim was not confirmed; nothing was started");
  if (write.unknown) unclaimed_.note_given_up(write.claim->run);
  runs_.give_up_claim(c, facts(), *write.claim, write.waited);
}

void JobMachine::confirm(Context& c, std::uint64_t version) {
  const std::unique_ptr<PendingWrite> write = writer_.take();
  const JobRegister& stored = view_.stored();
  const bool redefined = write->next.definition != stored.definition || !view_.exists();
  const bool released = write->next.released && !stored.released;
  tell_written(c, facts(), *write, runs_.list());
  view_.written(std::move(write->next), version, c.now.wall);
  if (!write->follows) slots_.drop_decided(write->decided);
  if (write->claims_due_slot) slots_.drop_first_due();
  record_decided(c, *write);
  runs_.close(c, write->closes);
  runs_.show(c, stored);
  unclaimed_.drop_entered(stored, runs_.list());
  runs_.adopt_waiting(c, facts());
  writer_.confirmed();
  slots_.confirmed();
  if (write->answers) c.wants.answers.push_back({*write->answers, Answer::done()});
  if (write->queues) c.wants.answers.push_back({*write->queues, Answer::done(*write->queues)});
  if (write->mends) {
    c.out.push_back(Notice{Level::warn, "job repaired by " + stored.repaired_by, {{"job", name_}}});
    const Repair done = commands_.take_repair();
    if (done.request) c.wants.answers.push_back({*done.request, Answer::did(done.text(name_))});
  }
  if (redefined || write->mends) {
    if (write->mends || released || !stored.definition.empty()) slots_.make_plan(facts());  // else the old one goes on
    resume_slots();
  }
  if (write->claim) runs_.confirm_claim(c, facts(), *write->claim);
  if (released) {
    refuse_asked(c, "no job file of this group defines the job any more");
    standing_ = Standing::idle;
    term_ = nullptr;
    c.wants.changed.push_back(this);
  }
}

void JobMachine::record_decided(Context& c, PendingWrite& write) {
  for (Row& row : write.rows) {
    const bool known_better = row.reason == Reason::halted;  // by a ledger that has seen the slot
    c.out.push_back(RecordRow{std::move(row), known_better});
  }
  const auto decided = std::span(view_.stored().dispositions).last(write.decided);
  for (const Disposition& d : decided) commands_.repair_wrote(d);
  writer_.await_settled(c, name_, write.decided);
  for (const Disposition& d : decided) c.out.push_back(settled_notice(d, name_));
}

// ---- runs and people

void JobMachine::adopt_own(Context& c) {
  if (!term_ && view_.trouble().empty()) runs_.adopt_own(c, facts());
}

void JobMachine::on_outcome(Context& c, const Row& outcome) {
  const bool halted = standing_ == Standing::halted;  // a repair may show the run again
  if (leads() || halted)
    runs_.on_outcome(c, facts(), outcome, halted || shows(runner::AttemptId{*outcome.run, outcome.attempt}));
}

void JobMachine::ask(Context& c, const Request& request) {
  using Kind = Request::Kind;
  if (request.kind == Kind::kill) return runs_.ask_kill(c, facts(), request);
  if (request.kind == Kind::replace) return runs_.ask_replace(c, facts(), request);
  if (request.kind == Kind::repair) return ask_repair(c, request);
  if (standing_ == Standing::halted)
    c.wants.answers.push_back(
        {request.id, Answer::refused(Errc::refused, "the job is halted: " + trouble() + "; `ballot repair` ends it")});
  else if (request.kind == Kind::forget)
    runs_.ask_forget(c, facts(), request);
  else if (request.kind == Kind::trigger)
    ask_trigger(c, request);
  else
    commands_.add_pause(request);
}

void JobMachine::ask_repair(Context& c, const Request& request) {
  if (!leads() || commands_.repair() || writer_.pending() || commands_.looks())
    return repair(c, request.id, request.by);
  commands_.look_first(request);
  c.wants.reads.push_back(this);
}

void JobMachine::ask_trigger(Context& c, const Request& request) {
  const RunList::Known known = runs_.ask_again(request.id);
  const auto& closed = view_.stored().triggered;
  if (known == RunList::Known::claiming) return;
  if (known == RunList::Known::yes || std::find(closed.begin(), closed.end(), request.id) != closed.end())
    c.wants.answers.push_back({request.id, Answer::done(request.id)});
  else if (!definition_ || definition_->job.group != term_->group)
    c.wants.answers.push_back({request.id, Answer::refused(Errc::not_found, "no job file defines " + name_)});
  else
    commands_.add_trigger(request);
}

}  // namespace ballot::core
