// Tally: makes the Report of a simulated fleet of what its nodes do, as it happens. A slot is counted by when it is, a
// start by when it was. Knows nothing of cores; decides nothing. One thread.
//
//   Tally tally(fleet);
//   tally.begin_span();                          // when the clock is at fleet.from
//   tally.on_start("host-1", launch, now); ... tally.on_end("host-1", launch.id, now); ... tally.on_row(row, now);
//   Report report = tally.take();
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/action.hpp"
#include "simulation/fleet.hpp"
#include "simulation/load_series.hpp"
#include "simulation/loss_tally.hpp"
#include "simulation/report.hpp"

namespace ballot::simulation {

class Tally {
 public:
  /// Requires: outlived by it.
  explicit Tally(const Fleet& fleet);

  void begin_span();
  void on_start(const std::string& node, const core::Launch& launch, WallTime now);
  void on_end(const std::string& node, const runner::AttemptId& id, WallTime now);
  void on_row(const core::RecordRow& record, WallTime now);
  void on_term(const TermRow& term);
  void on_definition(const DefinitionRow& definition);
  void on_loss(const std::string& node, WallTime now);
  void on_return(const std::string& node, WallTime now) { losses_.come_back(node, now); }
  /// Slots of the job that wait when all is over.
  void on_waiting(const std::string& job, const std::vector<WallTime>& slots);

  /// The last call but for is_full().
  Report take();
  /// There are more slots that do not start than are counted: what is reported is not all of it.
  bool is_full() const;

 private:
  struct JobState {
    const schedule::Definition* definition = nullptr;
    JobReport report;
    std::vector<WallTime> anchors = {};  // of its `@every`
    bool has_children = false;
    int running = 0;
    WallTime last_end{};                                     // of a run of it
    std::optional<WallTime> last = {};                       // the last slot that began
    std::deque<std::pair<std::string, WallTime>> ends = {};  // of its last runs, where others come after it
    std::int64_t open = 0;                                   // attempts in the span that have not ended
  };
  struct GroupState {
    int max_running = 0, running = 0;
    std::string leader;  // "": none
    WallTime led_since{}, leaderless_since{};
    LimitReport limit = {};
    std::vector<std::pair<WallTime, WallTime>> waits = {};
  };
  struct NodeState {
    std::size_t place = 0;
    NodeReport report;
    int running = 0;
    LimitReport limit = {};
    std::vector<std::pair<WallTime, WallTime>> waits = {};
  };
  struct OpenRun {
    std::string node, group;
    JobState* job = nullptr;
    WallTime slot{}, started_at{};
    bool counts = false;  // it is of a slot of the span
  };
  /// What a slot has waited for, from when it was due on.
  struct Wait {
    std::array<Millis, wait_kinds> parts{};
    WallTime queued_since{}, placed_since{};  // for its own run or a place; for a place
    WaitFor last = WaitFor::leader;
  };

  JobState& job(const std::string& name) { return jobs_.at(name); }
  Wait wait_of(const JobState& job, const core::Launch& launch, WallTime now) const;
  WallTime upstream_end(const JobState& job, const core::Launch& launch) const;
  void count_unplaced(const JobState& job, WallTime due, WallTime until);
  bool has_limit(const GroupState& group) const { return group.max_running > 0 || fleet_.max_running > 0; }
  void count_wait(JobState& job, NodeState& node, const core::Launch& launch, WallTime now);
  void count_slot(JobState& job, WallTime slot);
  void count_unrun(JobState& job, const Row& row, WallTime slot, WallTime now);
  void count_waiting(JobState& job, WallTime slot);
  static void leave(GroupState& group, WallTime since);
  void count_undecided();
  void count_end(const Row& row, WallTime now);
  void add_places(Report& report);
  std::vector<LossTally::Parent> parents_of(const JobState& job) const;

  const Fleet& fleet_;
  LoadSeries load_;
  LossTally losses_;
  std::map<std::string, JobState, std::less<>> jobs_;
  std::map<std::string, GroupState, std::less<>> groups_;
  std::map<std::string, NodeState, std::less<>> nodes_;
  std::map<runner::AttemptId, OpenRun> open_runs_;
  std::map<RunId, Outcome> unsuccessful_;  // of runs that may have another attempt
  WaitsByKind waits_;
  std::int64_t unrun_ = 0;
};

}  // namespace ballot::simulation
