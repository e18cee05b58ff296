// A job's runs: claimed, launched, adopted from an earlier term, ended.
#include <algorithm>

#include "base/duration.hpp"
#include "base/wall_text.hpp"
#include "core/job.hpp"

namespace ballot::core {
namespace {

constexpr Millis foreign_slack{1000};  // past the deadline of a term that ended without a word

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

void JobMachine::claim(Context& c, PendingWrite write, OpenRun run, std::optional<Asker> asker) {
  const Job& job = definition_->job;
  run.fence = ++write.next.fence;
  run.epoch = term_->epoch;
  run.node = c.settings.node;
  run.on_leadership_lost = job.on_leadership_lost;
  run.kill_grace = job.kill_grace;
  run.success_codes = job.success_codes;
  write.next.runs.push_back(run);
  write.claim = run.id;
  LiveRun live;
  live.row = claimed_row(run, name_, term_->group);
  live.open = std::move(run);
  live.definition = definition_;
  live.asker = asker;
  runs_.push_back(std::move(live));
  send(c, std::move(write));
}

/// The claim is ours for certain. A scheduled one whose slot's start deadline has passed meanwhile is not launched.
void JobMachine::confirm_claim(Context& c, const RunId& id) {
  LiveRun* run = find({id, 1});
  if (!run) return;
  run->state = LiveRun::State::held;
  c.out.push_back(Record{run->row});
  if (run->asker) c.out.push_back(Reply{*run->asker, true, "", id, {}});
  run->asker.reset();
  const bool late = c.now.wall - run->open.slot > run->definition->job.start_deadline;
  if (late && run->open.trigger != Trigger::manual) return end(c, *run, Status::missed, Reason::unclaimed);
  if (term_->draining) return end(c, *run, Status::missed, Reason::stale);
  if (c.may_claim()) launch(c, *run);
}

void JobMachine::launch(Context& c, LiveRun& run) {
  run.state = LiveRun::State::starting;
  run.known_to_runner = true;
  c.out.push_back(Launch{run.id(), run.definition, run.open.slot, run.open.trigger, run.open.epoch, run.open.fence,
                         c.session.deadline() - launch_budget});
}

/// What time does to runs: a held one is launched or becomes stale, one of a dead term is given up.
void JobMachine::advance_runs(Context& c) {
  for (LiveRun& run : runs_) {
    if (run.state == LiveRun::State::foreign && c.now.steady >= run.foreign_until)
      end(c, run, Status::lost, Reason::node_died);
    if (run.state != LiveRun::State::held) continue;
    const bool by_hand = run.open.trigger == Trigger::manual;
    const bool late = c.now.wall - run.open.slot > run.definition->job.start_deadline;
    if (term_->draining || ((late || register_.paused) && !by_hand))
      end(c, run, Status::missed, Reason::stale);
    else if (c.may_claim())
      launch(c, run);
  }
}

void JobMachine::on_started(Context& c, const runner::Started& event) {
  LiveRun* run = find(event.id);
  if (!run || run->state != LiveRun::State::starting) return;
  run->state = LiveRun::State::running;
  run->row.status = Status::running;
  run->row.started_at = event.started_at;
  c.out.push_back(Record{run->row});
  c.out.push_back(run_notice(Level::info, "started", *run));
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
  if (event.output.total_bytes > 0) c.out.push_back(RecordOutput{event.id, event.output});
  end(c, *run);
}

void JobMachine::on_recorded(const runner::AttemptId& id) {
  if (LiveRun* run = find(id)) run->recorded = true;
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

void JobMachine::end(Context& c, LiveRun& run) {
  run.state = LiveRun::State::ended;
  c.out.push_back(Record{run.row});
  c.out.push_back(AwaitRecorded{run.id()});
  c.out.push_back(end_notice(run));
}

void JobMachine::kill_all(Context& c, Reason reason) {
  for (LiveRun& run : runs_) {
    const bool alive = run.state == LiveRun::State::starting || run.state == LiveRun::State::running;
    if (!alive || run.killed) continue;
    run.killed = true;
    const int signal = run.definition ? run.definition->job.kill_signal : 15;
    c.out.push_back(KillRun{run.id(), reason, signal, run.open.kill_grace});
  }
}

/// The slots that the term before passed stand in the register: its ledger may be gone, so they go into this one too.
void JobMachine::copy_dispositions(Context& c) {
  for (const Disposition& d : register_.dispositions)
    for (Row& row : rows_of(d, register_.group, register_.epoch, c.settings.node))
      c.out.push_back(Record{std::move(row), true});
}

/// On taking over: every open run of the register is ours, our runner's, or a dead term's.
void JobMachine::settle_open_runs(Context& c) {
  for (const OpenRun& open : register_.runs) {
    LiveRun* live = find({open.id, open.attempt});
    if (!live)
      adopt_run(c, open);
    else if (live->state == LiveRun::State::claiming) {
      live->state = LiveRun::State::held;
      c.out.push_back(Record{live->row});
      if (open.epoch != term_->epoch) end(c, *live, Status::missed, Reason::stale);
    }
  }
  const auto shown = [&](const LiveRun& run) {
    return std::any_of(register_.runs.begin(), register_.runs.end(),
                       [&](const OpenRun& open) { return open.id == run.open.id; });
  };
  for (const LiveRun& run : runs_)
    if (run.has_ended() && run.known_to_runner && !shown(run)) c.out.push_back(Forget{run.id()});
  std::erase_if(runs_, [&](const LiveRun& run) {
    return !shown(run) &&
           (run.has_ended() || run.state == LiveRun::State::claiming || run.state == LiveRun::State::foreign);
  });
}

void JobMachine::adopt_run(Context& c, const OpenRun& open) {
  LiveRun run;
  run.open = open;
  run.row = claimed_row(open, name_, register_.group);
  const runner::AttemptId id{open.id, open.attempt};
  const bool own = open.node == c.settings.node;
  if (const auto* ended = own ? find_attempt(c.inventory.ended, id) : nullptr) {
    run.known_to_runner = true;
    run.state = LiveRun::State::running;
    runs_.push_back(std::move(run));
    on_ended(c, *ended);
  } else if (const auto* running = own ? find_attempt(c.inventory.running, id) : nullptr) {
    run.known_to_runner = true;
    run.state = LiveRun::State::running;
    run.row.status = Status::running;
    run.row.started_at = running->started_at;
    c.out.push_back(Record{run.row});
    c.out.push_back(run_notice(Level::info, "adopted", run));
    runs_.push_back(std::move(run));
  } else if (own || !term_->old_deadline) {
    runs_.push_back(std::move(run));
    end(c, runs_.back(), Status::lost, Reason::node_died);
  } else {
    run.state = LiveRun::State::foreign;
    run.foreign_until = *term_->old_deadline + foreign_slack;
    runs_.push_back(std::move(run));
  }
}

}  // namespace ballot::core
