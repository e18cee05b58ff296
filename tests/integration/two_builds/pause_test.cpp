// A pause with an end, where a node is of a build that would make one without: it is refused until that is upgraded.
// And what that build keeps of one in a register, beside a pause of its own.
#include "integration/two_builds/builds.hpp"

namespace ballot::testing {
namespace {

struct PauseWithAnEndOfThisBuild : TwoBuilds {
  PauseWithAnEndOfThisBuild() : TwoBuilds({"n1", "n2"}) {
    install("n2", GetParam().to);
    fleet.job("paused", every_second() + fleet.oracle.command({"--for", "50ms"}));
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

TEST_P(PauseWithAnEndOfThisBuild, IsRefusedUntilTheOtherNodeIsOfItToo) {
  fleet.start();
  ASSERT_TRUE(fleet.oracle.wait_until([](const Reports& all) { return !all.empty(); }));
  Ran refused;
  const std::string why =
      "node " + other + ", which may run job paused, is of a release that knows no pause with an end";
  EXPECT_TRUE(wait_until([&] {
    refused = fleet[mine].ballot({"pause", "paused", "--for", "1h"});
    return refused.err.find(why) != std::string::npos;
  })) << refused.err
      << refused.out;
  EXPECT_EQ(fleet[mine].ballot({"resume", "paused"}).code, 0);
  ASSERT_NO_FATAL_FAILURE(change(other, BALLOT_PROGRAM));
  Ran done;
  EXPECT_TRUE(wait_until([&] {
    done = fleet[mine].ballot({"pause", "paused", "--for", "3s", "--reason", "disks"});
    return done.code == 0;
  })) << done.err;
  EXPECT_NE(done.out.find("job paused is paused until 20"), std::string::npos) << done.out;
  const Instant paused = Instant::now();
  const bool began = fleet.oracle.wait_until([&](const Reports& all) {
    return std::any_of(all.begin(), all.end(), [&](const Report& one) { return one.started.boot > paused.boot; });
  });
  EXPECT_TRUE(began) << "it ends by itself";
  for (const Report& one : fleet.oracle.reports("paused"))
    if (one.started.boot > paused.boot) EXPECT_GT(one.started.boot - paused.boot, std::chrono::seconds(2));
}

INSTANTIATE_TEST_SUITE_P(On, PauseWithAnEndOfThisBuild, ::testing::Values(upgrade, downgrade), name_of);

/// One node is of this build, of the one before, and of this one again.
struct EndOfAPauseOfThisBuild : PauseWithAnEndOfThisBuild {};

/// The build before keeps a line that it does not know, which means nothing beside a later pause.
TEST_P(EndOfAPauseOfThisBuild, DoesNotEndOneThatTheOtherBuildHasBegunSince) {
  BallotDaemon& daemon = fleet["n2"];
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  ASSERT_TRUE(wait_until([&] { return daemon.ballot({"pause", "paused", "--for", "1h"}).code == 0; }));
  ASSERT_NO_FATAL_FAILURE(change("n2", BALLOT_PREVIOUS));
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  EXPECT_NE(daemon.ballot({"show", "paused"}).out.find("paused since"), std::string::npos) << "it stays paused";
  ASSERT_EQ(daemon.ballot({"resume", "paused"}).code, 0);
  ASSERT_EQ(daemon.ballot({"pause", "paused"}).code, 0);
  ASSERT_NO_FATAL_FAILURE(change("n2", BALLOT_PROGRAM));
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  const std::string shown = daemon.ballot({"show", "paused"}).out;
  EXPECT_NE(shown.find("paused since"), std::string::npos) << shown;
  EXPECT_EQ(shown.find(", until "), std::string::npos) << shown;
}

INSTANTIATE_TEST_SUITE_P(On, EndOfAPauseOfThisBuild, ::testing::Values(upgrade), name_of);

}  // namespace
}  // namespace ballot::testing
