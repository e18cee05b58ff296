// The daemon or its runner killed, stopped or hung at a point between two steps of a run: no start twice, no slot that
// nobody speaks of.
#include <sys/stat.h>
#include <sys/wait.h>

#include <set>

#include "integration/daemon/faulty_daemon.hpp"

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
  Row row_after_restart(const std::string& job, const std::string& logged) {
    daemon.start();
    EXPECT_TRUE(daemon.wait_for(logged)) << daemon.log;
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

// S2 local zookeeper
TEST_F(Steps, KilledBetweenClaimAndLaunchTheRunIsLostAndNotStarted) {
  run_until_killed("io.launch=kill", "mark");
  EXPECT_EQ(status_of(row_after_restart("mark", "lost")), "lost: node_died");
  EXPECT_EQ(count_starts(), 0u);
}

// S2 local zookeeper
TEST_F(Steps, KilledBetweenClaimAndLaunchARunThatIsAtLeastOnceIsStartedAsItsSecondAttempt) {
  daemon.job("again", "guarantee = \"at-least-once\"\nshell = \"echo $BALLOT_ATTEMPT >> " + starts + "\"");
  run_until_killed("io.launch=kill", "again");
  daemon.start();
  EXPECT_TRUE(daemon.wait_for("succeeded")) << daemon.log;
  const std::vector<Row> rows = daemon.rows("again");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(status_of(rows[0]), "lost: node_died");
  EXPECT_EQ(status_of(rows[1]), "succeeded");
  EXPECT_EQ(rows[1].run, rows[0].run);
  EXPECT_GT(rows[1].fence, rows[0].fence);
  EXPECT_EQ(text_of(starts), "2\n");
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

TEST_F(Steps, KilledBetweenTheRowAndTheRegisterTheExitCodeIsKept) {
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

TEST_F(Steps, ARunnerKilledBeforeItReportsTheStartOrTheEndIsReplacedAndTheRunLost) {
  for (const char* point : {"runner.started=kill", "runner.ended=kill"}) {
    SCOPED_TRACE(point);
    FaultyDaemon other;
    other.job("mark", "shell = \"exit 3\"");
    other.failpoints(point);
    other.lead();
    EXPECT_EQ(status_of(other.trigger("mark")), "lost: runner_died");
    EXPECT_EQ(other.rows("mark").size(), 1u);
    EXPECT_TRUE(other.wait_for("another one was started")) << other.log;
  }
}

TEST_F(Steps, ARunnerThatDoesNotAnswerIsNamedByStatusAndItsGroupsAreLedAgainWhenItDoes) {
  daemon.lead();
  const auto status = [&] {
    return run_program({BALLOT_PROGRAM, "status", "--config", daemon.folder / "ballot.toml"});
  };
  EXPECT_EQ(status().code, 0);
  const pid_t runner = daemon.runner();
  ASSERT_EQ(::kill(runner, SIGSTOP), 0);
  EXPECT_TRUE(daemon.wait_for("the runner does not answer")) << daemon.log;
  const Ran degraded = status();
  EXPECT_EQ(degraded.code, 2) << degraded.out;
  EXPECT_NE(degraded.out.find("runner: it does not answer"), std::string::npos) << degraded.out;
  EXPECT_TRUE(daemon.wait_for("gives its groups away")) << daemon.log;
  ASSERT_EQ(::kill(runner, SIGCONT), 0);
  EXPECT_TRUE(daemon.wait_for("the runner answers again")) << daemon.log;
  EXPECT_EQ(status_of(daemon.trigger("mark")), "failed: exit_code");
  EXPECT_TRUE(wait_until([&] { return status().code == 0; }));
}

TEST_F(Steps, WhatAnEndedRunPrintedIsShownWithoutARunnerThatDoesNotAnswer) {
  daemon.job("talks", "shell = \"echo spoken\"");
  daemon.job("goes-on", "shell = \"echo begun; exec sleep 1000\"");
  daemon.lead();
  const auto output_of = [&](const char* job) {
    return run_program({BALLOT_PROGRAM, "output", job, "--config", daemon.folder / "ballot.toml"});
  };
  EXPECT_EQ(status_of(daemon.trigger("talks")), "succeeded");
  ASSERT_EQ(run_program({BALLOT_PROGRAM, "trigger", "goes-on", "--config", daemon.folder / "ballot.toml"}).code, 0);
  ASSERT_TRUE(wait_until([&] { return output_of("goes-on").out == "begun\n"; }));
  const pid_t runner = daemon.runner();
  ASSERT_EQ(::kill(runner, SIGSTOP), 0);
  const auto asked_at = std::chrono::steady_clock::now();
  EXPECT_EQ(output_of("talks").out, "spoken\n");
  EXPECT_LT(std::chrono::steady_clock::now() - asked_at, std::chrono::seconds(4)) << "it is in the ledger";
  const Ran open = output_of("goes-on");
  EXPECT_EQ(open.code, 69) << open.out;
  EXPECT_NE(open.err.find("runner does not answer"), std::string::npos) << open.err;
  ASSERT_EQ(::kill(runner, SIGCONT), 0);
}

/// Waits until the daemon, a child of this process, has stopped.
void expect_stopped(pid_t pid) {
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, WUNTRACED), pid);
  ASSERT_TRUE(WIFSTOPPED(status));
}

// S5 local zookeeper
TEST_F(Steps, StoppedAfterTheClaimPastItsDeadlineItLaunchesNothing) {
  daemon.session_timeout(Millis(2000));
  daemon.failpoints("io.launch=stop@1");
  daemon.lead();
  Running asks({BALLOT_PROGRAM, "trigger", "mark", "--config", daemon.folder / "ballot.toml"});
  expect_stopped(daemon.pid());
  const auto past = std::chrono::steady_clock::now() + std::chrono::milliseconds(2500);
  wait_until([&] { return std::chrono::steady_clock::now() > past; });
  daemon.send(SIGCONT);
  ASSERT_TRUE(daemon.wait_for("leads no more")) << daemon.log;
  ASSERT_TRUE(daemon.wait_for("epoch=")) << daemon.log;
  ASSERT_TRUE(wait_until([&] { return status_of(daemon.rows("mark").at(0)) == "missed: stale"; }));
  EXPECT_EQ(count_starts(), 0u);
  EXPECT_EQ(daemon.run("mark").code, 3) << daemon.log;
  EXPECT_EQ(count_starts(), 1u);
}

TEST_F(Steps, StoppedAfterTheClaimWithinItsDeadlineItLaunchesOnce) {
  daemon.session_timeout(Millis(10'000));
  daemon.failpoints("io.launch=stop@1");
  daemon.lead();
  Running asks({BALLOT_PROGRAM, "trigger", "mark", "--config", daemon.folder / "ballot.toml"});
  expect_stopped(daemon.pid());
  daemon.send(SIGCONT);
  ASSERT_TRUE(daemon.wait_for("failed: exit_code")) << daemon.log;
  EXPECT_EQ(count_starts(), 1u);
}

/// Two daemons of one store; `tick` writes down its slots.
struct TwoDaemons {
  TwoDaemons() {
    for (FaultyDaemon* node : {&first, &second})
      node->job("tick", "schedule = \"* * * * * *\"\nshell = \"echo $BALLOT_SLOT >> " + slots + "\"");
  }
  void expect_no_slot_twice() const {
    std::istringstream text(text_of(slots));
    std::multiset<std::string> seen;
    for (std::string slot; text >> slot;) seen.insert(slot);
    for (const std::string& slot : seen) EXPECT_EQ(seen.count(slot), 1u) << slot;
  }

  const TempFolder folder;
  const std::string slots = folder / "slots";
  const Millis timeout{BallotDaemon::backend ? 3000 : 2000};
  const std::string store = BallotDaemon::backend ? BallotDaemon::backend()
                                                  : "[coordination]\nsession_timeout = \"2s\"\n[local]\npath = \"" +
                                                        (folder / "store") + "\"\n";
  FaultyDaemon first{"n1", store}, second{"n2", store};
};

// S27 local zookeeper
TEST(TwoDaemons, AHungLoopLosesItsSessionAndTheStandByLeads) {
  TwoDaemons nodes;
  nodes.first.failpoints("io.launch=hang@2");
  nodes.first.lead();
  nodes.second.start();
  ASSERT_TRUE(nodes.first.wait_for("failpoint io.launch")) << nodes.first.log;
  const auto hung = std::chrono::steady_clock::now();
  ASSERT_TRUE(nodes.second.wait_for("leads")) << nodes.second.log;
  EXPECT_LT(std::chrono::steady_clock::now() - hung, nodes.timeout + Millis(2000));
  EXPECT_NE(state_of(nodes.first.pid()), '-') << "it hangs, and lives";
  ASSERT_TRUE(nodes.second.wait_for("succeeded", 2)) << nodes.second.log;
  EXPECT_EQ(nodes.second.stop(), 0);
  nodes.expect_no_slot_twice();
  const std::vector<Row> rows = nodes.second.rows("tick");
  EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.status == Status::lost; }))
      << "the run that was claimed and never launched";
}

