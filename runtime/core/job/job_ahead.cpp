// Runs of `at-least-once` jobs without a confirmed claim: while the store does not answer, and this node may still act,
// slots are started and the register is brought up to them afterwards.
//
//   register ──[passed](run)[passed](run)── settlement_ ── now
//              ahead_, in order              decides on
//
// Such a run is started once its row is durable in this node's ledger: should this daemon die, nothing else knows of
// it.
//
// What is ahead belongs to this term. If the term ends first the slots are the next one's, which runs them again: the
// run without a claim then counts as a further attempt. Only a slot's first attempt is started so: a retry or a trigger
// has a run id that the next term would claim too.
#include <algorithm>
#include <span>
#include <utility>

#include "base/wall_text.hpp"
#include "core/job/job_machine.hpp"

namespace ballot::core {

/// Nothing that could change which slots there are, or whether they may run, is under way; and it is the store that
/// does not answer, not the clock that has stepped: a wrong clock would pass slots that are not due.
bool JobMachine::may_run_ahead(const Context& c) const {
  if (!is_defined() || definition_->job.guarantee != Guarantee::at_least_once || c.settings.dry_run) return false;
  if (standing_ != Standing::leading || term_->draining || is_paused() || commands_.comes_first()) return false;
  if (!c.may_start_unclaimed(launch_budget(c)) || c.session.doubt() != Session::Doubt::overdue) return false;
  return !pending_ || (pending_->next.definition == view_.stored().definition && !pending_->next.paused &&
                       !pending_->answers && !pending_->mends && !pending_->next.released);
}

void JobMachine::run_ahead(Context& c) {
  if (!may_run_ahead(c)) return;
  for (LiveRun& run : runs_)
    if (run.state == LiveRun::State::held && (run.unclaimed ? run.recorded : run.open.at_least_once))
      launch_in_doubt(c, run);
  if (pending_ && !pending_->follows) leave_behind(c, *pending_);
  if (!slots_.scan(c, facts(), overlap(c), ScanRules::Mode::due, c.now.wall)) return;
  const Job& job = definition_->job;
  for (const DueSlot* due = slots_.settlement().first_due(); due; due = slots_.settlement().first_due()) {
    if (c.now.wall - due->due > job.start_deadline) {
      slots_.decide_first(Status::missed, Reason::start_deadline);
      continue;
    }
    if (job.concurrency == Concurrency::replace) replace_running(c);
    if (!is_free() || is_full_ahead() || !may_begin(c, due->due)) return;
    LiveRun run;
    run.open = begin_run(c, *due);
    bind_run(c, run.open);
    run.definition = definition_;
    ahead_.push_back({slots_.settlement().decided(slots_.settlement().decided_count()), run.id()});
    slots_.drop_decided(slots_.settlement().decided_count());
    slots_.drop_first_due();
    runs_.push_back(std::move(run));
    start_unclaimed(c, runs_.back());
  }
}

/// As many runs are open in the register, or are to be entered, as it may hold.
bool JobMachine::is_full_ahead() const {
  const std::vector<OpenRun>& open = pending_ ? pending_->next.runs : view_.stored().runs;
  const auto to_enter = std::count_if(ahead_.begin(), ahead_.end(), [&](const Ahead& one) {
    return one.run &&
           std::none_of(open.begin(), open.end(), [&](const OpenRun& run) { return run.id == one.run->run; });
  });
  return open.size() + static_cast<std::size_t>(to_enter) >= open_run_limit;
}

/// A claim that was given up, and has landed after all, of a slot whose run has been started without one since.
bool JobMachine::never_was(const OpenRun& open) const {
  const bool given_up = std::find(given_up_.begin(), given_up_.end(), open.id) != given_up_.end();
  return given_up && std::any_of(ahead_.begin(), ahead_.end(), [&](const Ahead& one) {
           return one.run && std::any_of(runs_.begin(), runs_.end(), [&](const LiveRun& run) {
                    return run.id() == *one.run && run.open.slot == open.slot && run.open.id != open.id;
                  });
         });
}

/// What the write in flight carries is taken for decided: a run that it claims is started, and the settlement goes on.
void JobMachine::leave_behind(Context& c, PendingWrite& write) {
  write.follows = true;
  std::vector<Disposition> passed = slots_.settlement().decided(write.decided);
  slots_.drop_decided(write.decided);
  if (!write.claims_due_slot) {
    if (!passed.empty()) ahead_.push_back({std::move(passed), std::nullopt});
    return;
  }
  write.claims_due_slot = false;
  slots_.drop_first_due();
  const runner::AttemptId id = *std::exchange(write.claim, std::nullopt);
  ahead_.push_back({std::move(passed), id});
  start_unclaimed(c, *find(id));
}

void JobMachine::start_unclaimed(Context& c, LiveRun& run) {
  run.unclaimed = true;
  run.row = claimed_row(run.open, name_, term_->group);
  run.row.fence = 0;
  run.state = LiveRun::State::held;
  await_recorded(c, run);
}

/// Also of a claim that was confirmed in doubt.
void JobMachine::launch_in_doubt(Context& c, LiveRun& run) {
  if (is_late(c, run)) return end(c, run, Status::missed, Reason::start_deadline);
  if (run.unclaimed)
    c.out.push_back(Notice{Level::warn,
                           "starts without a confirmed claim: the store does not answer",
                           {{"job", name_}, {"slot", format_slot(run.open.slot)}, {"run", run.open.id.text()}}});
  launch(c, run);
}

/// Brings the register up to what was started without it. True if it has begun something, or must wait.
bool JobMachine::catch_up(Context& c) {
  drop_ahead_in_register();
  if (ahead_.empty()) return false;
  PendingWrite write = begin_write(c, 0);
  write.follows = true;
  JobRegister& next = write.next;
  std::size_t room = room_to_carry();
  bool enters = false;
  for (const Ahead& one : ahead_) {
    for (const Disposition& d : std::span(one.passed).first(std::min(room, one.passed.size()))) {
      carry(c, write, d);
      --room;
    }
    const bool all = next.cursor >= (one.passed.empty() ? next.cursor : one.until());
    if (!all || (one.run && next.runs.size() >= open_run_limit)) break;
    LiveRun* const run = one.run ? find(*one.run) : nullptr;
    if (!run) continue;
    run->open.fence = ++next.fence;
    next.cursor = std::max(next.cursor, run->open.slot);
    next.claimed_until = std::max(next.claimed_until, run->open.slot);
    next.runs.push_back(run->open);
    enters = true;
  }
  see_boot(next, c);
  if (write.decided == 0 && !enters && write.closes.empty()) {
    if (!claim_waiting(c))
      held_ = true;  // the register is full: of runs that go on, or of such that wait for their turn
    return true;
  }
  send(c, std::move(write));
  return true;
}

void JobMachine::enter_shown(Context& c, const JobRegister& shown) {
  for (const OpenRun& open : shown.runs)
    if (LiveRun* run = find({open.id, open.attempt}); run && run->unclaimed) entered(c, *run, open);
}

/// The register shows the run: it is claimed like any other, whatever its child was told.
void JobMachine::entered(Context& c, LiveRun& run, const OpenRun& open) {
  run.unclaimed = false;
  run.open = open;
  run.row.fence = open.fence;
  await_recorded(c, run);
}

void JobMachine::adopt_row(Context& c, const Row& row) {
  LiveRun run;
  run.open.id = *row.run;
  run.open.slot = row.slot;
  run.open.trigger = row.trigger;
  run.open.attempt = row.attempt;
  run.open.epoch = row.epoch;
  run.open.node = row.node;
  run.open.on_leadership_lost = OnLeadershipLost::finish;
  if (definition_) {
    const Job& job = definition_->job;
    run.open.on_leadership_lost = job.on_leadership_lost;
    run.open.kill_grace = job.kill_grace;
    run.open.success_codes = job.success_codes;
    run.definition = definition_;
  }
  run.unclaimed = true;
  run.row = row;
  if (!adopt_known(c, run)) {
    runs_.push_back(std::move(run));
    end(c, runs_.back(), Status::lost, Reason::node_died);
  }
}

void JobMachine::drop_ahead_in_register() {
  while (!ahead_.empty()) {
    Ahead& first = ahead_.front();
    std::erase_if(first.passed, [this](const Disposition& d) { return d.to <= view_.stored().cursor; });
    const LiveRun* run = first.run ? find(*first.run) : nullptr;
    if (!first.passed.empty() || (run && run->unclaimed)) return;
    ahead_.erase(ahead_.begin());
  }
}

/// Of a term before, whose register does not show it: once its end is durable nobody needs it any more.
void JobMachine::forget_unclaimed(Context& c) {
  std::erase_if(runs_, [&](const LiveRun& run) {
    if (!run.unclaimed || !run.may_publish() || is_ahead(run)) return false;
    if (run.known_to_runner) c.out.push_back(Forget{run.id()});
    return true;
  });
}

bool JobMachine::is_ahead(const LiveRun& run) const {
  return std::any_of(ahead_.begin(), ahead_.end(), [&](const Ahead& one) { return one.run == run.id(); });
}

/// From what the register has settled, or was run ahead of it.
void JobMachine::resume_settlement() {
  drop_ahead_in_register();
  WallTime from = std::max(view_.stored().cursor, view_.stored().since);
  for (const Ahead& one : ahead_) {
    if (!one.passed.empty()) from = std::max(from, one.until());
    if (const LiveRun* run = one.run ? find(*one.run) : nullptr) from = std::max(from, run->open.slot);
  }
  slots_.resume(from);
}

}  // namespace ballot::core
