#include "support/sim/sim_runner.hpp"

#include <algorithm>
#include <utility>

namespace ballot {
namespace {

constexpr Millis kill_margin{200};
constexpr Millis restart_pause{1000};
constexpr Millis reaction{50};  // from TERM to the end of a child that does not ignore it
constexpr int sigkill = 9, sigterm = 15;

bool is_function(const core::Launch& launch) { return !launch.definition->job.details->function.empty(); }
bool is_function(const runner::Ended& ended) { return !ended.exit_code && !ended.signal; }

Reason reason_of_result(int result) {
  constexpr Reason reasons[] = {Reason::none, Reason::permanent, Reason::temporary, Reason::exception};
  return reasons[static_cast<std::size_t>(result) % std::size(reasons)];
}

}  // namespace

SimRunner::SimRunner(SimLoop& loop, const SimMachine& machine, SimOracle& oracle, std::string node)
    : loop_(loop), machine_(machine), oracle_(oracle), node_(std::move(node)), owner_(loop.new_owner()) {}

SimRunner::~SimRunner() {
  disconnect();
  loop_.drop(owner_);
}

void SimRunner::connect(OnEvent on_event) {
  while (!wanted_.empty()) launch(wanted_.begin()->first);
  connection_ = loop_.new_owner();
  link_ = loop_.new_owner();
  on_event_ = std::move(on_event);
  gone_ = false;
}

void SimRunner::disconnect() {
  loop_.drop(std::exchange(connection_, 0));
  loop_.drop(std::exchange(link_, 0));
  is_broken_ = false;
  on_event_ = nullptr;
  lose_functions();
}

/// With the process that called them, and what had ended there.
void SimRunner::lose_functions() {
  std::erase_if(wanted_, [](const auto& one) { return is_function(one.second); });
  for (const Child& child : children_) {
    if (!child.function) continue;
    oracle_.ended(child.start, machine_.suspended.value_or(loop_.now()));
    oracle_.evidence_gone(child.id);
  }
  function_deadlines_.clear();
  std::erase_if(children_, [](const Child& child) { return child.function; });
  for (const runner::Ended& ended : unacknowledged_)
    if (is_function(ended)) oracle_.evidence_gone(ended.id);
  std::erase_if(unacknowledged_, [](const runner::Ended& ended) { return is_function(ended); });
}

core::Inventory SimRunner::inventory() const {
  core::Inventory inventory;
  for (const Child& child : children_) inventory.running.push_back({child.id, child.job, 1, child.started_at});
  inventory.ended = unacknowledged_;
  return inventory;
}

core::RunnerView SimRunner::left() {
  while (!on_event_ && !wanted_.empty()) launch(wanted_.begin()->first);
  core::RunnerView view;
  view.known = core::RunnerView::Known::all;
  for (runner::Running& running : inventory().running) view.running[running.id] = std::move(running);
  for (const runner::Ended& ended : unacknowledged_) view.ended[ended.id] = ended;
  return view;
}

/// The orders of a dead daemon are carried out first.
void SimRunner::watch(const std::string& watcher, SimLoop::Owner owner, OnWord on_word) {
  while (!on_event_ && !wanted_.empty()) launch(wanted_.begin()->first);
  core::Inventory all = inventory();
  watchers_[watcher] = {owner, on_word};
  core::RunnerWord word{node_, !on_event_, std::move(all.running), std::move(all.ended), false};
  loop_.after(Millis(1), owner, [on_word = std::move(on_word), word = std::move(word)] { on_word(word); });
}

/// What becomes of a function is known in the daemon's process, whatever its link to the runner.
void SimRunner::say(core::Event event, bool of_function) {
  if (!on_event_ || (is_broken_ && !of_function)) return;
  loop_.after(Millis(1), of_function ? connection_ : link_, [this, event = std::move(event)] { on_event_(event); });
}

void SimRunner::start(const core::Launch& launch) {
  if ((gone_ || is_broken_) && !is_function(launch)) return;
  const std::size_t number = ++last_wanted_;
  wanted_.emplace(number, launch);
  loop_.after(loop_.between(Millis(0), habits.slowest_start), owner_, [this, number] { this->launch(number); });
}

void SimRunner::launch(std::size_t number) {
  if (machine_.suspended) return;  // resume() does it
  const auto wanted = wanted_.extract(number);
  if (!wanted.empty()) exec(wanted.mapped());
}

void SimRunner::exec(const core::Launch& launch) {
  const runner::AttemptId id = launch.id;
  const auto is_it = [&](const auto& known) { return known.id == id; };
  const auto running = std::find_if(children_.begin(), children_.end(), is_it);
  const bool function = is_function(launch);
  if (running != children_.end()) return say(runner::Started{id, 1, running->started_at}, function);
  const auto ended = std::find_if(unacknowledged_.begin(), unacknowledged_.end(), is_it);
  if (ended != unacknowledged_.end())
    return say(runner::Started{id, 1, ended->started_at}, function), say(*ended, function);
  const Job& job = launch.definition->job;
  const std::uint64_t term = core::term_key(launch.group, launch.epoch);
  const auto& terms = function ? function_deadlines_ : deadlines_;
  const auto of_term = terms.find(term);
  const SteadyTime limit = of_term == terms.end() ? SteadyTime::max() : of_term->second.at;
  if (now() > launch.launch_not_after || now() > limit) return say(runner::Refused{id}, function);
  const auto habit = [&](const auto& of, auto otherwise) {
    const auto it = of.find(job.name);
    return it == of.end() ? otherwise : it->second;
  };
  Child child;
  child.id = id;
  child.job = job.name;
  child.started_at = machine_.clock.now().wall;
  child.start = oracle_.started(node_, launch);
  child.term = term;
  child.terminate = launch.terminate;
  child.stubborn = habits.stubborn.contains(job.name);
  child.function = function;
  child.grace = job.kill_grace;
  child.code = habit(habits.exits, 0);
  child.begun = now();
  child.exits_at = now() + habit(habits.takes, Millis(1000));
  if (job.deadline) child.deadline = now() + *job.deadline;
  children_.push_back(std::move(child));
  say(runner::Started{id, 1, children_.back().started_at}, function);
  advance();
}

void SimRunner::kill(const core::KillRun& kill) {
  const auto wanted = std::find_if(wanted_.begin(), wanted_.end(), [&](const auto& w) {
    return w.second.id == kill.id && (!is_broken_ || is_function(w.second));
  });
  if (wanted != wanted_.end()) launch(wanted->first);
  for (Child& child : children_)
    if (child.id == kill.id && (!is_broken_ || child.function)) stop(child, kill.reason, now() + kill.grace);
  advance();
}

void SimRunner::set_deadline(const core::TermDeadline& deadline) {
  const std::uint64_t term = core::term_key(deadline.group, deadline.epoch);
  function_deadlines_[term] = {deadline.at, deadline.grace};
  if (!is_broken_) deadlines_[term] = function_deadlines_[term];
  advance();
}

void SimRunner::forget(const runner::AttemptId& id) {
  std::erase_if(unacknowledged_,
                [&](const runner::Ended& ended) { return ended.id == id && (!is_broken_ || is_function(ended)); });
}

std::optional<SteadyTime> SimRunner::deadline(std::uint64_t term) const {
  const auto it = deadlines_.find(term);
  return it == deadlines_.end() ? std::nullopt : std::optional(it->second.at);
}

SteadyTime SimRunner::signal_at(const Deadline& term, const Child& child) {
  return term.at - std::max(std::min(term.grace, child.grace), kill_margin);
}

/// Begins to stop it; one that has begun is only shortened.
void SimRunner::stop(Child& child, Reason reason, SteadyTime kill_at) {
  if (child.outlives) return;
  child.kill_at = std::min(child.kill_at, kill_at);
  if (child.reason != Reason::none) return;
  child.reason = reason;
  if (!child.stubborn && now() < child.kill_at) child.exits_at = std::min(child.exits_at, now() + reaction);
}

const SimRunner::Deadline* SimRunner::deadline_of(const Child& child) const {
  const auto& terms = child.function ? function_deadlines_ : deadlines_;
  const auto term = terms.find(child.term);
  return term == terms.end() || !child.terminate || child.outlives ? nullptr : &term->second;
}

void SimRunner::obey_deadlines(Child& child) {
  if (const Deadline* const term = deadline_of(child)) {
    const SteadyTime kill_at = term->at - kill_margin;
    if (now() >= signal_at(*term, child)) stop(child, Reason::leadership_lost, kill_at);
  }
  if (child.deadline && now() >= *child.deadline) stop(child, Reason::deadline, *child.deadline + child.grace);
}

/// Ends what is over. `suspended_since`: the machine was suspended from then to now, and nothing on it lived on.
void SimRunner::advance(std::optional<SteadyTime> suspended_since) {
  if (machine_.suspended) return;
  std::vector<Child> over;
  for (Child& child : children_) {
    obey_deadlines(child);
    if (child.function && child.stubborn && now() >= child.kill_at) outlive(child);
    if (now() >= child.kill_at || now() >= child.exits_at) over.push_back(child);
  }
  std::erase_if(children_, [this](const Child& c) { return now() >= c.kill_at || now() >= c.exits_at; });
  for (const Child& child : over) end(child, suspended_since.value_or(loop_.now()));
  rearm();
}

/// Nobody can kill a function.
void SimRunner::outlive(Child& child) {
  child.outlives = true;
  child.kill_at = SteadyTime::max();
  child.exits_at = std::max(child.exits_at, now() + reaction);
  oracle_.outlives(child.start);
}

void SimRunner::end(const Child& child, SteadyTime lived_until) {
  const bool by_kill = now() >= child.kill_at;
  const bool by_signal = by_kill || (child.reason != Reason::none && !child.stubborn);
  runner::Ended ended;
  ended.id = child.id;
  if (child.function)
    ended.reason = reason_of_result(child.code);
  else if (by_signal)
    ended.signal = by_kill ? sigkill : sigterm;
  else
    ended.exit_code = child.code;
  if (child.reason != Reason::none) ended.reason = child.reason;
  ended.started_at = child.started_at;
  ended.ended_at = machine_.clock.now().wall;
  ended.duration = now() - child.begun;
  oracle_.ended(child.start, lived_until, ended);
  unacknowledged_.push_back(ended);
  say(ended, child.function);
  for (const auto& [name, watcher] : watchers_)
    loop_.after(
        Millis(1), watcher.owner,
        [on_word = watcher.on_word, word = core::RunnerWord{node_, false, {}, {ended}, false}] { on_word(word); });
}

void SimRunner::rearm() {
  loop_.cancel(timer_);
  std::optional<SteadyTime> next;
  const auto earliest = [&](SteadyTime at) { next = std::min(next.value_or(at), at); };
  for (const Child& child : children_) {
    earliest(std::min(child.exits_at, child.kill_at));
    if (child.deadline && child.reason == Reason::none) earliest(*child.deadline);
    const Deadline* const term = deadline_of(child);
    if (!term) continue;
    const SteadyTime signal = signal_at(*term, child);  // it shortens what another reason has begun
    if (child.reason == Reason::none || signal > now()) earliest(signal);
  }
  if (!next) return;
  timer_ = loop_.after(std::max(*next - now(), Millis(0)), owner_, [this] { advance(); });
}

void SimRunner::crash() {
  for (const Child& child : children_)
    if (!child.function) oracle_.orphaned(child.start);
  for (const auto& [name, watcher] : std::exchange(watchers_, {}))
    loop_.after(Millis(1), watcher.owner,
                [on_word = watcher.on_word, word = core::RunnerWord{node_, false, {}, {}, true}] { on_word(word); });
  clear(Survivors::functions);
  loop_.drop(connection_);
  loop_.drop(link_);
  gone_ = true;
  is_broken_ = false;
  if (!on_event_) return;
  loop_.after(Millis(1), connection_, [this] { on_event_(core::RunnerGone{}); });
  loop_.after(restart_pause, connection_, [this] {
    gone_ = false;
    on_event_(inventory());
  });
}

void SimRunner::break_link(Millis noticed, Millis down) {
  if (!on_event_ || is_broken_ || gone_) return;
  loop_.drop(link_);
  is_broken_ = true;
  oracle_.link_breaks(node_, loop_.now() + noticed, loop_.now() + noticed + down);
  loop_.after(noticed, connection_, [this] { on_event_(core::RunnerGone{}); });
  loop_.after(noticed + down, connection_, [this] { take_up_link(); });
}

/// What the runner was sent before it does first.
void SimRunner::take_up_link() {
  if (machine_.suspended) return void(loop_.after(restart_pause, connection_, [this] { take_up_link(); }));
  while (!wanted_.empty()) launch(wanted_.begin()->first);
  is_broken_ = false;
  core::Inventory all = inventory();
  all.same_runner = true;
  on_event_(std::move(all));
}

void SimRunner::power_cut() {
  disconnect();
  for (const Child& child : children_) oracle_.ended(child.start, machine_.suspended.value_or(loop_.now()));
  clear(Survivors::none);
}

void SimRunner::clear(Survivors survivors) {
  const bool all = survivors == Survivors::none;
  loop_.drop(owner_);
  timer_ = 0;
  for (const Child& child : children_)
    if (all || !child.function) oracle_.evidence_gone(child.id);
  for (const runner::Ended& ended : unacknowledged_)
    if (all || !is_function(ended)) oracle_.evidence_gone(ended.id);
  watchers_.clear();
  wanted_.clear();
  std::erase_if(children_, [&](const Child& child) { return all || !child.function; });
  std::erase_if(unacknowledged_, [&](const runner::Ended& ended) { return all || !is_function(ended); });
  deadlines_.clear();
  if (all) function_deadlines_.clear();
  rearm();
}

/// What the deadlines say comes first: a child that is past its own did not live on.
void SimRunner::resume(SteadyTime since) {
  for (Child& child : children_) child.exits_at += loop_.now() - since;
  advance(since);
  while (!wanted_.empty()) launch(wanted_.begin()->first);
}

}  // namespace ballot
