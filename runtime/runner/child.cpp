#include "runner/child.hpp"

#include <fcntl.h>
#include <linux/keyctl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "base/failpoint.hpp"
#include "runner/clock.hpp"
#include "runner/raw_call.hpp"

namespace ballot::runner {
namespace {

constexpr int busy_tries = 3;  // of an executable that is open for writing
constexpr timespec busy_wait{0, 10'000'000};
constexpr int report_fd = 3;

#define BALLOT_IN_CHILD __attribute__((no_sanitize("address", "thread", "undefined")))

/// Why the child cannot go on; a null stage: it can.
struct Failed {
  const char* stage = nullptr;
  long error = 0;
  bool too_late = false;
};

BALLOT_IN_CHILD long either(int failpoint_error, long result) {
  return failpoint_error != 0 ? -failpoint_error : result;
}

struct Report {
  int fd;
  bool said_exec = false;
};

[[noreturn]] BALLOT_IN_CHILD void leave(int code) {
  while (true) raw_call(SYS_exit_group, code);
}

[[noreturn]] BALLOT_IN_CHILD void give_up(const Report& report, const Failed& failed) {
  ChildFailure message;
  message.error = static_cast<std::int32_t>(failed.error);
  message.too_late = failed.too_late;
  for (std::size_t i = 0; i + 1 < sizeof message.stage && failed.stage[i]; ++i) message.stage[i] = failed.stage[i];
  raw_call(SYS_write, report.fd, &message, sizeof message);
  leave(127);
}

/// A session of its own: its processes cannot join the process groups of others, nor others theirs. A session keyring
/// of its own: the runner's is its user's. Made before the identity is taken: a user's quota of keys is small.
BALLOT_IN_CHILD Failed separate(const ChildPlan& plan) {
  if (!plan.set_identity) {
    const long error = either(BALLOT_FAILS_WITH("runner.setpgid"), raw_call(SYS_setpgid, 0, 0));
    return error < 0 ? Failed{"setpgid", -error} : Failed{};
  }
  if (const long error = either(BALLOT_FAILS_WITH("runner.setsid"), raw_call(SYS_setsid)); error < 0)
    return {"setsid", -error};
  long error = -BALLOT_FAILS_WITH("runner.keyctl");
  if (error == 0 && plan.has_keyrings) error = raw_call(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr);
  return error < 0 ? Failed{"keyctl", -error} : Failed{};
}

BALLOT_IN_CHILD bool has_identity(const ChildPlan& plan) {
  uid_t u[3] = {};
  gid_t g[3] = {};
  if (raw_call(SYS_getresuid, &u[0], &u[1], &u[2]) != 0 || raw_call(SYS_getresgid, &g[0], &g[1], &g[2]) != 0)
    return false;
  for (int i = 0; i < 3; ++i)
    if (u[i] != plan.uid || g[i] != plan.gid) return false;
  return plan.uid == 0 || raw_call(SYS_setresuid, -1, 0, -1) < 0;
}

/// The memory is a copy of the runner's: nobody but root may read it, as this user or by a dump of it. Taking another
/// identity has said so already, but where fs.suid_dumpable is 1.
BALLOT_IN_CHILD Failed take_identity(const ChildPlan& plan) {
  long error = either(BALLOT_FAILS_WITH("runner.setgroups"), raw_call(SYS_setgroups, plan.group_count, plan.groups));
  if (error < 0) return {"setgroups", -error};
  error = either(BALLOT_FAILS_WITH("runner.setresgid"), raw_call(SYS_setresgid, plan.gid, plan.gid, plan.gid));
  if (error < 0) return {"setresgid", -error};
  error = either(BALLOT_FAILS_WITH("runner.setresuid"), raw_call(SYS_setresuid, plan.uid, plan.uid, plan.uid));
  if (error < 0) return {"setresuid", -error};
  if (!has_identity(plan)) return {"verify identity", EPERM};
  error = raw_call(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);
  return error < 0 ? Failed{"prctl", -error} : Failed{};
}

BALLOT_IN_CHILD long set_limit(int resource, const rlimit& both) {
  return raw_call(SYS_prlimit64, 0, resource, &both, nullptr);
}

/// Of each process of the run; `processes` counts all that the user has. Past its processor time a process gets XCPU, a
/// second later KILL.
BALLOT_IN_CHILD Failed take_limits(const ChildPlan& plan) {
  const Limits& limits = plan.limits;
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
    const long error = set_limit(limit.resource, {*limit.value, *limit.value + limit.more});
    if (error < 0) return {limit.stage, -error};
  }
  return {};
}

/// Descriptors 0 to 2, and where it reports to, which exec closes.
BALLOT_IN_CHILD Failed take_descriptors(const ChildPlan& plan, Report& report) {
  long error = BALLOT_FAILS_WITH("runner.dup2");
  if (error == 0) error = -raw_call(SYS_dup3, plan.input, 0, 0);
  if (error <= 0) error = -raw_call(SYS_dup3, plan.output, 1, 0);
  if (error <= 0) error = -raw_call(SYS_dup3, plan.output, 2, 0);
  if (error <= 0 && report.fd != report_fd) error = -raw_call(SYS_dup3, report.fd, report_fd, O_CLOEXEC);
  if (error > 0) return {"dup2", error};
  report.fd = report_fd;
  error = raw_call(SYS_close_range, report_fd + 1, ~0u, 0);
  return error < 0 ? Failed{"close_range", -error} : Failed{};
}

BALLOT_IN_CHILD Failed prepare(const ChildPlan& plan, Report& report) {
  if (const Failed failed = separate(plan); failed.stage) return failed;
  if (const long done = plan.cgroup_procs < 0 ? 1 : raw_call(SYS_write, plan.cgroup_procs, "0", 1); done != 1)
    return {"cgroup", -done};
  if (const Failed failed = take_descriptors(plan, report); failed.stage) return failed;
  long error = either(BALLOT_FAILS_WITH("runner.setrlimit"), set_limit(RLIMIT_NOFILE, plan.open_files));
  if (error < 0) return {"setrlimit", -error};
  if (const Failed failed = take_limits(plan); failed.stage) return failed;
  // 0 is what a job has that says nothing: where it cannot be had, the runner's own stays.
  error = plan.set_nice ? raw_call(SYS_setpriority, PRIO_PROCESS, 0, plan.nice) : 0;
  if (error < 0 && plan.nice != 0) return {"setpriority", -error};
  if (plan.set_identity)
    if (const Failed failed = take_identity(plan); failed.stage) return failed;
  // A runner that dies takes its children along, for nobody else could end them. A change of identity undoes this.
  error = raw_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (error < 0 || raw_call(SYS_getppid) != plan.runner) return {"prctl", -error};
  error = plan.no_new_privs ? raw_call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) : 0;
  if (error < 0) return {"no_new_privs", -error};
  raw_call(SYS_umask, plan.umask);
  error = BALLOT_FAILS_WITH("runner.chdir");
  if (error == 0) error = -raw_call(SYS_chdir, plan.working_dir);
  if (error > 0) return {"chdir", error};
  const std::uint64_t none = 0;
  error = raw_call(SYS_rt_sigprocmask, SIG_SETMASK, &none, nullptr, sizeof none);
  return error < 0 ? Failed{"sigprocmask", -error} : Failed{};
}