// S4 local zookeeper
TEST(TwoDaemons, AStoppedLeaderLaunchesNothingOfItsOldTermWhenItGoesOn) {
  TwoDaemons nodes;
  nodes.first.failpoints("io.launch=stop@2");
  nodes.first.lead();
  nodes.second.start();
  expect_stopped(nodes.first.pid());
  // A stopped process keeps its locks; past its deadline they count for nothing.
  ASSERT_TRUE(nodes.second.wait_for("leads")) << nodes.second.log;
  ASSERT_TRUE(nodes.second.wait_for("succeeded")) << nodes.second.log;
  EXPECT_EQ(state_of(nodes.first.pid()), 'T') << "nobody had to end it";
  nodes.first.read_log();
  const std::string before = nodes.first.log;
  nodes.first.send(SIGCONT);
  ASSERT_TRUE(nodes.first.wait_for("leads no more")) << nodes.first.log;
  ASSERT_TRUE(nodes.first.wait_for("session open")) << nodes.first.log;
  ASSERT_TRUE(nodes.second.wait_for("succeeded", 2)) << nodes.second.log;
  EXPECT_EQ(nodes.first.stop(), 0);
  EXPECT_EQ(nodes.second.stop(), 0);
  nodes.first.read_log();
  EXPECT_EQ(nodes.first.log.find("started ", before.size()), std::string::npos) << nodes.first.log;
  nodes.expect_no_slot_twice();
}

}  // namespace
}  // namespace ballot::testing
