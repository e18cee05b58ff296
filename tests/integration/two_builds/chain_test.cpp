// A chain, on a node that is of this build, of the one before, and of this one again: that one refuses the file of the
// job that comes after the other, leads the other, whose register has lines it does not know, and stops nothing.
#include "integration/two_builds/builds.hpp"

namespace ballot::testing {
namespace {

struct ChainOfThisBuild : TwoBuilds {
  ChainOfThisBuild() : TwoBuilds({"n2"}) {
    install("n2", BALLOT_PROGRAM);
    fleet.job("brief", every_second() + fleet.oracle.command({"--for", "50ms"}));
    daemon.file("load", "[job.load]\nafter = [\"brief\"]\ncommand = [\"/bin/true\"]\n");
  }
  void change(const std::string& program) {
    ASSERT_EQ(daemon.stop(), 0);
    install("n2", program);
    daemon.start();
    ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  }
  /// Of load: the rows that say so.
  std::size_t rows_of(Status status) const {
    const std::vector<Row> rows = daemon.rows("load");
    return static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [&](const Row& row) { return row.status == status; }));
  }
  BallotDaemon& daemon = fleet["n2"];
};

TEST_P(ChainOfThisBuild, StopsNothingOfTheBuildBefore) {
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("succeeded", 8)) << daemon.log;
  ASSERT_NO_FATAL_FAILURE(change(BALLOT_PREVIOUS));
  EXPECT_NE(daemon.log.find("unknown key 'after'"), std::string::npos) << daemon.log;
  catch_up();
  EXPECT_EQ(daemon.log.find("halted"), std::string::npos) << daemon.log;
  EXPECT_EQ(daemon.ballot({"audit"}).code, 0) << daemon.ballot({"audit"}).out;
  const std::size_t before = rows_of(Status::succeeded);
  EXPECT_GT(before, 0u);
  ASSERT_NO_FATAL_FAILURE(change(BALLOT_PROGRAM));
  ASSERT_TRUE(daemon.wait_for("succeeded", 8)) << daemon.log;
  catch_up();
  EXPECT_GT(rows_of(Status::succeeded), before);
  EXPECT_EQ(daemon.ballot({"audit"}).code, 0) << daemon.ballot({"audit"}).out;
}

INSTANTIATE_TEST_SUITE_P(On, ChainOfThisBuild, ::testing::Values(upgrade), name_of);

}  // namespace
}  // namespace ballot::testing
