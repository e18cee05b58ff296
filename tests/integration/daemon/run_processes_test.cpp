// What a run's processes are given and bound by, and that none of them outlives it: environment, limits, and children
// that leave their group and session, with cgroups and without.
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "base/cgroup_place.hpp"
#include "integration/daemon/faulty_daemon.hpp"

namespace ballot::testing {
namespace {

bool lives(pid_t pid) { return state_of(pid) != '-' && state_of(pid) != 'Z'; }

enum class By { cgroup, proc };

class RunProcesses : public ::testing::TestWithParam<By> {
 protected:
  /// A job whose child forks twice and leaves its session on the way; then `then`. `does`: what its grandchild execs.
  void job(const std::string& does, const std::string& then, const std::string& keys = "") {
    ASSERT_EQ(::mkfifo((daemon_.folder / "pid").c_str(), 0600), 0);
    const std::string script = daemon_.folder.write(
        "child", "setsid sh -c 'sh -c \"echo \\$\\$ > " + (daemon_.folder / "pid") + "; exec " + does + "\" &'\n" +
                     "read p < " + (daemon_.folder / "pid") + "\necho $p\n" + then + "\n");
    daemon_.job("job", "command = [\"/bin/sh\", \"" + script + "\"]\n" + keys);
    if (GetParam() == By::proc) daemon_.failpoints("runner.cgroup=fail(EACCES)");
    daemon_.lead();
  }
  pid_t printed_pid(const Row& row) const {
    return row.run ? std::atoi(daemon_.ballot({"output", row.run->text()}).out.c_str()) : 0;
  }