/// Tries each path as execvp does, but for scripts without `#!`; returns with the errno that says most. The clock is
/// read after whatever may have waited.
BALLOT_IN_CHILD Failed try_exec(const ChildPlan& plan, Report& report) {
  if (const int error = BALLOT_FAILS_WITH("runner.exec")) return {"exec", error};
  long error = ENOENT;
  for (char* const* path = plan.paths; *path; ++path) {
    if (steady_now() > plan.not_after) return {"exec", 0, true};
    if (!report.said_exec) raw_call(SYS_write, report.fd, &about_to_exec, 1);
    report.said_exec = true;
    const long result = -raw_call(SYS_execve, *path, plan.argv, plan.envp);
    if (result == EACCES)
      error = EACCES;
    else if (result != ENOENT && result != ENOTDIR)
      return {"exec", result};
    else if (error != EACCES)
      error = result;
  }
  return {"exec", error};
}

}  // namespace

BALLOT_IN_CHILD int child_main(void* argument) {
  const ChildPlan& plan = *static_cast<const ChildPlan*>(argument);
  Report report{plan.report};
  if (const Failed failed = prepare(plan, report); failed.stage) give_up(report, failed);
  Failed failed = try_exec(plan, report);
  for (int i = 0; i < busy_tries && failed.error == ETXTBSY; ++i) {
    raw_call(SYS_nanosleep, &busy_wait, nullptr);
    failed = try_exec(plan, report);
  }
  give_up(report, failed);
}

BALLOT_IN_CHILD int child_that_ends(void*) { return 0; }

}  // namespace ballot::runner
