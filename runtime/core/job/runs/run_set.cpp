#include "core/job/runs/run_set.hpp"

#include <algorithm>

#include "base/wall_text.hpp"
#include "core/job/expect/expectations.hpp"
#include "core/job/runs/adoption.hpp"
#include "core/job/runs/run_notices.hpp"
#include "core/record/outcome.hpp"

namespace ballot::core {
namespace {
using State = LiveRun::State;

/// Of a run that is claimed, by the policies of its claim.
Millis budget_of(const Context& c, const LiveRun& run) {
  const bool finishes = run.open.on_leadership_lost == OnLeadershipLost::finish;
  return finishes ? launch_margin : c.session.terminate_budget(run.open.kill_grace);
}

}  // namespace

void RunSet::claim(const JobFacts& job, OpenRun run, bool first, std::optional<WallTime> begin_by) {
  LiveRun live;
  live.row = claimed_row(run, job.name, job.term->group);
  live.open = std::move(run);
  live.definition = job.definition;
  live.asked = live.is_by_hand() && live.open.attempt == 1 && first;
  live.begin_by = begin_by;
  runs_.add(std::move(live));
}

void RunSet::confirm_claim(Context& c, const JobFacts& job, const runner::AttemptId& id, Millis took) {
  LiveRun* run = runs_.find(id);
  if (!run) return;
  run->state = State::ready;
  c.out.push_back(RecordRow{.row = run->row, .claim_took = took});
  const bool too_late = run->begin_by && c.now.wall > *run->begin_by;
  if (std::exchange(run->asked, false))
    c.wants.answers.push_back(
        {id.run, too_late ? Answer::refused(Errc::timeout, "its claim was confirmed too late; nothing was started")
                          : Answer::done(id.run)});
  if (too_late) return end(c, job, *run, Status::missed, Reason::start_deadline);
  if (is_late(*run, c.now.wall)) return end(c, job, *run, Status::missed, Reason::unclaimed);
  if (job.term->draining) return end(c, job, *run, Status::missed, Reason::stale);
  if (run->kill_asked) return end(c, job, *run, Status::killed, Reason::operator_);
  if (job.is_paused() && run->open.trigger != Trigger::manual) return end(c, job, *run, Status::missed, Reason::stale);
  if (c.may_claim(budget_of(c, *run))) launch(c, *run);
}

void RunSet::launch(Context& c, LiveRun& run) {
  run.state = State::starting;
  run.known_to_runner = true;
  c.out.push_back(launch_of(run, c.session.deadline() - budget_of(c, run)));
}

void RunSet::drop_claim(Context& c, const runner::AttemptId& id) {
  runs_.drop(id);
  const char* const why = "its claim was not confirmed, so the run was never started";
  answer_kills(c, id.run, Answer::refused(Errc::not_found, why));
}

void RunSet::give_up_claim(Context& c, const JobFacts& job, const runner::AttemptId& id, const OpenRun* waited) {
  const LiveRun* const claimed = runs_.find(id);
  const bool killed = claimed && claimed->kill_asked;
  if (!waited) drop_claim(c, id);
  runs_.drop(id);
  if (waited) adopt(c, job, *waited);
  for (LiveRun& run : runs_) {  // the attempt before, which it would have closed, or as it waited for this one
    if (run.open.id != id.run) continue;
    if (run.has_ended() && run.open.attempt + 1 == id.attempt) run.repeat = !killed;
    if (run.is_waiting() && killed) kill(c, job, run, Reason::operator_);
  }
}

void RunSet::start_unclaimed(Context& c, const JobFacts& job, OpenRun open) {
  LiveRun run = run_of(job, open);
  run.definition = job.definition;
  await_start(c, job, runs_.add(std::move(run)));
}

void RunSet::start_unclaimed(Context& c, const JobFacts& job, const runner::AttemptId& id) {
  await_start(c, job, *runs_.find(id));
}

/// The run is launched once its row is durable.
void RunSet::await_start(Context& c, const JobFacts& job, LiveRun& run) {
  run.unclaimed = true;
  run.row = claimed_row(run.open, job.name, job.term->group);
  run.row.fence = 0;
  run.state = State::ready;
  await_recorded(c, run);
}

void RunSet::launch_in_doubt(Context& c, const JobFacts& job) {
  for (LiveRun& run : runs_) {
    const bool may = run.state == State::ready && run.awaited == 0 && (run.unclaimed || run.open.at_least_once);
    if (!may) continue;
    if (is_late(run, c.now.wall)) {
      end(c, job, run, Status::missed, Reason::start_deadline);
      continue;
    }
    if (run.unclaimed)
      c.out.push_back(Notice{Level::warn,
                             "starts without a confirmed claim: the store does not answer",
                             {{"job", job.name}, {"slot", format_slot(run.open.slot)}, {"run", run.open.id.text()}}});
    launch(c, run);
  }
}

void RunSet::show(Context& c, const JobRegister& shown) {
  for (const OpenRun& open : shown.runs) {
    LiveRun* const run = runs_.find({open.id, open.attempt});
    if (run && run->unclaimed) enter_as(c, *run, open);
    if (run) run->open.late = open.late, run->open.slow = open.slow;
  }
}

void RunSet::enter_as(Context& c, LiveRun& run, const OpenRun& open) {
  run.unclaimed = false;
  run.open = open;
  run.row.fence = open.fence;
  await_recorded(c, run);
}

void RunSet::forget_unclaimed(Context& c, const JobFacts& job) {
  runs_.drop_if([&](const LiveRun& run) {
    if (!run.unclaimed || !run.may_publish() || job.is_ahead(run.id())) return false;
    if (run.known_to_runner) c.out.push_back(Forget{run.id()});
    return true;
  });
}

/// Claims that the register does not show never were: what it shows under such an id is another term's claim.
void RunSet::drop_claims_that_failed(Context& c, const JobFacts& job) {
  for (const LiveRun& run : std::vector(runs_.all()))
    if (run.state == State::claiming && !contains(job.stored, run.open)) drop_claim(c, run.id());
}

void RunSet::settle(Context& c, const JobFacts& job, const std::vector<RunId>& superseded) {
  drop_claims_that_failed(c, job);
  for (const OpenRun& open : job.stored.runs) {
    LiveRun* live = runs_.find({open.id, open.attempt});
    if (!live && std::find(superseded.begin(), superseded.end(), open.id) != superseded.end()) continue;
    if (!live)
      adopt(c, job, open);
    else if (live->state == State::claiming) {
      live->state = State::ready;
      c.out.push_back(RecordRow{live->row});
      if (open.epoch != job.term->epoch) end(c, job, *live, Status::missed, Reason::stale);
    } else {
      if (live->unclaimed) enter_as(c, *live, open);
      if (live->has_ended()) follow_up(c, job, *live);  // in a term before, which has not closed it
    }
  }
  const auto shown = [&](const LiveRun& run) { return shows_attempt(job.stored, run); };
  for (const LiveRun& run : runs_)
    if (run.has_ended() && !run.unclaimed && run.known_to_runner && !shown(run)) c.out.push_back(Forget{run.id()});
  runs_.drop_if([&](const LiveRun& run) {
    return !shown(run) && !run.unclaimed && (run.has_ended() || run.state == State::foreign || run.is_waiting());
  });
}

void RunSet::adopt_waiting(Context& c, const JobFacts& job) {
  for (const OpenRun& open : job.stored.runs)
    if (open.waits_until && !runs_.find({open.id, open.attempt})) adopt(c, job, open);
}

void RunSet::adopt(Context& c, const JobFacts& job, const OpenRun& open) {
  LiveRun run = run_of(job, open);
  const bool ended = core::adopt(c, job, run);
  if (const auto end = waits_.end_of(run.id()); end && run.is_waiting()) run.again_at = *end;
  LiveRun& adopted = runs_.add(std::move(run));
  if (ended) end(c, job, adopted);
}

void RunSet::adopt_own(Context& c, const JobFacts& job) {
  drop_claims_that_failed(c, job);
  for (const OpenRun& open : job.stored.runs) {
    if (open.node != c.settings.node || open.waits_until) continue;
    LiveRun* live = runs_.find({open.id, open.attempt});
    if (!live)
      adopt(c, job, open);
    else if (live->unclaimed)
      enter_as(c, *live, open);
    else if (live->state == State::claiming)
      end(c, job, *live, Status::missed, Reason::stale);
  }
}

void RunSet::adopt_row(Context& c, const JobFacts& job, const Row& row) {
  LiveRun run = run_of(job, row);
  const bool ended = adopt_unclaimed(c, job, run);
  LiveRun& adopted = runs_.add(std::move(run));
  if (ended) end(c, job, adopted);
}

void RunSet::end_term(Context& c, const JobFacts& job) {
  for (LiveRun& run : runs_)
    if (run.state == State::ready) end(c, job, run, Status::missed, Reason::stale);
  drop_next_attempts();
  runs_.drop_if([](const LiveRun& run) { return run.state == State::foreign || run.is_waiting() || run.is_decided(); });
}

void RunSet::halt(Context& c, const JobFacts& job) {
  for (LiveRun& run : runs_)
    if (run.unclaimed) run.repeat = false, run.next.reset();
  for (LiveRun& run : runs_)
    if (run.state == State::ready) end(c, job, run, Status::missed, Reason::halted);
}

void RunSet::drop_next_attempts() {
  for (LiveRun& run : runs_) run.repeat = false, run.next.reset();
}

int RunSet::end_what_waited(Context& c, const JobFacts& job) {
  int ended = 0;
  for (LiveRun& run : runs_) {
    if (!run.is_waiting()) continue;
    ++ended;
    end(c, job, run, Status::missed, Reason::halted);
    if (run.open.trigger == Trigger::rerun && run.open.attempt == 1 && job.defined)
      run.next = make_rerun(c, Millis(1), by_hand_);
  }
  return ended;
}

void RunSet::advance(Context& c, const JobFacts& job) {
  for (LiveRun& run : runs_) {
    count_time(run, c.now);
    if (run.state == State::foreign && c.now.steady >= run.foreign_until)
      end(c, job, run, Status::lost, Reason::node_died);
    if (run.state != State::ready) continue;
    if (job.term->draining || is_late(run, c.now.wall) || (job.is_paused() && !run.is_by_hand()))
      end(c, job, run, Status::missed, Reason::stale);
    else if (!run.unclaimed && run.awaited == 0 && c.may_claim(budget_of(c, run)))
      launch(c, run);
  }
}

void RunSet::end_waiting(Context& c, const JobFacts& job, Status status, Reason reason) {
  for (LiveRun& run : runs_)
    if (run.is_waiting()) end(c, job, run, status, reason);
}

void RunSet::decide(Context& c, const JobFacts& job, const OpenRun& run, Status status, Reason reason) {
  end(c, job, runs_.add(run_of(job, run)), status, reason);
}

void RunSet::end(Context& c, const JobFacts& job, LiveRun& run, Status status, Reason reason) {
  conclude(run.row, status, reason, c.now.wall);
  end(c, job, run);
}

void RunSet::end(Context& c, const JobFacts& job, LiveRun& run) {
  run.state = State::ended;
  follow_up(c, job, run);
  await_recorded(c, run);
  c.out.push_back(end_notice(run));
  const bool goes_on = run.repeat || (run.next && run.next->id == run.open.id);
  if (run.open.awaited && !goes_on) c.wants.awaited.push_back(run.row);
  answer_kills(c, run.open.id, Answer::done(run.open.id));
}

void RunSet::answer_kills(Context& c, const RunId& run, const Answer& answer) {
  erase_if(kills_, [&](const auto& kill) {
    if (kill.second != run) return false;
    c.wants.answers.push_back({kill.first, answer});
    return true;
  });
}

void RunSet::await_recorded(Context& c, LiveRun& run) {
  run.recorded = false;
  ++run.awaited;
  c.out.push_back(RecordRow{run.row});
  c.out.push_back(AwaitRecorded{run.id()});
}

void RunSet::kill(Context& c, const JobFacts& job, LiveRun& run, Reason reason) {
  if (run.state == State::ready || run.is_waiting())
    end(c, job, run, Status::killed, reason);
  else if ((run.state == State::starting || run.state == State::running) && !run.kill_reason)
    run.kill_reason = reason, c.out.push_back(kill_of(run));
}

/// A run of another node that outlives its term is killed there; one that does not is over by itself.
void RunSet::replace(Context& c, const JobFacts& job) {
  for (LiveRun& run : runs_) {
    if (run.has_ended()) run.repeat = false, run.next.reset();
    if (!run.has_ended() && !run.is_queued()) kill(c, job, run, Reason::replaced);
    const bool stays = run.state == State::foreign && run.open.on_leadership_lost == OnLeadershipLost::finish;
    if (!stays || (run.replace_asked && c.now.steady < *run.replace_asked + node_patience)) continue;
    run.replace_asked = c.now.steady;
    c.wants.replaced.emplace_back(job.name, run.open.id);
  }
}

void RunSet::kill_all(Context& c, const JobFacts& job, Reason reason, WhichRuns which) {
  for (LiveRun& run : runs_)
    if (which(run) && run.state != State::ready && !run.is_waiting()) kill(c, job, run, reason);
}

void RunSet::ask_kill(Context& c, const JobFacts& job, const Request& request) {
  kills_.emplace_back(request.id, request.run);
  for (LiveRun& run : runs_)
    if (run.open.id == request.run && !run.has_ended()) {
      run.kill_asked = true;
      kill(c, job, run, Reason::operator_);
    }
}

void RunSet::ask_replace(Context& c, const JobFacts& job, const Request& request) {
  for (LiveRun& run : runs_)
    if (run.open.id == request.run && !run.has_ended()) kill(c, job, run, Reason::replaced);
}

void RunSet::ask_forget(Context& c, const JobFacts& job, const Request& request) {
  for (LiveRun& run : runs_) {
    if (run.open.id != request.run || run.has_ended()) continue;
    if (run.state != State::foreign) {
      const std::string why = "the run is executed by this node (" + c.settings.node + "): `ballot kill` ends it";
      return c.wants.answers.push_back({request.id, Answer::refused(Errc::conflict, why)});
    }
    kills_.emplace_back(request.id, request.run);
    return end(c, job, run, Status::lost, Reason::forgotten);
  }
  c.wants.answers.push_back(
      {request.id, Answer::refused(Errc::not_found, "no such run is open; see `ballot history`")});
}

void RunSet::on_started(Context& c, const JobFacts& job, const runner::Started& event) {
  LiveRun* run = runs_.find(event.id);
  if (!run || run->state != State::starting) return;
  run->state = State::running;
  run->row.status = Status::running;
  run->row.started_at = event.started_at;
  if (run->open.expect_within > Millis(0)) run->slow_after = c.now.steady + run->open.expect_within;
  c.out.push_back(RecordRow{.row = run->row, .start_lateness = lateness_of(job, *run)});
  c.out.push_back(run_notice(Level::info, "started", *run));
  tell_started(c, job, *run);
}

void RunSet::on_refused(Context& c, const JobFacts& job, const runner::Refused& event) {
  LiveRun* run = runs_.find(event.id);
  if (run && run->state == State::starting) permit_anew(c, job, *run);
}

void RunSet::permit_anew(Context& c, const JobFacts& job, LiveRun& run) {
  run.state = State::ready;
  run.known_to_runner = false;
  if (run.kill_reason) return end(c, job, run, Status::killed, *run.kill_reason);
  if (!job.leading || job.term->epoch != run.open.epoch) end(c, job, run, Status::missed, Reason::stale);
}

void RunSet::on_cannot_start(Context& c, const JobFacts& job, const runner::CannotStart& event) {
  LiveRun* run = runs_.find(event.id);
  if (!run || run->state != State::starting) return;
  run->known_to_runner = false;
  conclude(c, job, *run, event);
  end(c, job, *run, Status::failed, Reason::cannot_start);
}

void RunSet::on_ended(Context& c, const JobFacts& job, const runner::Ended& event) {
  LiveRun* run = runs_.find(event.id);
  if (!run || run->has_ended()) return;
  conclude(c, job, *run, event);
  end(c, job, *run);
}

/// Makes up for messages that were on the way, from the runner or to it, when the link broke.
void RunSet::on_inventory(Context& c, const JobFacts& job) {
  for (LiveRun& run : runs_) {
    if (run.state != State::starting && run.state != State::running) continue;
    if (const auto* ended = find_attempt(c.inventory.ended, run.id())) {
      on_ended(c, job, *ended);
    } else if (const auto* running = find_attempt(c.inventory.running, run.id())) {
      on_started(c, job, {run.id(), running->pid, running->started_at});
      if (run.kill_reason) c.out.push_back(kill_of(run));
    } else {
      run.known_to_runner = false;
      const bool never_started = c.inventory.same_runner && run.state == State::starting;
      never_started ? permit_anew(c, job, run) : end(c, job, run, Status::lost, Reason::runner_died);
    }
  }
}

void RunSet::on_outcome(Context& c, const JobFacts& job, const Row& outcome, bool wanted) {
  const runner::AttemptId id{*outcome.run, outcome.attempt};
  LiveRun* run = runs_.find(id);
  if (!run || run->has_ended()) {
    if (!run || run->published) return wanted ? void() : c.wants.removals.push_back(outcome_record(id));
    run->published = true;
    return;
  }
  run->published = true;
  run->row.fence = run->open.fence;
  conclude(run->row, outcome);
  end(c, job, *run);
}

/// That runner has done all that it was asked for, so a run that it does not know was never started, and will not be.
void RunSet::on_runner_word(Context& c, const JobFacts& job, const RunnerWord& word) {
  for (LiveRun& run : runs_) {
    if (run.state != State::foreign || run.open.node != word.node) continue;
    if (const auto* ended = find_attempt(word.ended, run.id())) {
      conclude(run.row, *ended, run.open.success_codes);
      end(c, job, run);
    } else if (find_attempt(word.running, run.id())) {
      run.goes_on = true;
    } else if (word.complete) {
      end(c, job, run, Status::lost, Reason::node_died);
    } else if (word.gone) {
      run.goes_on = false;
    }
  }
}

/// Leading oneself, one closes it instead.
void RunSet::publish(Context& c) {
  if (publish_at_ && c.now.steady < *publish_at_) return;
  publish_at_.reset();
  if (!c.session.is_open()) return;
  for (LiveRun& run : runs_)
    if (run.may_publish() && run.open.node == c.settings.node && !std::exchange(run.publishing, true)) {
      run.published = true;
      c.wants.outcomes.push_back(run.row);
    }
}

void RunSet::on_published(Context& c, const JobFacts& job, const runner::AttemptId& id, bool done) {
  LiveRun* run = runs_.find(id);
  if (!run) return;
  run->publishing = false;
  if (!done) publish_at_ = c.now.steady + retry_delay;
  if (!done || job.leading) return;
  if (run->known_to_runner) c.out.push_back(Forget{id});
  runs_.drop(id);
}

void RunSet::close(Context& c, const std::vector<runner::AttemptId>& ids) {
  for (const runner::AttemptId& id : ids) {
    const LiveRun* run = runs_.find(id);
    if (run && run->known_to_runner) c.out.push_back(Forget{id});
    if (run && run->published) c.wants.removals.push_back(outcome_record(id));
    runs_.drop(id);
  }
}

}  // namespace ballot::core
