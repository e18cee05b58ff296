// A backfill, where a node is of a build that knows none: it is refused until that is upgraded, and one that goes on
// waits while such a build leads, which takes nothing of it for unreadable.
#include <algorithm>
#include <fstream>
#include <set>

#include "integration/two_builds/builds.hpp"
#include "support/process/process_facts.hpp"

namespace ballot::testing {
namespace {

struct BackfillOfThisBuild : TwoBuilds {
  BackfillOfThisBuild() : TwoBuilds({"n1", "n2"}) { install("n2", GetParam().to); }
  bool is_upgrade() const { return std::string(GetParam().name) == "Upgrade"; }
  const std::string mine = is_upgrade() ? "n2" : "n1", other = is_upgrade() ? "n1" : "n2";

  void change(const std::string& node, const std::string& program) {
    ASSERT_EQ(fleet[node].stop(), 0);
    install(node, program);
    fleet[node].start();
    ASSERT_TRUE(fleet[node].wait_for("session open")) << fleet[node].log;
  }
};

TEST_P(BackfillOfThisBuild, IsRefusedUntilTheOtherNodeIsOfItToo) {
  fleet.job("load", "schedule = \"*/10 * * * *\"\ncommand = [\"/bin/true\"]\n");
  fleet.start();
  Ran refused;  // before the leader knows of the other node, one is begun, and is soon over
  const std::string why = "node " + other + " is of a release that knows no backfills";
  EXPECT_TRUE(wait_until([&] {
    refused = fleet[mine].ballot({"backfill", "load", "--since", "1h", "--all"});
    return refused.err.find(why) != std::string::npos;
  })) << refused.err
      << refused.out;
  ASSERT_NO_FATAL_FAILURE(change(other, BALLOT_PROGRAM));
  Ran done;
  EXPECT_TRUE(wait_until([&] {
    done = fleet[mine].ballot({"backfill", "load", "--since", "1h", "--all"});
    return done.out.find("backfill of 6 slots") != std::string::npos;
  })) << done.err
      << done.out;
}

INSTANTIATE_TEST_SUITE_P(On, BackfillOfThisBuild, ::testing::Values(upgrade, downgrade), name_of);

/// One node is of this build, of the one before, and of this one again.
struct BackfillThatGoesOn : TwoBuilds {
  BackfillThatGoesOn() : TwoBuilds({"n2"}) {
    install("n2", BALLOT_PROGRAM);
    daemon.job("load",
               "schedule = \"*/10 * * * *\"\nshell = \"echo $BALLOT_SLOT $BALLOT_TRIGGER >> " + ran + "; sleep 1\"");
    fleet.job("brief", every_second() + fleet.oracle.command({"--for", "50ms"}));
  }
  void change(const std::string& program) {
    ASSERT_EQ(daemon.stop(), 0);
    install("n2", program);
    daemon.start();
    ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  }
  std::vector<std::string> lines() const {
    std::ifstream file(ran);
    std::vector<std::string> all;
    for (std::string line; std::getline(file, line);)
      if (line.ends_with(" backfill")) all.push_back(line);
    return all;
  }
  BallotDaemon& daemon = fleet["n2"];
  const std::string ran = daemon.folder / "ran";
};

TEST_P(BackfillThatGoesOn, WaitsWhileTheBuildBeforeLeads) {
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  Ran done;
  ASSERT_TRUE(wait_until([&] {
    done = daemon.ballot({"backfill", "load", "--since", "2h", "--all"});
    return done.code == 0;
  })) << done.err;
  ASSERT_TRUE(wait_until([&] { return lines().size() >= 2; }));
  ASSERT_NO_FATAL_FAILURE(change(BALLOT_PREVIOUS));
  catch_up();
  EXPECT_EQ(daemon.log.find("halted"), std::string::npos) << daemon.log;
  const std::size_t before = lines().size();
  EXPECT_LT(before, 12u);
  ASSERT_NO_FATAL_FAILURE(change(BALLOT_PROGRAM));
  ASSERT_TRUE(daemon.wait_for("the backfill is done: 12 slots begun")) << daemon.log;
  const std::vector<std::string> all = lines();
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size()) << "none twice";
  EXPECT_GE(all.size(), 11u) << "one may have been lost between the two";
}

INSTANTIATE_TEST_SUITE_P(On, BackfillThatGoesOn, ::testing::Values(upgrade), name_of);

}  // namespace
}  // namespace ballot::testing
