// What is simulated: a fleet of nodes with their job files, how long runs take, and what befalls nodes. Plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ballot/job.hpp"
#include "ballot/time.hpp"
#include "schedule/definition.hpp"

namespace ballot::simulation {

/// A node, and the jobs and groups that its files define: of jobs that run on each node, its own instances.
struct FleetNode {
  std::string name;
  std::vector<schedule::DefinitionPtr> jobs;
  std::vector<Group> groups;
};

/// The node's host is gone, with all that runs on it, at `at`; back after a while, or not.
struct Loss {
  std::string node;
  WallTime at{};
  std::optional<Millis> lasts;  // none: it does not come back
};

/// How long runs take. A run that would take longer than its job's `timeout` is ended there, unless that is only
/// assumed.
struct RunTimes {
  Millis assumed = std::chrono::seconds(1);
  std::map<std::string, Millis, std::less<>> known;  // by job; of an instance also by its common name

  /// nullptr: it is assumed.
  const Millis* find(std::string_view job) const;
};

struct Fleet {
  std::vector<FleetNode> nodes;
  RunTimes run_times;
  std::vector<Loss> losses;
  WallTime from{}, until{};               // slots from the one up to, and without, the other
  int max_running = 0;                    // of each node; 0: no limit
  bool spread = true;                     // as of core::CoreSettings
  Millis session_timeout{10'000};         // after which a lost node's groups are led again
  std::uint64_t most_steps = 40'000'000;  // of all cores
  std::int64_t most_unrun = 10'000'000;   // slots that do not start: each is counted, and may be kept
};

}  // namespace ballot::simulation
