// System calls that fail on the n-th call, and limits that are reached: one start fails and says why, every other start
// works, and nothing is left behind.
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>

#include "integration/runner/runner_process.hpp"
#include "support/process/process_facts.hpp"

namespace ballot::runner {
namespace {

RunnerOptions with(const std::string& failpoints) {
  RunnerOptions options;
  options.failpoints = failpoints;
  return options;
}

Millis cpu_time(pid_t pid) {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &used) != 0)
    throw std::runtime_error("the runner is gone");
  return std::chrono::floor<Millis>(std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec));
}

/// The whole list of what a start does that can fail, with what it is called to the daemon.
struct Step {
  const char* point;
  const char* stage;
};
constexpr Step steps[] = {
    {"runner.stdin", "stdin"}, {"runner.stdin_write", "stdin"},   {"runner.pipe", "pipe"},
    {"runner.epoll", "epoll"}, {"runner.clone", "clone"},         {"runner.setpgid", "setpgid"},
    {"runner.dup2", "dup2"},   {"runner.setrlimit", "setrlimit"}, {"runner.chdir", "chdir"},
    {"runner.exec", "exec"},   {"runner.report", "pipe"},
};
constexpr Step identity_steps[] = {{"runner.setsid", "setsid"},
                                   {"runner.keyctl", "keyctl"},
                                   {"runner.setgroups", "setgroups"},
                                   {"runner.setresgid", "setresgid"},
                                   {"runner.setresuid", "setresuid"}};

/// Starts `count` children one after the other, of which the n-th has to fail.
void expect_only_the_nth_fails(const Step& step, int n, int count, const Start& what) {
  SCOPED_TRACE(std::string(step.point) + " fails at call " + std::to_string(n));
  RunnerProcess runner(with(std::string(step.point) + "=fail(EAGAIN)@" + std::to_string(n)));
  const std::size_t before = runner.descriptors();
  for (int i = 1; i <= count; ++i) {
    Start start = shell("cat");
    start.set_identity = what.set_identity;
    start.groups = what.groups;
    start.uid = what.uid;
    start.gid = what.gid;
    start.standard_input = "said";
    if (i != n) {
      EXPECT_EQ(runner.run(start).output.head + "|", "said|");
      continue;
    }
    runner.send(start);
    const CannotStart answer = runner.wait<CannotStart>(start.id);
    EXPECT_EQ(answer.stage, step.stage);
    EXPECT_EQ(answer.error, EAGAIN);
  }
  EXPECT_EQ(runner.descriptors(), before);
  EXPECT_TRUE(runner.children().empty()) << "no zombie";
}

/// It has copies of the pipes of the runs before it, also of those that have ended since.
TEST(StartFaults, AChildThatHangsBeforeItsExecCostsTheRunnerNoProcessorTime) {
  RunnerProcess runner(with("runner.setpgid=hang@2"));
  const Start before = command({"sleep", "600"});
  runner.send(before);
  runner.wait<Started>(before.id);
  Start hung = command({"true"});
  hung.launch_not_after = steady() + std::chrono::seconds(2);
  runner.send(hung);
  runner.send(Kill{before.id, Reason::operator_, SIGKILL, Millis(0)});
  runner.wait<Ended>(before.id);
  const Millis used = cpu_time(runner.pid());
  runner.wait<Refused>(hung.id);
  EXPECT_GE(steady(), hung.launch_not_after);
  EXPECT_LT(cpu_time(runner.pid()) - used, Millis(500));
}

TEST(Faults, OneStartFailsAtWhicheverCallAndSaysWhichAndTheOthersWork) {
  Start start;
  for (const Step& step : steps)
    for (int n = 1; n <= 4; ++n) expect_only_the_nth_fails(step, n, 4, start);
}

TEST(Faults, OneStartAsAnotherUserFailsAtWhicheverCallAndSaysWhich) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  Start start;
  start.set_identity = true;
  start.uid = 65534;
  start.gid = 65534;
  start.groups = {65534};
  for (const Step& step : identity_steps)
    for (int n = 1; n <= 3; ++n) expect_only_the_nth_fails(step, n, 3, start);
}

TEST(Faults, AChildThatDiesBetweenCloneAndExecEndsByItsSignal) {
  RunnerProcess runner(with("runner.exec=kill@2"));
  EXPECT_EQ(runner.run(shell("exit 3")).exit_code, 3);
  EXPECT_EQ(runner.run(shell("exit 3")).signal, SIGKILL);
  EXPECT_EQ(runner.run(shell("exit 3")).exit_code, 3);
}

