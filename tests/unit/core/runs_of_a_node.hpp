// RunsOfANode: gives jobs runs that go on, without a Core: for tests of what only counts them.
//
//   RunsOfANode runs;
//   const RunId id = runs.begin(job.machine);
//   runs.end(job.machine, id);
#pragma once

#include <map>
#include <utility>

#include "core/job/chain/chains.hpp"
#include "core/job/job_machine.hpp"

namespace ballot::core {

class RunsOfANode {
 public:
  /// A run of this node, as a daemon before has left it with the runner.
  RunId begin(JobMachine& job) {
    Row row;
    row.run = random_.run_id({});
    row.job = job.name();
    row.attempt = 1;
    row.node = settings_.node;
    runner::Running running;
    running.id = {*row.run, 1};
    inventory_.running.push_back(running);
    Context c = context();
    job.adopt_row(c, row);
    return *row.run;
  }
  void end(JobMachine& job, const RunId& run) {
    runner::Ended ended;
    ended.id = {run, 1};
    ended.exit_code = 0;
    Context c = context();
    job.on_ended(c, ended);
  }
  /// This node has read the job's register, and does not lead it.
  void read(JobMachine& job, const JobRegister& stored) {
    Context c = context();
    job.set_register(c, Register{job_register(job.name()), to_text(stored), 1});
  }
  /// This node leads the job, whose register shows so many runs of another one, which has died. `written_in`: by which
  /// term; this one is 2.
  void take_over(JobMachine& job, int runs, std::uint64_t written_in = 1) {
    JobRegister left;
    left.group = "g";
    left.definition = "d";
    left.timing = {"UTC", {"0 0 1 1 *"}, {}, {}};
    left.epoch = written_in;
    left.fence = 1;
    for (int i = 0; i < runs; ++i) {
      OpenRun run;
      run.id = random_.run_id({});
      run.fence = run.epoch = 1;
      run.node = "dead";
      left.runs.push_back(run);
    }
    Context c = context();
    job.set_register(c, Register{job_register(job.name()), to_text(left), 1});
    job.lead(c, term_);
  }

  /// Somebody has published the end of a run that the register does not show. True where that record is to go.
  bool drops_outcome(JobMachine& job) {
    Row row;
    row.run = random_.run_id({});
    row.job = job.name();
    row.attempt = 1;
    row.status = Status::succeeded;
    Context c = context();
    job.on_outcome(c, row);
    return !std::exchange(wants_.removals, {}).empty();
  }
  /// How long a run that another node had is waited for, where the job's register is read once more in the same term;
  /// and whether the ends that are published are read.
  std::pair<Millis, bool> read_again() {
    Term over = term_;
    over.old_deadline = SteadyTime(Millis(-1));
    OpenRun open;
    open.id = random_.run_id({});
    open.node = "dead";
    JobRegister stored;
    stored.runs.push_back(open);
    const std::string name = "tick";
    const schedule::DefinitionPtr none;
    const JobFacts facts{name, none, stored, &over, true, false, nullptr, {}, true};
    Context c = context();
    RunSet runs;
    runs.settle(c, facts, {});
    return {runs.list().all().front().foreign_until.time_since_epoch(), std::exchange(wants_.published, false)};
  }

 private:
  Context context() {
    return {{},   settings_, session_, inventory_, chains_, recorded_, outcomes_,
            true, 10,        false,    nullptr,    random_, out_,      wants_};
  }

  CoreSettings settings_ = [] {
    CoreSettings settings;
    settings.node = "n1";
    settings.boot_id = "boot";
    return settings;
  }();
  const Term term_ = [] {
    Term term;
    term.group = "g";
    term.epoch = 2;
    term.old_deadline = SteadyTime(std::chrono::hours(1));
    return term;
  }();
  Session session_;
  Inventory inventory_;
  Chains chains_;
  const std::map<runner::AttemptId, Row> recorded_{}, outcomes_{};
  Random random_{1};
  Actions out_;
  Wants wants_;
};

}  // namespace ballot::core
