// What a job does next: settle, redefine, pause, claim, flush. Runs are in job_runs.cpp, the write in job_write.cpp.
#include "core/job/job_machine.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"

namespace ballot::core {
namespace {

WallTime whole_seconds(WallTime t) { return std::chrono::floor<std::chrono::seconds>(t); }

template <class T>
void earliest(std::optional<T>& wake, std::optional<T> candidate) {
  if (candidate && (!wake || *candidate < *wake)) wake = candidate;
}

Timing timing_of(const Job& job) {
  Timing timing;
  std::size_t bytes = 0;
  for (const std::string& expression : job.schedule) bytes += expression.size();
  if (!job.enabled || job.schedule.empty() || bytes > 1500) return timing;
  timing.timezone = job.timezone;
  timing.expressions = job.schedule;
  timing.not_before = job.not_before;
  timing.not_after = job.not_after;
  return timing;
}

}  // namespace

void JobMachine::define(schedule::DefinitionPtr definition) { definition_ = std::move(definition); }

const std::string& JobMachine::owner() const {
  static const std::string nobody;
  return view_.owner(definition_ ? definition_->job.group : nobody);
}

void JobMachine::advance(Context& c) {
  if (standing_ == Standing::leading && pending_) repeat_write(c);
  slots_.begin_step();
  held_ = false;
  if (standing_ == Standing::leading) {
    forget_unclaimed(c);
    run_ahead(c);
  }
  if (standing_ == Standing::leading && !pending_ && may_write(c)) {
    advance_runs(c);
    held_ = c.room == 0;
    if (held_) {
      c.wants.held.push_back(this);
      if (!commands_.comes_first()) settle(c);  // due now is due, however long it waits for its turn
    } else if (!catch_up(c) && !mend(c) && !redefine(c) && !change_pause(c) && !finish_pause(c) && settle(c)) {
      if (!claim_again(c) && !claim_waiting(c) && !claim_manual(c) && !claim_due(c)) flush(c);
    }
  }
  if (standing_ != Standing::leading) publish(c);
  rearm(c);
}

bool JobMachine::may_write(const Context& c) {
  if (retry_at_ && c.now.steady < *retry_at_) return false;
  retry_at_.reset();
  return c.session.is_open();
}

/// How far away the deadline must be for a run to be launched.
Millis JobMachine::launch_budget(const Context& c) const {
  if (!definition_ || definition_->job.on_leadership_lost == OnLeadershipLost::finish) return launch_margin;
  return c.session.terminate_budget(definition_->job.kill_grace);
}

/// Runs that go on, or that are between two attempts.
int JobMachine::runs_begun() const {
  return static_cast<int>(std::count_if(runs_.begin(), runs_.end(),
                                        [](const LiveRun& run) { return run.is_under_way() && !run.is_queued(); }));
}

/// A run is known to go on that the register shows or will show: of another one, started in an earlier term without a
/// claim, the slot is still to be run.
bool JobMachine::is_busy() const {
  return std::any_of(runs_.begin(), runs_.end(), [this](const LiveRun& run) {
    return run.is_under_way() && !run.is_queued() && !run.is_in_question() && (!run.unclaimed || is_ahead(run));
  });
}

/// Runs by hand that wait for those to end.
int JobMachine::runs_queued() const {
  return static_cast<int>(
      std::count_if(runs_.begin(), runs_.end(), [](const LiveRun& run) { return run.is_queued(); }));
}

int JobMachine::most_at_once() const {
  const bool allows = definition_ && definition_->job.concurrency == Concurrency::allow;
  return allows ? std::min(definition_->job.max_running, static_cast<int>(open_run_limit)) : 1;
}

/// The job's own policy lets another run begin now.
bool JobMachine::is_free() const { return runs_begun() < most_at_once(); }

/// The policy lets one more go on, of those that have begun.
bool JobMachine::may_go_on() const { return open_runs() < most_at_once(); }

/// The register holds as many runs as it may, and none of them can be closed yet: one that waits for its next attempt
/// keeps its place.
bool JobMachine::is_full() const { return view_.stored().runs.size() >= open_run_limit + closable(); }

std::size_t JobMachine::closable() const {
  return static_cast<std::size_t>(
      std::count_if(runs_.begin(), runs_.end(), [](const LiveRun& run) { return run.may_close() && !run.next; }));
}

/// Later than a start takes: what held it up, and not how long it runs, may be why the next slot is due beside it.
bool JobMachine::began_late(const LiveRun& run, WallTime now) const {
  const WallTime due = definition_ ? due_at(definition_->job, run.open.slot) : run.open.slot;
  return run.row.started_at.value_or(now) - due > start_takes;
}

/// What the job's runs mean for its next slots.
Overlap JobMachine::overlap(const Context& c) const {
  Overlap overlap;
  overlap.busy = is_busy();
  overlap.fate_unknown =
      std::any_of(runs_.begin(), runs_.end(), [](const LiveRun& run) { return run.is_in_question(); });
  overlap.catching_up = std::any_of(runs_.begin(), runs_.end(), [&](const LiveRun& run) {
    if (!run.is_under_way() || run.open.trigger == Trigger::catch_up) return run.is_under_way();
    return run.open.trigger == Trigger::schedule && run.open.attempt == 1 && began_late(run, c.now.wall);
  });
  overlap.room = (is_free() ? 1 : 0) - runs_queued();
  return overlap;
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
  return slots_.settle(c, facts(), overlap(c));
}

bool JobMachine::is_defined() const {
  return view_.exists() && definition_ && term_ && definition_->job.group == term_->group &&
         view_.stored().definition == definition_->digest;
}

/// Brings the register to what the files say: a new definition, none any more, or the register released. What the
/// definition before left unsettled is missed: no_definition. True if it has begun something.
bool JobMachine::redefine(Context& c) {
  const bool wanted = definition_ && definition_->job.group == term_->group;
  const bool mine = view_.exists() && !view_.stored().released;
  if (!mine && !wanted) return false;
  if (mine && wanted && view_.stored().definition == definition_->digest) return false;
  if (!wanted) end_waiting(c, Status::missed, Reason::no_definition);
  if (mine && !wanted && view_.stored().definition.empty() && view_.stored().runs.size() > closable()) return false;
  const bool adopts = !mine && view_.exists() && c.now.wall - view_.stored().cursor <= adoption_limit;
  if (adopts) slots_.plan_to_adopt(facts());
  if (mine || adopts) {
    slots_.rewind();
    if (!slots_.scan(c, facts(), overlap(c), ScanRules::Mode::undefined, c.now.wall) || write_ahead(c)) return true;
  }
  PendingWrite write = begin_write(c, disposition_limit);
  JobRegister& next = write.next;
  next.definition = wanted ? definition_->digest : "";
  next.released = !wanted && next.runs.empty();  // whoever takes it next knows nothing of runs that it still shows
  if (wanted || next.released) next.timing = wanted ? timing_of(definition_->job) : Timing{};
  next.since = adopts ? view_.stored().cursor : whole_seconds(c.now.wall);
  next.cursor = std::max(next.cursor, whole_seconds(c.now.wall));
  if (wanted) anchor(next, c);  // else they stay: until it is released its slots are those of the plan in force
  send(c, std::move(write));
  return true;
}

/// Anchors the definition's `@every` schedules, keeping the phase of those whose text stays, and marks this boot as
/// seen.
void JobMachine::anchor(JobRegister& next, const Context& c) const {
  if (!definition_) return;  // they stay, as a pause does: a file that was broken for a while brings its job back
  std::vector<Anchor> anchors;
  for (const std::string& text : definition_->plan.everies()) {
    const auto known =
        std::find_if(next.anchors.begin(), next.anchors.end(), [&](const Anchor& a) { return a.text == text; });
    anchors.push_back({text, known != next.anchors.end() ? known->at : next.since});
  }
  next.anchors = std::move(anchors);
  see_boot(next, c);
}

void JobMachine::see_boot(JobRegister& next, const Context& c) const {
  if (!definition_ || !definition_->plan.on_reboot() || next.cursor < whole_seconds(c.settings.booted_at)) return;
  if (std::find(next.boots.begin(), next.boots.end(), c.settings.boot_id) != next.boots.end()) return;
  if (next.boots.size() >= 16) next.boots.erase(next.boots.begin());
  next.boots.push_back(c.settings.boot_id);
}

/// Pauses, or resumes: on resuming the slots passed are settled as skipped: paused. True if it has begun something.
bool JobMachine::change_pause(Context& c) {
  for (const RunId& request : commands_.take_done(view_.stored().paused))
    c.wants.answers.push_back({request, Answer::done()});
  if (!commands_.next_pause() || !view_.exists()) return false;
  const bool pausing = commands_.is_pause_next();
  slots_.rewind();
  if (waits_to_pause()) return true;
  if (!pausing) {
    if (!slots_.scan(c, facts(), overlap(c), ScanRules::Mode::paused, c.now.wall) || write_ahead(c)) return true;
  }
  PendingWrite write = begin_write(c, disposition_limit);
  write.next.paused = pausing;
  write.answers = commands_.take_pause();
  send(c, std::move(write));
  return true;
}

void JobMachine::settle_pause(Context& c) {
  if (standing_ == Standing::leading && is_defined()) commands_.end_group_pause(c.now.wall);
}

/// The group resumes: what it passed is written before it claims again. True if it has begun something.
bool JobMachine::finish_pause(Context& c) {
  if (!commands_.unpause_until()) return false;
  slots_.rewind();
  if (!slots_.scan(c, facts(), overlap(c), ScanRules::Mode::paused, *commands_.unpause_until()) || write_ahead(c))
    return true;
  if (slots_.settlement().has_decided()) return send(c, begin_write(c, disposition_limit)), true;
  commands_.group_pause_ended();
  return false;
}

bool JobMachine::claim_due(Context& c) {
  const DueSlot* due = slots_.settlement().first_due();
  if (!due || is_full() || !may_claim(c)) return false;
  if (definition_->job.concurrency == Concurrency::replace) replace_running(c);
  if (!is_free() || !may_begin(c, due->due)) return false;
  if (write_ahead(c)) return true;
  PendingWrite write = begin_write(c, disposition_limit);
  write.claims_due_slot = true;
  write.next.cursor = std::max(write.next.cursor, due->at);
  write.next.claimed_until = std::max(write.next.claimed_until, due->at);
  see_boot(write.next, c);
  claim(c, std::move(write), begin_run(c, *due));
  return true;
}

/// Where only so many runs may go on at once, on the node or in the group, a run begins when Core grants it a place:
/// jobs of higher priority come first, then those that are due longer.
bool JobMachine::may_begin(Context& c, WallTime due) {
  if (!term_->limited && !c.node_limited) return true;
  if (c.granted == this) return c.granted = nullptr, true;
  c.wants.places.push_back({this, definition_ ? definition_->job.priority : 0, due});
  return false;
}

/// Begins the next attempt of a run that was lost, under its id. What no file defines any more is not repeated.
bool JobMachine::claim_again(Context& c) {
  const auto lost = std::find_if(runs_.begin(), runs_.end(), [](const LiveRun& run) { return run.repeat; });
  if (lost == runs_.end() || !lost->recorded) return false;
  if (!is_defined() || c.settings.dry_run) return lost->repeat = false;
  if (term_->draining || is_paused() || !may_go_on() || !may_claim(c) || !may_begin(c, lost->open.slot)) return false;
  lost->repeat = false;
  OpenRun run = lost->open;
  ++run.attempt;
  ++run.lost;
  claim(c, begin_write(c, 0), std::move(run));
  return true;
}

/// Begins the attempt whose time has come; a run that is queued when its turn has.
bool JobMachine::claim_waiting(Context& c) {
  const DueSlot* due = slots_.settlement().first_due();
  const auto next = std::find_if(runs_.begin(), runs_.end(), [&](const LiveRun& run) {
    if (!run.is_waiting() || run.again_at > c.now.steady || (is_paused() && !run.is_by_hand())) return false;
    return run.open.queued ? is_free() && (!due || run.open.slot <= due->due) : may_go_on();
  });
  if (next == runs_.end()) return false;
  if (c.settings.dry_run) return end_waiting(c, Status::skipped, Reason::dry_run), false;
  if (term_->draining || !is_defined() || !may_claim(c) || !may_begin(c, *next->open.waits_until)) return false;
  PendingWrite write = begin_write(c, 0);
  write.waited = next->open;
  OpenRun run = next->open;
  run.waits_until.reset();
  run.queued = false;
  std::erase_if(write.next.runs, [&](const OpenRun& open) { return open.id == run.id; });
  runs_.erase(next);
  claim(c, std::move(write), std::move(run));
  return true;
}

/// Begins the oldest manual run, queues it, or says why not. A stopping daemon leaves it to the next leader.
bool JobMachine::claim_manual(Context& c) {
  while (commands_.next_trigger() && !term_->draining) {
    const Concurrency concurrency = definition_ ? definition_->job.concurrency : Concurrency::skip;
    const Request request = *commands_.next_trigger();
    const bool has_replaced =
        concurrency == Concurrency::replace &&
        std::any_of(runs_.begin(), runs_.end(), [](const LiveRun& run) { return run.killed || run.replace_asked; });
    if (request.until < c.now.wall && !has_replaced) {
      commands_.drop_oldest_trigger();
      c.wants.answers.push_back({request.id, std::nullopt});
      continue;
    }
    if (!is_defined()) return false;  // moved or deleted: it is answered when the register is released
    if (c.settings.dry_run) {
      refuse_manual(c, request, Reason::dry_run);
      continue;
    }
    if (!is_free() && concurrency == Concurrency::skip) {
      if (std::any_of(runs_.begin(), runs_.end(), [](const LiveRun& run) { return run.is_in_question(); }))
        return false;
      refuse_manual(c, request, Reason::overlap);
      continue;
    }
    if (!may_claim(c)) return false;
    if (concurrency == Concurrency::replace) replace_running(c);
    if (concurrency == Concurrency::queue && (!is_free() || slots_.settlement().first_due() || runs_queued() > 0)) {
      const Queued queued = queue_manual(c, request);
      if (queued == Queued::refused) continue;
      return queued == Queued::written;
    }
    if (!is_free() || is_full() || !may_begin(c, c.now.wall)) return false;
    commands_.drop_oldest_trigger();
    OpenRun run;
    run.id = request.id;
    run.slot = last_manual_ = std::max(c.now.wall, last_manual_ + Millis(1));
    run.trigger = Trigger::manual;
    run.awaited = request.wait;
    claim(c, begin_write(c, 0), std::move(run));
    runs_.back().begin_by = request.until + manual_slack;
    return true;
  }
  return false;
}

/// It waits in the register, so that it survives this term. What makes room for it is closed first.
JobMachine::Queued JobMachine::queue_manual(Context& c, const Request& request) {
  const Job& job = definition_->job;
  const auto waiting = static_cast<int>(slots_.settlement().due_count()) + runs_queued();
  const auto full = [&] {
    const auto leaving = std::count_if(runs_.begin(), runs_.end(), [](const LiveRun& run) {
      return run.has_ended() && !run.is_under_way() && !run.unclaimed;
    });
    return view_.stored().runs.size() >= open_run_limit + static_cast<std::size_t>(leaving);
  };
  if (waiting >= job.queue_limit && job.queue_overflow == QueueOverflow::drop_old && job.queue_limit > 0) {
    const auto oldest = std::find_if(runs_.begin(), runs_.end(), [](const LiveRun& run) { return run.is_queued(); });
    const DueSlot* due = slots_.settlement().first_due();
    if (oldest != runs_.end() && (!due || oldest->open.slot < due->due))
      end(c, *oldest, Status::skipped, Reason::queue_full);
    else if (due)
      slots_.decide_first(Status::skipped, Reason::queue_full);
  } else if (waiting >= job.queue_limit || full()) {
    refuse_manual(c, request, Reason::queue_full);
    return Queued::refused;
  }
  if (is_full()) return Queued::waits;
  commands_.drop_oldest_trigger();
  PendingWrite write = begin_write(c, 0);
  write.queues = request.id;
  OpenRun run;
  run.id = request.id;
  run.slot = last_manual_ = std::max(c.now.wall, last_manual_ + Millis(1));
  run.trigger = Trigger::manual;
  run.awaited = request.wait;
  run.waits_until = run.slot;
  run.queued = true;
  write.next.runs.push_back(std::move(run));
  send(c, std::move(write));
  return Queued::written;
}

/// `replace`: what runs is killed, what waits for its next attempt is not tried again. A run of another node that
/// outlives its term is killed there; one that does not is over by itself.
void JobMachine::replace_running(Context& c) {
  for (LiveRun& run : runs_) {
    if (run.has_ended()) run.repeat = false, run.next.reset();
    if (!run.has_ended() && !run.is_queued()) kill(c, run, Reason::replaced);
    const bool stays = run.state == LiveRun::State::foreign && run.open.on_leadership_lost == OnLeadershipLost::finish;
    if (!stays || (run.replace_asked && c.now.steady < *run.replace_asked + node_patience)) continue;
    run.replace_asked = c.now.steady;
    c.wants.replaced.emplace_back(name_, run.open.id);
  }
}

void JobMachine::refuse_manual(Context& c, const Request& request, Reason reason) {
  Row row;
  row.job = name_;
  row.group = term_->group;
  row.slot = last_manual_ = std::max(c.now.wall, last_manual_ + Millis(1));
  row.trigger = Trigger::manual;
  row.status = Status::skipped;
  row.reason = reason;
  row.node = c.settings.node;
  row.epoch = term_->epoch;
  c.out.push_back(RecordRow{row});
  std::string why = "skipped: overlap (the job's previous run has not ended)";
  if (reason == Reason::dry_run) why = "skipped: dry_run (the daemon runs with --dry-run)";
  if (reason == Reason::queue_full)
    why = "skipped: queue_full (" + std::to_string(definition_->job.queue_limit) + " wait already: queue_limit)";
  c.wants.answers.push_back({request.id, Answer::refused(Errc::conflict, why)});
  commands_.drop_trigger(request.id);
}

/// More is decided than the next write has room for: some of it is written first, or waits for the ledger to have what
/// the register still carries. True if so.
bool JobMachine::write_ahead(Context& c) {
  const std::size_t room = room_to_carry();
  if (slots_.settlement().decided_count() <= room) return false;
  held_ = room == 0;
  if (!held_) send(c, begin_write(c, room));
  return true;
}

/// Writes what is decided and closes what has ended, when it has waited long enough.
bool JobMachine::flush(Context& c) {
  const bool closable = std::any_of(runs_.begin(), runs_.end(), [](const LiveRun& run) { return run.may_close(); });
  if (!slots_.settlement().has_decided() || room_to_carry() == 0)
    flush_at_.reset();
  else if (!flush_at_)
    flush_at_ = c.now.steady + flush_delay;
  if (!closable)
    close_at_.reset();
  else if (!close_at_)
    close_at_ = c.now.steady + close_delay;
  const bool due =
      (flush_at_ && (*flush_at_ <= c.now.steady || slots_.settlement().decided_count() >= disposition_limit)) ||
      (close_at_ && *close_at_ <= c.now.steady);
  if (!due && !((flush_at_ || close_at_) && term_->draining)) return false;
  send(c, begin_write(c, disposition_limit));
  return true;
}

void JobMachine::rearm(Context& c) {
  wall_wake.reset();
  steady_wake.reset();
  if (standing_ != Standing::leading) {
    steady_wake = publish_at_;
    return;
  }
  if (may_run_ahead(c)) {
    if (const auto due = slots_.next_due(c, facts()); due && *due > c.now.wall) wall_wake = due;
    if (slots_.is_scanning()) steady_wake = c.now.steady;
  }
  if (pending_) return earliest(steady_wake, pending_->repeat_at);
  steady_wake = retry_at_;
  if (retry_at_) return;
  for (const LiveRun& run : runs_)
    if (run.state == LiveRun::State::foreign) {
      earliest(steady_wake, std::optional(run.foreign_until));
      const bool replaces = run.replace_asked && (slots_.settlement().first_due() || commands_.next_trigger());
      if (replaces && *run.replace_asked + node_patience > c.now.steady)  // else whatever prevents it wakes
        earliest(steady_wake, std::optional(*run.replace_asked + node_patience));
    }
  earliest(wall_wake, commands_.trigger_ends(c.now.wall));
  if (held_ || waits_to_pause()) return;
  for (const LiveRun& run : runs_)  // where its time has come and it cannot be claimed, whatever prevents it wakes
    if (run.is_waiting() && run.again_at > c.now.steady) earliest(steady_wake, std::optional(run.again_at));
  earliest(steady_wake, flush_at_);
  earliest(steady_wake, close_at_);
  if (const DueSlot* due = slots_.settlement().first_due(); due && definition_)
    earliest(wall_wake, std::optional(due->due + definition_->job.start_deadline + Millis(1)));
  if (slots_.is_scanning()) earliest(steady_wake, std::optional(c.now.steady));
  if (term_->draining || is_paused() || slots_.is_blocked() || !is_defined()) return;
  const auto due = slots_.next_due(c, facts());
  if (due && *due <= c.now.wall)
    earliest(steady_wake, std::optional(c.now.steady));
  else
    earliest(wall_wake, due);
}

std::vector<WallTime> JobMachine::waiting() const {
  std::vector<WallTime> slots = slots_.settlement().waiting();
  for (const LiveRun& run : runs_)
    if (run.is_waiting()) slots.push_back(run.open.slot);
  return slots;
}

bool JobMachine::is_clean() const {
  if (standing_ == Standing::halted) return true;  // nothing of it can be written
  return !pending_ && ahead_.empty() && !slots_.settlement().has_decided() &&
         std::none_of(runs_.begin(), runs_.end(), [](const LiveRun& run) { return run.has_ended() && !run.repeat; });
}

int JobMachine::open_runs() const {
  return static_cast<int>(std::count_if(runs_.begin(), runs_.end(),
                                        [](const LiveRun& run) { return !run.has_ended() && !run.is_waiting(); }));
}

int JobMachine::own_runs() const {
  return static_cast<int>(std::count_if(runs_.begin(), runs_.end(), [](const LiveRun& run) {
    return !run.has_ended() && !run.is_waiting() && run.state != LiveRun::State::foreign;
  }));
}

int JobMachine::bound_runs() const {
  return static_cast<int>(std::count_if(runs_.begin(), runs_.end(), [](const LiveRun& run) {
    return !run.has_ended() && !run.is_waiting() && run.open.on_leadership_lost == OnLeadershipLost::terminate;
  }));
}

bool JobMachine::may_start() const {
  return std::any_of(runs_.begin(), runs_.end(), [](const LiveRun& run) {
    const bool under_way = run.state == LiveRun::State::claiming || run.state == LiveRun::State::held ||
                           run.state == LiveRun::State::starting;
    return under_way && run.open.trigger != Trigger::manual;
  });
}

/// What the runner has been told to start may start after a pause is acknowledged.
bool JobMachine::waits_to_pause() const {
  if (!commands_.is_pause_next()) return false;
  return std::any_of(runs_.begin(), runs_.end(), [](const LiveRun& run) {
    return run.state == LiveRun::State::starting && run.open.trigger != Trigger::manual;
  });
}

std::optional<WallTime> JobMachine::next_slot(WallTime now) const {
  if (!definition_ || !definition_->job.enabled || paused()) return std::nullopt;
  return slots_.next_slot(now, view_.is_known() ? std::max(now, view_.stored().cursor) : now, *definition_);
}

JobFacts JobMachine::facts() const {
  return {name_, definition_, view_.stored(), term_, standing_ == Standing::leading, is_defined()};
}

}  // namespace ballot::core
