// A job with a calendar, on a node that is of this build, of the one before, and of this one again: that one refuses
// the file, and neither the register's lines nor the ledger's rows stop it or what it does beside.
#include "integration/two_builds/builds.hpp"
#include "support/process/utc_date.hpp"

namespace ballot::testing {
namespace {

struct CalendarOfThisBuild : TwoBuilds {
  CalendarOfThisBuild() : TwoBuilds({"n2"}) {
    install("n2", BALLOT_PROGRAM);
    fleet.job("brief", every_second() + fleet.oracle.command({"--for", "50ms"}));
    daemon.file("quiet", "[calendar.holidays]\ndates = [\"" + date(-1) + ".." + date(1) +
                             "\"]\n[job.quiet]\nexcept = [\"holidays\"]\n" + every_second() +
                             "command = [\"/bin/true\"]\n");
  }
  void change(const std::string& program) {
    ASSERT_EQ(daemon.stop(), 0);
    install("n2", program);
    daemon.start();
    ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  }
  BallotDaemon& daemon = fleet["n2"];
};

TEST_P(CalendarOfThisBuild, StopsNothingOfTheBuildBefore) {
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("skipped: calendar")) << daemon.log;
  ASSERT_NO_FATAL_FAILURE(change(BALLOT_PREVIOUS));
  EXPECT_NE(daemon.log.find("unknown key 'calendar'"), std::string::npos) << daemon.log;
  catch_up();
  EXPECT_EQ(daemon.log.find("halted"), std::string::npos) << daemon.log;
  const Ran history = daemon.ballot({"history", "--job", "quiet"});
  EXPECT_NE(history.out.find("  calendar  "), std::string::npos) << history.out << history.err;
  EXPECT_EQ(daemon.ballot({"audit"}).code, 0) << daemon.ballot({"audit"}).out;
  ASSERT_NO_FATAL_FAILURE(change(BALLOT_PROGRAM));
  ASSERT_TRUE(daemon.wait_for("skipped: calendar")) << daemon.log;
  catch_up();
  EXPECT_EQ(daemon.ballot({"audit"}).code, 0) << daemon.ballot({"audit"}).out;
}

INSTANTIATE_TEST_SUITE_P(On, CalendarOfThisBuild, ::testing::Values(upgrade), name_of);

}  // namespace
}  // namespace ballot::testing
