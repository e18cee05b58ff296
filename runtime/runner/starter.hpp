// Starter: makes a run of what the daemon wants started: its pipes, its cgroup, its child. Knows nothing of other runs,
// of sockets but the poller's, and waits for nothing: whether the child execs is reported later (launch.hpp).
//
//   auto made = starter.start(start, not_after);
//   if (auto* failure = std::get_if<LaunchFailure>(&made)) ... CannotStart
#pragma once

#include <memory>
#include <variant>

#include "runner/cgroup.hpp"
#include "runner/descendants.hpp"
#include "runner/held_run.hpp"
#include "runner/launcher.hpp"
#include "runner/poller.hpp"

namespace ballot::runner {

class Starter {
 public:
  /// `cgroups`: what runs are put into, or why there are none.
  Starter(Poller& poller, Orphans& orphans, Result<std::unique_ptr<Cgroups>> cgroups);

  /// Past `not_after` nothing is exec'd.
  std::variant<HeldRun, LaunchFailure> start(const Start& start, SteadyTime not_after);
  /// Of a launch that is over: its memory is used again.
  void put_back(Launch& launch) { launcher_.put_back(launch); }

 private:
  Cgroups::Made cgroup_for(const Start& start);

  Poller& poller_;
  Orphans& orphans_;
  Launcher launcher_;
  const Result<std::unique_ptr<Cgroups>> cgroups_;
};

}  // namespace ballot::runner
