// What the user of a job can do to the runner and to the runs of others: nothing. Each test has a user of its own try.
#include <fcntl.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>

#include "integration/runner/runner_process.hpp"
#include "support/process/process_facts.hpp"

namespace ballot::runner {
namespace {

using std::chrono::seconds;

constexpr uid_t intruder = 65534, other = 65533;

#define NEEDS_ROOT() \
  if (::geteuid() != 0) GTEST_SKIP() << "needs root: runs under other users"

Start as(Start start, uid_t uid) {
  start.set_identity = true;
  start.uid = uid;
  start.gid = uid;
  return start;
}

/// A process of the intruder's: it says over a pipe that it is ready, and lives until it is asked to end or the test
/// does.
class Intruder {
 public:
  /// `prepare` runs with the intruder's identity; what it returns is its first byte.
  explicit Intruder(const std::function<char()>& prepare, const std::function<void()>& go_on = {}) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      const bool is_intruder = ::setgroups(0, nullptr) == 0 && ::setresgid(intruder, intruder, intruder) == 0 &&
                               ::setresuid(intruder, intruder, intruder) == 0;
      const char answer = is_intruder ? prepare() : '?';
      if (::write(ends[1], &answer, 1) != 1) ::_exit(1);
      if (go_on) go_on();
      while (true) ::pause();
    }
    ::close(ends[1]);
    if (::read(ends[0], &answer_, 1) != 1) answer_ = '?';
    ::close(ends[0]);
  }
  ~Intruder() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  char answer() const { return answer_; }

 private:
  pid_t pid_ = -1;
  char answer_ = '?';
};

std::string state_of(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(stat, text);
  return text.size() > 3 ? text.substr(text.rfind(')') + 2, 1) : "";
}

/// A program that belongs to the intruder, who has a lease on it: whoever wants to execute it waits.
class LeasedProgram {
 public:
  explicit LeasedProgram(const std::string& path) : path_(path) {
    std::filesystem::copy_file("/bin/sleep", path);
    ::chmod(path.c_str(), 0755);
    if (::chown(path.c_str(), intruder, intruder) != 0) throw std::runtime_error("chown fails");
    holder_ = std::make_unique<Intruder>([this] {
      const int fd = ::open(path_.c_str(), O_RDONLY);
      ::signal(SIGIO, SIG_IGN);  // which says that somebody waits
      return ::fcntl(fd, F_SETLEASE, F_WRLCK) == 0 ? '+' : '-';
    });
  }
  bool is_leased() const { return holder_->answer() == '+'; }

 private:
  const std::string path_;
  std::unique_ptr<Intruder> holder_;
};

bool wait_for(const std::function<bool()>& condition) {
  const auto until = std::chrono::steady_clock::now() + seconds(20);
  while (!condition() && std::chrono::steady_clock::now() < until) ::sched_yield();
  return condition();
}

/// A child of the runner's in this state, as /proc has it. The first start also makes one that ends at once.
pid_t wait_child(const RunnerProcess& runner, const std::string& state) {
  pid_t found = -1;
  const auto is_there = [&] {
    for (const pid_t child : runner.children())
      if (state_of(child) == state) found = child;
    return found > 0;
  };
  if (!wait_for(is_there)) throw std::runtime_error("no child is in state " + state);
  return found;
}

TEST(HostileUser, WhoHasALeaseOnItsProgramHoldsUpNobody) {
  NEEDS_ROOT();
  RunnerProcess runner;
  const LeasedProgram program(runner.folder() + "/program");
  ASSERT_TRUE(program.is_leased());
  Start blocked = as(command({runner.folder() + "/program", "600"}), intruder);
  blocked.launch_not_after = steady() + seconds(3);
  runner.send(blocked);
  const pid_t child = wait_child(runner, "S");
  const auto stop = [child] { return ::kill(child, SIGSTOP) == 0; };
  const Intruder stopper([&] { return wait_for(stop) ? '+' : '-'; },
                         [&] {
                           while (true) stop(), ::usleep(1000);
                         });
  EXPECT_EQ(stopper.answer(), '+') << "it is the intruder's already";
  const SteadyTime before = steady();
  runner.send(Deadline{7, before + Millis(800), Millis(300)});
  Start bounded = command({"sleep", "600"});
  bounded.term_key = 7;
  bounded.terminate = true;
  EXPECT_EQ(runner.run(bounded).reason, Reason::leadership_lost) << "deadlines of others hold";
  EXPECT_LT(steady(), before + Millis(800));
  Millis longest{0};
  for (int i = 0; i < 20; ++i) {
    const SteadyTime asked = steady();
    EXPECT_EQ(runner.run(as(command({"true"}), other)).exit_code, 0);
    longest = std::max(longest, std::chrono::ceil<Millis>(steady() - asked));
  }
  std::cout << "another user's run meanwhile, from its order to its end: " << longest.count() << " ms at most\n";
  EXPECT_LT(steady(), blocked.launch_not_after) << "all that while it hung";

  const Ended ended = runner.wait<Ended>(blocked.id);
  EXPECT_EQ(ended.signal, SIGKILL);
  EXPECT_EQ(ended.reason, Reason::leadership_lost);
  EXPECT_GE(steady(), blocked.launch_not_after);
  EXPECT_LT(steady(), blocked.launch_not_after + seconds(2));
  EXPECT_TRUE(runner.children().empty());
}

