// The daemon or its runner killed, stopped or hung at a point between two steps of a run: no start twice, no slot that
// nobody speaks of.
#include <sys/stat.h>
#include <sys/wait.h>

#include <set>

#include "integration/faulty_daemon.hpp"

namespace ballot::testing {
namespace {

/// A daemon with a job that writes down each of its starts, and one that waits at a gate and exits with 42.
class Steps : public ::testing::Test {
 protected:
  Steps() {
    daemon.job("mark", "shell = \"echo $BALLOT_RUN_ID >> " + starts + "; exit 3\"");
    daemon.job("gated",
               "shell = \"echo $BALLOT_RUN_ID >> " + starts + "; read l < " + (daemon.folder / "gate") + "; exit 42\"");
    EXPECT_EQ(::mkfifo((daemon.folder / "gate").c_str(), 0600), 0);
  }

  /// Triggers `job` on a daemon with these failpoints, and sees the daemon die of them.
  void run_until_killed(const std::string& failpoints, const std::string& job) {
    daemon.failpoints(failpoints);
    daemon.lead();
    daemon.ballot({"trigger", job});
    EXPECT_EQ(daemon.wait(), 128 + SIGKILL) << daemon.log;
    daemon.failpoints("");
  }
  /// The one row of `job`, once a daemon that leads again says so.
  Row row_after_restart(const std::string& job, const std::string& told) {
    daemon.start();
    EXPECT_TRUE(daemon.wait_for(told)) << daemon.log;
    const std::vector<Row> rows = daemon.rows(job);
    EXPECT_EQ(rows.size(), 1u);
    return rows.empty() ? Row{} : rows[0];
  }
  std::size_t count_starts() const {
    const std::string text = text_of(starts);
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  void open_gate() const { daemon.folder.write("gate", "go\n"); }

  FaultyDaemon daemon;
  const std::string starts = daemon.folder / "starts";
};

TEST_F(Steps, KilledBetweenClaimAndLaunchTheRunIsLostAndNotStarted) {
  run_until_killed("io.launch=kill", "mark");
  EXPECT_EQ(status_of(row_after_restart("mark", "lost")), "lost: node_died");
  EXPECT_EQ(count_starts(), 0u);
}

TEST_F(Steps, KilledAfterTheStartTheRunIsAdoptedWithItsExitCode) {
  run_until_killed("io.started=kill", "gated");
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("adopted")) << daemon.log;
  open_gate();
  ASSERT_TRUE(daemon.wait_for("failed: exit_code")) << daemon.log;
  EXPECT_EQ(daemon.rows("gated").at(0).exit_code, 42);
  EXPECT_EQ(count_starts(), 1u);
}

TEST_F(Steps, KilledBetweenTheEndAndItsRowTheExitCodeIsFoundAgain) {
  run_until_killed("io.ended=kill", "mark");
  const Row row = row_after_restart("mark", "failed: exit_code");
  EXPECT_EQ(row.exit_code, 3);
  EXPECT_EQ(count_starts(), 1u);
}

TEST_F(Steps, KilledBetweenTheRowAndTheRegisterTheExitCodeStands) {
  run_until_killed("io.recorded=kill", "mark");
  const Row row = row_after_restart("mark", "leads");
  EXPECT_EQ(status_of(row), "failed: exit_code");
  EXPECT_EQ(row.exit_code, 3);
  EXPECT_EQ(count_starts(), 1u);
}

TEST_F(Steps, KilledAtAnyOfItsFirstStepsItAccountsForEverySlot) {
  daemon.job("tick", "schedule = \"* * * * * *\"\nshell = \"echo $BALLOT_SLOT >> " + (daemon.folder / "slots") + "\"");
  for (int n = 1; n <= 22; n += 3) {
    daemon.failpoints("io.step=kill@" + std::to_string(n));
    daemon.start();
    EXPECT_EQ(daemon.wait(), 128 + SIGKILL) << "at step " << n << daemon.log;
  }
  daemon.failpoints("");
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("succeeded", 2)) << daemon.log;
  EXPECT_EQ(daemon.stop(), 0);
  daemon.expect_accounted("tick");
  std::istringstream text(text_of(daemon.folder / "slots"));
  std::multiset<std::string> slots;
  for (std::string slot; text >> slot;) slots.insert(slot);
  for (const std::string& slot : slots) EXPECT_EQ(slots.count(slot), 1u) << slot;
}

TEST_F(Steps, ARunnerKilledBeforeItTellsOfTheStartOrTheEndIsReplacedAndTheRunLost) {
  for (const char* point : {"runner.started=kill", "runner.ended=kill"}) {
    SCOPED_TRACE(point);
    FaultyDaemon other;
    other.job("mark", "shell = \"exit 3\"");
    other.failpoints(point);
    other.lead();
    EXPECT_EQ(status_of(other.trigger("mark")), "lost: runner_died");
    EXPECT_EQ(other.rows("mark").size(), 1u);
    EXPECT_TRUE(other.wait_for("the runner is gone")) << other.log;
  }
}

/// Waits until the daemon, a child of this process, has stopped.
void expect_stopped(pid_t pid) {
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, WUNTRACED), pid);
  ASSERT_TRUE(WIFSTOPPED(status));
}

