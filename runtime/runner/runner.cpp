#include "runner/runner.hpp"

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <variant>

#include "base/assert.hpp"
#include "base/failpoint.hpp"
#include "runner/clock.hpp"
#include "runner/log.hpp"

namespace ballot::runner {
namespace {

constexpr std::size_t buffer_size = 64u * 1024;
constexpr std::size_t most_waiting = 1'024;
constexpr std::size_t most_attempts = 100'000;  // live, and ended without an Ack
constexpr int starts_per_iteration = 8;         // so that no deadline waits for a burst of starts
constexpr int reads_per_iteration = 4;          // so that no flood of one run delays the others
constexpr std::size_t most_backlog = 1 << 20;
constexpr Millis socket_check{500};  // of a connected daemon the pings wake the runner as often
constexpr Millis end_grace = std::chrono::seconds(2);
constexpr Millis keep_unacknowledged = std::chrono::hours(24 * 7);

UniqueFd open_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGCHLD);
  ::sigaddset(&set, SIGTERM);
  return UniqueFd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

Now now() { return {wall_now(), steady_now()}; }

}  // namespace

Runner::Runner(UniqueFd listener, Millis linger, Result<std::unique_ptr<Cgroups>> cgroups)
    : link_(std::move(listener), poller_),
      starter_(poller_, orphans_, std::move(cgroups)),
      left_outputs_(poller_),
      signals_(open_signals()),
      timer_(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)),
      linger_(linger),
      quiet_since_(steady_now()),
      buffer_(buffer_size, '\0') {
  BALLOT_ASSERT(poller_.add(signals_.get(), EPOLLIN) && poller_.add(timer_.get(), EPOLLIN),
                "the runner needs descriptors for signals and a timer: raise its limit of open files");
}

void Runner::run() {
  while (!is_done()) run_once();
}

/// Descriptors of runs first, while no event can mean a descriptor that was closed and opened again; the wanted starts
/// last.
void Runner::run_once() {
  set_timer();
  const auto events = poller_.wait(waiting_.empty() && !link_.has_waiting() ? -1 : 0);
  const bool was_connected = link_.connected();
  for (const epoll_event& event : events)
    if (HeldRun* held = runs_.of_descriptor(event.data.fd))
      event.data.fd == held->output ? take_output(*held) : read_report(*held);
  bool readable = false;
  for (const epoll_event& event : events) {
    if (event.data.fd == timer_.get()) take_timer();
    if (event.data.fd == signals_.get()) take_signals();
    readable |= link_.is_connection(event.data.fd);
    left_outputs_.receive(event.data.fd, buffer_);
    if (link_.is_listener(event.data.fd))
      link_.accept();
    else if (!link_.is_connection(event.data.fd))
      link_.receive_other(event.data.fd, buffer_);
  }
  do_what_is_due();
  if (readable && waiting_.size() < most_waiting) link_.receive(buffer_);
  take_messages();
  const bool more_to_come = (readable && link_.connected()) || !waiting_.empty();
  if (was_connected && !link_.connected()) daemon_went();
  if (!more_to_come && link_.has_waiting()) admit();  // what a dead daemon sent last is read, and done, first
  launch_some();
  send_ends();
  link_.flush();
}

void Runner::daemon_went() {
  quiet_since_ = steady_now();
  link_.keep_listening();
  resigner_.daemon_went(quiet_since_);
}

bool Runner::is_done() {
  if (runs_.live() > 0 || !waiting_.empty()) return false;
  if (mode_ == Mode::ending) return true;
  if (resigner_.is_busy() || link_.has_waiting() || !left_outputs_.empty()) return false;
  if (link_.connected()) return mode_ == Mode::leaving && unsent_ends_.empty() && link_.backlog() == 0;
  return mode_ == Mode::leaving || steady_now() >= leaves_at();
}

/// Without Leave; max(): not while things are as they are.
SteadyTime Runner::leaves_at() const {
  if (link_.connected() || runs_.live() > 0 || !waiting_.empty() || !left_outputs_.empty()) return SteadyTime::max();
  return quiet_since_ + (runs_.all().empty() ? linger_ : keep_unacknowledged);
}

