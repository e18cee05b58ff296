#include "runner/launcher.hpp"

#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/assert.hpp"
#include "base/failpoint.hpp"
#include "runner/clock.hpp"
#include "runner/clone3.hpp"

namespace ballot::runner {
namespace {

constexpr std::size_t stack_size = 64u * 1024, guard_size = 4096;
constexpr int busy_tries = 3;  // of an executable that is open for writing
constexpr timespec busy_wait{0, 10'000'000};

/// All that the child reads, and what it reports. Lives in the parent, which stands still until the child is gone from
/// it.
struct ChildPlan {
  const Start* start;
  const char* working_dir;
  char* const* argv;
  char* const* envp;
  const char* const* paths;  // to try, in order; ended by null
  pid_t runner;
  int input, output;
  int cgroup_procs = -1;  // to join by, where that is still to be done
  rlimit open_files;
  bool set_nice;
  SteadyTime not_after;

  const char* failed_stage = nullptr;
  int error = 0;
  bool too_late = false;
};

#define BALLOT_IN_CHILD __attribute__((no_sanitize("address", "thread", "undefined")))

// The system calls of identity go past libc, whose wrappers act on every thread of the process.
BALLOT_IN_CHILD bool take_identity(ChildPlan& plan) {
  const Start& s = *plan.start;
  const auto failed = [&plan](const char* stage) { return plan.failed_stage = stage, false; };
  if (BALLOT_FAILS("runner.setgroups") || ::syscall(SYS_setgroups, s.groups.size(), s.groups.data()) != 0)
    return failed("setgroups");
  if (BALLOT_FAILS("runner.setresgid") || ::syscall(SYS_setresgid, s.gid, s.gid, s.gid) != 0)
    return failed("setresgid");
  if (BALLOT_FAILS("runner.setresuid") || ::syscall(SYS_setresuid, s.uid, s.uid, s.uid) != 0)
    return failed("setresuid");
  uid_t u[3] = {};
  gid_t g[3] = {};
  if (::getresuid(&u[0], &u[1], &u[2]) != 0 || ::getresgid(&g[0], &g[1], &g[2]) != 0) return failed("getresuid");
  errno = EPERM;
  for (int i = 0; i < 3; ++i)
    if (u[i] != s.uid || g[i] != s.gid) return failed("verify identity");
  if (s.uid != 0 && ::syscall(SYS_setresuid, -1, 0, -1) == 0) return failed("verify identity");
  return true;
}

/// Of each process of the run; `processes` counts all that the user has. Past its processor time a process gets XCPU, a
/// second later KILL.
BALLOT_IN_CHILD bool take_limits(ChildPlan& plan) {
  const Limits& limits = plan.start->limits;
  const struct {
    int resource;
    const std::optional<std::uint64_t>& value;
    rlim_t more;  // of the hard limit than of the soft one
    const char* stage;
  } all[] = {{RLIMIT_NOFILE, limits.open_files, 0, "limits.open_files"},
             {RLIMIT_CPU, limits.cpu_time_seconds, 1, "limits.cpu_time"},
             {RLIMIT_AS, limits.address_space, 0, "limits.address_space"},
             {RLIMIT_NPROC, limits.processes, 0, "limits.processes"}};
  for (const auto& limit : all) {
    if (!limit.value) continue;
    const rlimit both{*limit.value, *limit.value + limit.more};
    if (::setrlimit(static_cast<__rlimit_resource_t>(limit.resource), &both) != 0)
      return plan.failed_stage = limit.stage, false;
  }
  return true;
}

BALLOT_IN_CHILD bool prepare(ChildPlan& plan) {
  const auto failed = [&plan](const char* stage) { return plan.failed_stage = stage, false; };
  if (BALLOT_FAILS("runner.setpgid") || ::setpgid(0, 0) != 0) return failed("setpgid");
  if (plan.cgroup_procs >= 0 && ::write(plan.cgroup_procs, "0", 1) != 1) return failed("cgroup");
  if (BALLOT_FAILS("runner.dup2") || ::dup2(plan.input, 0) < 0 || ::dup2(plan.output, 1) < 0 ||
      ::dup2(plan.output, 2) < 0)
    return failed("dup2");
  if (::close_range(3, ~0u, 0) != 0) return failed("close_range");
  if (BALLOT_FAILS("runner.setrlimit") || ::setrlimit(RLIMIT_NOFILE, &plan.open_files) != 0) return failed("setrlimit");
  if (!take_limits(plan)) return false;
  // 0 is what a job has that says nothing: where it cannot be had, the runner's own stays.
  const bool nice_done = !plan.set_nice || ::setpriority(PRIO_PROCESS, 0, plan.start->nice) == 0;
  if (!nice_done && plan.start->nice != 0) return failed("setpriority");
  if (plan.start->set_identity && !take_identity(plan)) return false;
  // A runner that dies takes its children along, for nobody else could end them. A change of identity undoes this.
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != plan.runner) return failed("prctl");
  ::umask(plan.start->umask);
  if (BALLOT_FAILS("runner.chdir") || ::chdir(plan.working_dir) != 0) return failed("chdir");
  sigset_t none;
  ::sigemptyset(&none);
  if (::sigprocmask(SIG_SETMASK, &none, nullptr) != 0) return failed("sigprocmask");
  return true;
}

/// Tries each path as execvp does, but for scripts without `#!`; returns with the errno that says most.
BALLOT_IN_CHILD int try_exec(ChildPlan& plan) {
  if (BALLOT_FAILS("runner.exec")) return errno;
  int error = ENOENT;
  for (const char* const* path = plan.paths; *path; ++path) {
    if (steady_now() > plan.not_after) return plan.too_late = true, 0;
    ::execve(*path, plan.argv, plan.envp);
    if (errno == EACCES)
      error = EACCES;
    else if (errno != ENOENT && errno != ENOTDIR)
      return errno;
    else if (error != EACCES)
      error = errno;
  }
  return error;
}

BALLOT_IN_CHILD int child_main(void* argument) {
  ChildPlan& plan = *static_cast<ChildPlan*>(argument);
  if (!prepare(plan)) {
    plan.error = errno;
    ::_exit(127);
  }
  plan.error = try_exec(plan);
  for (int i = 0; i < busy_tries && plan.error == ETXTBSY; ++i) {
    ::nanosleep(&busy_wait, nullptr);
    plan.error = try_exec(plan);
  }
  plan.failed_stage = "exec";
  ::_exit(127);
}

BALLOT_IN_CHILD int end_at_once(void*) { return 0; }

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

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

/// A file in memory that holds `text`, read from its beginning. Not a pipe: that would block at its capacity.
UniqueFd input_of(const std::string& text) {
  UniqueFd file(BALLOT_FAILS("runner.stdin") ? -1 : ::memfd_create("stdin", MFD_CLOEXEC));
  for (std::size_t done = 0; file && done < text.size();) {
    const ssize_t n = ::pwrite(file.get(), text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (BALLOT_FAILS("runner.stdin_write") || n < 0) return UniqueFd();
    done += static_cast<std::size_t>(n);
  }
  return file;
}

}  // namespace

Launcher::Launcher() : null_(::open("/dev/null", O_RDONLY | O_CLOEXEC)) {
  BALLOT_ASSERT(null_, "the runner needs /dev/null");
  void* memory = ::mmap(nullptr, stack_size + guard_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  BALLOT_ASSERT(memory != MAP_FAILED, "no memory for the stack of children");
  stack_ = static_cast<char*>(memory);
  ::mprotect(stack_, guard_size, PROT_NONE);
  ::getrlimit(RLIMIT_NOFILE, &open_files_);
  const rlimit raised{open_files_.rlim_max, open_files_.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &raised);
  nice_ = ::getpriority(PRIO_PROCESS, 0);
}

Launcher::~Launcher() { ::munmap(stack_, stack_size + guard_size); }

pid_t Launcher::clone_into(int cgroup, int (*function)(void*), void* argument) {
  if (BALLOT_FAILS("runner.clone3")) return -1;
  clone_args arguments{};
  arguments.flags = CLONE_VM | CLONE_VFORK | CLONE_INTO_CGROUP;
  arguments.exit_signal = SIGCHLD;
  arguments.stack = reinterpret_cast<std::uintptr_t>(stack_ + guard_size);
  arguments.stack_size = stack_size;
  arguments.cgroup = static_cast<std::uint64_t>(cgroup);
  return clone3(arguments, function, argument);
}

/// Tried once, as more than a missing system call may be in the way: in a cgroup that was killed before and is used
/// again, Linux (6.18 still does) kills whatever is cloned into another one.
bool Launcher::clones_into(int cgroup) {
  if (!clones_into_) {
    const pid_t pid = clone_into(cgroup, end_at_once, nullptr);
    int status = 0;
    if (pid < 0 && (errno == EAGAIN || errno == ENOMEM)) return true;  // the launch will say so
    clones_into_ = pid > 0 && ::waitpid(pid, &status, 0) == pid && status == 0;
  }
  return *clones_into_;
}

Launched Launcher::launch(const Start& start, const Places& places, SteadyTime not_after) {
  if (start.argv.empty()) return LaunchFailure{"exec", EINVAL};
  UniqueFd input;
  if (!start.standard_input.empty() && !(input = input_of(start.standard_input))) return LaunchFailure{"stdin", errno};
  const auto argv = pointers(start.argv), envp = pointers(start.environment);
  const auto texts = candidates(start.argv.front(), start.environment);
  const auto paths = pointers(texts);

  ChildPlan plan{.start = &start,
                 .working_dir = start.working_dir.empty() ? "/" : start.working_dir.c_str(),
                 .argv = argv.data(),
                 .envp = envp.data(),
                 .paths = paths.data(),
                 .runner = ::getpid(),
                 .input = input ? input.get() : null_.get(),
                 .output = places.output,
                 .open_files = open_files_,
                 .set_nice = start.nice != nice_,
                 .not_after = not_after};
  const bool clones_into_cgroup = places.cgroup >= 0 && clones_into(places.cgroup);
  UniqueFd procs;
  if (places.cgroup >= 0 && !clones_into_cgroup) {
    procs.reset(::openat(places.cgroup, "cgroup.procs", O_WRONLY | O_CLOEXEC));
    if (!procs) return LaunchFailure{"cgroup", errno};
    plan.cgroup_procs = procs.get();
  }
  pid_t pid = -1;
  if (BALLOT_FAILS("runner.clone")) return LaunchFailure{"clone", errno};
  if (clones_into_cgroup)
    pid = clone_into(places.cgroup, child_main, &plan);
  else
    pid = ::clone(child_main, stack_ + guard_size + stack_size, CLONE_VM | CLONE_VFORK | SIGCHLD, &plan);
  if (pid < 0) return LaunchFailure{"clone", errno};
  if (!plan.failed_stage) return pid;
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) continue;
  if (plan.too_late) return TooLate{};
  return LaunchFailure{plan.failed_stage, plan.error};
}

}  // namespace ballot::runner
