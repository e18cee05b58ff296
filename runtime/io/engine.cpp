#include "io/engine.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <utility>

#include "base/failpoint.hpp"
#include "io/child_environment.hpp"
#include "io/clocks.hpp"

namespace ballot::io {
namespace {

constexpr Millis runner_pause{1000};        // between attempts to start one
constexpr Millis shortest_hand_over{3000};  // of the groups of a runner that does not answer
constexpr Millis ledger_patience{10'000};   // for the ends of runs to be stored
constexpr Millis stuck_patience{500};       // in a stop, for a ledger that can store nothing
constexpr Millis record_pause{100};         // in which rows gather for one flush of the ledger

std::uint64_t seed() {
  std::random_device device;
  return static_cast<std::uint64_t>(device()) << 32 | device();
}

/// For the log, beside the text.
int errno_of(Errc code) {
  if (code == Errc::not_found) return ENOENT;
  if (code == Errc::refused) return EACCES;
  return code == Errc::invalid ? EINVAL : EIO;
}

core::CoreSettings core_settings(const EngineSettings& settings, const PluginInfo& plugin) {
  return {.node = settings.node,
          .boot_id = boot_id(),
          .machine_id = machine_id(),
          .runner_socket = settings.runner.socket_path.starts_with('/') ? settings.runner.socket_path : "",
          .booted_at = boot_time(),
          .dry_run = settings.dry_run,
          .seed = seed(),
          .max_running = settings.max_running,
          .spread = std::string_view(plugin.name) != "local"};  // one host gains nothing by it
}

}  // namespace

Engine::Engine(MainLoop& loop, EngineSettings settings, const PluginInfo& plugin, LedgerSink& ledger, Log log)
    : loop_(loop),
      settings_(std::move(settings)),
      plugin_(plugin),
      ledger_(ledger),
      log_(std::move(log)),
      core_(core_settings(settings_, plugin_)),
      posted_(std::make_shared<Posted>()),
      wall_timer_(loop.context(), [this](Woken) { armed_.wall.reset(), feed(core::Tick{}); }),
      boot_timer_(loop.context(), [this] { armed_.steady.reset(), feed(core::Tick{}); }),
      record_timer_(loop.context(), [this] { flush_ended(); }),
      runner_timer_(loop.context(), [this] { restart_runner(); }),
      ledger_timer_(loop.context(), [this] { wait_no_longer(); }),
      runner_(loop.context(), settings_.runner,
              {[this](runner::FromRunner message) { on_runner(std::move(message)); },
               [this](const std::string& text) { on_runner_down(text); },
               [this](Millis silence) { on_runner_silence(silence); }}),
      notifier_(
          loop.context(),
          {settings_.node, settings_.identity, settings_.credentials, settings_.sendmail, settings_.ping,
           settings_.dry_run},
          [this](const runner::ToRunner& message) { runner_.send(message); }, log_),
      observations_(loop.context()),
      output_log_(log_) {
  posted_->engine = this;
}

Engine::~Engine() {
  backend_.reset();
  posted_->engine = nullptr;
}

Result<void> Engine::start() {
  Error error;
  backend_.reset(plugin_.create(*this, settings_.backend, error));
  if (!backend_) return error;
  return runner_.start();
}

void Engine::load(std::vector<schedule::DefinitionPtr> jobs, std::vector<Group> groups, std::vector<Row> open_rows) {
  notifier_.define(groups);
  feed(core::Load{std::move(jobs), std::move(groups), std::move(open_rows)});
}

void Engine::reload(std::vector<schedule::DefinitionPtr> jobs, std::vector<std::string> removed,
                    std::vector<Group> groups) {
  notifier_.define(groups);
  feed(core::Reload{std::move(jobs), std::move(removed), std::move(groups)});
}

void Engine::ask(core::Request request, const std::string& run_suffix, Millis patience, OnAnswer answered,
                 OnEnded ended) {
  waiting_[++last_asker_] = {std::move(answered), std::move(ended)};
  request.id = Random(seed()).run_id(read_clocks().wall);
  feed(core::Ask{last_asker_, std::move(request), run_suffix, patience});
}

void Engine::observe(Millis patience, OnElections answered) {
  if (!core_.session().is_open()) return answered({});
  backend_->observe(observations_.add(patience, std::move(answered)), "");
}

void Engine::stop(Millis wait, bool leave, std::function<void()> stopped) {
  if (std::exchange(stopped_, std::move(stopped))) notifier_.hurry();
  leave_ = leave;
  if (ledger_waits_) arm_ledger_timer();
  feed(core::Stop{wait, leave});
}

/// From the backend's threads.
void Engine::post(BackendEvent event) noexcept {
  const std::lock_guard lock(posted_->mutex);
  posted_->events.push_back(std::move(event));
  if (posted_->events.size() > 1) return;
  loop_.post([posted = posted_] {
    if (posted->engine) posted->engine->take_posted();
  });
}

void Engine::log(Level level, std::string_view text) noexcept { log_(level, text, {{"backend", plugin_.name}}); }

void Engine::take_posted() {
  std::vector<BackendEvent> events;
  {
    const std::lock_guard lock(posted_->mutex);
    events.swap(posted_->events);
  }
  for (BackendEvent& event : events) {
    tell_session(event);
    if (const auto* observed = std::get_if<backend::Observed>(&event.what))
      observations_.answer(observed->request, observed->elections);
    feed(std::move(event));
  }
}

void Engine::tell_session(const BackendEvent& event) const {
  if (!session_told_ || event.generation != core_.session().generation()) return;
  if (const auto* opened = std::get_if<backend::SessionOpened>(&event.what)) session_told_(opened->handle);
  if (std::holds_alternative<backend::SessionClosed>(event.what)) session_told_("");
}

/// Steps the core with the event and performs its actions; what they bring about at once is fed after them.
void Engine::feed(const core::Event& event) {
  queue_.push_back(event);
  if (std::exchange(feeding_, true)) return;
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const core::Event next = std::move(queue_[i]);
    BALLOT_FAILPOINT("io.step");
    for (core::Action& action : core_.step(read_clocks(), next))
      std::visit([this](auto& what) { perform(what); }, action);
  }
  queue_.clear();
  feeding_ = false;
  notifier_.on_deadline(core_.session().deadline());
  arm();
}

void Engine::arm() {
  const core::Wake wake = core_.wake();
  if (wake.wall != armed_.wall) wall_timer_.arm(wake.wall.value_or(WallTime::max()));
  if (wake.steady != armed_.steady) {
    if (wake.steady)
      boot_timer_.arm(*wake.steady);
    else
      boot_timer_.disarm();
  }
  armed_ = wake;
}

void Engine::perform(core::OpenSession& a) {
  SessionRequest request{a.generation,
                         settings_.node,
                         boot_id(),
                         machine_id(),
                         host_name(),
                         static_cast<int>(::getpid()),
                         settings_.version,
                         settings_.control,
                         settings_.session_timeout,
                         false};
  request.anew = settings_.anew && a.generation == 1;
  backend_->open(request);
}

void Engine::perform(core::Launch& a) {
  BALLOT_FAILPOINT("io.launch");
  const Job& job = a.definition->job;
  auto environment =
      child_environment(a, settings_.identity, settings_.node, read_clocks().wall, settings_.credentials);
  if (!environment)
    return feed(runner::CannotStart{a.id, environment.error().what, errno_of(environment.error().code)});
  runner::Start start;
  start.id = a.id;
  start.job = job.name;
  start.argv = job.command;
  start.environment = std::move(*environment);
  set_identity(start, job, settings_.identity);
  start.no_new_privs = job.details->no_new_privs;
  start.limits = job.details->limits;
  start.standard_input = job.details->standard_input;
  start.output_limit = job.output == OutputKeep::history ? job.output_limit : 0;
  start.stream_output = job.log_output;
  start.launch_not_after = a.launch_not_after;
  start.kill_signal = job.kill_signal;
  start.kill_grace = job.kill_grace;
  start.deadline = job.deadline;
  start.session = core::term_key(a.group, a.epoch);
  start.terminate = a.terminate;
  if (job.log_output) output_log_.begin(a.id.run, job.name);
  runner_.send(std::move(start));
}

void Engine::perform(core::TermDeadline& a) {
  runner_.send(runner::Deadline{core::term_key(a.group, a.epoch), a.at, a.grace});
}

void Engine::perform(core::KillRun& a) { runner_.send(runner::Kill{a.id, a.reason, a.signal, a.grace}); }

void Engine::perform(core::AskRunner& a) {
  runner_watches_.erase(a.node);
  if (a.socket.empty()) return;
  const std::string owner = std::string(plugin_.name) + " " + settings_.backend.name_space + " " + a.node;
  auto watch = RunnerWatch::begin(loop_.context(), a.socket, owner, [this, node = a.node](RunnerWatch::Told told) {
    feed(core::RunnerWord{node, told.complete, std::move(told.running), std::move(told.ended), told.gone});
  });
  if (!watch) return log_(Level::debug, watch.error().what, {{"node", a.node}});
  runner_watches_[a.node] = std::move(*watch);
}

void Engine::perform(core::Forget& a) {
  notifier_.forget(a.id);
  runner_.send(runner::Ack{a.id});
}

void Engine::perform(core::AwaitRecorded& a) {
  awaited_.ids.push_back(a.id);
  await_recorded();
}

void Engine::perform(core::AwaitSettled& a) {
  awaited_.settled.push_back(std::move(a.settled));
  await_recorded();
}

/// One flush of the ledger at a time, for all that was recorded in a while: each costs a sync of the disk.
void Engine::await_recorded() {
  if (awaited_.empty()) return;
  if (!std::exchange(ledger_waits_, true)) arm_ledger_timer();
  if (flushing_) return;
  flushing_ = true;
  record_timer_.arm(read_clocks().steady + record_pause);
}

void Engine::flush_ended() {
  flushed_ = std::exchange(awaited_, {});
  ledger_.flush([&loop = loop_, posted = posted_] {
    loop.post([posted] {
      if (!posted->engine) return;
      BALLOT_FAILPOINT("io.recorded");
      posted->engine->on_flushed();
    });
  });
}

void Engine::arm_ledger_timer() {
  const Millis patience = BALLOT_FAILS("io.ledger_patience") ? ledger_patience / 10 : ledger_patience;
  const SteadyTime now = read_clocks().steady;
  ledger_until_ = now + patience;
  ledger_timer_.arm(stopped_ ? now + stuck_patience : ledger_until_);
}

/// A stop asks now and then whether there is anything to wait for.
bool Engine::may_wait_for_ledger() {
  const SteadyTime now = read_clocks().steady;
  if (!stopped_ || ledger_.is_stuck() || now >= ledger_until_) return false;
  ledger_timer_.arm(std::min(now + stuck_patience, ledger_until_));
  return true;
}

void Engine::on_flushed() {
  flushing_ = ledger_waits_ = false;
  ledger_timer_.disarm();
  if (!flushed_.empty()) feed(std::exchange(flushed_, {}));
  await_recorded();
}

/// A ledger that can store nothing, not even in its spool, stops no job: a register has room for a few open runs only,
/// and for few ranges of slots. Their rows wait in memory; a crash would lose them.
void Engine::wait_no_longer() {
  if (may_wait_for_ledger()) return;
  if (left_) return end_stop();
  ledger_waits_ = false;
  core::Recorded all = std::exchange(flushed_, {});
  all.ids.insert(all.ids.end(), awaited_.ids.begin(), awaited_.ids.end());
  all.settled.insert(all.settled.end(), awaited_.settled.begin(), awaited_.settled.end());
  awaited_ = {};
  if (all.empty()) return;
  log_(Level::error, "the ledger stores nothing: what is on no disk yet leaves the registers",
       {{"runs", std::to_string(all.ids.size())}, {"registers", std::to_string(all.settled.size())}});
  feed(std::move(all));
}

void Engine::perform(core::RecordRow& a) {
  if (a.if_absent)
    ledger_.record_if_absent(std::move(a.row));
  else
    ledger_.record(std::move(a.row));
}

void Engine::perform(core::RecordTerm& a) {
  notifier_.on_term(a.term, core_.session().deadline());
  ledger_.record(std::move(a.term));
}

void Engine::perform(core::RecordOutput& a) {
  if (a.is_mailed) notifier_.keep(a.id, a.output);
  ledger_.record(a.id.run, a.id.attempt, std::move(a.output));
}

void Engine::perform(core::Reply& a) {
  const auto it = waiting_.find(a.asker);
  if (it == waiting_.end()) return;
  const OnAnswer answered = std::exchange(it->second.answered, nullptr);
  if (!a.ok || !it->second.ended) waiting_.erase(it);
  if (answered) answered(a);
}

void Engine::perform(core::RunEnded& a) {
  const auto it = waiting_.find(a.asker);
  if (it == waiting_.end()) return;
  const OnEnded ended = std::move(it->second.ended);
  waiting_.erase(it);
  ended(a.row);
}

void Engine::perform(core::Notice& a) {
  LogFields fields;
  for (auto& [key, value] : a.fields) fields.emplace_back(key, std::move(value));
  log_(a.level, a.text, fields);
}

void Engine::perform(core::Stopped& a) {
  if (!a.refusal.empty()) {
    if (refused_) refused_(a.refusal);
    return;
  }
  notifier_.finish(leave_, [this] { leave_runner(); });
}

/// All is told: the runner may go, and the ledger stores what it has.
void Engine::leave_runner() {
  left_ = true;
  runner::Successor successor = settings_.runner.successor;
  successor.not_before = deadline();
  if (!leave_)
    runner_.send(runner::Leave{});
  else if (!successor.argv.empty())
    runner_.send(std::move(successor));
  arm_ledger_timer();
  ledger_.flush([&loop = loop_, posted = posted_] {
    loop.post([posted] {
      if (posted->engine) posted->engine->end_stop();
    });
  });
}

/// What the ledger could not store by now it says at its end.
void Engine::end_stop() {
  if (const auto stopped = std::exchange(stopped_, nullptr)) stopped();
}

void Engine::on_runner(runner::FromRunner message) {
  if (notifier_.takes(message)) return;
  if (std::get_if<runner::Started>(&message)) BALLOT_FAILPOINT("io.started");
  if (std::get_if<runner::Ended>(&message)) BALLOT_FAILPOINT("io.ended");
  if (auto* running = std::get_if<runner::Running>(&message)) {
    inventory_.running.push_back(std::move(*running));
  } else if (auto* ended = std::get_if<runner::Ended>(&message)) {
    if (telling_) return inventory_.ended.push_back(std::move(*ended));
    output_log_.end(ended->id);
    feed(std::move(*ended));
  } else if (std::get_if<runner::Ready>(&message)) {
    telling_ = false;
    feed(std::exchange(inventory_, {}));
    notifier_.on_runner(true);
  } else if (auto* started = std::get_if<runner::Started>(&message)) {
    feed(*started);
  } else if (auto* refused = std::get_if<runner::Refused>(&message)) {
    feed(*refused);
  } else if (auto* cannot = std::get_if<runner::CannotStart>(&message)) {
    output_log_.end(cannot->id);
    feed(*cannot);
  } else if (auto* printed = std::get_if<runner::Printed>(&message)) {
    output_log_.print(*printed, read_clocks().steady);
  }
}

void Engine::on_runner_down(const std::string& text) {
  if (left_) return;
  log_(Level::error, "the runner is gone: " + text + "; starting another", {});
  telling_ = true;
  inventory_ = {};
  silence_ = {};
  notifier_.on_runner(false);
  feed(core::RunnerGone{});
  restart_runner();
}

/// A runner that is stopped, or waits for a disk: what it was told it does when it goes on. Its groups go to a node
/// that can launch once it has been so for half a session's time-out.
void Engine::on_runner_silence(Millis silence) {
  if (left_) return;
  const Millis longest = std::max(core_.session().timeout() / 2, shortest_hand_over);
  const core::RunnerSilence told{silence > Millis(0), silence >= longest};
  if (told == silence_) return;
  if (!told.is_silent)
    log_(Level::info, "the runner answers again", {});
  else if (!silence_.is_silent)
    log_(Level::error, "the runner does not answer: nothing is launched until it does",
         {{"silence", std::to_string(silence.count()) + "ms"}});
  silence_ = told;
  feed(told);
}

void Engine::restart_runner() {
  const auto started = runner_.start();
  if (started) return;
  log_(Level::fatal, "no runner can be started, so nothing is launched: " + started.error().what, {});
  runner_timer_.arm(read_clocks().steady + runner_pause);
}

}  // namespace ballot::io