/// One that fires too early does no harm, so it is moved only to fire earlier.
void Runner::set_timer() {
  const SteadyTime next = std::min({leaves_at(), deadlines_.next(), resigner_.wake(), runs_.next_wake(),
                                    link_.connected() ? SteadyTime::max() : looks_for_socket_});
  if (next >= timer_set_for_) return;
  timer_set_for_ = next;
  const std::int64_t millis = std::max<std::int64_t>(next.time_since_epoch().count(), 1);
  const itimerspec at{.it_interval = {}, .it_value = {millis / 1000, millis % 1000 * 1'000'000}};
  ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &at, nullptr);
}

/// Left unread it would go on waking us where nothing is due next.
void Runner::take_timer() {
  std::uint64_t expirations = 0;
  [[maybe_unused]] const ssize_t size = ::read(timer_.get(), &expirations, sizeof expirations);
  timer_set_for_ = SteadyTime::max();
}

void Runner::take_messages() {
  while (waiting_.size() < most_waiting) {
    auto message = link_.next();
    if (!message) break;
    std::visit([this](auto&& m) { handle(std::forward<decltype(m)>(m)); }, std::move(*message));
  }
}

/// A run that still waits is started first, so that it ends as the Kill says.
void Runner::handle(Kill&& kill) {
  const auto waiting = std::find_if(waiting_.begin(), waiting_.end(), [&](const Start& s) { return s.id == kill.id; });
  if (waiting != waiting_.end()) {
    const Start start = std::move(*waiting);
    waiting_.erase(waiting);
    launch(start);
  }
  HeldRun* const held = runs_.find(kill.id);
  if (!held) return;
  const SteadyTime time = steady_now();
  held->attempt.stop(kill.reason, kill.signal, later(time, kill.grace), time);
  settle(*held);
}

void Runner::handle(Leave&&) {
  if (mode_ == Mode::serving) mode_ = Mode::leaving;
  resigner_.forget();
}

void Runner::handle(Successor&& successor) { resigner_.set(std::move(successor), steady_now()); }

void Runner::handle(Ack&& ack) {
  if (const HeldRun* held = runs_.find(ack.id); held && held->attempt.has_ended()) runs_.erase(ack.id);
}

void Runner::admit() {
  const Link::Admitted admitted = link_.admit();
  if (admitted.daemon) {
    greet();
    take_messages();  // what it sent behind its Command
    if (!link_.connected()) daemon_went();
  }
  if (!admitted.resigners.empty()) resigner_.visited();
  for (Peer* const watcher : admitted.watchers) greet(*watcher, false);
  for (Peer* const watcher : admitted.resigners) greet(*watcher, true);
  for (const auto& [reader, wanted] : admitted.readers) {
    const HeldRun* const held = runs_.find(wanted.id);
    reader->send(held ? held->attempt.show_output(wanted.from) : Shown{.id = wanted.id});
  }
}

void Runner::greet(Peer& watcher, bool resigns) {
  for (auto& [id, held] : runs_.all()) {
    if (held.attempt.has_ended()) continue;
    watcher.send(held.attempt.running());
    if (held.launch && !link_.connected()) held.launch->counts_as_started = true;  // as greet()
  }
  for (const auto& [id, held] : runs_.all()) {
    if (!held.attempt.has_ended()) continue;
    if (resigns) watcher.send(held.attempt.running());  // of which job it was
    Ended ended = held.attempt.outcome();
    ended.output.head.clear();
    ended.output.tail.clear();
    watcher.send(ended);
  }
  watcher.send(Ready{link_.connected(), link_.owner()});
}

void Runner::greet() {
  if (mode_ == Mode::leaving) mode_ = Mode::serving;
  resigner_.daemon_came();
  unsent_ends_.clear();
  for (auto& [id, held] : runs_.all()) {
    if (held.attempt.has_ended()) {
      unsent_ends_.push_back(id);
      continue;
    }
    link_.send(held.attempt.running());
    if (held.launch) held.launch->counts_as_started = true;  // a daemon that takes it for running expects its end
  }
  greets_ = true;
}

/// As far as the daemon keeps up: what is not sent stays with the attempts, and is encoded only when it can go.
void Runner::send_ends() {
  if (!link_.connected()) unsent_ends_.clear();
  while (!unsent_ends_.empty() && link_.backlog() < most_backlog) {
    const HeldRun* const held = runs_.find(unsent_ends_.front());
    BALLOT_FAILPOINT("runner.ended");
    if (held) link_.send(held->attempt.outcome());
    unsent_ends_.pop_front();
  }
  if (unsent_ends_.empty() && std::exchange(greets_, false)) link_.send(Ready{true, link_.owner()});
}

