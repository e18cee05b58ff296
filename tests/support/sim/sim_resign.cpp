#include "support/sim/sim_resign.hpp"

#include <algorithm>

#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

constexpr Millis pause{1000};  // between checks whether another run has ended

}  // namespace

void SimResign::begin(Millis delay) {
  cut_short();
  owner_ = world_.loop.new_owner();
  world_.loop.after(delay, owner_, [this] { inquire(); });
}

void SimResign::cut_short() {
  if (owner_ != 0) world_.loop.drop(std::exchange(owner_, 0));
}

Millis SimResign::trip() const { return world_.loop.between(2 * node_.link.delay_min, 2 * node_.link.delay_max); }

/// At the runner first: what ends meanwhile is published the next time.
void SimResign::inquire() {
  again_ = node_.machine.suspended || node_.runner.gone() || node_.is_cut_off();
  if (again_) return inquire_later();
  world_.oracle.note(node_.name, "somebody resigns for the dead daemon");
  ends_ = node_.runner.unacknowledged().size();
  const core::RunnerView runner = node_.runner.left();
  const SteadyTime asked_at = world_.loop.now();
  world_.loop.after(trip(), owner_, [this, runner, asked_at] {
    publish(core::left_runs(node_.name, world_.store.list("j/"), runner, node_.clock.now().wall), asked_at);
  });
}

void SimResign::publish(const core::LeftRuns& left, SteadyTime asked_at) {
  world_.loop.after(trip(), owner_, [this, left, asked_at] {
    again_ = node_.is_cut_off();
    if (again_) return inquire_later();
    for (const Record& end : left.ends) world_.store.create(end);
    world_.judge.published(node_.name, asked_at);
    world_.loop.after(trip(), owner_, [this, left] { leave(left); });
  });
}

void SimResign::leave(const core::LeftRuns& left) {
  again_ = node_.is_cut_off();
  const auto session = world_.store.of_node(node_.name);
  if (again_ || session == 0) return inquire_later();
  for (const std::string& group : left.groups)
    if (!left.kept_groups.contains(group)) world_.store.resign(session, group);
  if (left.kept_groups.empty()) world_.store.end(session, Cause::shutdown);
  inquire_later();
}

void SimResign::inquire_later() {
  world_.loop.after(pause, owner_,
                    [this] { again_ || node_.runner.unacknowledged().size() != ends_ ? inquire() : inquire_later(); });
}

}  // namespace ballot
