// LossTally: what the losses of nodes have done to a simulated fleet: which groups had no leader, from when to when;
// which runs were lost; which slots began later by it, or never. One thread.
//
//   a group's gap  | from the loss of its leader to the next election
//   a job's doubt  | from the loss of the node that had a run of it until that run is known to be over
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/action.hpp"
#include "simulation/report.hpp"

namespace ballot::simulation {

class LossTally {
 public:
  /// A node is lost that led these groups and had these runs.
  struct Run {
    runner::AttemptId id;
    std::string job;
    WallTime slot{}, started_at{};
  };
  void lose(const std::string& node, WallTime now, const std::vector<std::string>& groups,
            const std::vector<Run>& runs);
  void come_back(const std::string& node, WallTime now);
  void led_again(const std::string& group, const std::string& node, WallTime now);
  /// A lost run is known to be over.
  void settle(const runner::AttemptId& id, const std::string& job, WallTime now);
  /// The next attempt of a run has started.
  void retried(const RunId& run, WallTime now);
  /// A slot began after it was due, and has waited for a leader or for a run of its own job.
  void late(const std::string& group, const LateSlot& slot, WallTime due);
  /// A job that another one comes after, and the last slot of it that has begun.
  struct Parent {
    std::string job;
    WallTime last{};
  };
  /// A slot was not run; `parents`: of its job.
  void not_run(const Row& row, WallTime due, const std::vector<Parent>& parents);
  /// A slot of which nobody has said anything when the span is over.
  void undecided(const std::string& job, const std::string& group, WallTime due);

  std::vector<LossReport> take() { return std::move(losses_); }

 private:
  static constexpr std::size_t most_named = 20;
  struct Span {
    std::size_t loss = 0;
    WallTime from{};
    std::optional<WallTime> until;  // none: it goes on

    bool holds(WallTime at) const { return from <= at && (!until || at <= *until); }
  };
  struct Lost {
    std::size_t loss = 0;
    std::optional<std::size_t> named;  // its place among those that are named
    std::string job;
    WallTime slot{};
  };

  std::optional<std::size_t> cause_of(const std::string& job, const std::string& group, WallTime due) const;

  std::vector<LossReport> losses_;
  std::map<std::string, std::vector<Span>> gaps_, doubts_;  // by group; by job
  std::map<RunId, Lost> lost_;
};

}  // namespace ballot::simulation
