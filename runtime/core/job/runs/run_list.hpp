// RunList: the runs of a job on this node, and what can be asked of them.
//
//   RunList runs;
//   if (const LiveRun* run = runs.find(id)) ...
//   if (runs.has_room(definition)) ...
//
// Plain values. Knows nothing of what happens to runs: RunSet owns the list.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/job/job_facts.hpp"
#include "core/job/runs/live_run.hpp"

namespace ballot::core {

/// So many runs of the job may go on at once.
int most_at_once(const schedule::DefinitionPtr& definition);

class RunList {
 public:
  const LiveRun* begin() const { return runs_.begin(); }
  const LiveRun* end() const { return runs_.end(); }
  LiveRun* begin() { return runs_.begin(); }
  LiveRun* end() { return runs_.end(); }
  const std::vector<LiveRun>& all() const { return runs_.all(); }

  const LiveRun* find(const runner::AttemptId& id) const;
  LiveRun* find(const runner::AttemptId& id);
  template <class Predicate>
  bool any(Predicate predicate) const {
    return std::any_of(runs_.begin(), runs_.end(), predicate);
  }

  LiveRun& add(LiveRun run) { return runs_.emplace_back(std::move(run)); }
  void drop(const runner::AttemptId& id);
  template <class Predicate>
  void drop_if(Predicate predicate) {
    erase_if(runs_, predicate);
  }

  /// One that was lost, and is to be claimed again; in a pause what was asked for by hand is, and else
  /// only what no file defines any more, for that is not repeated;
  const LiveRun* first_lost(const JobFacts& job) const;
  /// that is queued;
  const LiveRun* first_queued() const;
  /// whose time has come; of queued ones it has where nothing else goes on, nor a slot before is due.
  const LiveRun* first_ready(const JobFacts& job, std::optional<WallTime> due, SteadyTime now) const;
  /// One is killed, or to be killed by its node, for the next one.
  bool is_replacing() const;

  /// One that waits, for it is claimed: it leaves the list.
  OpenRun take_waiting(const runner::AttemptId& id);
  /// The next attempt of one that was lost, for that is claimed.
  OpenRun take_lost(const runner::AttemptId& id);

  /// Of a run by hand that is asked for again: whether it is there, and its claim on the way.
  enum class Known { no, claiming, yes };
  Known ask_again(const RunId& run);
  /// The runs whose claims somebody waits for, who will not get them.
  std::vector<RunId> take_asked();
  /// A row is durable. False where another one of the run, of this attempt or of another one, is still to be.
  bool on_recorded(const runner::AttemptId& id);

  /// Runs that go on, or are between two attempts.
  int begun() const;
  /// Of a backfill, also between two attempts.
  int backfilling() const;
  /// By hand, that wait for those to end.
  int queued() const;
  /// Of this node, or of a dead term, that have not ended;
  int open() const;
  int open(WhichRuns which) const;
  /// those among them that this node has.
  int own() const;
  /// Runs that the next write takes out of the register, and puts nothing in their place;
  std::size_t closable(const JobRegister& stored) const;
  /// that it will be possible to take out.
  std::size_t leaving() const;

  /// The job's own policy lets another one begin now,
  bool has_room(const schedule::DefinitionPtr& definition) const;
  /// or one more go on, of those that have begun.
  bool may_go_on(const schedule::DefinitionPtr& definition) const { return open() < most_at_once(definition); }

  /// One that is not by hand may still start: its claim is in flight, or the runner has not answered.
  bool may_start() const;
  /// The runner has been asked to start one that is not by hand, and has not answered.
  bool is_starting() const;
  bool executes(const RunId& run) const;
  /// The runner has said so, of a run that has not ended.
  bool has_begun(const RunId& run) const;
  /// One of a dead term goes on on that node, or may.
  bool has_foreign(const std::string& node) const;
  /// A run of a slot that is caught up goes on, or is to be tried again.
  bool is_catching_up() const;
  /// The run is of a slot that is caught up, and so is another one that goes on: it has to wait for that.
  bool joins_a_catch_up(const LiveRun& run) const;
  /// Runs that this node executes, as they are to be in the register.
  std::vector<OpenRun> going_on() const;
  /// Slots whose runs wait for their next attempt, or in the queue.
  std::vector<WallTime> waiting() const;
  /// The overlap that they are for the job's next slots.
  Overlap overlap(const JobFacts& job, WallTime now) const;
  /// When time changes something: of runs of dead terms; of those that wait for their time.
  std::optional<SteadyTime> foreign_wake(SteadyTime now, bool next_is_due) const;
  std::optional<SteadyTime> waiting_wake(SteadyTime now) const;

 private:
  RareList<LiveRun> runs_;
};

}  // namespace ballot::core