  FaultyDaemon daemon_;
};

INSTANTIATE_TEST_SUITE_P(, RunProcesses, ::testing::Values(By::cgroup, By::proc),
                         [](const auto& by) { return by.param == By::cgroup ? "ByCgroup" : "ByProc"; });

// S20 local zookeeper
TEST_P(RunProcesses, ThatForkTwiceAndLeaveTheSessionEndAtTheDeadline) {
  job("sleep 600 > /dev/null 2>&1", "exec sleep 600", "deadline = \"1s\"\nkill_grace = \"1s\"");
  const Row row = daemon_.trigger("job");
  EXPECT_EQ(status_of(row), "timed_out: deadline") << daemon_.log;
  EXPECT_EQ(row.leftover, Leftover::none);
  ASSERT_GT(printed_pid(row), 0);
  EXPECT_FALSE(lives(printed_pid(row)));
  EXPECT_TRUE(wait_until([&] { return children_of(daemon_.runner()).empty(); }));
}

TEST_P(RunProcesses, ThatHoldTheOutputInASessionOfTheirOwnEndWithTheChild) {
  job("sleep 600", "exit 0");
  const auto before = std::chrono::steady_clock::now();
  const Row row = daemon_.trigger("job");
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(5)) << "2 s of reading on";
  EXPECT_EQ(status_of(row), "succeeded");
  EXPECT_LT(row.duration.value_or(Millis::max()), Millis(1900)) << "it ended when the child did";
  ASSERT_GT(printed_pid(row), 0);
  EXPECT_FALSE(lives(printed_pid(row)));
}

TEST_P(RunProcesses, ThatAreNotKnownToBeTheRunsAreReportedOrEnded) {
  ASSERT_EQ(::mkfifo((daemon_.folder / "go").c_str(), 0600), 0);
  job("env -i sleep 600 > /dev/null 2>&1", "read line < " + (daemon_.folder / "go"));
  Running asks({BALLOT_PROGRAM, "trigger", "job", "--wait", "--config", daemon_.folder / "ballot.toml"});
  const std::string id = asks.line();
  pid_t escapee = 0;
  const auto is_nameless = [&](pid_t pid) {
    return proc_text(pid, "comm") == "sleep\n" && proc_text(pid, "environ").empty();
  };
  ASSERT_TRUE(wait_until([&] {
    const auto children = children_of(daemon_.runner());
    const auto found = std::find_if(children.begin(), children.end(), is_nameless);
    if (found != children.end()) escapee = *found;
    return escapee > 0;
  })) << daemon_.log;
  daemon_.folder.write("go", "go\n");
  EXPECT_EQ(asks.wait(), 0);
  const Row row = daemon_.rows("job").back();
  if (row.leftover == Leftover::none) {
    EXPECT_EQ(GetParam(), By::cgroup);
    EXPECT_FALSE(lives(escapee));
    return;
  }
  EXPECT_EQ(row.leftover, Leftover::escaped);
  EXPECT_NE(daemon_.ballot({"why", "job"}).out.find("may still run"), std::string::npos);
  ::kill(escapee, SIGKILL);
}

TEST(RunEnvironment, IsReadFromItsFilesAtEachStartAndTheirSecretsAreNowhere) {
  FaultyDaemon daemon;
  const std::string env_file = daemon.folder / "env", secret = daemon.folder.write("secret", "hunter2hunter2\n");
  ASSERT_EQ(::chmod(secret.c_str(), 0600), 0);
  daemon.environment = {"SECRET_OF_THE_DAEMON=1", "CREDENTIALS_DIRECTORY=" + daemon.folder.path()};
  daemon.job("job",
             "shell = \"echo $FROM_FILE ${#ONE} ${#TWO} $SECRET_OF_THE_DAEMON; cat /proc/$$/cmdline\"\nenv_file = \"" +
                 env_file + "\"\nsecrets = {ONE = \"" + secret + "\", TWO = \"secret\"}");
  daemon.lead();
  EXPECT_EQ(status_of(daemon.trigger("job")), "failed: cannot_start");
  EXPECT_TRUE(daemon.wait_for("cannot start: env_file " + env_file + ": No such file or directory")) << daemon.log;
  daemon.folder.write("env", "FROM_FILE='a b'\n");
  const Row row = daemon.trigger("job");
  EXPECT_EQ(status_of(row), "succeeded") << daemon.log;
  const std::string output = daemon.ballot({"output", row.run->text()}).out;
  EXPECT_TRUE(output.starts_with("a b 14 14\n")) << output;
  ASSERT_EQ(::chmod(secret.c_str(), 0644), 0);
  EXPECT_EQ(status_of(daemon.trigger("job")), "failed: cannot_start");
  EXPECT_TRUE(daemon.wait_for("cannot start: secret ONE (" + secret + "): is open to others (mode 0644)"));
  EXPECT_EQ(daemon.stop(), 0);
  std::filesystem::remove(secret);
  for (const auto& file : std::filesystem::recursive_directory_iterator(daemon.folder.path())) {
    const std::string text = file.is_regular_file() ? text_of(file.path()) : "";
    EXPECT_EQ(text.find("hunter2"), std::string::npos) << file.path();
  }
}

TEST(RunLimits, BindTheRunAndSayHowItEnded) {
  FaultyDaemon daemon;
  daemon.job("files", "shell = \"ulimit -n\"\nlimits = {open_files = 77}");
  daemon.job("time", "shell = \"while :; do :; done\"\nlimits = {cpu_time = \"1s\"}");
  daemon.lead();
  EXPECT_EQ(daemon.ballot({"output", daemon.trigger("files").run->text()}).out, "77\n");
  const Row row = daemon.trigger("time");
  EXPECT_EQ(status_of(row), "failed: signal");
  EXPECT_EQ(row.signal, SIGXCPU);
}

TEST(RunLimits, OfAControllerThatTheMachineDoesNotHaveAreAnErrorOfTheFile) {
  FaultyDaemon daemon;
  daemon.job("job", "command = [\"/bin/true\"]\nlimits = {memory_max = \"64MiB\"}");
  const auto controllers = machine_controllers();
  const bool there = std::find(controllers.begin(), controllers.end(), "memory") != controllers.end();
  const Ran folder = daemon.ballot({"check", daemon.folder / "jobs.d"});
  EXPECT_EQ(folder.code, there ? 0 : 78) << folder.out;
  const Ran file = daemon.ballot({"check", daemon.folder / "jobs.d/job.toml"});
  EXPECT_EQ(file.code, 0) << file.out;
  EXPECT_EQ(file.out.find("warning: 'memory_max' needs the cgroup v2 controller 'memory'") != std::string::npos, !there)
      << file.out;
  if (there) return;
  daemon.job("other", "command = [\"/bin/true\"]");
  daemon.lead();
  EXPECT_NE(daemon.log.find("error: 'memory_max' needs"), std::string::npos) << daemon.log;
  EXPECT_EQ(status_of(daemon.trigger("other")), "succeeded");
  EXPECT_EQ(daemon.run("job").code, 3);
}

}  // namespace
}  // namespace ballot::testing
