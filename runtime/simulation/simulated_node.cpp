#include "simulation/simulated_node.hpp"

#include <algorithm>
#include <utility>

#include "base/fnv.hpp"

namespace ballot::simulation {
namespace {

constexpr int term_signal = 15;

}  // namespace

/// The seed is made of the node's name and boot: what a core draws is the same in each simulation.
void SimulatedNode::start() {
  ++boots_;
  owner_ = world_.loop.new_owner();
  core::CoreSettings settings;
  settings.node = name();
  settings.machine_id = name();
  settings.boot_id = name() + "-" + std::to_string(boots_);
  settings.booted_at = world_.clock.wall();
  settings.seed = Fnv().add_whole(name()).add(std::to_string(boots_)).value();
  settings.max_running = world_.fleet.max_running;
  settings.spread = world_.fleet.spread;
  core_ = std::make_unique<core::Core>(std::move(settings));
  feed(core::Inventory{});
  feed(core::Load{files_.jobs, files_.groups, {}, {}});
}

void SimulatedNode::lose() {
  world_.tally.on_loss(name(), world_.clock.wall());
  world_.store.lose(session_);
  world_.loop.drop(owner_);
  core_.reset();
  queue_.clear();
  children_.clear();
  work_ = Work::none;
  timer_ = 0;
  wakes_at_.reset();
}

/// What others bring about comes after what they are doing.
void SimulatedNode::feed(core::Event event) {
  queue_.push_back(std::move(event));
  if (work_ != Work::none) return;
  work_ = Work::called_for;
  world_.loop.after(Millis(0), owner_, [this] { work(); });
}

void SimulatedNode::work() {
  work_ = Work::under_way;
  while (!queue_.empty()) {
    const core::Event next = std::move(queue_.front());
    queue_.pop_front();
    ++steps_;
    const auto follows = queue_.empty() ? core::Follows::nothing : core::Follows::more;
    core::Actions actions = core_->step(world_.clock.now(), next, follows);
    for (core::Action& action : actions) std::visit([this](auto& what) { act(what); }, action);
  }
  work_ = Work::none;
  rearm();
}

/// A run that ends at an instant has ended before what is due then.
void SimulatedNode::wake() {
  wakes_at_.reset();
  timer_ = world_.loop.after(Millis(0), owner_, [this] { feed(core::Tick{}); });
}

void SimulatedNode::rearm() {
  const core::Wake next = core_->wake();
  std::optional<SteadyTime> at = next.steady;
  if (next.wall) at = std::min(at.value_or(SteadyTime::max()), world_.clock.steady(*next.wall));
  if (at && at == wakes_at_) return;
  world_.loop.cancel(timer_);
  wakes_at_ = at;
  if (!at) return;
  timer_ = world_.loop.at(*at, owner_, [this] { wake(); });
}

void SimulatedNode::act(core::OpenSession& a) {
  SessionRequest request;
  request.generation = a.generation;
  request.node = request.host = request.machine_id = name();
  request.boot_id = name() + "-" + std::to_string(boots_);
  request.pid = 1;
  session_ = world_.store.open(request, [this](BackendEvent event) { feed(std::move(event)); });
}

void SimulatedNode::act(core::Launch& a) {
  const Job& job = a.definition->job;
  const WallTime now = world_.clock.wall();
  const Millis* const known = world_.fleet.run_times.find(job.name);
  const Millis takes = known ? *known : world_.fleet.run_times.assumed;
  const bool is_cut = job.deadline && takes >= *job.deadline;
  const Reason reason = is_cut && known ? Reason::deadline : Reason::none;
  world_.tally.on_start(name(), a, now);
  Child child{now, 0};
  child.end = world_.loop.after(is_cut ? *job.deadline : takes, owner_, [this, id = a.id, reason] { end(id, reason); });
  children_.emplace(a.id, std::move(child));
  feed(runner::Started{a.id, 1, now});
}

/// Killed, it ends at once.
void SimulatedNode::end(const runner::AttemptId& id, Reason reason) {
  const auto child = children_.extract(id);
  if (child.empty()) return;
  world_.loop.cancel(child.mapped().end);
  const WallTime now = world_.clock.wall();
  runner::Ended ended;
  ended.id = id;
  ended.started_at = child.mapped().started_at;
  ended.ended_at = now;
  ended.duration = now - ended.started_at;
  ended.reason = reason;
  if (reason == Reason::none)
    ended.exit_code = 0;
  else
    ended.signal = term_signal;
  world_.tally.on_end(name(), id, now);
  feed(std::move(ended));
}

}  // namespace ballot::simulation
