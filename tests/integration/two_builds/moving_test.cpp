// A namespace that this build has moved, and a daemon of the build before, which knows no marks: it leads the groups,
// finds each of them halted, and launches nothing.
#include "integration/two_builds/builds.hpp"

namespace ballot::testing {
namespace {

struct MovedNamespace : TwoBuilds {
  MovedNamespace() : TwoBuilds({"n1"}) { fleet.job("tick", every_second() + fleet.oracle.command({"--for", "50ms"})); }
  std::string file() const { return fleet.folder / "move.txt"; }
};

TEST_P(MovedNamespace, IsHaltedForADaemonOfTheBuildBefore) {
  BallotDaemon& daemon = fleet["n1"];
  fleet.start();
  ASSERT_TRUE(starts("tick", "n1"));
  ASSERT_EQ(daemon.stop(), 0);
  install("n1", BALLOT_PROGRAM);
  const Ran exported = daemon.ballot({"store", "export", file(), "--to", "elsewhere"});
  ASSERT_EQ(exported.code, 0) << exported.err;
  const std::size_t before = fleet.oracle.reports().size();
  install("n1", BALLOT_PREVIOUS);
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("moved to elsewhere")) << daemon.log;
  const Ran status = daemon.ballot({"status"});
  EXPECT_NE(status.out.find("moved to elsewhere"), std::string::npos) << status.out;
  EXPECT_EQ(fleet.oracle.reports().size(), before);
  EXPECT_EQ(daemon.stop(), 0);
  install("n1", BALLOT_PROGRAM);
  ASSERT_EQ(daemon.ballot({"store", "reopen", "--force"}).code, 0);
  daemon.start();
  EXPECT_TRUE(starts("tick", "n1", Instant::now())) << daemon.log;
}

/// While it leads, an export does not go on: it is not held by the marks.
TEST_P(MovedNamespace, IsNotExportedWhileADaemonOfTheBuildBeforeLeads) {
  BallotDaemon& daemon = fleet["n1"];
  install("n1", BALLOT_PREVIOUS);
  fleet.start();
  ASSERT_TRUE(starts("tick", "n1"));
  install("n1", BALLOT_PROGRAM);
  const Ran exported = daemon.ballot({"store", "export", file(), "--timeout", "2s"});
  EXPECT_EQ(exported.code, 75);
  EXPECT_NE(exported.err.find("node n1"), std::string::npos) << exported.err;
  EXPECT_NE(exported.err.find("nothing was moved"), std::string::npos) << exported.err;
  EXPECT_FALSE(std::filesystem::exists(file()));
  EXPECT_TRUE(starts("tick", "n1", Instant::now())) << daemon.log;
}

INSTANTIATE_TEST_SUITE_P(On, MovedNamespace, ::testing::Values(upgrade), name_of);

}  // namespace
}  // namespace ballot::testing
