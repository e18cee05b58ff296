#include "runner/runner.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/assert.hpp"
#include "base/failpoint.hpp"
#include "runner/clock.hpp"
#include "runner/log.hpp"

namespace ballot::runner {
namespace {

constexpr std::size_t buffer_size = 64u * 1024;
constexpr std::size_t most_attempts = 100'000;  // live, and ended without an Ack
constexpr std::size_t most_waiting = 1'024;
constexpr int starts_a_turn = 8;  // so that no deadline waits for a burst of starts
constexpr int reads_a_turn = 4;   // so that no flood of one run holds up the others
constexpr std::size_t most_backlog = 1 << 20;
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
      cgroups_(std::move(cgroups)),
      signals_(open_signals()),
      timer_(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)),
      linger_(linger),
      quiet_since_(steady_now()),
      buffer_(buffer_size, '\0') {
  BALLOT_ASSERT(poller_.add(signals_.get(), EPOLLIN) && poller_.add(timer_.get(), EPOLLIN),
                "the runner needs descriptors for signals and a timer: raise its limit of open files");
  if (!cgroups_)
    log("runs have no cgroups (" + cgroups_.error().what + "): what leaves its process group is looked for in /proc");
}

void Runner::run() {
  while (!is_done()) turn();
}

/// Output first, while no event can mean a descriptor that was closed and opened again; the wanted starts last.
void Runner::turn() {
  set_timer();
  const auto events = poller_.wait(waiting_.empty() ? -1 : 0);
  const bool was_connected = link_.connected();
  const auto held_of = [this](int fd) {
    return static_cast<std::size_t>(fd) < of_output_.size() ? of_output_[static_cast<std::size_t>(fd)] : nullptr;
  };
  for (const epoll_event& event : events)
    if (Held* held = held_of(event.data.fd)) read_output(*held);
  bool readable = false, connecting = false;
  for (const epoll_event& event : events) {
    if (event.data.fd == timer_.get()) take_timer();
    if (event.data.fd == signals_.get()) take_signals();
    readable |= link_.is_connection(event.data.fd);
    connecting |= link_.is_listener(event.data.fd);
  }
  do_what_is_due();
  if (readable && waiting_.size() < most_waiting) link_.receive(buffer_);
  take_messages();
  const bool more_to_come = (readable && link_.connected()) || !waiting_.empty();
  if (connecting && !more_to_come && link_.accept()) greet();  // what a dead daemon said last is heard, and done, first
  launch_some();
  tell_ends();
  link_.flush();
  if (was_connected && !link_.connected()) quiet_since_ = steady_now();
}

bool Runner::is_done() {
  if (live_ > 0 || !waiting_.empty()) return false;
  if (mode_ == Mode::ending) return true;
  if (link_.connected()) return mode_ == Mode::leaving && untold_.empty() && link_.backlog() == 0;
  return mode_ == Mode::leaving || steady_now() >= leaves_at();
}

/// Without Leave; max(): not while things are as they are.
SteadyTime Runner::leaves_at() const {
  if (link_.connected() || live_ > 0 || !waiting_.empty()) return SteadyTime::max();
  return quiet_since_ + (attempts_.empty() ? linger_ : keep_unacknowledged);
}

/// One that fires too early does no harm, so it is moved only to fire earlier.
void Runner::set_timer() {
  SteadyTime next = std::min(leaves_at(), sessions_.next());
  if (!wakes_.empty()) next = std::min(next, wakes_.begin()->first);
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

/// What waits to be started is started first: it has to end as it was told it would.
void Runner::handle(Kill&& kill) {
  const auto waiting = std::find_if(waiting_.begin(), waiting_.end(), [&](const Start& s) { return s.id == kill.id; });
  if (waiting != waiting_.end()) {
    const Start start = std::move(*waiting);
    waiting_.erase(waiting);
    launch(start);
  }
  const auto found = attempts_.find(kill.id);
  if (found == attempts_.end()) return;
  const SteadyTime time = steady_now();
  found->second.attempt.stop(kill.reason, kill.signal, later(time, kill.grace), time);
  settle(found->second);
}

void Runner::handle(Ack&& ack) {
  const auto found = attempts_.find(ack.id);
  if (found != attempts_.end() && found->second.attempt.has_ended()) attempts_.erase(found);
}

void Runner::greet() {
  if (mode_ == Mode::leaving) mode_ = Mode::serving;
  untold_.clear();
  link_.send(Hello{protocol, ::getpid()});
  for (const auto& [id, held] : attempts_) {
    if (held.attempt.has_ended())
      untold_.push_back(id);
    else
      link_.send(held.attempt.running());
  }
  greets_ = true;
}

/// As far as the daemon keeps up: what is not told stays with the attempts, and is encoded only when it can go.
void Runner::tell_ends() {
  if (!link_.connected()) untold_.clear();
  while (!untold_.empty() && link_.backlog() < most_backlog) {
    const auto found = attempts_.find(untold_.front());
    BALLOT_FAILPOINT("runner.ended");
    if (found != attempts_.end()) link_.send(found->second.attempt.outcome());
    untold_.pop_front();
  }
  if (untold_.empty() && std::exchange(greets_, false)) link_.send(Ready{});
}

/// Output is kept whatever becomes of the stream: this drops what a daemon that does not read would make us hoard.
void Runner::stream(Held& held, std::string_view bytes) {
  const bool cut = link_.backlog() > (held.stream_cut ? most_backlog / 2 : most_backlog);
  if (!cut)
    link_.send(Printed{held.attempt.id(), std::string(bytes)});
  else if (!held.stream_cut)
    link_.send(Printed{held.attempt.id(), "\n[ballot: output left out here: it was read too slowly]\n"});
  held.stream_cut = cut;
}

void Runner::launch_some() {
  for (int i = 0; i < starts_a_turn && !waiting_.empty(); ++i) {
    const Start start = std::move(waiting_.front());
    waiting_.pop_front();
    launch(start);
  }
}

void Runner::launch(const Start& start) {
  const auto cannot = [&](const std::string& stage, int error) { link_.send(CannotStart{start.id, stage, error}); };
  const auto known = attempts_.find(start.id);
  if (known != attempts_.end()) return tell_again(known->second);
  if (mode_ == Mode::ending) return link_.send(Refused{start.id});
  if (attempts_.size() >= most_attempts) return cannot("runner's table", ENOBUFS);
  int ends[2];
  if (BALLOT_FAILS("runner.pipe") || ::pipe2(ends, O_CLOEXEC) != 0) return cannot("pipe", errno);
  UniqueFd output(ends[0]);
  const UniqueFd child_end(ends[1]);
  ::fcntl(output.get(), F_SETFL, O_NONBLOCK);
  if (BALLOT_FAILS("runner.epoll") || !poller_.add(output.get(), EPOLLIN)) return cannot("epoll", errno);
  Cgroups::Made made = cgroup_for(start);
  if (const auto* failure = std::get_if<LaunchFailure>(&made)) return cannot(failure->stage, failure->error);
  auto& cgroup = std::get<std::unique_ptr<RunCgroup>>(made);
  const UniqueFd cgroup_folder = cgroup ? cgroup->open() : UniqueFd();
  if (cgroup && !cgroup_folder) return cannot("cgroup", errno);
  const Now started = now();
  const SteadyTime not_after = std::min(start.launch_not_after, sessions_.limit(start.session));
  const Launched launched = launcher_.launch(start, {child_end.get(), cgroup_folder.get()}, not_after);
  if (const auto* pid = std::get_if<pid_t>(&launched))
    return hold(start, {Descendants(start.id, *pid, started.steady, orphans_), *pid, std::move(cgroup)},
                std::move(output), started);
  if (const auto* failure = std::get_if<LaunchFailure>(&launched)) return cannot(failure->stage, failure->error);
  link_.send(Refused{start.id});
}

/// None where there are none, but for a run whose limits need one.
Cgroups::Made Runner::cgroup_for(const Start& start) {
  if (cgroups_) return (*cgroups_)->make(start.limits);
  const Limits& limits = start.limits;
  if (!limits.memory_max && !limits.cpu_weight && !limits.tasks_max) return nullptr;
  return LaunchFailure{"limits need a cgroup: " + cgroups_.error().what, ENOTSUP};
}

void Runner::hold(const Start& start, RunProcesses processes, UniqueFd output, Now started) {
  BALLOT_FAILPOINT("runner.started");
  const int fd = output.get();
  const pid_t pid = processes.leader();
  Held& held =
      attempts_.try_emplace(start.id, Held{Attempt(start, std::move(processes), std::move(output), started), fd})
          .first->second;
  of_output_.resize(std::max(of_output_.size(), static_cast<std::size_t>(fd) + 1));
  of_output_[static_cast<std::size_t>(fd)] = &held;
  of_pid_[pid] = &held;
  orphans_.started(pid);
  ++live_;
  link_.send(held.attempt.started());
  end_with_session(held, steady_now());
  settle(held);
}

/// A Start that came twice, over two connections: the child is not.
void Runner::tell_again(const Held& held) {
  link_.send(held.attempt.started());
  if (held.attempt.has_ended()) untold_.push_back(held.attempt.id());
}

void Runner::read_output(Held& held) {
  for (int i = 0; i < reads_a_turn; ++i) {
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

/// All that can be reaped, orphans of runs too, before looking at what is left of groups.
void Runner::reap() {
  int status = 0;
  for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
    orphans_.reaped(pid);
    const auto found = of_pid_.find(pid);
    if (found == of_pid_.end()) continue;
    found->second->attempt.child_ended(status, now());
    lingering_.push_back(found->second);
    of_pid_.erase(found);
  }
  const std::vector<Held*> lingering = lingering_;
  for (Held* held : lingering) read_output(*held);
}

void Runner::do_what_is_due() {
  const SteadyTime time = steady_now();
  if (const auto due = sessions_.take_due(time); !due.empty()) {
    for (auto& [id, held] : attempts_) {
      const bool hit = held.attempt.terminate() && std::binary_search(due.begin(), due.end(), held.attempt.session());
      if (!hit || held.attempt.has_ended()) continue;
      end_with_session(held, time);
      settle(held);
    }
  }
  while (!wakes_.empty() && wakes_.begin()->first <= time) settle(*wakes_.begin()->second);
}

/// Its session's deadline is near: the run's signal comes its own grace before the deadline, and not earlier. What was
/// armed for a deadline that has moved since comes to nothing.
void Runner::end_with_session(Held& held, SteadyTime time) {
  held.signal_at = SteadyTime::max();
  const auto kill_at = sessions_.due(held.attempt.session(), time);
  if (!kill_at || !held.attempt.terminate() || held.attempt.has_ended()) return;
  const SteadyTime signal_at = *kill_at + kill_margin - std::max(held.attempt.kill_grace(), kill_margin);
  if (signal_at <= time)
    held.attempt.stop(Reason::leadership_lost, *kill_at, time);
  else
    held.signal_at = signal_at;
}

void Runner::begin_ending() {
  mode_ = Mode::ending;
  const SteadyTime time = steady_now();
  log("told to end: " + std::to_string(live_) + " runs are killed");
  for (auto& [id, held] : attempts_) {
    if (held.attempt.has_ended()) continue;
    held.attempt.stop(Reason::shutdown, SIGTERM, time + end_grace, time);
    settle(held);
  }
}

/// After each change of an attempt, and when it is due: what it has to do, and when it is due next.
void Runner::settle(Held& held) {
  if (held.attempt.has_ended()) return;
  const SteadyTime time = steady_now();
  if (held.signal_at <= time) end_with_session(held, time);
  held.attempt.advance(time);
  if (held.attempt.has_ended()) held.signal_at = SteadyTime::max();
  const SteadyTime wake = std::min(held.attempt.wake(time), held.signal_at);
  if (wake != held.wakes_at) {
    wakes_.erase({held.wakes_at, &held});
    if (wake != SteadyTime::max()) wakes_.emplace(wake, &held);
    held.wakes_at = wake;
  }
  if (held.attempt.has_ended()) finish(held);
}

void Runner::finish(Held& held) {
  const Ended& outcome = held.attempt.outcome();
  if (outcome.leftover == Leftover::unkillable)
    log("run " + held.attempt.id().run.text() + ": what process " + std::to_string(held.attempt.pid()) +
        " left does not die of KILL");
  if (outcome.leftover == Leftover::escaped)
    log("run " + held.attempt.id().run.text() + ": a process without BALLOT_RUN_ID may be left of it");
  Held*& output_owner = of_output_[static_cast<std::size_t>(held.output)];
  if (output_owner == &held) output_owner = nullptr;
  of_pid_.erase(held.attempt.pid());
  std::erase(lingering_, &held);
  --live_;
  quiet_since_ = steady_now();
  untold_.push_back(held.attempt.id());
}

}  // namespace ballot::runner
