#include "runner/launcher.hpp"

#include <fcntl.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <vector>

#include "base/assert.hpp"
#include "base/failpoint.hpp"
#include "runner/child.hpp"
#include "runner/clone3.hpp"
#include "runner/log.hpp"
#include "runner/raw_call.hpp"

namespace ballot::runner {
namespace {

/// What a sanitizer keeps of a thread is no child's beside it.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool can_share = false;
#else
constexpr bool can_share = raw_calls_known;
#endif

std::string_view search_path(const std::vector<std::string>& environment) {
  for (const std::string& entry : environment)
    if (entry.starts_with("PATH=")) return std::string_view(entry).substr(5);
  return "/usr/local/bin:/usr/bin:/bin";
}

/// Where `name` may lie. The child itself tries them: what it can reach is decided by its identity, not by ours.
std::vector<std::string> candidates(const std::string& name, const std::vector<std::string>& environment) {
  if (name.empty() || name.find('/') != std::string::npos) return {name};
  std::vector<std::string> paths;
  std::string_view rest = search_path(environment);
  for (bool more = true; more;) {
    const std::size_t end = rest.find(':');
    std::string folder(rest.substr(0, end));
    more = end != std::string_view::npos;
    if (more) rest.remove_prefix(end + 1);
    if (folder.empty()) folder = ".";
    paths.push_back(folder + '/' + name);
  }
  return paths;
}

/// A file in memory with `text` as its content, read from its beginning. Not a pipe: that would block at its capacity.
UniqueFd input_of(const std::string& text) {
  UniqueFd file(BALLOT_FAILS("runner.stdin") ? -1 : ::memfd_create("stdin", MFD_CLOEXEC));
  for (std::size_t done = 0; file && done < text.size();) {
    const ssize_t n = ::pwrite(file.get(), text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (BALLOT_FAILS("runner.stdin_write") || n < 0) return UniqueFd();
    done += static_cast<std::size_t>(n);
  }
  return file;
}

/// A system without keyrings, or a container that lets nobody use them: there is none to inherit.
bool finds_keyrings() {
  const long own = ::syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0);
  return own >= 0 || (errno != ENOSYS && errno != EPERM);
}

}  // namespace

Launcher::Launcher()
    : null_(::open("/dev/null", O_RDONLY | O_CLOEXEC)), self_(::getpid()), has_keyrings_(finds_keyrings()) {
  BALLOT_ASSERT(null_, "the runner needs /dev/null");
  ::getrlimit(RLIMIT_NOFILE, &open_files_);
  const rlimit raised{open_files_.rlim_max, open_files_.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &raised);
  nice_ = ::getpriority(PRIO_PROCESS, 0);
}

ChildPlan Launcher::plan_for(const Start& start, SteadyTime not_after) const {
  ChildPlan plan;
  plan.own_memory = start.set_identity || start.limits.memory_max || !can_share;
  plan.set_identity = start.set_identity;
  plan.uid = start.uid;
  plan.gid = start.gid;
  plan.umask = start.umask;
  plan.nice = start.nice;
  plan.set_nice = start.nice != nice_;
  plan.has_keyrings = has_keyrings_;
  plan.no_new_privs = start.no_new_privs;
  plan.limits = start.limits;
  plan.open_files = open_files_;
  plan.runner = self_;
  plan.not_after = not_after;
  return plan;
}

pid_t Launcher::clone_into(const StartMemory& memory, int cgroup, std::uint64_t flags, int (*function)(void*)) {
  if (BALLOT_FAILS("runner.clone3")) return -1;
  clone_args arguments{};
  arguments.flags = flags | CLONE_INTO_CGROUP;
  arguments.exit_signal = SIGCHLD;
  arguments.stack = reinterpret_cast<std::uintptr_t>(memory.stack());
  arguments.stack_size = StartMemory::stack_size;
  arguments.cgroup = static_cast<std::uint64_t>(cgroup);
  return clone3(arguments, function, memory.plan());
}

pid_t Launcher::clone(const StartMemory& memory, int cgroup, std::uint64_t flags) {
  if (cgroup >= 0) return clone_into(memory, cgroup, flags, child_main);
  return ::clone(child_main, memory.stack_end(), static_cast<int>(flags) | SIGCHLD, memory.plan());
}

/// Tried once, as more than a missing system call may be in the way: in a cgroup that was killed before and is used
/// again, Linux (6.18 still does) kills whatever is cloned into another one.
bool Launcher::clones_into(int cgroup) {
  if (!clones_into_) {
    const StartMemory memory(sizeof(ChildPlan), false);
    const pid_t pid = clone_into(memory, cgroup, CLONE_VM | CLONE_VFORK, child_that_ends);
    int status = 0;
    if (pid < 0 && (errno == EAGAIN || errno == ENOMEM)) return true;  // the launch will say so
    clones_into_ = pid > 0 && ::waitpid(pid, &status, 0) == pid && status == 0;
  }
  return *clones_into_;
}

Launched Launcher::launch(const Start& start, const Places& places, SteadyTime not_after) {
  if (start.argv.empty()) return LaunchFailure{"exec", EINVAL};
  UniqueFd input, procs;
  if (!start.standard_input.empty() && !(input = input_of(start.standard_input))) return LaunchFailure{"stdin", errno};
  const bool clones_into_cgroup = places.cgroup >= 0 && clones_into(places.cgroup);
  if (places.cgroup >= 0 && !clones_into_cgroup) {
    procs.reset(::openat(places.cgroup, "cgroup.procs", O_WRONLY | O_CLOEXEC));
    if (!procs) return LaunchFailure{"cgroup", errno};
  }
  ChildPlan plan = plan_for(start, not_after);
  plan.input = input ? input.get() : null_.get();
  plan.output = places.output;
  plan.report = places.report;
  plan.cgroup_procs = procs ? procs.get() : -1;
  const auto paths = candidates(start.argv.front(), start.environment);
  StartMemory shared;
  if (!plan.own_memory) shared = memories_.take(plan, start, paths);
  if (plan.own_memory) heap_.hide();
  const StartMemory& memory = plan.own_memory ? memories_.for_child(plan, start, paths) : shared;
  if (BALLOT_FAILS("runner.clone")) return LaunchFailure{"clone", errno};
  const pid_t pid = clone(memory, clones_into_cgroup ? places.cgroup : -1, plan.own_memory ? 0 : CLONE_VM);
  if (pid < 0) return LaunchFailure{"clone", errno};
  return NewChild{pid, std::move(shared)};
}

}  // namespace ballot::runner
