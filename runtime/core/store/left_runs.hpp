// What `ballot resign` does for a dead daemon, in this order: it publishes the ends of runs that the daemon's runner
// knows, it resigns the daemon's groups but for those whose next leader has to wait for a run, and it publishes claims
// that never reached the runner as lost, for which the registers of all jobs are read.
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

/// The runs that a runner has at one moment.
struct RunnerView {
  enum class Known {
    all,     // the inventory is complete, and every command of the dead daemon is carried out
    own,     // the same, but another daemon has the node's name by now, and the runner has that one's runs too
    nobody,  // there is no runner: its runs have ended with it
    nothing  // the runner does not answer, or refuses this user
  };
  Known known = Known::nothing;
  bool commanded = false;  // a living daemon commands the runner
  std::map<runner::AttemptId, runner::Running> running;
  std::map<runner::AttemptId, runner::Ended> ended;
  std::map<runner::AttemptId, std::string>
      jobs;  // of running and ended attempts; an older runner does not name the jobs of ended ones

  /// The jobs of all its attempts; none: some are not known.
  std::optional<std::set<std::string>> all_jobs() const;
};

/// What registers and runner show together.
struct LeftRuns {
  std::vector<Record> ends;           // of the dead daemon's runs, to be published
  std::set<std::string> kept_groups;  // groups with a run that the next leader has to wait for
};

/// `registers`: at least those of the runner's jobs; those of all jobs where the runner knows nothing.
LeftRuns left_runs(const std::string& node, const std::vector<Register>& registers, const RunnerView& runner);

/// The latest term of each group, by its register.
using LatestTerms = std::map<std::string, std::uint64_t>;

/// The ends of runs that the dead daemon has claimed and its runner does not know. `latest`: the terms of before its
/// session was over, for a later one may be of another daemon with its name; none: no other daemon has the name.
/// `registers`: of all jobs. A claim of a term whose group's register was not written yet is left out: the run stays
/// open until its node is back, or for `lost_after`.
std::vector<Record> never_started(const std::string& node, const std::vector<Register>& registers,
                                  const RunnerView& runner, const LatestTerms* latest, WallTime now);

}  // namespace ballot::core
