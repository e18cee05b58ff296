// The starts: from what the daemon wants to a child that has exec'd, or is known not to have.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/failpoint.hpp"
#include "runner/clock.hpp"
#include "runner/log.hpp"
#include "runner/runner.hpp"

namespace ballot::runner {
namespace {

constexpr std::size_t most_attempts = 100'000;  // live, and ended without an Ack
constexpr int starts_a_turn = 8;                // so that no deadline waits for a burst of starts
constexpr Millis given_up_after = std::chrono::seconds(2);

/// Ours does not block.
struct Pipe {
  UniqueFd ours, theirs;
  bool open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    ours.reset(ends[0]);
    theirs.reset(ends[1]);
    return ::fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
  }
};

}  // namespace

void Runner::launch_some() {
  for (int i = 0; i < starts_a_turn && !waiting_.empty(); ++i) {
    const Start start = std::move(waiting_.front());
    waiting_.pop_front();
    launch(start);
  }
}

/// Until when it may be exec'd. None: not at all, for it is to end with a session that has no deadline.
std::optional<SteadyTime> Runner::limit_of(const Start& start) const {
  const auto limit = sessions_.limit(start.session);
  if (limit) return std::min(start.launch_not_after, *limit);
  return start.terminate ? std::nullopt : std::optional(start.launch_not_after);
}

void Runner::launch(const Start& start) {
  const auto cannot = [&](const std::string& stage, int error) { link_.send(CannotStart{start.id, stage, error}); };
  const auto known = attempts_.find(start.id);
  if (known != attempts_.end()) return tell_again(known->second);
  if (mode_ == Mode::ending) return link_.send(Refused{start.id});
  const auto not_after = limit_of(start);
  if (!not_after) log("run " + start.id.run.text() + " is refused: it ends with its session, which has no deadline");
  if (!not_after) return link_.send(Refused{start.id});
  if (attempts_.size() >= most_attempts) return cannot("runner's table", ENOBUFS);
  Pipe output, report;
  if (BALLOT_FAILS("runner.pipe") || !output.open()) return cannot("pipe", errno);
  if (BALLOT_FAILS("runner.report") || !report.open()) return cannot("pipe", errno);
  if (BALLOT_FAILS("runner.epoll") || !poller_.add(output.ours.get(), EPOLLIN)) return cannot("epoll", errno);
  if (!poller_.add(report.ours.get(), 0)) return cannot("epoll", errno);  // its end tells, not the byte before
  Cgroups::Made made = cgroup_for(start);
  if (const auto* failure = std::get_if<LaunchFailure>(&made)) return cannot(failure->stage, failure->error);
  auto& cgroup = std::get<std::unique_ptr<RunCgroup>>(made);
  const UniqueFd cgroup_folder = cgroup ? cgroup->open() : UniqueFd();
  if (cgroup && !cgroup_folder) return cannot("cgroup", errno);
  const Now started{wall_now(), steady_now()};
  Launched launched =
      launcher_.launch(start, {output.theirs.get(), report.theirs.get(), cgroup_folder.get()}, *not_after);
  if (const auto* failure = std::get_if<LaunchFailure>(&launched)) return cannot(failure->stage, failure->error);
  auto& child = std::get<NewChild>(launched);
  const int report_fd = report.ours.get();
  auto launch = std::make_unique<Launch>(std::move(report.ours), std::move(child.memory), *not_after);
  RunProcesses processes(Descendants(start.id, child.pid, started.steady, orphans_), child.pid, std::move(cgroup));
  const int output_fd = output.ours.get();
  hold(start.id, Held{Attempt(start, std::move(processes), std::move(output.ours), started), output_fd, report_fd,
                      std::move(launch)});
}

/// None where there are none, but for a run whose limits need one.
Cgroups::Made Runner::cgroup_for(const Start& start) {
  if (cgroups_) return (*cgroups_)->make(start.limits);
  const Limits& limits = start.limits;
  if (!limits.memory_max && !limits.cpu_weight && !limits.tasks_max) return nullptr;
  return LaunchFailure{"limits need a cgroup: " + cgroups_.error().what, ENOTSUP};
}

