// The cgroup of a run, in a folder made to look like one: what it writes there, and what it reads.
#include "runner/cgroup.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "base/cgroup_place.hpp"
#include "runner/attempt.hpp"
#include "support/process/run_program.hpp"
#include "support/temp_folder.hpp"

namespace ballot::runner {
namespace {

using ::ballot::testing::text_of;

class ACgroup : public ::testing::Test {
 protected:
  ACgroup() {
    std::filesystem::create_directory(folder_ / "run");
    for (const char* name : {"memory.max", "memory.oom.group", "cpu.weight", "pids.max", "cgroup.kill"})
      folder_.write(std::string("run/") + name, "");
    folder_.write("run/cgroup.events", "populated 0\nfrozen 0\n");
  }

  std::unique_ptr<RunCgroup> run() { return std::make_unique<RunCgroup>(base_.get(), "run", nullptr); }
  void memory_events(const std::string& oom_kill) {
    folder_.write("run/memory.events", "low 0\nhigh 0\nmax 7\noom 1\noom_kill " + oom_kill + "\noom_group_kill 0\n");
  }

  /// How an attempt in it is reported to have ended, with `stopped_for`, if any, begun before.
  Ended end_of_an_attempt(int wait_status, std::optional<Reason> stopped_for = {}) {
    Orphans orphans;
    Start start;
    start.kill_grace = std::chrono::seconds(1);
    constexpr pid_t nobody = 1 << 30;
    const Now now{WallTime(Millis(5)), SteadyTime(Millis(5))};
    Attempt attempt(start, {Descendants({}, nobody, now.steady, orphans), nobody, run()}, UniqueFd(), now);
    if (stopped_for) attempt.stop(*stopped_for, SteadyTime(Millis(1'000)), now.steady);
    attempt.child_ended(wait_status, now);
    attempt.advance(now.steady);
    EXPECT_TRUE(attempt.has_ended());
    return attempt.outcome();
  }

  const TempFolder folder_;
  const UniqueFd base_{::open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
};

TEST_F(ACgroup, HasItsLimitsWritten) {
  const auto done = run()->limit({.memory_max = 1u << 30, .cpu_weight = 50, .tasks_max = 12});
  EXPECT_TRUE(std::holds_alternative<std::monostate>(done));
  EXPECT_EQ(text_of(folder_ / "run/memory.max"), "1073741824");
  EXPECT_EQ(text_of(folder_ / "run/memory.oom.group"), "1") << "of a run without memory nothing goes on alone";
  EXPECT_EQ(text_of(folder_ / "run/cpu.weight"), "50");
  EXPECT_EQ(text_of(folder_ / "run/pids.max"), "12");
}

TEST_F(ACgroup, LeavesAloneWhatHasNoLimit) {
  run()->limit({.open_files = 5, .tasks_max = 12});
  EXPECT_EQ(text_of(folder_ / "run/memory.max"), "");
  EXPECT_EQ(text_of(folder_ / "run/memory.oom.group"), "");
  EXPECT_EQ(text_of(folder_ / "run/cpu.weight"), "");
}

TEST_F(ACgroup, SaysWhichLimitCannotBeSet) {
  folder_.remove("run/pids.max");
  const auto done = run()->limit({.cpu_weight = 1, .tasks_max = 12});
  const auto* failed = std::get_if<LaunchFailure>(&done);
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->stage, "limits.tasks_max (pids.max)");
  EXPECT_EQ(failed->error, ENOENT);
}

TEST_F(ACgroup, IsPopulatedWhereItSaysSoOrSaysNothing) {
  EXPECT_FALSE(run()->populated());
  folder_.write("run/cgroup.events", "populated 1\nfrozen 0\n");
  EXPECT_TRUE(run()->populated());
  folder_.remove("run/cgroup.events");
  EXPECT_TRUE(run()->populated());
  std::filesystem::remove_all(folder_ / "run");
  EXPECT_FALSE(run()->populated()) << "only an empty one can go";
}

TEST_F(ACgroup, IsKilledAsAWhole) {
  run()->kill();
  EXPECT_EQ(text_of(folder_ / "run/cgroup.kill"), "1");
}

TEST_F(ACgroup, ReportsAKillForMemory) {
  EXPECT_FALSE(run()->killed_for_memory()) << "nothing counts it";
  memory_events("0");
  EXPECT_FALSE(run()->killed_for_memory());
  memory_events("2");
  EXPECT_TRUE(run()->killed_for_memory());
}

TEST_F(ACgroup, MakesAKillForMemoryTheReasonOfTheEnd) {
  memory_events("1");
  const Ended ended = end_of_an_attempt(SIGKILL);
  EXPECT_EQ(ended.reason, Reason::oom);
  EXPECT_EQ(ended.signal, SIGKILL);
  EXPECT_EQ(end_of_an_attempt(SIGTERM).reason, Reason::none) << "another signal";
  EXPECT_EQ(end_of_an_attempt(3 << 8).exit_code, 3);
  EXPECT_EQ(end_of_an_attempt(3 << 8).reason, Reason::none) << "its child died, and it went on";
  EXPECT_EQ(end_of_an_attempt(SIGKILL, Reason::operator_).reason, Reason::operator_) << "somebody else sent it";
  memory_events("0");
  EXPECT_EQ(end_of_an_attempt(SIGKILL).reason, Reason::none);
}

TEST_F(ACgroup, IsNotMadeWhereNoneCanBeKilled) {
  const auto made = Cgroups::below(folder_.path());
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().what.find("a cgroup in " + folder_.path() + " cannot be killed"), std::string::npos)
      << made.error().what;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    EXPECT_EQ(entry.path().filename(), "run") << "nothing is left";
  EXPECT_FALSE(Cgroups::below(folder_ / "none"));
}

/// Real ones, where this process may make them.
class AScope : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto place = find_cgroup();
    if (!place) GTEST_SKIP() << "no cgroup v2 hierarchy is mounted here";
    slice_ = place->own + "/scopes-" + std::to_string(::getpid()) + ".slice";  // no name that other runners clear away
    if (::mkdir(slice_.c_str(), 0755) != 0) GTEST_SKIP() << "no cgroup can be made in " << place->own;
  }
  ~AScope() override {
    if (slice_.empty()) return;
    std::ofstream(slice_ + "/cgroup.kill") << 1;
    for (const std::string& name : folders_) ::rmdir((slice_ + name + "/runner").c_str());
    for (auto name = folders_.rbegin(); name != folders_.rend(); ++name) ::rmdir((slice_ + *name).c_str());
    ::rmdir(slice_.c_str());
  }

