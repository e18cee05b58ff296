#include "runner/starter.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/failpoint.hpp"
#include "runner/clock.hpp"
#include "runner/log.hpp"

namespace ballot::runner {
namespace {

/// Ours does not block.
struct Pipe {
  UniqueFd ours, theirs;
  bool open(int flags) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | flags) != 0) return false;
    ours.reset(ends[0]);
    theirs.reset(ends[1]);
    return flags == O_NONBLOCK || ::fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
  }
};

}  // namespace

Starter::Starter(Poller& poller, Orphans& orphans, Result<std::unique_ptr<Cgroups>> cgroups)
    : poller_(poller), orphans_(orphans), cgroups_(std::move(cgroups)) {
  if (!cgroups_)
    log("runs have no cgroups (" + cgroups_.error().what +
        "): processes that leave their process group are searched for in /proc");
}

std::variant<HeldRun, LaunchFailure> Starter::start(const Start& start, SteadyTime not_after) {
  Pipe output, report;
  if (BALLOT_FAILS("runner.pipe") || !output.open(0)) return LaunchFailure{"pipe", errno};
  if (BALLOT_FAILS("runner.report") || !report.open(O_NONBLOCK)) return LaunchFailure{"pipe", errno};
  if (BALLOT_FAILS("runner.epoll") || !poller_.add_once(output.ours.get(), EPOLLIN))
    return LaunchFailure{"epoll", errno};
  if (!poller_.add_once(report.ours.get(), 0))
    return LaunchFailure{"epoll", errno};  // ready at its end, not at the byte before
  Cgroups::Made made = cgroup_for(start);
  if (const auto* failure = std::get_if<LaunchFailure>(&made)) return *failure;
  auto& cgroup = std::get<std::unique_ptr<RunCgroup>>(made);
  const UniqueFd cgroup_folder = cgroup ? cgroup->open() : UniqueFd();
  if (cgroup && !cgroup_folder) return LaunchFailure{"cgroup", errno};
  const Now started{wall_now(), steady_now()};
  Launched launched =
      launcher_.launch(start, {output.theirs.get(), report.theirs.get(), cgroup_folder.get()}, not_after);
  if (const auto* failure = std::get_if<LaunchFailure>(&launched)) return *failure;
  auto& child = std::get<NewChild>(launched);
  const int output_fd = output.ours.get(), report_fd = report.ours.get();
  auto launch = std::make_unique<Launch>(std::move(report.ours), std::move(child.memory), not_after);
  RunProcesses processes(Descendants(start.id, child.pid, started.steady, orphans_), child.pid, std::move(cgroup));
  return HeldRun(Attempt(start, std::move(processes), std::move(output.ours), started), output_fd, report_fd,
                 std::move(launch));
}

/// None where there are none, but for a run whose limits need one.
Cgroups::Made Starter::cgroup_for(const Start& start) {
  if (cgroups_) return (*cgroups_)->make(start.limits);
  const Limits& limits = start.limits;
  if (!limits.memory_max && !limits.cpu_weight && !limits.tasks_max) return nullptr;
  return LaunchFailure{"limits need a cgroup: " + cgroups_.error().what, ENOTSUP};
}

}  // namespace ballot::runner
