// Processes that leave their run's group and session: none outlives the run, with a cgroup or without, and what is
// not known to be its is reported.
#include <signal.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/cgroup_place.hpp"
#include "integration/runner/runner_process.hpp"
#include "support/process/process_facts.hpp"

namespace ballot::runner {
namespace {

using ::ballot::testing::proc_text;
using ::ballot::testing::wait_until;
using std::chrono::seconds;

#ifdef __SANITIZE_ADDRESS__
constexpr std::int64_t kept_freed_kib = 300 * 1024;  // what the sanitizer keeps of freed memory
#else
constexpr std::int64_t kept_freed_kib = 0;
#endif

enum class By { cgroup, proc };

/// The runner's folder of cgroups; "" where it has none.
std::string cgroups_of(const RunnerProcess& runner) {
  const auto place = find_cgroup();
  const std::string folder = place ? place->own + "/ballot-" + std::to_string(runner.pid()) : "";
  return std::filesystem::exists(folder) ? folder : "";
}

class Escape : public ::testing::TestWithParam<By> {
 protected:
  void SetUp() override {
    if (GetParam() == By::cgroup && cgroups_of(runner_).empty()) GTEST_SKIP() << "no cgroup can be made here";
    ASSERT_EQ(::mkfifo(path("pid").c_str(), 0600), 0);
    ASSERT_EQ(::mkfifo(path("go").c_str(), 0600), 0);
  }

  std::string path(const std::string& name) const { return runner_.folder() + "/" + name; }

  /// A shell that forks twice and leaves its session on the way: the grandchild, whose pid is printed, does `does`,
  /// then the child `then`. The shell's open of the pipe ends with EINTR where its own child ends meanwhile.
  Start daemonizes(const std::string& does, const std::string& then) const {
    std::ofstream(path("grandchild")) << "echo $$ > " << path("pid") << "\n" << does << "\n";
    return shell("setsid sh -c 'sh " + path("grandchild") + " > /dev/null 2>&1 &'; until read p 2> /dev/null < " +
                 path("pid") + "; do :; done; echo $p; " + then);
  }

  /// Starts it and waits until it has printed `ready`; the pid that it printed last before it, or as the only one.
  pid_t begin(Start start, const std::string& ready = "") {
    start.stream_output = true;
    runner_.send(start);
    std::string printed = runner_.wait_printed(start.id, ready + "\n");
    printed.resize(printed.size() - ready.size() - 1);
    if (!ready.empty()) printed.resize(printed.find_last_not_of('\n') + 1);
    const pid_t pid = std::atoi(printed.c_str() + printed.rfind('\n') + 1);
    EXPECT_GT(pid, 0) << printed;
    EXPECT_NE(::getsid(pid), ::getsid(runner_.pid()));
    return pid;
  }

  void expect_clean() {
    EXPECT_TRUE(wait_until([&] { return runner_.children().empty(); })) << "zombies, or worse";
    EXPECT_EQ(runner_.run(command({"true"})).exit_code, 0);
  }

