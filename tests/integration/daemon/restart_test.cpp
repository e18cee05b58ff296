// The daemon stopped, killed and started again: no slot twice, none unaccounted, children found again.
#include <gtest/gtest.h>

#include <set>

#include "support/judge/schedule_check.hpp"
#include "support/process/ballot_daemon.hpp"

namespace ballot::testing {
namespace {

constexpr const char* each_second = "schedule = \"* * * * * *\"\n";

/// What the job itself wrote down: a line for each start.
std::multiset<std::string> starts(const BallotDaemon& daemon) {
  std::multiset<std::string> lines;
  std::string text = text_of(daemon.folder / "starts");
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
    lines.insert(text.substr(0, end));
    text.erase(0, end + 1);
  }
  return lines;
}

TEST(Restart, CleanlyAndByKillRunsNoSlotTwiceAndAccountsForEach) {
  BallotDaemon daemon;
  daemon.job("tick", each_second + ("shell = \"echo $BALLOT_SLOT >> " + (daemon.folder / "starts") + "\""));
  std::optional<WallTime> from;
  for (int round = 0; round < 6; ++round) {
    daemon.start();
    ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
    if (!from) from = first_slot_after(BallotDaemon::wall_now());
    ASSERT_TRUE(daemon.wait_for("succeeded", 2)) << daemon.log;
    if (round % 2 == 0)
      EXPECT_EQ(daemon.stop(), 0);
    else
      daemon.kill();
  }
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("succeeded", 2)) << daemon.log;
  const WallTime until = BallotDaemon::wall_now() - std::chrono::seconds(2);
  EXPECT_EQ(daemon.stop(), 0);
  EXPECT_EQ(unaccounted(daemon.rows("tick"), "tick", every_second(), *from, until), "");
  const auto lines = starts(daemon);
  for (const std::string& line : lines) EXPECT_EQ(lines.count(line), 1u) << line;
}

TEST(Restart, AfterAKillFindsTheRunningChildAndItsExitCode) {
  BallotDaemon daemon;
  daemon.job("long", "shell = \"echo begun; read line < " + (daemon.folder / "gate") + "; echo $line; exit 42\"");
  ASSERT_EQ(::mkfifo((daemon.folder / "gate").c_str(), 0600), 0);
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  const std::string run = daemon.ballot({"trigger", "long"}).out.substr(0, 36);
  ASSERT_TRUE(daemon.wait_for("started")) << daemon.log;
  daemon.kill();
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("adopted")) << daemon.log;
  daemon.folder.write("gate", "opened\n");
  ASSERT_TRUE(daemon.wait_for("failed: exit_code")) << daemon.log;
  const std::vector<Row> rows = daemon.rows("long");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].exit_code, 42);
  EXPECT_EQ(daemon.ballot({"output", run}).out, "begun\nopened\n");
}

TEST(Restart, WithAnotherRunDirIsRefusedAsLongAsARunnerListensInTheOldOne) {
  BallotDaemon daemon;
  daemon.job("long", "shell = \"read line < " + (daemon.folder / "gate") + "\"");
  ASSERT_EQ(::mkfifo((daemon.folder / "gate").c_str(), 0600), 0);
  const std::vector<std::string> elsewhere{"--run-dir", daemon.folder / "elsewhere"};
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  daemon.ballot({"trigger", "long"});
  ASSERT_TRUE(daemon.wait_for("started")) << daemon.log;
  daemon.kill();
  daemon.start(elsewhere);
  EXPECT_NE(daemon.wait(), 0);
  EXPECT_NE(daemon.log.find("its runs go on: set run_dir to " + (daemon.folder / "run") + " again"), std::string::npos)
      << daemon.log;
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("adopted")) << daemon.log;
  daemon.folder.write("gate", "opened\n");
  ASSERT_TRUE(daemon.wait_for("succeeded")) << daemon.log;
  EXPECT_EQ(daemon.stop(), 0);
  daemon.end_runner();
  daemon.start(elsewhere);
  EXPECT_TRUE(daemon.wait_for("leads")) << daemon.log;
  EXPECT_EQ(daemon.rows("long").size(), 1u);
}

TEST(Restart, FindsWhatEndedWhileItWasAway) {
  BallotDaemon daemon;
  daemon.job("long", "shell = \"read line < " + (daemon.folder / "gate") + "; echo x > " + (daemon.folder / "done") +
                         "; exit 5\"");
  ASSERT_EQ(::mkfifo((daemon.folder / "gate").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo((daemon.folder / "done").c_str(), 0600), 0);
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  daemon.ballot({"trigger", "long"});
  ASSERT_TRUE(daemon.wait_for("started")) << daemon.log;
  daemon.kill();
  daemon.folder.write("gate", "go\n");
  EXPECT_EQ(text_of(daemon.folder / "done"), "x\n");
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("failed: exit_code")) << daemon.log;
  EXPECT_EQ(daemon.rows("long").at(0).exit_code, 5);
}

TEST(Stop, WaitsForWhatRunsAndKillsWhatDoesNotEnd) {
  BallotDaemon daemon;
  daemon.configure("[runner]\non_stop = \"wait 1s\"\n");
  daemon.job("brief", "command = [\"/bin/sleep\", \"0.3\"]");
  daemon.job("endless", "group = \"other\"\ncommand = [\"/bin/sleep\", \"600\"]");
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads", 2)) << daemon.log;
  daemon.ballot({"trigger", "brief"});
  daemon.ballot({"trigger", "endless"});
  EXPECT_EQ(daemon.stop(), 0);
  EXPECT_EQ(daemon.rows("brief").at(0).status, Status::succeeded);
  EXPECT_EQ(daemon.rows("endless").at(0).status, Status::killed);
  EXPECT_EQ(daemon.rows("endless").at(0).reason, Reason::shutdown);
}

TEST(Stop, ThatLeavesFindsTheRunsAgainOnTheNextStart) {
  BallotDaemon daemon;
  daemon.configure("[runner]\non_stop = \"leave\"\n");
  daemon.job("long", "shell = \"read line < " + (daemon.folder / "gate") + "; exit 42\"");
  ASSERT_EQ(::mkfifo((daemon.folder / "gate").c_str(), 0600), 0);
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  daemon.ballot({"trigger", "long"});
  ASSERT_TRUE(daemon.wait_for("started")) << daemon.log;
  EXPECT_EQ(daemon.stop(), 0);
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("adopted")) << daemon.log;
  daemon.folder.write("gate", "go\n");
  ASSERT_TRUE(daemon.wait_for("failed: exit_code")) << daemon.log;
  EXPECT_EQ(daemon.rows("long").at(0).exit_code, 42);
}

TEST(Runner, ThatDiesIsReplacedAndItsRunsAreLost) {
  BallotDaemon daemon;
  daemon.job("long", "shell = \"kill -KILL $PPID; exec sleep 600\"");
  daemon.job("tick", each_second + std::string("command = [\"/bin/true\"]"));
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  EXPECT_EQ(daemon.ballot({"trigger", "long", "--wait"}).code, 1);
  const std::vector<Row> rows = daemon.rows("long");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].status, Status::lost);
  EXPECT_EQ(rows[0].reason, Reason::runner_died);
  ASSERT_TRUE(daemon.wait_for("succeeded", 2)) << "a new runner works: " << daemon.log;
}

}  // namespace
}  // namespace ballot::testing