  void make(const std::string& name) {
    ASSERT_EQ(::mkdir((slice_ + name).c_str(), 0755), 0);
    folders_.push_back(name);
  }
  bool enter(const std::string& name) const {
    return static_cast<bool>(std::ofstream(slice_ + name + "/cgroup.procs") << 0 << std::flush);
  }

  std::string slice_;
  std::vector<std::string> folders_;
};

TEST_F(AScope, IsTheRunnersWhoGoesBelowItAndEndsWhatDeadRunnersLeftInTheirs) {
  for (const char* name : {"/ballot-runner-1.scope", "/ballot-runner-1.scope/ballot-1",
                           "/ballot-runner-1.scope/ballot-1/run-1", "/ballot-runner-2.scope"})
    make(name);
  int entered[2];
  ASSERT_EQ(::pipe(entered), 0);
  const UniqueFd told(entered[0]);
  const pid_t left = ::fork();
  if (left == 0) {
    ::alarm(30);
    if (enter("/ballot-runner-1.scope/ballot-1/run-1") && ::write(entered[1], "+", 1) == 1) ::pause();
    ::_exit(1);
  }
  ::close(entered[1]);
  char there = 0;
  ASSERT_EQ(::read(told.get(), &there, 1), 1);
  const pid_t runner = ::fork();
  if (runner == 0) {
    if (!enter("/ballot-runner-2.scope")) ::_exit(1);
    const auto made = Cgroups::in_own_scope(slice_ + "/ballot-runner-2.scope");
    if (!made) ::_exit(2);
    if (!find_cgroup()->own.ends_with("/ballot-runner-2.scope/runner")) ::_exit(3);
    ::_exit(text_of(slice_ + "/ballot-runner-2.scope/cgroup.procs").empty() ? 0 : 4);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(runner, &status, 0), runner);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  ASSERT_EQ(::waitpid(left, &status, 0), left);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  for (const auto& entry : std::filesystem::directory_iterator(slice_ + "/ballot-runner-2.scope"))
    if (entry.is_directory() && entry.path().filename() != "runner")
      folders_.push_back("/ballot-runner-2.scope/" + entry.path().filename().string());
}

}  // namespace
}  // namespace ballot::runner
