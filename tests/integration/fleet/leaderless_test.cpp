// A group that has candidates and no leader, as real daemons show it. The store of `local` lies on a full disk:
// sessions are renewed there, and nobody can be elected.
#include <gtest/gtest.h>

#include "support/process/fleet.hpp"
#include "support/process/process_facts.hpp"
#include "support/process/small_disk.hpp"

namespace ballot::testing {
namespace {

TEST(Leaderless, IsADegradedReasonAndALogLineOnEachCandidateUntilOneLeads) {
  Fleet fleet({"n1", "n2", "n3"}, "", Millis(2000));
  const SmallDisk disk(fleet.folder / "shared", "4m");
  if (!disk.mounted()) GTEST_SKIP() << "only root can mount a small disk";
  fleet.job("tick", "schedule = \"* * * * * *\"\ncommand = [\"/bin/true\"]");
  fleet.start();
  EXPECT_EQ(fleet["n2"].ballot({"status"}).code, 0);
  disk.fill();
  ASSERT_TRUE(fleet["n1"].wait_for("there is no space for")) << fleet["n1"].log;
  fleet["n1"].kill();
  for (const char* node : {"n2", "n3"}) {
    BallotDaemon& daemon = fleet[node];
    ASSERT_TRUE(daemon.wait_for("leaderless: no candidate has led the group for 4 s")) << daemon.log;
    const Ran status = daemon.ballot({"status"});
    EXPECT_EQ(status.code, 1) << status.out;
    EXPECT_NE(status.out.find("leaderless: group default: it has candidates, and no node has led it for 2 T"),
              std::string::npos)
        << status.out;
  }
  disk.make_room();
  for (const char* node : {"n2", "n3"}) {
    EXPECT_TRUE(fleet[node].wait_for("the group has a leader again")) << fleet[node].log;
    EXPECT_TRUE(wait_until([&] { return fleet[node].ballot({"status"}).code == 0; })) << fleet[node].log;
  }
}

TEST(Leaderless, IsSaidOfAGroupThatNoNodeMayLead) {
  Fleet fleet({"n1", "n2"}, "", Millis(2000));
  fleet.job("tick", "schedule = \"* * * * * *\"\ncommand = [\"/bin/true\"]");
  fleet.job("hosts", "schedule = \"* * * * * *\"\ngroup = \"mainframe\"\ncommand = [\"/bin/true\"]");
  for (const char* node : {"n1", "n2"}) fleet[node].file("group", "[group.mainframe]\ncandidates = [\"as400-*\"]\n");
  fleet.start();
  for (const char* node : {"n1", "n2"}) {
    Ran status;
    EXPECT_TRUE(wait_until([&] { return (status = fleet[node].ballot({"status"})).code == 1; })) << status.out;
    EXPECT_NE(status.out.find("leaderless: group mainframe: of the nodes that are there none may lead it"),
              std::string::npos)
        << status.out;
    EXPECT_EQ(status.out.find("group default"), std::string::npos) << status.out;
  }
  EXPECT_NE(fleet["n2"].ballot({"why", "hosts"}).out.find("none may lead group mainframe"), std::string::npos);
}

}  // namespace
}  // namespace ballot::testing