TEST(HostileUser, WhoOwnsTheProgramOfARootJobHoldsUpThatJobOnly) {
  NEEDS_ROOT();
  RunnerProcess runner;
  const LeasedProgram program(runner.folder() + "/program");
  ASSERT_TRUE(program.is_leased());
  Start blocked = command({runner.folder() + "/program", "600"});
  blocked.launch_not_after = steady() + seconds(2);
  runner.send(blocked);
  wait_child(runner, "S");
  for (int i = 0; i < 20; ++i) EXPECT_EQ(runner.run(command({"true"})).exit_code, 0);
  EXPECT_LT(steady(), blocked.launch_not_after);
  EXPECT_EQ(runner.wait<Ended>(blocked.id).signal, SIGKILL) << "it was about to: it counts as started";
  EXPECT_TRUE(runner.children().empty());
}

TEST(HostileUser, IsInASessionOfItsOwnAndJoinsNoGroupOfRoots) {
  NEEDS_ROOT();
  RunnerProcess runner;
  Start roots = shell("echo ready; exec sleep 600");
  roots.stream_output = true;
  runner.send(roots);
  const Started started = runner.wait<Started>(roots.id);
  const std::string facts = printed(runner.run(as(shell("echo $$; cut -d' ' -f5,6 /proc/self/stat"), intruder)));
  std::istringstream words(facts);
  std::string pid, group, session;
  words >> pid >> group >> session;
  EXPECT_EQ(group, pid);
  EXPECT_EQ(session, pid);
  // bash's job control would need a terminal: perl says it plainly
  const std::string join = "use POSIX; my $p = fork(); if (!$p) { print setpgid(0, " + std::to_string(started.pid) +
                           ") ? 'joined' : \"refused $!\"; exit 0 } wait";
  const std::string said = printed(runner.run(as(command({"perl", "-e", join}), intruder)));
  EXPECT_EQ(said, "refused Operation not permitted");
  runner.send(Kill{roots.id, Reason::operator_, SIGTERM, seconds(5)});
  EXPECT_EQ(runner.wait<Ended>(roots.id).leftover, Leftover::none);
}

long keyctl(int operation, long a = 0, long b = 0) { return ::syscall(SYS_keyctl, operation, a, b, 0, 0); }

TEST(HostileUser, HasNotTheSessionKeyringOfTheRunner) {
  NEEDS_ROOT();
  if (keyctl(KEYCTL_JOIN_SESSION_KEYRING) < 0) GTEST_SKIP() << "no keyrings here: " << std::strerror(errno);
  const long secret = ::syscall(SYS_add_key, "user", "ballot-secret", "payload", 7, KEY_SPEC_SESSION_KEYRING);
  ASSERT_GT(secret, 0);
  RunnerProcess runner;  // inherits this session keyring
  const std::string list = "grep -c ballot-secret /proc/keys; id -u";
  EXPECT_EQ(printed(runner.run(shell(list))), "1\n0\n") << "root's job has root's keyring";
  EXPECT_EQ(printed(runner.run(as(shell(list), intruder))), "0\n" + std::to_string(intruder) + "\n");
}

/// What the run of another user leaves behind: a process that left its session and lost its parent. Its pid.
pid_t leave_behind(RunnerProcess& runner, Start& start) {
  start = as(shell("setsid sh -c 'sleep 600 > /dev/null 2>&1 & echo $!'"), intruder);
  start.stream_output = true;
  runner.send(start);
  return std::atoi(runner.wait_printed(start.id, "\n").c_str());
}

