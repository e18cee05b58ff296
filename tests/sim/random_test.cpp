// Random faults, one seed a run: crashes, reboots, cuts, lost and late answers, clock steps, edits. A failure prints
// its seed; BALLOT_SEED=N replays it, BALLOT_SEEDS=N runs that many.
#include <gtest/gtest.h>

#include <cstdlib>

#include "support/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::vector<schedule::DefinitionPtr> files() {
  Job job;
  job.name = "minutely";
  job.schedule = {"* * * * *"};
  Job all = job;
  all.name = "all";
  all.misfire = Misfire::all;
  all.schedule = {"*/2 * * * *"};
  all.group = "second";
  Job fast = job;
  fast.name = "fast";
  fast.schedule = {"*/7 * * * * *"};
  return {define(job), define(all), define(fast)};
}

/// One fault, or its end, on a node.
void disturb(SimWorld& world, SimNode& node) {
  switch (world.loop.random().below(8)) {
    case 0: node.crash(); break;
    case 1: node.reboot(); break;
    case 2: node.link.cut = true; break;
    case 3: node.link.deaf = true; break;
    case 4: node.link.lose_answer = 200; break;
    case 5:
      node.link.lose_request = 200;
      node.link.late_request = 100;
      break;
    case 6:
      if (node.running()) node.stop(Millis(5000));
      break;
    default: node.link.duplicate = 200; break;
  }
}

void heal(SimWorld& world, SimNode& node) {
  const Millis min = node.link.delay_min, max = node.link.delay_max;
  node.link = SimLink{};
  node.link.delay_min = min;
  node.link.delay_max = max;
  if (node.stopping()) {
    world.run_while_not([&] { return node.stopped(); }, 2min);
    node.crash();
  }
  if (!node.running()) node.start();
}

void run_seed(std::uint64_t seed) {
  SCOPED_TRACE("replay with BALLOT_SEED=" + std::to_string(seed));
  SimWorld world(seed);
  const auto jobs = files();
  const std::size_t count = 1 + world.loop.random().below(3);
  for (std::size_t i = 0; i < count; ++i) {
    SimNode& node = world.add(std::string(1, static_cast<char>('a' + i)));
    node.jobs = jobs;
    node.takes["minutely"] = world.loop.between(100ms, 90s);
    node.takes["fast"] = world.loop.between(100ms, 10s);
    node.start();
  }
  world.run_for(2s);
  const WallTime from = world.wall();
  for (int round = 0; round < 12; ++round) {
    SimNode& node = *world.nodes[world.loop.random().below(count)];
    disturb(world, node);
    world.run_for(world.loop.between(100ms, 90s));
    heal(world, node);
    world.run_for(world.loop.between(100ms, 60s));
    ASSERT_EQ(world.broken_promises(), "");
  }
  world.run_for(5min);
  const WallTime until = world.wall() - 3min;
  for (const auto& job : jobs) ASSERT_EQ(world.unaccounted(*job, from, until), "") << job->job.name;
  ASSERT_EQ(world.broken_promises(), "");
}

TEST(Random, FaultsBreakNoPromise) {
  const std::uint64_t one = from_environment("BALLOT_SEED", 0);
  if (one) return run_seed(one);
  for (std::uint64_t seed = 1; seed <= from_environment("BALLOT_SEEDS", 200); ++seed) {
    run_seed(seed);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace ballot