/// The runner's only child, once it is stopped.
pid_t wait_stopped_child(const RunnerProcess& runner) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < until) {
    for (const pid_t child : runner.children()) {
      std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
      std::string text;
      std::getline(stat, text);
      if (text.size() > 3 && text.substr(text.rfind(')') + 2, 1) == "T") return child;
    }
    ::poll(nullptr, 0, 2);
  }
  ADD_FAILURE() << "no child is stopped";
  return -1;
}

TEST(Faults, AChildStoppedBetweenCloneAndExecPastItsTimeIsRefusedAndExecutesNothing) {
  RunnerProcess runner(with("runner.exec=stop@1"));
  const std::string mark = runner.folder() + "/mark";
  Start start = command({"touch", mark});
  start.launch_not_after = steady() + Millis(100);
  runner.send(start);
  const pid_t child = wait_stopped_child(runner);
  ASSERT_GT(child, 0);
  while (steady() <= start.launch_not_after) ::poll(nullptr, 0, 2);
  ::kill(child, SIGCONT);
  runner.wait<Refused>(start.id);
  EXPECT_NE(::access(mark.c_str(), F_OK), 0);
  EXPECT_TRUE(runner.children().empty());
  EXPECT_EQ(runner.run(shell("exit 4")).exit_code, 4);
}

/// The runner cannot kill it then: the child's own look at the clock is all that there is.
TEST(Faults, AChildPastItsTimeExecutesNothingAlsoWhileItsRunnerIsStopped) {
  RunnerProcess runner(with("runner.exec=stop@1"));
  const std::string mark = runner.folder() + "/mark";
  Start start = command({"touch", mark});
  start.launch_not_after = steady() + Millis(1500);
  runner.send(start);
  const pid_t child = wait_stopped_child(runner);
  ASSERT_GT(child, 0);
  ::kill(runner.pid(), SIGSTOP);
  ASSERT_LT(steady(), start.launch_not_after) << "the machine is too busy to try this";
  while (steady() <= start.launch_not_after) ::poll(nullptr, 0, 2);
  ::kill(child, SIGCONT);
  EXPECT_TRUE(::ballot::testing::wait_until([&] { return !process_exists(child); }));
  ::kill(runner.pid(), SIGCONT);
  runner.wait<Refused>(start.id);
  EXPECT_NE(::access(mark.c_str(), F_OK), 0);
}

TEST(Faults, AChildThatExecutedAndEndedWhileItsRunnerWasStoppedHasItsOwnEnd) {
  RunnerProcess runner(with("runner.exec=stop@1"));
  Start start = command({"true"});
  start.launch_not_after = steady() + Millis(1500);
  runner.send(start);
  const pid_t child = wait_stopped_child(runner);
  ASSERT_GT(child, 0);
  ::kill(runner.pid(), SIGSTOP);
  ::kill(child, SIGCONT);
  EXPECT_TRUE(::ballot::testing::wait_until([&] { return !process_exists(child); }));
  ASSERT_LT(steady(), start.launch_not_after) << "the machine is too busy to try this";
  while (steady() <= start.launch_not_after) ::poll(nullptr, 0, 2);
  ::kill(runner.pid(), SIGCONT);
  const Ended ended = runner.wait<Ended>(start.id);
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.reason, Reason::none);
}

TEST(Faults, AChildStoppedBeforeExecEndsByAKillAndCountsAsStarted) {
  RunnerProcess runner(with("runner.exec=stop@1"));
  const Start start = command({"sleep", "600"});
  runner.send(start);
  wait_stopped_child(runner);
  EXPECT_EQ(runner.run(command({"true"})).exit_code, 0) << "the others do not wait for it";
  runner.send(Kill{start.id, Reason::operator_, SIGTERM, std::chrono::seconds(10)});
  EXPECT_GT(runner.wait<Started>(start.id).pid, 0);
  const Ended ended = runner.wait<Ended>(start.id);
  EXPECT_EQ(ended.signal, SIGTERM);
  EXPECT_EQ(ended.reason, Reason::operator_);
}

TEST(Faults, AChildThatWasReportedToADaemonBeforeExecCountsAsStarted) {
  RunnerProcess runner(with("runner.exec=stop@1"));
  Start start = command({"sleep", "600"});
  start.launch_not_after = steady() + std::chrono::seconds(2);
  runner.send(start);
  wait_stopped_child(runner);
  runner.disconnect();
  runner.connect();
  EXPECT_GT(runner.wait<Running>(start.id).pid, 0) << "the new daemon takes it for running";
  const Ended ended = runner.wait<Ended>(start.id);
  EXPECT_EQ(ended.signal, SIGKILL);
  EXPECT_EQ(ended.reason, Reason::leadership_lost);
  EXPECT_GT(steady(), start.launch_not_after);
}

