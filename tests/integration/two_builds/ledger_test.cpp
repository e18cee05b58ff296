// A ledger that one build has written, opened by the other.
#include <regex>

#include "integration/two_builds/builds.hpp"

namespace ballot::testing {
namespace {

class LedgerOfTheOtherBuild : public TwoBuilds {
 protected:
  LedgerOfTheOtherBuild() : TwoBuilds({"n1"}) {
    fleet.job("brief", every_second() + "misfire = \"all\"\n" + fleet.oracle.command({"--for", "50ms"}));
    fleet.job("long", every_second() + fleet.oracle.command({"--for", "1500ms"}));
    fleet.job("fails", every_second() + fleet.oracle.command({"--exit", "3"}));
    fleet.job("late", every_second() + "deadline = \"300ms\"\n" + fleet.oracle.command({"--for", "30s"}));
    fleet.job("paused", every_second() + fleet.oracle.command());
  }

  Ran history(const std::string& program) const {
    return run_program(
        {program, "history", "--limit", "100000", "--format", "json", "--config", daemon.folder / "ballot.toml"});
  }
  void run_and_stop() {
    const Instant begun = Instant::now();
    for (const char* job : {"brief", "long", "fails", "late"}) ASSERT_TRUE(starts(job, "n1", begun)) << job;
    ASSERT_TRUE(daemon.wait_for("timed_out")) << daemon.log;
    ASSERT_EQ(daemon.ballot({"pause", "paused"}).code, 0);
    catch_up();
    ASSERT_EQ(daemon.ballot({"resume", "paused"}).code, 0);
    ASSERT_EQ(daemon.stop(), 0);
  }

  BallotDaemon& daemon = fleet["n1"];
};

/// What the build before does not know.
std::string without_askers(const std::string& text) {
  static const std::regex askers(R"(,"triggered_by":(null|"[^"]*"),"ended_by":(null|"[^"]*"))"
                                 R"((,"paused_by":(null|"[^"]*"),"resumed_by":(null|"[^"]*")(,"env":null)?)?)");
  return std::regex_replace(text, askers, "");
}

TEST_P(LedgerOfTheOtherBuild, IsReadAndWrittenOn) {
  fleet.start();
  ASSERT_NO_FATAL_FAILURE(run_and_stop());
  const Ran own = history(GetParam().from), others = history(GetParam().to);
  ASSERT_EQ(own.code, 0) << own.err;
  EXPECT_EQ(others.code, 0) << others.err;
  EXPECT_EQ(without_askers(others.out), without_askers(own.out));
  install("n1", GetParam().to);
  daemon.start();
  ASSERT_NO_FATAL_FAILURE(run_and_stop());
  const Ran later = history(GetParam().to);
  EXPECT_EQ(without_askers(history(GetParam().from).out), without_askers(later.out));
  EXPECT_GT(later.out.size(), own.out.size());
  EXPECT_EQ(check(fleet.evidence()), Findings{});
}

INSTANTIATE_TEST_SUITE_P(On, LedgerOfTheOtherBuild, ::testing::Values(upgrade, downgrade), name_of);

}  // namespace
}  // namespace ballot::testing
