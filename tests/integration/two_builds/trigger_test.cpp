// Triggers with variables, and of chains, where a node is of a build that knows neither: they are refused until that is
// upgraded. And a run of one of them that such a node finds in a register: nothing of it is taken for corrupt.
#include "integration/two_builds/builds.hpp"

namespace ballot::testing {
namespace {

struct TriggerOfThisBuild : TwoBuilds {
  TriggerOfThisBuild() : TwoBuilds({"n1", "n2"}) {
    install("n2", GetParam().to);
    fleet.job("brief", every_second() + fleet.oracle.command({"--for", "50ms"}));
    fleet[mine].file("given",
                     "[job.given]\ntrigger_env = [\"DAY\"]\nretries = 1\nretry_delay = \"20s\"\n"
                     "command = [\"/bin/false\"]\n");
    fleet[mine].file("load", "[job.load]\nafter = [\"given\"]\nafter_status = \"failed\"\ncommand = [\"/bin/true\"]\n");
  }
  bool is_upgrade() const { return std::string(GetParam().name) == "Upgrade"; }
  const std::string mine = is_upgrade() ? "n2" : "n1", other = is_upgrade() ? "n1" : "n2";

  void change(const std::string& node, const std::string& program) {
    ASSERT_EQ(fleet[node].stop(), 0);
    install(node, program);
    fleet[node].start();
    ASSERT_TRUE(fleet[node].wait_for("session open")) << fleet[node].log;
  }
};

TEST_P(TriggerOfThisBuild, IsRefusedUntilTheOtherNodeIsOfItToo) {
  fleet.start();
  ASSERT_TRUE(fleet.oracle.wait_until([](const Reports& all) { return !all.empty(); }));
  Ran refused;
  const auto is_refused = [&](const std::vector<std::string>& arguments, const std::string& why) {
    return wait_until([&] {
      refused = fleet[mine].ballot(arguments);
      return refused.err.find("node " + other + ", which may run job given, is of a release that " + why) !=
             std::string::npos;
    });
  };
  EXPECT_TRUE(is_refused({"trigger", "given", "--alone", "--env", "DAY=1"}, "knows no triggers with variables"))
      << refused.err;
  EXPECT_TRUE(is_refused({"trigger", "given"}, "begins no jobs after one that is triggered")) << refused.err;
}

INSTANTIATE_TEST_SUITE_P(On, TriggerOfThisBuild, ::testing::Values(upgrade, downgrade), name_of);

/// One node is of this build, of the one before, and of this one again.
struct RunOfATriggerOfThisBuild : TwoBuilds {
  RunOfATriggerOfThisBuild() : TwoBuilds({"n2"}) {
    install("n2", BALLOT_PROGRAM);
    fleet.job("brief", every_second() + fleet.oracle.command({"--for", "50ms"}));
    daemon.file("given",
                "[job.given]\ntrigger_env = [\"DAY\"]\nretries = 1\nretry_delay = \"1h\"\n"
                "command = [\"/bin/false\"]\n");
    daemon.file("load", "[job.load]\nafter = [\"given\"]\ncommand = [\"/bin/true\"]\n");
  }
  void change(const std::string& program) {
    ASSERT_EQ(daemon.stop(), 0);
    install("n2", program);
    daemon.start();
    ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  }
  BallotDaemon& daemon = fleet["n2"];
};

TEST_P(RunOfATriggerOfThisBuild, StopsNothingOfTheBuildBefore) {
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  ASSERT_EQ(daemon.ballot({"trigger", "given", "--env", "DAY=2026-01-01"}).code, 0);
  ASSERT_TRUE(daemon.wait_for("failed: exit_code")) << daemon.log;
  ASSERT_NO_FATAL_FAILURE(change(BALLOT_PREVIOUS));
  catch_up();
  EXPECT_EQ(daemon.log.find("halted"), std::string::npos) << daemon.log;
  ASSERT_NO_FATAL_FAILURE(change(BALLOT_PROGRAM));
  catch_up();
  EXPECT_EQ(daemon.log.find("halted"), std::string::npos) << daemon.log;
  EXPECT_EQ(daemon.ballot({"audit"}).code, 0) << daemon.ballot({"audit"}).out;
}

INSTANTIATE_TEST_SUITE_P(On, RunOfATriggerOfThisBuild, ::testing::Values(upgrade), name_of);

}  // namespace
}  // namespace ballot::testing
