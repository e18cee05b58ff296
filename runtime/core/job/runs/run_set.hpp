// RunSet: what happens to the runs of a job: claimed, launched, adopted from an earlier term, killed, ended, published.
// The states of a run are in live_run.hpp; a run leaves the set when its register no longer shows it, or when its end
// is published in the store for whoever leads.
//
//   RunSet runs;
//   runs.claim(job, open, true, {});
//   runs.confirm_claim(c, job, id, took);     // launched
//   runs.on_ended(c, job, event);       // its row is recorded, its follow-up decided
//   runs.close(c, {id});                // the register shows it no more
//
// Pure. Knows nothing of slots and of how registers are written; used by JobMachine only.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/job/job_facts.hpp"
#include "core/job/runs/after_run.hpp"
#include "core/job/runs/run_list.hpp"
#include "core/job/runs/waits.hpp"

namespace ballot::core {

class RunSet {
 public:
  const RunList& list() const { return runs_; }
  const LiveRun* find(const runner::AttemptId& id) const { return runs_.find(id); }
  /// The next slot of a run that no schedule wants.
  WallTime slot_by_hand(WallTime at) { return by_hand_.next(at); }
  std::optional<SteadyTime> publish_wake() const { return publish_at_; }

  // claims
  /// A claim is sent. `first`: not of a run that waited. Requires: `run` has the policies that it runs under.
  void claim(const JobFacts& job, OpenRun run, bool first, std::optional<WallTime> begin_by);
  /// The claim is ours for certain. A scheduled one whose slot's start deadline has passed meanwhile is not launched.
  void confirm_claim(Context& c, const JobFacts& job, const runner::AttemptId& id, Millis took);
  /// The claim is known to have failed, or is given up: its run never was. A request to kill it is answered so.
  void drop_claim(Context& c, const runner::AttemptId& id);
  /// The same, where the term goes on; `waited`: the run goes on waiting, as it did.
  void give_up_claim(Context& c, const JobFacts& job, const runner::AttemptId& id, const OpenRun* waited);
  /// A run that waits, or was lost, is claimed: what it was.
  OpenRun take_waiting(const runner::AttemptId& id) { return runs_.take_waiting(id); }
  OpenRun take_lost(const runner::AttemptId& id) { return runs_.take_lost(id); }
  void leave_lost(const runner::AttemptId& id) { runs_.find(id)->repeat = false; }
  RunList::Known ask_again(const RunId& run) { return runs_.ask_again(run); }
  std::vector<RunId> take_asked() { return runs_.take_asked(); }

  // without a confirmed claim
  void start_unclaimed(Context& c, const JobFacts& job, OpenRun run);
  void start_unclaimed(Context& c, const JobFacts& job, const runner::AttemptId& id);
  /// Launches runs whose rows are durable, and claims that were confirmed in doubt.
  void launch_in_doubt(Context& c, const JobFacts& job);
  /// The next write shows it, with this fence.
  void enter(const OpenRun& run) { runs_.find({run.id, run.attempt})->open.fence = run.fence; }
  /// The register shows them: they are claimed like any other, whatever their children were given; and what was noticed
  /// of them.
  void show(Context& c, const JobRegister& shown);
  /// Of a term before, whose register does not show them: once their ends are durable nobody needs them any more.
  void forget_unclaimed(Context& c, const JobFacts& job);

  // terms
  /// On taking over: every open run of the register is ours, our runner's, or a dead term's. `superseded` never were.
  void settle(Context& c, const JobFacts& job, const std::vector<RunId>& superseded);
  /// Takes up runs that the register shows as waiting, where they are not known.
  void adopt_waiting(Context& c, const JobFacts& job);
  /// Before anybody leads the register's group: the end of what was claimed here is known here only.
  void adopt_own(Context& c, const JobFacts& job);
  /// A run that a daemon before has started, and that no register is known to show.
  void adopt_row(Context& c, const JobFacts& job, const Row& row);
  void end_term(Context& c, const JobFacts& job);
  void halt(Context& c, const JobFacts& job);
  /// Runs that have ended are not tried again.
  void drop_next_attempts();
  /// Runs that wait for their time, or in the queue, may have been started in the part that was forgotten. A job that
  /// always runs again goes on.
  int end_what_waited(Context& c, const JobFacts& job);

