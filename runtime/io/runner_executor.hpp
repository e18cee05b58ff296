// RunnerExecutor: runs are children of the runner, a process of its own: see base/runner_wire.hpp. Takes up the link
// to the runner where it breaks, starts another runner where that one is dead, and says so where it does not answer.
//
//   state     | event                                   | next
//   inventory | what the runner has, then Ready         | there: the inventory is an event
//   there     | nothing comes though an answer is due   | there, silent; for long from half a session's time-out on
//   any       | the link breaks                         | inventory: the runner is connected to, or another one is
//             |                                         | started; at most once a second
//   any       | leave()                                 | left: no more events
//
// Thread: the loop's. No callback comes after the destructor.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ballot/job.hpp"
#include "ballot/log.hpp"
#include "core/event.hpp"
#include "io/executor.hpp"
#include "io/main_loop.hpp"
#include "io/output_log.hpp"
#include "io/run_start.hpp"
#include "io/runner_client.hpp"
#include "io/runner_link.hpp"
#include "io/wall_timer.hpp"

namespace ballot::io {

class RunnerExecutor final : public Executor {
 public:
  struct Settings {
    RunOwner owner;
    RunnerSettings runner;
  };
  struct Handlers {
    /// In their order, as many as there are at a time.
    std::function<void(std::vector<core::Event>)> on_events;
    /// Whether it was for somebody else, who has taken it.
    std::function<bool(const runner::FromRunner&)> takes;
    /// The runner is there (before its inventory is an event), or its link is broken.
    std::function<void(RunnerLink)> on_runner;
    /// Of the session.
    std::function<Millis()> timeout;
  };

  RunnerExecutor(MainLoop& loop, Settings settings, Log log, Handlers handlers);

  Result<void> start() override;
  void launch(const core::Launch& launch) override;
  void set_deadline(const core::TermDeadline& deadline) override;
  void kill(const core::KillRun& kill) override;
  void forget(const runner::AttemptId& id) override { runner_.send(runner::Ack{id}); }
  void leave(bool keeps, SteadyTime deadline) override;

  /// Ends of runs up to now are events before this returns.
  void take_pending() { runner_.take_pending(); }

  /// For those that `takes` what comes of it.
  void send(const runner::ToRunner& message) { runner_.send(message); }

 private:
  enum class State { inventory, there, left };

  void on_messages(std::vector<runner::FromRunner> messages);
  void on_message(runner::FromRunner message);
  void on_ready();
  void on_ended(runner::Ended ended);
  void on_down(const std::string& text);
  void on_silence(Millis silence);
  void restart();

  const Settings settings_;
  const Log log_;
  const Handlers handlers_;
  State state_ = State::inventory;
  bool was_down_ = false;            // the link broke since the runner was there
  SteadyTime reached_at_{};          // when a runner was last connected to, or that was tried
  core::Inventory inventory_;        // while it is read
  std::vector<core::Event> events_;  // of what was read at one time
  core::RunnerSilence silence_;      // as was reported
  OutputLog output_log_;
  BootTimer timer_;
  RunnerClient runner_;
};

}  // namespace ballot::io