/// Output is kept whatever becomes of the stream: this drops what a daemon that does not read would make us hoard.
void Runner::stream(HeldRun& held, std::string_view bytes) {
  const bool cut = link_.backlog() > (held.stream_cut ? most_backlog / 2 : most_backlog);
  if (!cut)
    link_.send(Printed{held.attempt.id(), std::string(bytes)});
  else if (!held.stream_cut)
    link_.send(Printed{held.attempt.id(), "\n[ballot: output left out here: it was read too slowly]\n"});
  held.stream_cut = cut;
}

void Runner::take_output(HeldRun& held) {
  read_output(held);
  if (held.attempt.has_output()) poller_.report_again(held.output, EPOLLIN);
}

/// What prints has exec'd: that is sent first.
void Runner::read_output(HeldRun& held) {
  if (held.launch) read_report(held);
  for (int i = 0; i < reads_per_iteration; ++i) {
    const std::string_view bytes = held.attempt.read(buffer_);
    if (bytes.empty()) break;
    if (held.attempt.streams()) stream(held, bytes);
  }
  if (held.attempt.lingers()) settle(held);
}

void Runner::take_signals() {
  std::array<signalfd_siginfo, 8> infos;
  const ssize_t size = ::read(signals_.get(), infos.data(), sizeof infos);
  for (std::size_t i = 0; size > 0 && i < static_cast<std::size_t>(size) / sizeof infos[0]; ++i)
    if (infos[i].ssi_signo == SIGTERM) begin_ending();
  reap();
}

/// All that can be reaped, orphans of runs too, before checking what is left of groups.
void Runner::reap() {
  int status = 0;
  for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
    orphans_.reaped(pid);
    if (resigner_.reaped(pid, status, steady_now())) continue;
    HeldRun* const held = runs_.take_child(pid);
    if (!held) continue;
    const Now time = now();
    if (held->launch && !was_started(*held)) continue;
    held->attempt.child_ended(status, time);
    runs_.linger(*held);
  }
  const std::vector<HeldRun*> lingering = runs_.lingering();
  for (HeldRun* held : lingering) read_output(*held);
}

void Runner::do_what_is_due() {
  const SteadyTime time = steady_now();
  if (const auto due = deadlines_.take_due(time); !due.empty()) {
    for (auto& [id, held] : runs_.all()) {
      const bool hit = held.attempt.terminate() && std::binary_search(due.begin(), due.end(), held.attempt.term_key());
      if (!hit || held.attempt.has_ended()) continue;
      end_with_term(held, time);
      settle(held);
    }
  }
  while (HeldRun* held = runs_.due(time)) settle(*held);
  if (time >= looks_for_socket_) {
    link_.keep_listening();
    looks_for_socket_ = time + socket_check;
  }
  if (mode_ == Mode::ending) return;
  if (const pid_t pid = resigner_.advance(time); pid != 0) orphans_.started(pid);
}

void Runner::end_with_term(HeldRun& held, SteadyTime time) {
  held.end_with_term(deadlines_.due(held.attempt.term_key(), time), time);
}

void Runner::begin_ending() {
  mode_ = Mode::ending;
  const SteadyTime time = steady_now();
  log("SIGTERM: " + std::to_string(runs_.live()) + " runs are killed");
  for (auto& [id, held] : runs_.all()) {
    if (held.attempt.has_ended()) continue;
    held.attempt.stop(Reason::shutdown, SIGTERM, time + end_grace, time);
    settle(held);
  }
}

/// After each change of an attempt, and when it is due: what it has to do, and when it is due next.
void Runner::settle(HeldRun& held) {
  if (held.attempt.has_ended()) return;
  const SteadyTime time = steady_now();
  if (held.signal_at <= time) end_with_term(held, time);
  if (held.launch) held.end_late_launch(time);
  held.attempt.advance(time);
  if (held.attempt.has_ended()) held.signal_at = SteadyTime::max();
  runs_.wake_at(held, held.wake(time));
  if (held.attempt.has_ended()) finish(held);
}