  // what time, people and policies do
  /// A ready one is launched or becomes stale, one of a dead term is given up.
  void advance(Context& c, const JobFacts& job);
  /// Runs that wait between two attempts, or in the queue, will not be started.
  void end_waiting(Context& c, const JobFacts& job, Status status, Reason reason);
  void end(Context& c, const JobFacts& job, const runner::AttemptId& id, Status status, Reason reason) {
    if (LiveRun* run = runs_.find(id)) end(c, job, *run, status, reason);
  }
  /// It is decided that there is no such run, which its row says: of a slot of a triggered chain. The write that closes
  /// it brings the slot into the register.
  void decide(Context& c, const JobFacts& job, const OpenRun& run, Status status, Reason reason);
  /// `replace`: what runs is killed, what waits for its next attempt is not tried again.
  void replace(Context& c, const JobFacts& job);
  /// Kills those of the runs that were launched here.
  void kill_all(Context& c, const JobFacts& job, Reason reason, WhichRuns which);
  void ask_kill(Context& c, const JobFacts& job, const Request& request);
  void ask_replace(Context& c, const JobFacts& job, const Request& request);
  void ask_forget(Context& c, const JobFacts& job, const Request& request);

  // events of them
  void on_started(Context& c, const JobFacts& job, const runner::Started& event);
  void on_refused(Context& c, const JobFacts& job, const runner::Refused& event);
  void on_cannot_start(Context& c, const JobFacts& job, const runner::CannotStart& event);
  void on_ended(Context& c, const JobFacts& job, const runner::Ended& event);
  bool on_recorded(const runner::AttemptId& id) { return runs_.on_recorded(id); }
  void on_inventory(Context& c, const JobFacts& job);
  /// The end of the run is still there, and is to be forgotten once it is closed. False: the run is not known here.
  bool runner_has(const runner::AttemptId& id) {
    LiveRun* const run = runs_.find(id);
    if (run) run->known_to_runner = true;
    return run != nullptr;
  }
  /// `wanted`: the record of an end that is known is kept, for the register shows the run, or may again.
  void on_outcome(Context& c, const JobFacts& job, const Row& outcome, bool wanted);
  void on_runner_word(Context& c, const JobFacts& job, const RunnerWord& word);

  // their ends
  /// Publishes runs that ended here, for the leader, once their ends are durable.
  void publish(Context& c);
  /// The end of a run of this node is in the store; or (not `done`) it could not be written.
  void on_published(Context& c, const JobFacts& job, const runner::AttemptId& id, bool done);
  /// The register no longer shows them: the runner may forget them, and their outcomes may go.
  void close(Context& c, const std::vector<runner::AttemptId>& ids);

 private:
  void launch(Context& c, LiveRun& run);
  void await_start(Context& c, const JobFacts& job, LiveRun& run);
  void enter_as(Context& c, LiveRun& run, const OpenRun& open);
  void await_recorded(Context& c, LiveRun& run);
  void end(Context& c, const JobFacts& job, LiveRun& run);
  void end(Context& c, const JobFacts& job, LiveRun& run, Status status, Reason reason);
  void kill(Context& c, const JobFacts& job, LiveRun& run, Reason reason);
  void answer_kills(Context& c, const RunId& run, const Answer& answer);
  void permit_anew(Context& c, const JobFacts& job, LiveRun& run);
  void adopt(Context& c, const JobFacts& job, const OpenRun& open);
  void drop_claims_that_failed(Context& c, const JobFacts& job);
  void follow_up(Context& c, const JobFacts& job, LiveRun& run) {
    core::follow_up(c, job, run, by_hand_);
    waits_.note(run, c.now);
  }

  RunList runs_;
  RareList<std::pair<RunId, RunId>> kills_;  // requests, and the runs whose end answers them
  OptionalTime<SteadyTime> publish_at_;      // not before
  SlotsByHand by_hand_;
  Waits waits_;
};

}  // namespace ballot::core
