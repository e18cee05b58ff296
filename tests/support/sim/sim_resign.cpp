#include "support/sim/sim_resign.hpp"

#include <algorithm>

#include "core/record/register.hpp"
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
    Found found{runner, core::left_runs(node_.name, world_.store.list("j/"), runner), {}, {}, asked_at};
    for (const Register& stored : world_.store.list("g/")) {
      const auto group = core::parse_group_register(stored.value);
      if (!group) continue;
      found.terms[stored.name.substr(2)] = group->epoch;
      if (group->node == node_.name && !group->ended_at) found.groups.push_back(stored.name.substr(2));
    }
    publish(std::make_shared<const Found>(std::move(found)));
  });
}

void SimResign::publish(const std::shared_ptr<const Found>& found) {
  world_.loop.after(trip(), owner_, [this, found] {
    again_ = node_.is_cut_off();
    if (again_) return inquire_later();
    for (const Record& end : found->left.ends) world_.store.create(end);
    world_.loop.after(trip(), owner_, [this, found] { leave(found); });
  });
}

/// Where its session was over before, another may have its name, and leads later terms.
void SimResign::leave(const std::shared_ptr<const Found>& found) {
  again_ = node_.is_cut_off();
  if (again_) return inquire_later();
  if (const auto session = world_.store.of_node(node_.name); session != 0) {
    for (const std::string& group : found->groups)
      if (!found->left.kept_groups.contains(group)) world_.store.resign(session, group);
    if (found->left.kept_groups.empty()) world_.store.end(session, Cause::shutdown);
  }
  world_.loop.after(trip(), owner_, [this, found] { publish_never_started(found); });
}

void SimResign::publish_never_started(const std::shared_ptr<const Found>& found) {
  again_ = node_.is_cut_off();
  if (again_) return inquire_later();
  const auto ends =
      core::never_started(node_.name, world_.store.list("j/"), found->runner, &found->terms, node_.clock.now().wall);
  for (const Record& end : ends) world_.store.create(end);
  world_.judge.published(node_.name, found->asked_at);
  inquire_later();
}

void SimResign::inquire_later() {
  world_.loop.after(pause, owner_,
                    [this] { again_ || node_.runner.unacknowledged().size() != ends_ ? inquire() : inquire_later(); });
}

}  // namespace ballot