  RunnerProcess runner_{{.failpoints = GetParam() == By::cgroup ? "" : "runner.cgroup=fail(EACCES)"}};
};

INSTANTIATE_TEST_SUITE_P(, Escape, ::testing::Values(By::cgroup, By::proc),
                         [](const auto& by) { return by.param == By::cgroup ? "ByCgroup" : "ByProc"; });

TEST_P(Escape, FromTheSessionIsNoneFromTheDeadline) {
  Start start = daemonizes("trap '' TERM; while :; do sleep 600; done", "exec sleep 600");
  start.deadline = Millis(500);
  start.kill_grace = Millis(300);
  const pid_t escapee = begin(start);
  const Ended ended = runner_.wait<Ended>(start.id);
  EXPECT_EQ(ended.reason, Reason::deadline);
  EXPECT_EQ(ended.leftover, Leftover::none);
  EXPECT_LT(ended.duration, seconds(5));
  EXPECT_FALSE(process_exists(escapee));
  expect_clean();
}

TEST_P(Escape, FromTheSessionIsNoneFromTheFirstSignal) {
  const Start start = daemonizes(
      "trap 'echo > " + path("mark") + "; exit' TERM; echo > " + path("go") + "; while :; do sleep 600 & wait $!; done",
      "read p < " + path("go") + "; echo ready; exec sleep 600");
  const pid_t escapee = begin(start, "ready");  // its trap is set
  runner_.send(Kill{start.id, Reason::operator_, SIGTERM, seconds(15)});
  const Ended ended = runner_.wait<Ended>(start.id);
  EXPECT_EQ(ended.signal, SIGTERM);
  EXPECT_LT(ended.duration, seconds(10)) << "nobody waited for KILL";
  EXPECT_TRUE(std::filesystem::exists(path("mark")));
  EXPECT_FALSE(process_exists(escapee));
  expect_clean();
}

TEST_P(Escape, DoesNotOutliveAChildThatEndsNormally) {
  const Start start = daemonizes("exec sleep 600", "exit 3");
  const pid_t escapee = begin(start);
  const Ended ended = runner_.wait<Ended>(start.id);
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_EQ(ended.reason, Reason::none);
  EXPECT_EQ(ended.leftover, Leftover::none);
  EXPECT_FALSE(process_exists(escapee));
  expect_clean();
}

TEST_P(Escape, OfOneRunIsNoMatterOfAnother) {
  const Start other = daemonizes("exec sleep 600", "exec sleep 600");
  const pid_t others = begin(other);
  const Start start = daemonizes("exec sleep 601", "exit 0");
  const pid_t escapee = begin(start);
  EXPECT_EQ(runner_.wait<Ended>(start.id).leftover, Leftover::none);
  EXPECT_FALSE(process_exists(escapee));
  EXPECT_TRUE(process_exists(others));
}

std::size_t processes_naming(const AttemptId& id) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc"))
    if (const pid_t pid = std::atoi(entry.path().filename().c_str()))
      count += proc_text(pid, "environ").find(id.run.text()) != std::string::npos;
  return count;
}

TEST_P(Escape, OfAChainThatForksOnAndOnIsEndedToo) {
  std::ofstream(path("chain")) << "sleep 0.02\nsetsid sh " << path("chain") << " &\n";
  const Start start = daemonizes("exec sh " + path("chain"), "exec sleep 600");
  begin(start);
  runner_.send(Kill{start.id, Reason::operator_, SIGTERM, Millis(200)});
  EXPECT_EQ(runner_.wait<Ended>(start.id).leftover, Leftover::none);
  EXPECT_EQ(processes_naming(start.id), 0u);
  expect_clean();
}

TEST_P(Escape, OfAnOrphanWithoutAnEnvironmentIsReportedWhereItsRunIsNotKnown) {
  const Start start = daemonizes("exec env -i sleep 600", "read line < " + path("go") + "; exit 0");
  const pid_t escapee = begin(start);
  ASSERT_TRUE(
      wait_until([&] { return proc_text(escapee, "comm") == "sleep\n" && proc_text(escapee, "environ").empty(); }));
  ASSERT_EQ(std::system(("echo go > " + path("go")).c_str()), 0);
  const Ended ended = runner_.wait<Ended>(start.id);
  EXPECT_EQ(ended.exit_code, 0);
  if (GetParam() == By::cgroup && !without_cgroups()) {
    EXPECT_EQ(ended.leftover, Leftover::none);
    EXPECT_FALSE(process_exists(escapee));
    return;
  }
  EXPECT_EQ(ended.leftover, Leftover::escaped);
  EXPECT_TRUE(process_exists(escapee));
  const SteadyTime seen = steady();
  ASSERT_TRUE(wait_until([&] { return steady() > seen + Millis(50); })) << "starts are known to 10 ms";
  EXPECT_EQ(runner_.run(command({"true"})).leftover, Leftover::none) << "it is older than that run";
  ::kill(escapee, SIGKILL);
}

TEST_P(Escape, OfAnOrphanThatWasSeenWithItsParentIsNone) {
  const Start start =
      daemonizes("trap '' TERM; env -i sh -c 'trap \"\" TERM; echo $$ > " + path("go") + "; sleep 600'; :",
                 "read p < " + path("go") + "; echo $p; echo ready; exec sleep 600");
  const pid_t escapee = begin(start, "ready");
  runner_.send(Kill{start.id, Reason::operator_, SIGTERM, Millis(300)});
  EXPECT_EQ(runner_.wait<Ended>(start.id).leftover, Leftover::none);
  EXPECT_FALSE(process_exists(escapee));
}

TEST(Isolation, GivesBackACgroupThatAChildHasDividedAndUsesOthersAgain) {
  RunnerProcess runner;
  const std::string folder = cgroups_of(runner);
  if (folder.empty()) GTEST_SKIP() << "no cgroup can be made here";
  const Ended divided =
      runner.run(shell("d=" + find_cgroup()->root + "$(sed -n 's/^0:://p' /proc/self/cgroup)/below; mkdir $d; " +
                       "sh -c \"echo \\$\\$ > $d/cgroup.procs; exec sleep 600 > /dev/null 2>&1 &\"; echo $d"));
  EXPECT_EQ(divided.exit_code, 0);
  EXPECT_EQ(divided.leftover, Leftover::none);
  const std::string below = divided.output.head.substr(0, divided.output.head.find('\n'));
  EXPECT_FALSE(std::filesystem::exists(below)) << below;
  const Start where = command({"sed", "-n", "s/^0:://p", "/proc/self/cgroup"});
  const std::string first = runner.run(where).output.head;
  EXPECT_NE(first.find("/ballot-" + std::to_string(runner.pid()) + "/run-2\n"), std::string::npos) << first;
  Start again = where;
  again.id.attempt = 2;
  EXPECT_EQ(runner.run(again).output.head, first);
}

TEST(Isolation, OfAKilledRunnerIsEndedByTheNext) {
  std::optional<RunnerProcess> runner(std::in_place);
  const std::string folder = cgroups_of(*runner);
  if (folder.empty()) GTEST_SKIP() << "no cgroup can be made here";
  Start start = shell("setsid sleep 600 > /dev/null 2>&1 & echo $!; exec sleep 600");
  start.stream_output = true;
  runner->send(start);
  const pid_t escapee = std::atoi(runner->wait_printed(start.id, "\n").c_str());
  const pid_t pid = runner->pid();
  ::kill(pid, SIGKILL);
  runner.reset();
  EXPECT_TRUE(process_exists(escapee)) << "nobody is there to end it";
  {
    RunnerProcess next;
    wait_process_gone(escapee);
    EXPECT_EQ(next.run(command({"true"})).exit_code, 0);
  }
  EXPECT_TRUE(wait_until([&] { return !std::filesystem::exists(folder); })) << folder;
}

TEST(Isolation, IsJoinedBeforeExecWhereTheSystemCallIsMissing) {
  RunnerProcess runner({.failpoints = "runner.clone3=fail(EPERM)"});
  if (cgroups_of(runner).empty()) GTEST_SKIP() << "no cgroup can be made here";
  const Ended ended = runner.run(command({"cat", "/proc/self/cgroup"}));
  EXPECT_NE(ended.output.head.find("/run-1\n"), std::string::npos) << ended.output.head;
}

TEST(Isolation, HoldsForARunnerInACgroupThatWasKilledBefore) {
  const auto place = find_cgroup();
  const std::string used = (place ? place->own : "") + "/test-" + std::to_string(::getpid());
  if (::mkdir(used.c_str(), 0755) != 0) GTEST_SKIP() << "no cgroup can be made here";
  std::ofstream(used + "/cgroup.kill") << "1";
  pid_t pid = 0;
  {
    RunnerProcess runner({.cgroup = used});
    pid = runner.pid();
    const Ended ended = runner.run(shell("setsid sleep 600 > /dev/null 2>&1 & echo $!; cat /proc/self/cgroup"));
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_FALSE(process_exists(std::atoi(ended.output.head.c_str())));
    const bool has_cgroup = ended.output.head.find("/run-1\n") != std::string::npos;
    EXPECT_NE(has_cgroup, without_cgroups()) << ended.output.head;
  }
  wait_process_gone(pid);
  EXPECT_EQ(::rmdir(used.c_str()), 0);
}

TEST(Isolation, IsByProcForARunThatGetsNoCgroup) {
  RunnerProcess runner({.failpoints = "runner.mkdir=fail(ENOSPC)@1"});
  if (cgroups_of(runner).empty()) GTEST_SKIP() << "no cgroup can be made here";
  const Ended ended = runner.run(shell("setsid sleep 600 > /dev/null 2>&1 & echo $!; cat /proc/self/cgroup"));
  EXPECT_EQ(ended.output.head.find("/run-"), std::string::npos) << ended.output.head;
  EXPECT_FALSE(process_exists(std::atoi(ended.output.head.c_str())));
}

TEST(Isolation, IsGoneWithItsRunner) {
  std::string folder;
  pid_t pid = 0;
  {
    RunnerProcess runner;
    folder = cgroups_of(runner);
    pid = runner.pid();
    if (folder.empty()) GTEST_SKIP() << "no cgroup can be made here";
    EXPECT_EQ(runner.run(command({"true"})).exit_code, 0);
  }
  wait_process_gone(pid);
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(Isolation, OfTenThousandRunsLeavesNothingBehind) {
  RunnerProcess runner;
  const auto run_many = [&runner](int count) {
    std::size_t live = 0;
    std::string out;
    for (int started = 0, done = 0; done < count;) {
      for (; live < 32 && started < count; ++live, ++started) out += encode(ToRunner(command({"/bin/true"})));
      runner.send_bytes(std::exchange(out, {}));
      for (auto message = runner.next(); message; message = runner.next_if_there())
        if (const auto* ended = std::get_if<Ended>(&*message)) {
          ASSERT_EQ(ended->exit_code, 0);
          out += encode(ToRunner(Ack{ended->id}));
          ++done, --live;
        }
    }
    runner.send_bytes(out);
  };
  run_many(500);
  const std::size_t descriptors = runner.descriptors();
  const std::int64_t memory = runner.resident_kib();
  run_many(9'500);
  EXPECT_EQ(runner.run(command({"/bin/true"})).exit_code, 0);
  EXPECT_EQ(runner.descriptors(), descriptors);
  EXPECT_LT(runner.resident_kib() - memory, 1024 + kept_freed_kib) << "of " << memory;
  EXPECT_TRUE(runner.children().empty()) << "zombies";
  const std::string folder = cgroups_of(runner);
  if (folder.empty()) return;
  std::size_t cgroups = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) cgroups += entry.is_directory();
  EXPECT_LE(cgroups, 64u) << "what is kept to be used again";
}

}  // namespace
}  // namespace ballot::runner
