// FunctionExecutor: runs that are functions of the host program, in its own process. What the runner does for commands
// is done for them as far as it can be: a function cannot be killed, so where a command would be, its stop is
// requested, and the run goes on until it returns.
//
//   state    | event                                           | next
//   waiting  | a thread begins it                              | running: Started
//   waiting  | launch_not_after is past, or its term's deadline | gone: Refused
//   waiting  | it is killed                                    | gone: Started and Ended, as nothing of it has run
//   running  | deadline, kill, the end of its term nears       | stopping: its token is stopped
//   running  | it returns or throws                            | gone: Ended
//   stopping | it returns or throws                            | gone: Ended, with why it was stopped
//
// Thread: the loop's. No callback comes after the destructor, which waits for no function.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "ballot/log.hpp"
#include "core/action.hpp"
#include "core/event.hpp"
#include "io/executor.hpp"
#include "io/function_outputs.hpp"
#include "io/function_pool.hpp"
#include "io/function_table.hpp"
#include "io/main_loop.hpp"
#include "io/wall_timer.hpp"

namespace ballot::io {

struct FunctionSettings {
  std::string node;
  std::shared_ptr<const FunctionTable> table;  // null: there are no functions
  std::shared_ptr<FunctionOutputs> outputs;    // null: nobody else sees what they print
  int threads = 1;
};

class FunctionExecutor final : public Executor {
 public:
  FunctionExecutor(MainLoop& loop, FunctionSettings settings, Log log,
                   std::function<void(std::vector<core::Event>)> on_events);
  ~FunctionExecutor() override;

  /// The job is a function, and its runs belong here.
  static bool is_for(const Job& job) { return !job.details->function.empty(); }
  bool has(const runner::AttemptId& id) const { return runs_.contains(id); }
  /// Adds functions that go on to the runner's runs.
  void add_to(core::Inventory& inventory) const;

  Result<void> start() override { return {}; }
  void launch(const core::Launch& launch) override;
  void set_deadline(const core::TermDeadline& deadline) override;
  void kill(const core::KillRun& kill) override;
  void forget(const runner::AttemptId& id) override { outputs_->forget(id); }
  void leave(bool keeps, SteadyTime deadline) override;

  /// Waits until every function has returned, at most until then. False: some had not. No events after it. `until`: see
  /// FunctionPool.
  bool close(const std::function<SteadyTime()>& until);

 private:
  enum class State { waiting, running, stopping };
  struct Run {
    core::Launch launch;
    FunctionPool::Number number = 0;
    State state = State::waiting;
    Reason reason = Reason::none;  // of being stopped
    Now begun{};
    SteadyTime overdue_at = SteadyTime::max();  // it was to have returned, which is said once
  };
  struct Deadline {
    SteadyTime at{};
    Millis grace{0};
  };

  void take();
  void take(const FunctionPool::Report& report, std::vector<core::Event>& events);
  void refuse(const runner::AttemptId& id, std::vector<core::Event>& events);
  runner::Ended end_of(const Run& run, const FunctionPool::Report& report) const;
  void request_stop(Run& run, Reason reason, Millis grace);
  const Deadline* deadline_of(const Run& run) const;
  SteadyTime latest_start(const core::Launch& launch) const;
  SteadyTime next_instant(const Run& run) const;
  void advance(Run& run, SteadyTime now, std::vector<core::Event>& events);
  void on_time();
  void arm();
  void warn_overdue(Run& run);

  const FunctionSettings settings_;
  const std::shared_ptr<FunctionOutputs> outputs_;
  const Log log_;
  const std::function<void(std::vector<core::Event>)> on_events_;
  std::shared_ptr<FunctionExecutor*> self_;  // null once it is gone: what was posted comes later
  std::map<runner::AttemptId, Run> runs_;
  std::map<FunctionPool::Number, runner::AttemptId> numbers_;
  std::map<std::uint64_t, Deadline> terms_;
  SteadyTime armed_ = SteadyTime::max();
  BootTimer timer_;
  FunctionPool pool_;
};

}  // namespace ballot::io