TEST(Faults, AConnectionThatCannotBeTakenIsRefusedAndTheNextIsTaken) {
  // Of the first connection it has checked twice: for it, and for one more.
  RunnerProcess runner(with("runner.accept=fail(EMFILE)@3"));
  const UniqueFd first = runner.take_connection();
  runner.dial();
  EXPECT_EQ(runner.next(), std::nullopt) << "it is closed, not left to wait";
  runner.connect();
  EXPECT_EQ(runner.run(shell("exit 5")).exit_code, 5);
}

/// Starts children until one cannot be started; returns those that run.
std::vector<AttemptId> start_until_refused(RunnerProcess& runner, CannotStart& refused) {
  runner.wait<Ready>();
  std::vector<AttemptId> running;
  while (running.size() < 100) {
    const Start start = command({"sleep", "600"});
    runner.send(start);
    const auto message = runner.next();
    if (const auto* started = message ? std::get_if<Started>(&*message) : nullptr) {
      running.push_back(started->id);
      continue;
    }
    const auto* cannot = message ? std::get_if<CannotStart>(&*message) : nullptr;
    EXPECT_TRUE(cannot);
    if (cannot) refused = *cannot;
    return running;
  }
  ADD_FAILURE() << "the limit does not hold";
  return running;
}

TEST(Faults, WithoutDescriptorsAStartFailsAndWithThemAgainTheNextWorks) {
  RunnerOptions options;
  options.open_files = 24;
  RunnerProcess runner(options);
  const std::size_t before = runner.descriptors();
  CannotStart refused;
  const std::vector<AttemptId> running = start_until_refused(runner, refused);
  EXPECT_TRUE(refused.stage == "pipe" || refused.stage == "cgroup") << refused.stage;
  EXPECT_EQ(refused.error, EMFILE);
  EXPECT_GE(running.size(), 8u);
  for (const AttemptId& id : running) runner.send(Kill{id, Reason::operator_, SIGKILL, {}});
  for (const AttemptId& id : running) EXPECT_EQ(runner.wait<Ended>(id).reason, Reason::operator_);
  EXPECT_EQ(runner.run(shell("exit 6")).exit_code, 6);
  EXPECT_EQ(runner.descriptors(), before);
  EXPECT_TRUE(runner.children().empty());
}

TEST(Faults, WithoutProcessesAStartFailsAndWithThemAgainTheNextWorks) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  RunnerOptions options;
  options.user = 1'000'000 + static_cast<uid_t>(::getpid());  // a user who has no other processes
  options.processes = 6;
  RunnerProcess runner(options);
  CannotStart refused;
  const std::vector<AttemptId> running = start_until_refused(runner, refused);
  EXPECT_EQ(refused.stage, "clone");
  EXPECT_EQ(refused.error, EAGAIN);
#ifdef __SANITIZE_THREAD__
  constexpr std::size_t others = 2;  // the runner itself, and the sanitizer's thread in it
#else
  constexpr std::size_t others = 1;  // the runner itself
#endif
  EXPECT_EQ(running.size(), 6 - others);
  runner.send(Kill{running.front(), Reason::operator_, SIGKILL, {}});
  runner.wait<Ended>(running.front());
  EXPECT_EQ(runner.run(command({"true"})).exit_code, 0);
}

/// The process that went to the background, which is this test's child as nobody else's.
void expect_ended(rlim_t most, bool served) {
  int status = 0;
  pid_t pid = 0;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while ((pid = ::waitpid(-1, &status, WNOHANG)) == 0 && std::chrono::steady_clock::now() < until)
    ::poll(nullptr, 0, 2);
  EXPECT_NE(pid, 0) << "with " << most << " descriptors it neither serves nor ends";
  EXPECT_TRUE(!served || (pid > 0 && WIFEXITED(status))) << "it ends on TERM";
}

TEST(Faults, ARunnerThatHasNotTheDescriptorsThatItNeedsEnds) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  int served = 0, gone = 0;
  for (rlim_t most = 4; most <= 14; ++most) {
    RunnerOptions options;
    options.open_files = most;
    options.linger = Millis(100);  // one that has just none for a connection ends by this
    bool serves = false;
    try {
      const RunnerProcess runner(options);
      serves = true;
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "the runner did not start") << "with " << most << " descriptors";
    }
    ++(serves ? served : gone);
    expect_ended(most, serves);
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  EXPECT_GT(served, 0);
  EXPECT_GT(gone, 0);
}

}  // namespace
}  // namespace ballot::runner
