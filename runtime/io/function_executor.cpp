#include "io/function_executor.hpp"

#include <algorithm>
#include <utility>

#include "io/child_environment.hpp"
#include "io/clocks.hpp"

namespace ballot::io {
namespace {

constexpr Millis gone_before{200};  // as the runner has it: by then a run of a term is to be gone
constexpr std::int64_t no_process = 0;

RunFacts facts_of(const core::Launch& launch, const std::string& node) {
  RunFacts facts;
  facts.job = launch.definition->job.name;
  facts.group = launch.group;
  facts.node = node;
  facts.run = launch.id.run;
  facts.attempt = launch.id.attempt;
  facts.slot = launch.slot;
  facts.trigger = launch.trigger;
  facts.epoch = launch.epoch;
  facts.fence = launch.fence;
  return facts;
}

}  // namespace

FunctionExecutor::FunctionExecutor(MainLoop& loop, FunctionSettings settings, Log log,
                                   std::function<void(std::vector<core::Event>)> on_events)
    : settings_(std::move(settings)),
      outputs_(settings_.outputs ? settings_.outputs : std::make_shared<FunctionOutputs>()),
      log_(std::move(log)),
      on_events_(std::move(on_events)),
      self_(std::make_shared<FunctionExecutor*>(this)),
      timer_(loop.context(), [this] { on_time(); }),
      pool_(std::max(settings_.threads, 1), [&loop, self = self_] {
        loop.post([self] {
          if (*self) (*self)->take();
        });
      }) {}

FunctionExecutor::~FunctionExecutor() { *self_ = nullptr; }

void FunctionExecutor::add_to(core::Inventory& inventory) const {
  for (const auto& [id, run] : runs_)
    inventory.running.push_back({id, run.launch.definition->job.name, no_process, run.begun.wall});
}

void FunctionExecutor::launch(const core::Launch& launch) {
  if (runs_.contains(launch.id)) return;  // its state is known: see runner::Start
  const auto function = settings_.table ? settings_.table->find(launch.definition->job.details->function) : nullptr;
  if (!function) return on_events_({runner::CannotStart{launch.id, "function: this program has none of that name", 0}});
  auto env = trigger_variables(launch);
  if (!env) return on_events_({runner::CannotStart{launch.id, env.error().what, 0}});
  const SteadyTime latest = latest_start(launch);
  if (read_clocks().steady > latest) return on_events_({runner::Refused{launch.id}});
  Run& run = runs_[launch.id];
  run.launch = launch;
  RunFacts facts = facts_of(launch, settings_.node);
  facts.env = *std::move(env);
  facts.output = outputs_->begin(launch.id, launch.definition->job.details->output_limit);
  run.number = pool_.add({function, std::move(facts), latest});
  numbers_[run.number] = launch.id;
  arm();
}

/// A run that ends with its term needs to know when that is.
SteadyTime FunctionExecutor::latest_start(const core::Launch& launch) const {
  const auto term = terms_.find(core::term_key(launch.group, launch.epoch));
  if (term != terms_.end()) return std::min(launch.launch_not_after, term->second.at);
  return launch.terminate ? SteadyTime::min() : launch.launch_not_after;
}

void FunctionExecutor::set_deadline(const core::TermDeadline& deadline) {
  terms_[core::term_key(deadline.group, deadline.epoch)] = {deadline.at, deadline.grace};
  if (!runs_.empty()) return on_time();
  const SteadyTime now = read_clocks().steady;
  std::erase_if(terms_, [&](const auto& term) { return term.second.at < now; });
}

void FunctionExecutor::kill(const core::KillRun& kill) {
  const auto it = runs_.find(kill.id);
  if (it == runs_.end()) return;
  std::vector<core::Event> events;
  if (it->second.state == State::waiting && pool_.withdraw(it->second.number)) {
    runner::Ended ended;
    ended.id = kill.id;
    ended.reason = kill.reason;
    ended.started_at = ended.ended_at = read_clocks().wall;
    ended.output = outputs_->end(kill.id, "");
    events = {runner::Started{kill.id, no_process, ended.started_at}, ended};
    numbers_.erase(it->second.number);
    runs_.erase(it);
  } else {
    request_stop(it->second, kill.reason, kill.grace);
  }
  arm();
  if (!events.empty()) on_events_(std::move(events));
}

void FunctionExecutor::leave(bool, SteadyTime) {
  if (runs_.empty()) return;
  log_(Level::error, "functions go on after the runtime has stopped", {{"runs", std::to_string(runs_.size())}});
}

bool FunctionExecutor::close(const std::function<SteadyTime()>& until) {
  *self_ = nullptr;
  timer_.disarm();
  const bool ended = pool_.close(until);
  for (const auto& [id, run] : runs_)
    if (run.state != State::waiting)
      log_(Level::error, "a function had not returned in time: its run is lost",
           {{"job", run.launch.definition->job.name}, {"run", id.run.text()}});
  return ended && runs_.empty();
}

void FunctionExecutor::take() {
  std::vector<core::Event> events;
  for (const FunctionPool::Report& report : pool_.take()) take(report, events);
  arm();
  if (!events.empty()) on_events_(std::move(events));
}

void FunctionExecutor::take(const FunctionPool::Report& report, std::vector<core::Event>& events) {
  const auto number = numbers_.find(report.number);
  if (number == numbers_.end()) return;
  const runner::AttemptId id = number->second;
  Run& run = runs_.at(id);
  if (report.what == FunctionPool::Report::What::begun) {
    run.begun = report.at;
    if (run.state == State::waiting)
      run.state = State::running;
    else
      pool_.stop(run.number);  // it was to be stopped as it was begun
    return events.push_back(runner::Started{id, no_process, report.at.wall});
  }
  if (report.what == FunctionPool::Report::What::refused)
    refuse(id, events);
  else
    events.push_back(end_of(run, report));
  numbers_.erase(number);
  runs_.erase(id);
}

/// Nothing of it has run.
void FunctionExecutor::refuse(const runner::AttemptId& id, std::vector<core::Event>& events) {
  outputs_->forget(id);
  events.push_back(runner::Refused{id});
}

runner::Ended FunctionExecutor::end_of(const Run& run, const FunctionPool::Report& report) const {
  runner::Ended ended;
  ended.id = run.launch.id;
  ended.reason = run.reason;
  ended.started_at = run.begun.wall;
  ended.ended_at = report.at.wall;
  ended.duration = report.at.steady - run.begun.steady;
  if (!report.result) {
    if (ended.reason == Reason::none) ended.reason = Reason::exception;
    ended.output = outputs_->end(ended.id, "threw: " + report.text + "\n");
    return ended;
  }
  if (ended.reason == Reason::none && report.result->kind() != JobResult::Kind::success)
    ended.reason = report.result->kind() == JobResult::Kind::retry ? Reason::temporary : Reason::permanent;
  ended.output = outputs_->end(ended.id, report.result->text());
  return ended;
}

/// The first reason counts.
void FunctionExecutor::request_stop(Run& run, Reason reason, Millis grace) {
  if (run.state == State::stopping) return;
  run.state = State::stopping;
  run.reason = reason;
  run.overdue_at = read_clocks().steady + grace;
  pool_.stop(run.number);
}

const FunctionExecutor::Deadline* FunctionExecutor::deadline_of(const Run& run) const {
  const auto term = terms_.find(core::term_key(run.launch.group, run.launch.epoch));
  return term == terms_.end() || !run.launch.terminate ? nullptr : &term->second;
}

SteadyTime FunctionExecutor::next_instant(const Run& run) const {
  if (run.state == State::waiting) return run.launch.launch_not_after + Millis(1);
  if (run.state == State::stopping) return run.overdue_at;
  SteadyTime next = SteadyTime::max();
  const Job& job = run.launch.definition->job;
  if (job.deadline) next = run.begun.steady + *job.deadline;
  if (const Deadline* const term = deadline_of(run))
    next = std::min(next, term->at - std::max(std::min(term->grace, job.kill_grace), gone_before));
  return next;
}

void FunctionExecutor::on_time() {
  armed_ = SteadyTime::max();
  const SteadyTime now = read_clocks().steady;
  std::vector<core::Event> events;
  for (auto& [id, run] : runs_)
    if (now >= next_instant(run)) advance(run, now, events);
  std::erase_if(runs_, [this](const auto& one) { return !numbers_.contains(one.second.number); });
  arm();
  if (!events.empty()) on_events_(std::move(events));
}

void FunctionExecutor::advance(Run& run, SteadyTime now, std::vector<core::Event>& events) {
  const Job& job = run.launch.definition->job;
  if (run.state == State::waiting) {
    if (!pool_.withdraw(run.number)) return;  // it is being begun: the pool says so
    numbers_.erase(run.number);
    refuse(run.launch.id, events);
  } else if (run.state == State::stopping) {
    warn_overdue(run);
  } else if (job.deadline && now >= run.begun.steady + *job.deadline) {
    request_stop(run, Reason::deadline, job.kill_grace);
  } else {
    request_stop(run, Reason::leadership_lost, std::max(deadline_of(run)->at - now, Millis(0)));
  }
}

void FunctionExecutor::warn_overdue(Run& run) {
  run.overdue_at = SteadyTime::max();
  const bool beyond = run.reason == Reason::leadership_lost;
  log_(Level::error,
       beyond ? "a function goes on past the end of its term: another node may run its job beside it"
              : "a function does not return though its stop was requested: it keeps its thread until it does",
       {{"job", run.launch.definition->job.name},
        {"run", run.launch.id.run.text()},
        {"reason", std::string(to_string(run.reason))}});
}

void FunctionExecutor::arm() {
  SteadyTime next = SteadyTime::max();
  for (const auto& [id, run] : runs_) next = std::min(next, next_instant(run));
  if (std::exchange(armed_, next) == next) return;
  if (next == SteadyTime::max())
    timer_.disarm();
  else
    timer_.arm(next);
}

}  // namespace ballot::io
