// RunsOfANode: gives jobs runs that go on, without a Core: for tests of what only counts them.
//
//   RunsOfANode runs;
//   const RunId id = runs.begin(job.machine);
//   runs.end(job.machine, id);
#pragma once

#include <map>

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
  /// This node leads the job, whose register shows so many runs of another one, which has died.
  void take_over(JobMachine& job, int runs) {
    JobRegister left;
    left.group = "g";
    left.definition = "d";
    left.timing = {"UTC", {"0 0 1 1 *"}, {}, {}};
    left.epoch = 1;
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

 private:
  Context context() {
    return {{}, settings_, session_, inventory_, recorded_, outcomes_, true, 10, false, nullptr, random_, out_, wants_};
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
  const std::map<runner::AttemptId, Row> recorded_{}, outcomes_{};
  Random random_{1};
  Actions out_;
  Wants wants_;
};

}  // namespace ballot::core
