// A job's runs: claimed, launched, adopted from an earlier term, ended.
#include <algorithm>
#include <utility>

#include "base/duration.hpp"
#include "base/wall_text.hpp"
#include "core/job/job_machine.hpp"
#include "core/notify.hpp"
#include "core/outcome.hpp"

namespace ballot::core {
namespace {

constexpr Millis foreign_slack{
    1000};  // past the end of the session of a dead term, which its `terminate` runs do not outlive

Notice run_notice(Level level, std::string text, const LiveRun& run) {
  Notice notice{level, std::move(text), {{"job", run.row.job}, {"slot", format_slot(run.open.slot)}}};
  notice.fields.emplace_back("run", run.open.id.text());
  if (run.open.attempt > 1) notice.fields.emplace_back("attempt", std::to_string(run.open.attempt));
  return notice;
}

Notice end_notice(const LiveRun& run) {
  const Row& row = run.row;
  std::string text(to_string(row.status));
  if (row.reason != Reason::none) text += ": " + std::string(to_string(row.reason));
  Notice notice = run_notice(row.status == Status::succeeded ? Level::info : Level::warn, std::move(text), run);
  if (row.exit_code) notice.fields.emplace_back("exit_code", std::to_string(*row.exit_code));
  if (row.signal) notice.fields.emplace_back("signal", std::to_string(*row.signal));
  if (row.duration) notice.fields.emplace_back("duration", format_duration(*row.duration));
  return notice;
}

/// Of a run that is claimed, by the policies of its claim.
Millis budget_of(const Context& c, const LiveRun& run) {
  const bool finishes = run.open.on_leadership_lost == OnLeadershipLost::finish;
  return finishes ? launch_margin : c.session.terminate_budget(run.open.kill_grace);
}

template <class T>
const T* find_attempt(const std::vector<T>& list, const runner::AttemptId& id) {
  const auto it = std::find_if(list.begin(), list.end(), [&](const T& known) { return known.id == id; });
  return it == list.end() ? nullptr : &*it;
}

}  // namespace

LiveRun* JobMachine::find(const runner::AttemptId& id) {
  const auto it = std::find_if(runs_.begin(), runs_.end(), [&](const LiveRun& run) { return run.id() == id; });
  return it == runs_.end() ? nullptr : &*it;
}

OpenRun JobMachine::begin_run(Context& c, const DueSlot& due) const {
  OpenRun run;
  run.id = c.random.run_id(c.now.wall);
  run.slot = due.at;
  run.trigger = due.trigger;
  return run;
}

/// The policies that it runs under, whatever the files say when it ends.
void JobMachine::bind_run(const Context& c, OpenRun& run) const {
  const Job& job = definition_->job;
  run.epoch = term_->epoch;
  run.node = c.settings.node;
  run.on_leadership_lost = job.on_leadership_lost;
  run.kill_grace = job.kill_grace;
  run.lost_after = job.lost_after;
  run.at_least_once = job.guarantee == Guarantee::at_least_once;
  run.lost_limit = job.lost_limit;
  run.success_codes = job.success_codes;
  if (run.attempt == 1) {
    run.retries = job.retries;
    run.retry_delay = job.retry_delay;
    run.retry_max_delay = job.retry_max_delay;
    run.retry_backoff = job.retry_backoff;
    run.on_success = job.on_success;
    run.on_error = job.on_error;
  }
}

void JobMachine::claim(Context& c, PendingWrite write, OpenRun run) {
  bind_run(c, run);
  run.fence = ++write.next.fence;
  write.next.runs.push_back(run);
  write.claim = runner::AttemptId{run.id, run.attempt};
  LiveRun live;
  live.row = claimed_row(run, name_, term_->group);
  live.open = std::move(run);
  live.definition = definition_;
  live.asked = live.is_by_hand() && live.open.attempt == 1 && !write.waited;
  runs_.push_back(std::move(live));
  send(c, std::move(write));
}

/// The claim is ours for certain. A scheduled one whose slot's start deadline has passed meanwhile is not launched.
void JobMachine::confirm_claim(Context& c, const runner::AttemptId& id) {
  LiveRun* run = find(id);
  if (!run) return;
  run->state = LiveRun::State::held;
  c.out.push_back(RecordRow{run->row});
  const bool too_late = run->begin_by && c.now.wall > *run->begin_by;
  if (std::exchange(run->asked, false))
    c.wants.answers.push_back(
        {id.run, too_late ? Answer::refused(Errc::timeout, "its claim was confirmed too late; nothing was started")
                          : Answer::done(id.run)});
  if (too_late) return end(c, *run, Status::missed, Reason::start_deadline);
  if (is_late(c, *run)) return end(c, *run, Status::missed, Reason::unclaimed);
  if (term_->draining) return end(c, *run, Status::missed, Reason::stale);
  if (run->kill_asked) return end(c, *run, Status::killed, Reason::operator_);
  if (is_paused() && run->open.trigger != Trigger::manual) return end(c, *run, Status::missed, Reason::stale);
  if (c.may_claim(budget_of(c, *run))) launch(c, *run);
}

void JobMachine::launch(Context& c, LiveRun& run) {
  run.state = LiveRun::State::starting;
  run.known_to_runner = true;
  c.out.push_back(Launch{run.id(), run.row.group, run.definition, run.open.slot, run.open.trigger, run.open.epoch,
                         run.row.fence, run.open.on_leadership_lost == OnLeadershipLost::terminate,
                         c.session.deadline() - budget_of(c, run)});
}

bool JobMachine::is_late(const Context& c, const LiveRun& run) const {
  if (run.open.attempt > 1 || run.has_no_deadline()) return false;
  const Job& job = run.definition->job;
  return c.now.wall - due_at(job, run.open.slot) > job.start_deadline;
}

/// What time does to runs: a held one is launched or becomes stale, one of a dead term is given up.
void JobMachine::advance_runs(Context& c) {
  for (LiveRun& run : runs_) {
    if (run.state == LiveRun::State::foreign && c.now.steady >= run.foreign_until)
      end(c, run, Status::lost, Reason::node_died);
    if (run.state != LiveRun::State::held) continue;
    if (term_->draining || is_late(c, run) || (is_paused() && !run.is_by_hand()))
      end(c, run, Status::missed, Reason::stale);
    else if (!run.unclaimed && c.may_claim(budget_of(c, run)))
      launch(c, run);
  }
}

void JobMachine::on_started(Context& c, const runner::Started& event) {
  LiveRun* run = find(event.id);
  if (!run || run->state != LiveRun::State::starting) return;
  run->state = LiveRun::State::running;
  run->row.status = Status::running;
  run->row.started_at = event.started_at;
  c.out.push_back(RecordRow{run->row});
  c.out.push_back(run_notice(Level::info, "started", *run));
  tell_started(c, *run);
}

void JobMachine::on_refused(Context& c, const runner::Refused& event) {
  LiveRun* run = find(event.id);
  if (!run || run->state != LiveRun::State::starting) return;
  run->state = LiveRun::State::held;
  run->known_to_runner = false;
  const bool term_lives = standing_ == Standing::leading && term_->epoch == run->open.epoch;
  if (!term_lives) end(c, *run, Status::missed, Reason::stale);
}

void JobMachine::on_cannot_start(Context& c, const runner::CannotStart& event) {
  LiveRun* run = find(event.id);
  if (!run || run->state != LiveRun::State::starting) return;
  run->known_to_runner = false;
  Notice notice = run_notice(Level::error, "cannot start: " + event.stage, *run);
  notice.fields.emplace_back("errno", std::to_string(event.error));
  c.out.push_back(std::move(notice));
  end(c, *run, Status::failed, Reason::cannot_start);
}

void JobMachine::on_ended(Context& c, const runner::Ended& event) {
  LiveRun* run = find(event.id);
  if (!run || run->has_ended()) return;
  conclude(run->row, event, run->open.success_codes);
  if (event.output.total_bytes > 0)
    c.out.push_back(RecordOutput{event.id, event.output, is_mailed(definition_of(*run))});
  end(c, *run);
}

void JobMachine::await_recorded(Context& c, LiveRun& run) {
  run.recorded = false;
  ++run.awaited;
  c.out.push_back(RecordRow{run.row});
  c.out.push_back(AwaitRecorded{run.id()});
}

bool JobMachine::on_recorded(const runner::AttemptId& id) {
  if (LiveRun* run = find(id)) run->recorded = --run->awaited <= 0;
  return std::none_of(runs_.begin(), runs_.end(),
                      [&](const LiveRun& run) { return run.open.id == id.run && !(run.has_ended() && run.recorded); });
}

/// The runner was lost and is there again, or another one is.
void JobMachine::on_inventory(Context& c) {
  for (LiveRun& run : runs_) {
    if (run.state != LiveRun::State::starting && run.state != LiveRun::State::running) continue;
    if (const auto* ended = find_attempt(c.inventory.ended, run.id())) {
      on_ended(c, *ended);
    } else if (!find_attempt(c.inventory.running, run.id())) {
      run.known_to_runner = false;
      end(c, run, Status::lost, Reason::runner_died);
    }
  }
}

void JobMachine::end(Context& c, LiveRun& run, Status status, Reason reason) {
  conclude(run.row, status, reason, c.now.wall);
  end(c, run);
}

/// What its policies make of an end: another attempt, another run, another leader.
void JobMachine::follow_up(Context& c, LiveRun& run) {
  if (run.unclaimed && !is_ahead(run)) return;  // its slot was claimed by a later term, or will be
  if (!is_before_repair(run)) {                 // else its next attempt may have run in what was forgotten
    repeat_if_lost(run);
    retry_if_failed(c, run);
  }
  rerun_or_reelect(c, run);
}

/// `at-least-once`: the next attempt is to come, unless it was lost too often.
void JobMachine::repeat_if_lost(LiveRun& run) {
  if (run.row.status != Status::lost || run.row.reason == Reason::forgotten || !run.open.at_least_once) return;
  if (run.open.lost + 1 >= run.open.lost_limit)
    conclude(run.row, Status::failed, Reason::lost_limit, run.row.ended_at);
  else
    run.repeat = standing_ == Standing::leading;
}

/// The next attempt waits, a little longer than said, so that many that failed together do not come together again.
void JobMachine::retry_if_failed(Context& c, LiveRun& run) {
  const bool failed =
      run.row.status == Status::timed_out || (run.row.status == Status::failed && run.row.reason != Reason::lost_limit);
  if (!failed || run.open.retries == 0 || standing_ != Standing::leading) return;
  const Millis delay = std::min(run.open.retry_delay, run.open.retry_max_delay);
  const auto longer = static_cast<std::int64_t>(c.random.below(static_cast<std::uint64_t>(delay.count() / 10) + 1));
  run.next = run.open;
  ++run.next->attempt;
  --run.next->retries;
  run.next->waits_until = c.now.wall + delay + Millis(longer);
  const double grown = static_cast<double>(delay.count()) * run.open.retry_backoff;
  run.next->retry_delay = grown < static_cast<double>(run.open.retry_max_delay.count())
                              ? Millis(static_cast<std::int64_t>(grown))
                              : run.open.retry_max_delay;
}

/// A rerun is a run of its own, whose slot is when it is to start. What was killed on purpose is no error.
void JobMachine::rerun_or_reelect(Context& c, LiveRun& run) {
  if (standing_ != Standing::leading || run.repeat || run.next) return;
  const bool good = run.row.status == Status::succeeded;
  const bool failed = run.row.status == Status::failed || run.row.status == Status::timed_out;
  const AfterRun then = good ? run.open.on_success : failed ? run.open.on_error : AfterRun::ignore;
  if (then == AfterRun::reelect) c.wants.reelect.push_back(term_->group);
  if (then != AfterRun::rerun || !is_defined()) return;
  run.next = make_rerun(c, good ? Millis(1) : std::max(definition_->job.retry_delay, Millis(1)));
}

OpenRun JobMachine::make_rerun(Context& c, Millis in) {
  OpenRun again;
  again.slot = last_manual_ = std::max(c.now.wall + in, last_manual_ + Millis(1));
  again.id = c.random.run_id(again.slot);
  again.trigger = Trigger::rerun;
  again.waits_until = again.slot;
  return again;
}

/// What waits between two attempts, or for its turn, will not be started.
void JobMachine::end_waiting(Context& c, Status status, Reason reason) {
  for (LiveRun& run : runs_)
    if (run.is_waiting()) end(c, run, status, reason);
}

void JobMachine::end(Context& c, LiveRun& run) {
  run.state = LiveRun::State::ended;
  follow_up(c, run);
  await_recorded(c, run);
  c.out.push_back(end_notice(run));
  const bool goes_on = run.repeat || (run.next && run.next->id == run.open.id);
  if (run.open.awaited && !goes_on) c.wants.awaited.push_back(run.row);
  std::erase_if(kills_, [&](const auto& kill) {
    if (kill.second != run.open.id) return false;
    c.wants.answers.push_back({kill.first, Answer::done(kill.second)});
    return true;
  });
}

void JobMachine::kill(Context& c, LiveRun& run, Reason reason) {
  if (run.state == LiveRun::State::held || run.is_waiting())
    end(c, run, Status::killed, reason);
  else if ((run.state == LiveRun::State::starting || run.state == LiveRun::State::running) &&
           !std::exchange(run.killed, true))
    c.out.push_back(
        KillRun{run.id(), reason, run.definition ? run.definition->job.kill_signal : 15, run.open.kill_grace});
}

/// Those that end with their term.
void JobMachine::kill_all(Context& c, Reason reason) {
  for (LiveRun& run : runs_)
    if (run.open.on_leadership_lost == OnLeadershipLost::terminate && run.state != LiveRun::State::held &&
        !run.is_waiting())
      kill(c, run, reason);
}

/// What ended here is told to whoever leads, once it is durable. Leading oneself, one closes it instead.
void JobMachine::publish(Context& c) {
  if (publish_at_ && c.now.steady < *publish_at_) return;
  publish_at_.reset();
  if (!c.session.is_open()) return;
  for (LiveRun& run : runs_)
    if (run.may_publish() && run.open.node == c.settings.node && !std::exchange(run.publishing, true)) {
      run.published = true;
      c.wants.outcomes.push_back(run.row);
    }
}

void JobMachine::on_published(Context& c, const runner::AttemptId& id, bool done) {
  LiveRun* run = find(id);
  if (!run) return;
  run->publishing = false;
  if (!done) publish_at_ = c.now.steady + retry_delay;
  if (!done || standing_ == Standing::leading) return;
  if (run->known_to_runner) c.out.push_back(Forget{id});
  std::erase_if(runs_, [&](const LiveRun& other) { return other.id() == id; });
}

void JobMachine::on_outcome(Context& c, const Row& outcome) {
  const runner::AttemptId id{*outcome.run, outcome.attempt};
  LiveRun* run = find(id);
  if (standing_ != Standing::leading && standing_ != Standing::halted) return;
  if (!run || run->has_ended()) {
    const bool wanted = shows(id) || standing_ == Standing::halted;  // a repair may show the run again
    if (!run || run->published) return wanted ? void() : c.wants.removals.push_back(outcome_record(id));
    run->published = true;
    return;
  }
  run->published = true;
  run->row.fence = run->open.fence;
  conclude(run->row, outcome);
  end(c, *run);
}

/// What that runner was told it has done, so a run that it does not know was never started, and will not be.
void JobMachine::on_runner_word(Context& c, const RunnerWord& word) {
  for (LiveRun& run : runs_) {
    if (run.state != LiveRun::State::foreign || run.open.node != word.node) continue;
    if (const auto* ended = find_attempt(word.ended, run.id())) {
      conclude(run.row, *ended, run.open.success_codes);
      end(c, run);
    } else if (find_attempt(word.running, run.id())) {
      run.goes_on = true;
    } else if (word.complete) {
      end(c, run, Status::lost, Reason::node_died);
    } else if (word.gone) {
      run.goes_on = false;
    }
  }
}

bool JobMachine::has_foreign(const std::string& node) const {
  return std::any_of(runs_.begin(), runs_.end(),
                     [&](const LiveRun& run) { return run.state == LiveRun::State::foreign && run.open.node == node; });
}

/// What became of slots that the term before passed stands in the register: its ledger may be gone, so it goes into
/// this one too.
void JobMachine::copy_dispositions(Context& c) {
  for (const Disposition& d : view_.stored().dispositions)
    for (Row& row : slots_.rows_of(d, row_of_slots(view_.stored(), c.settings.node)))
      c.out.push_back(RecordRow{std::move(row), true});
  ranges_durable_ = ranges_recorded_;  // what this node knew of the register before does not count any more
  await_settled(c, view_.stored().dispositions.size());
}

/// On taking over: every open run of the register is ours, our runner's, or a dead term's.
/// Claims that the register does not show never were: what it shows under such an id is another term's claim.
void JobMachine::drop_claims_that_failed(Context& c) {
  for (const LiveRun& run : std::vector(runs_))
    if (run.state == LiveRun::State::claiming && !holds(view_.stored(), run.open)) drop_claim(c, run.id());
}

/// A claim that is known to have failed, or is given up: its run never was.
void JobMachine::drop_claim(Context& c, const runner::AttemptId& id) {
  std::erase_if(runs_, [&](const LiveRun& run) { return run.id() == id; });
  answer_kills(c, id.run);
}

/// Of a run that will not be started: neither its claim that failed nor a further one.
void JobMachine::answer_kills(Context& c, const RunId& run) {
  std::erase_if(kills_, [&](const auto& kill) {
    if (kill.second != run) return false;
    const std::string why = "its claim was not confirmed, so the run was never started";
    c.wants.answers.push_back({kill.first, Answer::refused(Errc::not_found, why)});
    return true;
  });
}

void JobMachine::settle_open_runs(Context& c) {
  drop_claims_that_failed(c);
  for (const OpenRun& open : view_.stored().runs) {
    LiveRun* live = find({open.id, open.attempt});
    if (!live && never_was(open)) continue;
    if (!live)
      adopt_run(c, open);
    else if (live->state == LiveRun::State::claiming) {
      live->state = LiveRun::State::held;
      c.out.push_back(RecordRow{live->row});
      if (open.epoch != term_->epoch) end(c, *live, Status::missed, Reason::stale);
    } else {
      if (live->unclaimed) entered(c, *live, open);
      if (live->has_ended()) follow_up(c, *live);  // in a term before, which has not closed it
    }
  }
  const auto shown = [&](const LiveRun& run) {
    return std::any_of(view_.stored().runs.begin(), view_.stored().runs.end(),
                       [&](const OpenRun& open) { return open.id == run.open.id && open.attempt == run.open.attempt; });
  };
  for (const LiveRun& run : runs_)
    if (run.has_ended() && !run.unclaimed && run.known_to_runner && !shown(run)) c.out.push_back(Forget{run.id()});
  std::erase_if(runs_, [&](const LiveRun& run) {
    return !shown(run) && !run.unclaimed &&
           (run.has_ended() || run.state == LiveRun::State::foreign || run.is_waiting());
  });
}

void JobMachine::adopt_run(Context& c, const OpenRun& open) {
  LiveRun run;
  run.open = open;
  run.row = claimed_row(open, name_, view_.stored().group);
  if (open.waits_until) {
    run.state = LiveRun::State::waiting;
    run.again_at = c.now.steady + std::max(*open.waits_until - c.now.wall, Millis(0));
    return runs_.push_back(std::move(run));
  }
  const runner::AttemptId id{open.id, open.attempt};
  const bool own = open.node == c.settings.node;
  if (const auto outcome = c.outcomes.find(id); outcome != c.outcomes.end()) {
    run.published = true;
    conclude(run.row, outcome->second);
    runs_.push_back(std::move(run));
    end(c, runs_.back());
  } else if (own && adopt_known(c, run)) {
    return;
  } else if (own && commands_.repair()) {  // its end may be a record in the store
    run.state = LiveRun::State::foreign;
    run.foreign_until = c.now.steady + foreign_slack;
    runs_.push_back(std::move(run));
  } else if (own || !term_) {
    runs_.push_back(std::move(run));
    end(c, runs_.back(), Status::lost, Reason::node_died);
  } else {
    const bool finishes = open.on_leadership_lost == OnLeadershipLost::finish;
    run.state = LiveRun::State::foreign;
    run.goes_on = finishes && term_->left_clean == open.epoch;
    run.foreign_until = std::max(term_->old_deadline.value_or(c.now.steady + foreign_slack), c.now.steady) +
                        (finishes ? open.lost_after : Millis(0));
    c.wants.unheard.insert(open.node);
    runs_.push_back(std::move(run));
  }
}

/// A run of this node which the runner has told of, from before this daemon. False where it does not know it.
bool JobMachine::adopt_known(Context& c, LiveRun& run) {
  const auto* ended = find_attempt(c.inventory.ended, run.id());
  const auto* running = find_attempt(c.inventory.running, run.id());
  if (!ended && !running) return false;
  run.known_to_runner = true;
  run.state = LiveRun::State::running;
  if (!ended) {
    run.row.status = Status::running;
    run.row.started_at = running->started_at;
    c.out.push_back(RecordRow{run.row});
    c.out.push_back(run_notice(Level::info, "adopted", run));
  }
  runs_.push_back(std::move(run));
  if (ended) on_ended(c, *ended);
  return true;
}

}  // namespace ballot::core