void Runner::hold(const AttemptId& id, Held made) {
  Held& held = attempts_.try_emplace(id, std::move(made)).first->second;
  const auto most = static_cast<std::size_t>(std::max(held.output, held.report));
  of_descriptor_.resize(std::max(of_descriptor_.size(), most + 1));
  for (const int fd : {held.output, held.report}) of_descriptor_[static_cast<std::size_t>(fd)] = &held;
  of_pid_[held.attempt.pid()] = &held;
  orphans_.started(held.attempt.pid());
  ++live_;
  settle(held);
}

/// A Start that came twice, over two connections: the child is not.
void Runner::tell_again(const Held& held) {
  if (!held.launch) link_.send(held.attempt.started());
  if (held.attempt.has_ended()) untold_.push_back(held.attempt.id());
}

/// What has failed, or ended before its exec, is answered once it is reaped.
void Runner::read_report(Held& held) {
  if (!held.launch || !held.launch->read()) return;
  of_descriptor_[static_cast<std::size_t>(held.report)] = nullptr;
  if (held.launch->has_executed()) count_as_started(held);
}

void Runner::count_as_started(Held& held) {
  const bool late = held.launch->killed_at.has_value();
  if (held.launch->has_ended()) launcher_.put_back(*held.launch);
  held.launch.reset();
  held.attempt.executed();
  BALLOT_FAILPOINT("runner.started");
  link_.send(held.attempt.started());
  if (held.attempt.has_ended()) return;
  const SteadyTime time = steady_now();
  if (late) held.attempt.stop(Reason::leadership_lost, time, time);
  end_with_session(held, time);
  settle(held);
}

/// Whoever owns the program, or its user, can make exec wait, or the child before it: not beyond its limit.
void Runner::end_late_launch(Held& held, SteadyTime time) {
  const auto killed_at = held.launch->killed_at;
  if (held.attempt.ladder_begun()) return;
  if (!killed_at && time > held.launch->not_after) kill_launch(held, time);
  if (killed_at && time >= *killed_at + given_up_after)
    held.attempt.stop(Reason::leadership_lost, time, time);  // from here on it ends, or is given up, as a run does
}

void Runner::kill_launch(Held& held, SteadyTime time) {
  if (held.launch->killed_at) return;
  held.attempt.kill(time);
  held.launch->killed_at = time;
  log("run " + held.attempt.id().run.text() + ": killed, as it has not executed its program in time");
}

SteadyTime Runner::wake_of(const Held& held, SteadyTime time) const {
  const SteadyTime wake = std::min(held.attempt.wake(time), held.signal_at);
  if (!held.launch || held.attempt.has_ended() || held.attempt.ladder_begun()) return wake;
  if (held.launch->killed_at) return std::min(wake, later(*held.launch->killed_at, given_up_after));
  return std::min(wake, later(held.launch->not_after, Millis(1)));
}

/// Of a child that was reaped: whether it counts as started. If not, that is answered, and there is no run.
bool Runner::was_started(Held& held) {
  Launch& launch = *held.launch;
  if (launch.read()) of_descriptor_[static_cast<std::size_t>(held.report)] = nullptr;
  const auto failure = launch.failure();
  const bool in_vain = failure || (launch.killed_at && !launch.was_about_to_exec());
  if (!in_vain || launch.counts_as_started || held.attempt.ladder_begun()) {
    count_as_started(held);
    return true;
  }
  if (failure && !failure->too_late)
    link_.send(CannotStart{held.attempt.id(), failure->stage, failure->error});
  else
    link_.send(Refused{held.attempt.id()});
  forget_launch(held);
  return false;
}

void Runner::forget_launch(Held& held) {
  if (held.launch->has_ended()) launcher_.put_back(*held.launch);
  unlink(held);
  const AttemptId id = held.attempt.id();
  attempts_.erase(id);
}

}  // namespace ballot::runner