TEST(HostileUser, IsFollowedWhereHisProcessesLeaveTheirSessionAndThereAreNoCgroups) {
  NEEDS_ROOT();
  RunnerProcess runner({.failpoints = "runner.cgroup=fail(EACCES)"});
  Start start;
  const pid_t left = leave_behind(runner, start);
  ASSERT_GT(left, 0);
  EXPECT_EQ(runner.wait<Ended>(start.id).leftover, Leftover::none);
  EXPECT_FALSE(process_exists(left));
}

/// He keeps the memory map of his process locked: by a fault on a file system of his own, and somebody who waits to
/// write to the map.
TEST(HostileUser, HoldsUpNoRunByAProcessWhoseEnvironmentCannotBeRead) {
  NEEDS_ROOT();
  RunnerProcess runner({.failpoints = "runner.cgroup=fail(EACCES);runner.environment=hang"});
  Start start;
  const pid_t left = leave_behind(runner, start);
  ASSERT_GT(left, 0);
  const SteadyTime before = steady();
  EXPECT_EQ(runner.run(command({"true"})).exit_code, 0);
  EXPECT_LT(steady() - before, seconds(5));
  const Ended ended = runner.wait<Ended>(start.id);
  EXPECT_EQ(ended.leftover, Leftover::escaped) << "nobody knows whose it is";
  EXPECT_TRUE(process_exists(left));
  ::kill(left, SIGKILL);
  EXPECT_EQ(runner.run(command({"true"})).exit_code, 0);
  EXPECT_TRUE(::ballot::testing::wait_until([&] { return runner.children().empty(); })) << "who reads is ended too";
}

TEST(HostileUser, GainsNoPrivilegesByASetuidProgramWhereTheJobSaysSo) {
  NEEDS_ROOT();
  RunnerProcess runner;
  const std::string path = runner.folder() + "/id";
  std::filesystem::copy_file("/usr/bin/id", path);
  ::chmod(path.c_str(), 04755);
  Start start = as(command({path, "-u"}), intruder);
  EXPECT_EQ(printed(runner.run(start)), "0\n");
  start = as(command({path, "-u"}), intruder);
  start.no_new_privs = true;
  EXPECT_EQ(printed(runner.run(start)), std::to_string(intruder) + "\n");
  start = shell("grep NoNewPrivs /proc/self/status");
  EXPECT_EQ(printed(runner.run(start)), "NoNewPrivs:\t0\n");
  start = shell("grep NoNewPrivs /proc/self/status");
  start.no_new_privs = true;
  EXPECT_EQ(printed(runner.run(start)), "NoNewPrivs:\t1\n");
}

#ifdef BALLOT_FAILPOINTS

/// Stopped right before exec, under the intruder's identity.
struct StoppedChild {
  StoppedChild() {
    RunnerOptions options;
    options.failpoints = "runner.exec=stop@1";
    runner = std::make_unique<RunnerProcess>(options);
    start = as(command({"sleep", "600"}), intruder);
    start.launch_not_after = steady() + seconds(4);
    runner->send(start);
    pid = wait_child(*runner, "T");
  }
  std::unique_ptr<RunnerProcess> runner;
  Start start;
  pid_t pid = -1;
};

TEST(HostileUser, CanNeitherReadNorTraceItsChildBeforeExec) {
  NEEDS_ROOT();
  const StoppedChild child;
  const Intruder tracer([&] {
    if (::ptrace(PTRACE_SEIZE, child.pid, nullptr, nullptr) == 0) return 't';
    const std::string folder = "/proc/" + std::to_string(child.pid);
    for (const char* file : {"/mem", "/environ", "/maps", "/fd/0"})
      if (::open((folder + file).c_str(), O_RDONLY) >= 0) return 'r';
    return '+';
  });
  EXPECT_EQ(tracer.answer(), '+');
}

TEST(HostileUser, HasNothingOfTheRunnersHeapInItsChildBeforeExec) {
  NEEDS_ROOT();
  const StoppedChild child;
  std::ifstream maps("/proc/" + std::to_string(child.pid) + "/maps");
  ASSERT_TRUE(maps.good());
  for (std::string line; std::getline(maps, line);) EXPECT_EQ(line.find("[heap]"), std::string::npos) << line;
}

TEST(HostileUser, WhoStopsItsChildBeforeExecIsRefusedAtTheLimitAndNothingIsLeft) {
  NEEDS_ROOT();
  const StoppedChild child;
  EXPECT_EQ(child.runner->run(command({"true"})).exit_code, 0);
  child.runner->wait<Refused>(child.start.id);
  EXPECT_GE(steady(), child.start.launch_not_after);
  EXPECT_TRUE(child.runner->children().empty());
}

#endif

}  // namespace
}  // namespace ballot::runner
