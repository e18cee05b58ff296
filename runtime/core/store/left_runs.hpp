// What a dead daemon has left, for whoever resigns on its behalf: the ends of its runs that its runner knows, to be
// published before anything is resigned; the groups that are not to be resigned yet; and, after that, the claims that
// never reached the runner, for which all jobs have to be read.
//
//   const LeftRuns left = left_runs("node-1", store.read(registers_of(*runner.all_jobs())), runner);
//   publish(left.ends); for each group it leads: if (!left.kept_groups.contains(group)) resign(group);
//   publish(never_started("node-1", store.list("j/"), runner, terms, now));
//
// Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
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
  std::map<runner::AttemptId, std::string>
      jobs;  // of both; a runner of an older version does not say those of ended ones

  /// Those of all that it has; none: they are not known.
  std::optional<std::set<std::string>> all_jobs() const;
};

/// What registers and runner show together.
struct LeftRuns {
  std::vector<Record> ends;           // of the dead daemon's runs, to be published
  std::set<std::string> kept_groups;  // a run goes on that the next leader has to wait for
};

/// `registers`: at least those of the runner's jobs; of all jobs where it knows nothing.
LeftRuns left_runs(const std::string& node, const std::vector<Register>& registers, const RunnerView& runner);

/// The latest term of each group, by its register.
using LatestTerms = std::map<std::string, std::uint64_t>;

/// The ends of runs that its terms have claimed and its runner does not know. `latest`: before its session was over: a
/// later term may be of another daemon with its name; none: no other has it. `registers`: of all jobs. A claim of a
/// term whose group's register was not written yet is left out: it stays open until its node is back, or for
/// `lost_after`.
std::vector<Record> never_started(const std::string& node, const std::vector<Register>& registers,
                                  const RunnerView& runner, const LatestTerms* latest, WallTime now);

}  // namespace ballot::core