void Runner::finish(HeldRun& held) {
  const Ended& outcome = held.attempt.outcome();
  if (outcome.leftover == Leftover::unkillable)
    log("run " + held.attempt.id().run.text() + ": what process " + std::to_string(held.attempt.pid()) +
        " left does not die of KILL");
  if (outcome.leftover == Leftover::escaped)
    log("run " + held.attempt.id().run.text() + ": a process without BALLOT_RUN_ID may be left of it");
  if (held.launch) count_as_started(held);
  retire(held);
  left_outputs_.add(held.attempt.take_left_output());
  unsent_ends_.push_back(held.attempt.id());
  link_.notify_watchers(outcome);
  resigner_.run_ended(quiet_since_);
}

void Runner::retire(HeldRun& held) {
  runs_.retire(held);
  quiet_since_ = steady_now();
}

// ---- starts

void Runner::launch_some() {
  for (int i = 0; i < starts_per_iteration && !waiting_.empty(); ++i) {
    const Start start = std::move(waiting_.front());
    waiting_.pop_front();
    launch(start);
  }
}

/// Until when it may be exec'd. None: not at all, for it is to end with a term that has no deadline.
std::optional<SteadyTime> Runner::limit_of(const Start& start) const {
  const auto limit = deadlines_.limit(start.term_key);
  if (limit) return std::min(start.launch_not_after, *limit);
  return start.terminate ? std::nullopt : std::optional(start.launch_not_after);
}

void Runner::launch(const Start& start) {
  const auto cannot = [&](const LaunchFailure& why) { link_.send(CannotStart{start.id, why.stage, why.error}); };
  if (const HeldRun* known = runs_.find(start.id)) return answer_again(*known);
  if (mode_ == Mode::ending) return link_.send(Refused{start.id});
  const auto not_after = limit_of(start);
  if (!not_after) log("run " + start.id.run.text() + " is refused: it ends with its term, which has no deadline");
  if (!not_after) return link_.send(Refused{start.id});
  if (runs_.all().size() >= most_attempts) return cannot({"runner's table", ENOBUFS});
  auto made = starter_.start(start, *not_after);
  if (const auto* failure = std::get_if<LaunchFailure>(&made)) return cannot(*failure);
  HeldRun& held = runs_.add(start.id, std::move(std::get<HeldRun>(made)));
  orphans_.started(held.attempt.pid());
  settle(held);
}

/// A Start that came twice, over two connections: the child is not.
void Runner::answer_again(const HeldRun& held) {
  if (!held.launch) link_.send(held.attempt.started());
  if (held.attempt.has_ended()) unsent_ends_.push_back(held.attempt.id());
}

/// What has failed, or ended before its exec, is answered once it is reaped.
void Runner::read_report(HeldRun& held) {
  if (!held.launch || !held.launch->read()) return;
  runs_.close_report(held);
  if (held.launch->has_executed()) count_as_started(held);
}

/// True: it was killed for being late.
bool Runner::report_started(HeldRun& held) {
  const bool late = held.launch->killed_at.has_value();
  if (held.launch->has_ended()) starter_.put_back(*held.launch);
  held.launch.reset();
  held.attempt.executed();
  BALLOT_FAILPOINT("runner.started");
  link_.send(held.attempt.started());
  return late;
}

void Runner::count_as_started(HeldRun& held) {
  const bool late = report_started(held);
  if (held.attempt.has_ended()) return;
  const SteadyTime time = steady_now();
  if (late) held.attempt.killed_for(Reason::leadership_lost), held.attempt.stop(Reason::leadership_lost, time, time);
  end_with_term(held, time);
  settle(held);
}

/// Of a child that was reaped. If it does not count as started, that is answered, and there is no run.
bool Runner::was_started(HeldRun& held) {
  if (held.launch->read()) runs_.close_report(held);
  if (!held.was_in_vain()) {
    if (report_started(held)) held.attempt.killed_for(Reason::leadership_lost);
    return true;
  }
  const auto failure = held.launch->failure();
  if (failure && !failure->too_late)
    link_.send(CannotStart{held.attempt.id(), failure->stage, failure->error});
  else
    link_.send(Refused{held.attempt.id()});
  forget_launch(held);
  return false;
}

void Runner::forget_launch(HeldRun& held) {
  if (held.launch->has_ended()) starter_.put_back(*held.launch);
  retire(held);
  const AttemptId id = held.attempt.id();
  runs_.erase(id);
}

}  // namespace ballot::runner
