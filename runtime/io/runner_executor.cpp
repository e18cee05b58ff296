#include "io/runner_executor.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/failpoint.hpp"
#include "io/clocks.hpp"

namespace ballot::io {
namespace {

constexpr Millis runner_pause{1000};        // between attempts to reach one, or to start it
constexpr Millis shortest_hand_over{3000};  // of the groups of a runner that does not answer

/// For the log, beside the text.
int errno_of(Errc code) {
  if (code == Errc::not_found) return ENOENT;
  if (code == Errc::refused) return EACCES;
  return code == Errc::invalid ? EINVAL : EIO;
}

}  // namespace

RunnerExecutor::RunnerExecutor(MainLoop& loop, Settings settings, Log log, Handlers handlers)
    : settings_(std::move(settings)),
      log_(std::move(log)),
      handlers_(std::move(handlers)),
      output_log_(log_),
      timer_(loop.context(), [this] { restart(); }),
      runner_(loop.context(), settings_.runner,
              {[this](std::vector<runner::FromRunner> messages) { on_messages(std::move(messages)); },
               [this](const std::string& text) { on_down(text); }, [this](Millis silence) { on_silence(silence); }}) {}

void RunnerExecutor::launch(const core::Launch& launch) {
  BALLOT_FAILPOINT("io.launch");
  const Job& job = launch.definition->job;
  auto start = run_start(launch, settings_.owner, read_clocks().wall);
  if (!start)
    return handlers_.on_events({runner::CannotStart{launch.id, start.error().what, errno_of(start.error().code)}});
  if (job.log_output) output_log_.begin(launch.id.run, job.name);
  runner_.send(std::move(*start));
}

void RunnerExecutor::set_deadline(const core::TermDeadline& deadline) {
  runner_.send(runner::Deadline{core::term_key(deadline.group, deadline.epoch), deadline.at, deadline.grace});
}

void RunnerExecutor::kill(const core::KillRun& kill) {
  runner_.send(runner::Kill{kill.id, kill.reason, kill.signal, kill.grace});
}

void RunnerExecutor::leave(bool keeps, SteadyTime deadline) {
  state_ = State::left;
  runner::Successor successor = settings_.runner.successor;
  successor.not_before = deadline;
  if (!keeps)
    runner_.send(runner::Leave{});
  else if (!successor.argv.empty())
    runner_.send(std::move(successor));
}

void RunnerExecutor::on_messages(std::vector<runner::FromRunner> messages) {
  for (runner::FromRunner& message : messages) on_message(std::move(message));
  if (!events_.empty()) handlers_.on_events(std::exchange(events_, {}));
}

void RunnerExecutor::on_message(runner::FromRunner message) {
  if (handlers_.takes(message)) return;
  if (std::get_if<runner::Started>(&message)) BALLOT_FAILPOINT("io.started");
  if (std::get_if<runner::Ended>(&message)) BALLOT_FAILPOINT("io.ended");
  if (auto* running = std::get_if<runner::Running>(&message)) {
    inventory_.running.push_back(std::move(*running));
  } else if (auto* ended = std::get_if<runner::Ended>(&message)) {
    on_ended(std::move(*ended));
  } else if (std::get_if<runner::Ready>(&message)) {
    on_ready();
  } else if (auto* started = std::get_if<runner::Started>(&message)) {
    events_.push_back(*started);
  } else if (auto* refused = std::get_if<runner::Refused>(&message)) {
    events_.push_back(*refused);
  } else if (auto* cannot = std::get_if<runner::CannotStart>(&message)) {
    output_log_.end(cannot->id, 0);
    events_.push_back(*cannot);
  } else if (auto* printed = std::get_if<runner::Printed>(&message)) {
    output_log_.print(*printed, read_clocks().steady);
  }
}

void RunnerExecutor::on_ready() {
  if (state_ == State::inventory) state_ = State::there;
  inventory_.same_runner = runner_.is_same_runner();
  output_log_.keep_only(inventory_.running);
  if (std::exchange(was_down_, false)) {
    if (inventory_.same_runner)
      log_(Level::info, "the link to the runner is taken up again: its runs went on", {});
    else
      log_(Level::error, "the runner is gone, and its runs with it: another one was started", {});
  }
  handlers_.on_runner(inventory_.same_runner ? RunnerLink::taken_up : RunnerLink::begun);
  events_.push_back(std::exchange(inventory_, {}));
}

void RunnerExecutor::on_ended(runner::Ended ended) {
  output_log_.end(ended.id, ended.output.total_bytes);
  if (state_ == State::inventory) return inventory_.ended.push_back(std::move(ended));
  events_.push_back(std::move(ended));
}

/// Whether the runner is gone, or the link alone, is known once a runner has greeted. A link that breaks as soon as it
/// is there is not taken up a thousand times a second.
void RunnerExecutor::on_down(const std::string& text) {
  if (state_ == State::left) return;
  log_(Level::error, "the link to the runner is broken: " + text + "; it is taken up again", {});
  state_ = State::inventory;
  was_down_ = true;
  inventory_ = {};
  silence_ = {};
  handlers_.on_runner(RunnerLink::broken);
  handlers_.on_events({core::RunnerGone{}});
  const SteadyTime next = reached_at_ + runner_pause;
  if (next > read_clocks().steady) return timer_.arm(next);
  restart();
}

/// A runner that is stopped, or waits for a disk: what it was sent it does when it goes on. Its groups go to a node
/// that can launch once it has been so for half a session's time-out.
void RunnerExecutor::on_silence(Millis silence) {
  if (state_ == State::left) return;
  const Millis longest = std::max(handlers_.timeout() / 2, shortest_hand_over);
  const core::RunnerSilence now{silence > Millis(0), silence >= longest};
  if (now == silence_) return;
  if (!now.is_silent)
    log_(Level::info, "the runner answers again", {});
  else if (!silence_.is_silent)
    log_(Level::error,
         "the runner does not answer: nothing is launched until it does. Where it was stopped: kill -CONT; where it "
         "hangs for good: kill -KILL, which loses its runs, and another one is started",
         {{"process", std::to_string(runner_.pid())}, {"silence", std::to_string(silence.count()) + "ms"}});
  silence_ = now;
  handlers_.on_events({now});
}

Result<void> RunnerExecutor::start() {
  reached_at_ = read_clocks().steady;
  return runner_.start();
}

void RunnerExecutor::restart() {
  if (state_ == State::left) return;
  const auto started = start();
  if (started) return;
  log_(Level::fatal, "no runner can be started, so nothing is launched: " + started.error().what, {});
  timer_.arm(read_clocks().steady + runner_pause);
}

}  // namespace ballot::io
