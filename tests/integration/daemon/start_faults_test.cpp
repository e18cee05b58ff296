// What a start needs of the machine and does not get: processes, descriptors, memory, a runner. Jobs fail and say so,
// the daemon lives, and nothing stays behind.
#include <sys/stat.h>

#include <filesystem>

#include "integration/daemon/faulty_daemon.hpp"

namespace ballot::testing {
namespace {

/// In the order in which a start comes to them.
constexpr std::pair<const char*, const char*> steps[] = {
    {"pipe", "pipe"},   {"epoll", "epoll"},     {"stdin", "stdin"}, {"stdin_write", "stdin"},
    {"clone", "clone"}, {"setpgid", "setpgid"}, {"dup2", "dup2"},   {"setrlimit", "setrlimit"},
    {"chdir", "chdir"}, {"exec", "exec"}};

// S21 local zookeeper
TEST(StartFaults, EachSystemCallOfAStartFailsOnceAndOnlyThatRunFails) {
  FaultyDaemon daemon;
  // After one that is well every second run fails, each a step further: none of those that failed came so far.
  std::string rules;
  for (std::size_t k = 0; k < std::size(steps); ++k)
    rules += "runner." + std::string(steps[k].first) + "=fail(EAGAIN)@" + std::to_string(k + 3) + ";";
  daemon.failpoints(rules);
  daemon.job("job", "command = [\"/bin/cat\"]\nstdin = \"said\"");
  daemon.job("other", "command = [\"/bin/true\"]\nstdin = \"said\"");
  daemon.lead();
  EXPECT_EQ(status_of(daemon.trigger("other")), "succeeded");  // so that all is open that stays open
  const std::size_t of_daemon = descriptors_of(daemon.pid()), of_runner = descriptors_of(daemon.runner());
  for (const auto& [point, stage] : steps) {
    SCOPED_TRACE(point);
    EXPECT_EQ(status_of(daemon.trigger("job")), "succeeded");
    EXPECT_EQ(status_of(daemon.trigger("job")), "failed: cannot_start");
    EXPECT_TRUE(daemon.wait_for("cannot start: " + std::string(stage))) << daemon.log;
  }
  daemon.expect_well("job");
  EXPECT_TRUE(wait_until([&] { return descriptors_of(daemon.pid()) <= of_daemon; })) << "descriptors of the daemon";
  EXPECT_EQ(descriptors_of(daemon.runner()), of_runner);
  EXPECT_EQ(daemon.rows("job").size(), 2 * std::size(steps) + 1);
}

TEST(StartFaults, SlotsAreAccountedForWhereStartsFail) {
  FaultyDaemon daemon;
  daemon.failpoints("runner.clone=fail(EAGAIN)@2;runner.pipe=fail(EMFILE)@3");
  daemon.job("tick", "schedule = \"* * * * * *\"\ncommand = [\"/bin/true\"]");
  daemon.job("job", "command = [\"/bin/true\"]");
  daemon.lead();
  EXPECT_TRUE(daemon.wait_for("failed: cannot_start", 2)) << daemon.log;
  EXPECT_TRUE(daemon.wait_for("succeeded")) << daemon.log;
  daemon.expect_well("job");
  daemon.expect_accounted("tick");
  EXPECT_EQ(daemon.stop(), 0);
}

// S21 local zookeeper
TEST(StartFaults, WithoutDescriptorsForTheRunnerRunsFailAndWithThemTheyWork) {
  FaultyDaemon daemon;
  daemon.job("job", "command = [\"/bin/true\"]");
  daemon.lead();
  ASSERT_EQ(status_of(daemon.trigger("job")), "succeeded");
  {
    const Limited few(daemon.runner(), RLIMIT_NOFILE, descriptors_of(daemon.runner()));
    EXPECT_EQ(status_of(daemon.trigger("job")), "failed: cannot_start");
    EXPECT_TRUE(daemon.wait_for("cannot start: pipe")) << daemon.log;
  }
  daemon.expect_well("job");
}

// S21 local zookeeper
TEST(StartFaults, WithoutMemoryForTheChildRunsFailAndWithItTheyWork) {
  FaultyDaemon daemon;
  daemon.job("job", "command = [\"/bin/true\"]");
  daemon.lead();
  ASSERT_EQ(status_of(daemon.trigger("job")), "succeeded");
  {
    const Limited little(daemon.runner(), RLIMIT_AS, 64 * 1024);
    EXPECT_EQ(daemon.trigger("job").status, Status::failed);
  }
  daemon.expect_well("job");
}

TEST(StartFaults, WithoutDescriptorsForTheDaemonSlotsGoOnAndCommandsWait) {
  FaultyDaemon daemon;
  daemon.job("tick", "schedule = \"* * * * * *\"\ncommand = [\"/bin/true\"]");
  daemon.job("long", "shell = \"read line < " + (daemon.folder / "gate") + "; exit 7\"");
  daemon.job("job", "command = [\"/bin/true\"]");
  daemon.job("asked", "command = [\"/bin/true\"]");
  ASSERT_EQ(::mkfifo((daemon.folder / "gate").c_str(), 0600), 0);
  daemon.lead();
  daemon.ballot({"trigger", "long"});
  ASSERT_TRUE(daemon.wait_for("succeeded")) << daemon.log;
  {
    const Limited none(daemon.pid(), RLIMIT_NOFILE, 8);  // all in use; poll() refuses to wait for more than that
    Running asks({BALLOT_PROGRAM, "trigger", "asked", "--config", daemon.folder / "ballot.toml"});
    const auto before = processor_time_of(daemon.pid());
    ASSERT_TRUE(daemon.wait_for("succeeded", 3)) << daemon.log;
    EXPECT_LT(processor_time_of(daemon.pid()) - before, std::chrono::milliseconds(500)) << "it does not spin";
  }
  ASSERT_EQ(status_of(daemon.rows("long").at(0)), "running") << daemon.log;
  daemon.folder.write("gate", "go\n");
  ASSERT_TRUE(daemon.wait_for("failed: exit_code")) << daemon.log;
  daemon.expect_well("job");
  daemon.expect_accounted("tick");
}

TEST(StartFaults, ARunnerThatCannotBeStartedAtFirstIsAReasonToExit) {
  for (const char* rule :
       {"io.runner_socket=fail(EMFILE)@1", "io.runner_socket=fail(EMFILE)@2", "io.runner_listen=fail(EACCES)",
        "io.runner_spawn=fail(EAGAIN)", "io.runner_connect=fail(EACCES)@2", "runner.background=fail(EAGAIN)"}) {
    FaultyDaemon daemon;
    daemon.failpoints(rule);
    daemon.start();
    EXPECT_TRUE(daemon.wait_for("runner")) << rule << daemon.log;
    EXPECT_EQ(daemon.wait(), 1) << rule << daemon.log;
    EXPECT_TRUE(daemon.log.find("Bad file descriptor") == std::string::npos) << daemon.log;
  }
}

TEST(StartFaults, ARunnerThatDiesIsReplacedAlsoWhereThatFailsAtFirst) {
  FaultyDaemon daemon;
  // A start asks for three sockets and connects twice.
  daemon.failpoints("io.runner_socket=fail(EMFILE)@4-5;io.runner_listen=fail(ENOSPC)@2;io.runner_spawn=fail(EAGAIN)@2");
  daemon.job("job", "command = [\"/bin/true\"]");
  daemon.lead();
  ASSERT_EQ(status_of(daemon.trigger("job")), "succeeded");
  const std::size_t before = descriptors_of(daemon.pid());
  ::kill(daemon.runner(), SIGKILL);
  ASSERT_TRUE(daemon.wait_for("no runner can be started", 4)) << daemon.log;
  EXPECT_NE(daemon.log.find("Too many open files"), std::string::npos) << daemon.log;
  EXPECT_NE(daemon.log.find("Resource temporarily unavailable"), std::string::npos) << daemon.log;
  daemon.expect_well("job");
  EXPECT_TRUE(wait_until([&] { return descriptors_of(daemon.pid()) <= before; })) << descriptors_of(daemon.pid());
}

}  // namespace
}  // namespace ballot::testing
