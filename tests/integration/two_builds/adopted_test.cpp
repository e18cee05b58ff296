// A daemon of one build finds the runner of the other one, with runs in it: their ends, their output and their term are
// kept, and it goes on with that runner.
#include "integration/two_builds/builds.hpp"

namespace ballot::testing {
namespace {

constexpr int adopted = 4, ended_away = 2;

class OtherBuildsRunner : public TwoBuilds {
 protected:
  OtherBuildsRunner() : TwoBuilds({"n1"}, Millis(5000)) {}

  static std::string run(int number) { return "run" + std::to_string(number); }
  std::map<std::string, Row> rows_by_job(const Evidence& evidence) {
    std::map<std::string, Row> rows;
    for (const Row& row : evidence.ledgers[0].rows)
      if (row.job.starts_with("run")) rows[row.job] = row;
    return rows;
  }
};

TEST_P(OtherBuildsRunner, IsFoundAndItsRunsAreAdopted) {
  for (int i = 0; i < adopted + ended_away; ++i)
    fleet.job(run(i), "kill_grace = \"1s\"\n" + fleet.oracle.command({"--wait", "--say", "I am " + run(i)}));
  fleet.job("brief", every_second() + "misfire = \"all\"\n" + fleet.oracle.command({"--for", "50ms"}));
  fleet.start();
  BallotDaemon& daemon = fleet["n1"];
  ASSERT_TRUE(starts("brief", "n1"));
  for (int i = 0; i < adopted + ended_away; ++i) {
    ASSERT_EQ(daemon.ballot({"trigger", run(i)}).code, 0);
    ASSERT_TRUE(starts(run(i), "n1"));
  }
  daemon.kill();
  for (int i = adopted; i < adopted + ended_away; ++i) {
    fleet.oracle.end(run(i), 100 + i);
    ASSERT_TRUE(fleet.oracle.wait_until([&](const Reports& all) {
      return std::any_of(all.begin(), all.end(), [&](const Report& r) { return r.job == run(i) && r.gone; });
    }));
  }
  install("n1", GetParam().to);
  const Instant changed = Instant::now();
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("adopted", adopted)) << daemon.log;
  ASSERT_TRUE(starts("brief", "n1", changed)) << "the runner takes its commands";
  for (int i = 0; i < adopted; ++i) fleet.oracle.end(run(i), 100 + i);
  catch_up();
  ASSERT_EQ(daemon.stop(), 0);
  ASSERT_TRUE(all_gone());
  const Evidence evidence = fleet.evidence();
  EXPECT_EQ(check(evidence), Findings{});
  EXPECT_EQ(evidence.ledgers[0].terms.size(), 1u) << "it goes on with the same term";
  std::map<std::string, Row> rows = rows_by_job(evidence);
  for (int i = 0; i < adopted + ended_away; ++i) {
    const Row& row = rows[run(i)];
    EXPECT_EQ(row.status, Status::failed) << row.job;
    EXPECT_EQ(row.exit_code, 100 + i) << row.job;
    ASSERT_TRUE(row.run) << run(i);
    EXPECT_EQ(daemon.ballot({"output", row.run->text()}).out, "I am " + run(i) + "\n");
  }
}

/// What a daemon keeps of its session, for whoever leaves for it.
TEST_P(OtherBuildsRunner, KeepsItsRunsWhereTheSessionIsResigned) {
  for (int i = 0; i < adopted; ++i) fleet.job(run(i), fleet.oracle.command({"--wait"}));
  fleet.start();
  BallotDaemon& daemon = fleet["n1"];
  for (int i = 0; i < adopted; ++i) {
    ASSERT_EQ(daemon.ballot({"trigger", run(i)}).code, 0);
    ASSERT_TRUE(starts(run(i), "n1"));
  }
  daemon.kill();
  install("n1", GetParam().to);
  const Ran resigned = daemon.ballot({"resign", "--session", daemon.folder / "run/session"});
  EXPECT_EQ(resigned.code, 0) << resigned.err;
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("adopted", adopted)) << daemon.log;
  for (int i = 0; i < adopted; ++i) fleet.oracle.end(run(i), 7);
  ASSERT_TRUE(all_gone());
  const Evidence evidence = fleet.evidence();
  EXPECT_EQ(check(evidence), Findings{});
  EXPECT_EQ(evidence.reports.size(), std::size_t{adopted}) << "none was started again";
}

/// Whoever types a command has the build that lies on the disk; the daemon may still be the one before.
TEST_P(OtherBuildsRunner, HasADaemonThatAnswersTheOtherBuildsCommands) {
  fleet.job("tool", fleet.oracle.command({"--say", "done"}));
  fleet.start();
  BallotDaemon& daemon = fleet["n1"];
  install("n1", GetParam().to);
  using Words = std::vector<std::string>;
  for (const Words& command :
       {Words{"trigger", "tool", "--wait"}, {"jobs"}, {"status"}, {"history"}, {"why", "tool"}}) {
    const Ran ran = daemon.ballot(command);
    EXPECT_EQ(ran.code, 0) << command[0] << ": " << ran.err;
    EXPECT_NE(ran.out, "") << command[0];
  }
  EXPECT_EQ(daemon.ballot({"pause", "tool"}).code, 0);
  EXPECT_EQ(daemon.ballot({"resume", "tool"}).code, 0);
  EXPECT_EQ(check(fleet.evidence()), Findings{});
}

INSTANTIATE_TEST_SUITE_P(On, OtherBuildsRunner, ::testing::Values(upgrade, downgrade), name_of);

}  // namespace
}  // namespace ballot::testing