TEST_F(Steps, StoppedAfterTheClaimPastItsDeadlineItLaunchesNothing) {
  daemon.configure("[coordination]\nsession_timeout = \"2s\"\n");
  daemon.failpoints("io.launch=stop@1");
  daemon.lead();
  Running asks({BALLOT_PROGRAM, "trigger", "mark", "--config", daemon.folder / "ballot.toml"});
  expect_stopped(daemon.pid());
  const auto past = std::chrono::steady_clock::now() + std::chrono::milliseconds(2500);
  wait_until([&] { return std::chrono::steady_clock::now() > past; });
  daemon.send(SIGCONT);
  ASSERT_TRUE(daemon.wait_for("missed: stale")) << daemon.log;
  EXPECT_EQ(count_starts(), 0u);
  EXPECT_EQ(status_of(daemon.rows("mark").at(0)), "missed: stale");
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  EXPECT_EQ(daemon.run("mark").code, 3) << daemon.log;
  EXPECT_EQ(count_starts(), 1u);
}

TEST_F(Steps, StoppedAfterTheClaimWithinItsDeadlineItLaunchesOnce) {
  daemon.configure("[coordination]\nsession_timeout = \"30s\"\n");
  daemon.failpoints("io.launch=stop@1");
  daemon.lead();
  Running asks({BALLOT_PROGRAM, "trigger", "mark", "--config", daemon.folder / "ballot.toml"});
  expect_stopped(daemon.pid());
  daemon.send(SIGCONT);
  ASSERT_TRUE(daemon.wait_for("failed: exit_code")) << daemon.log;
  EXPECT_EQ(count_starts(), 1u);
}

/// Two daemons of one store; `tick` writes down its slots.
struct TwoNodes {
  TwoNodes() {
    for (FaultyDaemon* node : {&first, &second}) {
      node->configure("[coordination]\nsession_timeout = \"2s\"\n[local]\npath = \"" + (first.folder / "store") +
                      "\"\n");
      node->job("tick", "schedule = \"* * * * * *\"\nshell = \"echo $BALLOT_SLOT >> " + slots + "\"");
    }
  }
  void expect_no_slot_twice() const {
    std::istringstream text(text_of(slots));
    std::multiset<std::string> seen;
    for (std::string slot; text >> slot;) seen.insert(slot);
    for (const std::string& slot : seen) EXPECT_EQ(seen.count(slot), 1u) << slot;
  }

  FaultyDaemon first, second;
  const std::string slots = first.folder / "slots";
};

TEST(TwoNodes, AHungLoopLosesItsSessionAndTheStandByLeads) {
  TwoNodes nodes;
  nodes.first.failpoints("io.launch=hang@2");
  nodes.first.lead();
  nodes.second.start({"--node", "n2"});
  ASSERT_TRUE(nodes.first.wait_for("failpoint io.launch")) << nodes.first.log;
  const auto hung = std::chrono::steady_clock::now();
  ASSERT_TRUE(nodes.second.wait_for("leads")) << nodes.second.log;
  EXPECT_LT(std::chrono::steady_clock::now() - hung, std::chrono::milliseconds(4000)) << "T is two seconds";
  EXPECT_NE(state_of(nodes.first.pid()), '-') << "it hangs, and lives";
  ASSERT_TRUE(nodes.second.wait_for("succeeded", 2)) << nodes.second.log;
  EXPECT_EQ(nodes.second.stop(), 0);
  nodes.expect_no_slot_twice();
  const std::vector<Row> rows = nodes.second.rows("tick");
  EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.status == Status::lost; }))
      << "the run that was claimed and never launched";
}

TEST(TwoNodes, AStoppedLeaderLaunchesNothingOfItsOldTermWhenItGoesOn) {
  TwoNodes nodes;
  nodes.first.failpoints("io.launch=stop@2");
  nodes.first.lead();
  nodes.second.start({"--node", "n2"});
  expect_stopped(nodes.first.pid());
  const std::size_t before = text_of(nodes.slots).size();
  // A stopped process keeps its locks: on the local backend the group is its own until it goes on.
  const auto past = std::chrono::steady_clock::now() + std::chrono::milliseconds(2500);
  wait_until([&] { return std::chrono::steady_clock::now() > past; });
  EXPECT_EQ(text_of(nodes.slots).size(), before);
  nodes.first.send(SIGCONT);
  ASSERT_TRUE(nodes.first.wait_for("missed: stale")) << nodes.first.log;
  EXPECT_EQ(nodes.first.stop(), 0);
  ASSERT_TRUE(nodes.second.wait_for("leads")) << nodes.second.log;
  ASSERT_TRUE(nodes.second.wait_for("succeeded")) << nodes.second.log;
  EXPECT_EQ(nodes.second.stop(), 0);
  nodes.expect_no_slot_twice();
}

}  // namespace
}  // namespace ballot::testing
