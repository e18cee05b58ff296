// What a dead daemon has left, for whoever resigns on its behalf: the ends of its runs that its runner knows, to be
// published before anything is resigned, and the groups that are not to be resigned yet.
//
//   const LeftRuns left = left_runs("node-1", store.list("j/"), runner, now);
//   publish(left.ends); for each group it leads: if (!left.kept_groups.contains(group)) resign(group);
//
// Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "ballot/backend.hpp"
#include "base/runner_wire.hpp"

namespace ballot::core {

/// What a runner has, at one moment.
struct RunnerView {
  enum class Known {
    all,     // the inventory is complete, and what its dead daemon had asked of it is done
    own,     // the same, but another daemon has the node's name by now, and runs of its own
    nobody,  // no runner is there: what it had has ended with it
    nothing  // it does not answer, or not to us
  };
  Known known = Known::nothing;
  bool commanded = false;  // a daemon lives, and commands it
  std::map<runner::AttemptId, runner::Running> running;
  std::map<runner::AttemptId, runner::Ended> ended;
};

/// What registers and runner show together.
struct LeftRuns {
  std::vector<Record> ends;           // of the dead daemon's runs, to be published
  std::set<std::string> groups;       // of all jobs
  std::set<std::string> kept_groups;  // a run goes on that the next leader has to wait for
};

LeftRuns left_runs(const std::string& node, const std::vector<Register>& registers, const RunnerView& runner,
                   WallTime now);

}  // namespace ballot::core
