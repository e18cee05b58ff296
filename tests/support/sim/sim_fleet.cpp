#include "support/sim/sim_fleet.hpp"

#include <algorithm>

namespace ballot {
namespace {

constexpr Millis look_every{50};
constexpr Millis longest{600'000};
constexpr int groups_moved_a_second = 40;  // at least

std::string numbered(const char* what, int number) {
  std::string digits = std::to_string(number);
  return what + std::string(6 - std::min<std::size_t>(6, digits.size()), '0') + digits;
}

}  // namespace

SimFleet::SimFleet(Size s) : size(s) {
  for (int i = 0; i < size.jobs; ++i) {
    Job job;
    job.name = numbered("job", i);
    job.group = numbered("group", i % size.groups);
    job.schedule = {"0 12 1 7 *"};  // in half a year
    jobs_.push_back(define(std::move(job)));
  }
  for (int i = 0; i < size.nodes; ++i) {
    SimNode& node = world_.add(numbered("node", i));
    node.jobs = jobs_;
    node.spread = true;
    node.link.request_timeout = Millis(10'000);
  }
}

void SimFleet::join(Millis apart) {
  for (const auto& node : world_.nodes) {
    node->start();
    run_for(apart);
  }
}

void SimFleet::kill(int count) {
  for (const auto& node : world_.nodes)
    if (node->running() && count-- > 0) node->crash();
}

void SimFleet::settle() { run_for(Millis(120'000) + Millis(1'000) * (size.groups / groups_moved_a_second)); }

Millis SimFleet::await_all_led() {
  const SteadyTime from = world_.loop.now();
  while (!all_led() && world_.loop.now() - from < longest) run_for(look_every);
  return world_.loop.now() - from;
}

bool SimFleet::all_led() const {
  std::size_t led = 0;
  for (const auto& node : world_.nodes)
    if (node->running())
      node->core().views().visit_groups("", SIZE_MAX,
                                        [&](const core::GroupView& group) { led += group.state == "leading"; });
  return led >= static_cast<std::size_t>(size.groups);
}

std::size_t SimFleet::notices(const std::string& beginning) const {
  std::size_t count = 0;
  for (const auto& node : world_.nodes)
    for (const core::Notice& notice : node->notices) count += notice.text.starts_with(beginning);
  return count;
}

void SimFleet::each_link(const std::function<void(SimLink&)>& change) {
  for (const auto& node : world_.nodes) change(node->link);
}

SimTraffic SimFleet::traffic() const {
  SimTraffic sum;
  for (const auto& node : world_.nodes)
    for (const auto& [kind, count] : node->link.traffic.by_kind) sum.by_kind[kind] += count;
  return sum;
}

SimFleet::Traffic SimFleet::count(const std::function<void()>& what) {
  const SteadyTime from = world_.loop.now();
  SimTraffic before = traffic();
  what();
  Traffic meanwhile{{}, {}, world_.loop.now() - from};
  for (const auto& [kind, count] : traffic().by_kind) {
    meanwhile.by_kind[kind] = count - before.by_kind[kind];
    meanwhile.all += meanwhile.by_kind[kind];
  }
  return meanwhile;
}

}  // namespace ballot
