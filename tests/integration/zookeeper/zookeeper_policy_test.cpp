// Who may lead, and who should, with real daemons on a real server: a job that moves between groups while nodes get its
// file one by one, two daemons of one name, a store that was restored from a snapshot, a preferred node.
#include <gtest/gtest.h>

#include <iostream>

#include "support/process/fleet.hpp"
#include "support/servers/zookeeper_place.hpp"

namespace ballot::testing {
namespace {

using std::chrono::seconds;

constexpr Millis policy_timeout{4000};

class Policy : public ::testing::Test {
 protected:
  ~Policy() override {
    if (HasFailure()) std::cout << fleet.logs();
  }
  std::string configuration() const {
    std::string text = place.config(policy_timeout);
    return text.insert(text.find('\n') + 1, "namespace = \"t\"\n");
  }
  std::string every_second(const std::string& more = "") {
    return "schedule = \"* * * * * *\"\nmisfire = \"all\"\n" + more + fleet.oracle.command({"--for", "50ms"});
  }
  /// On `node`, or on any.
  static std::size_t starts_after(const Instant& instant, const std::string& node, const Reports& all) {
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const Report& report) {
      return report.started.boot > instant.boot && (node.empty() || report.node == node);
    }));
  }
  bool wait_for_starts(std::size_t count, const std::string& node = "") {
    const Instant now = Instant::now();
    return fleet.oracle.wait_until([&](const Reports& all) { return starts_after(now, node, all) >= count; });
  }
  void expect_all_accounted_for() {
    Evidence evidence = fleet.evidence();
    EXPECT_GE(evidence.until - evidence.from, seconds(1)) << "there is something to judge";
    EXPECT_EQ(check(evidence), Findings{});
  }

  const ZookeeperPlace place;
  ZookeeperServer& store = ZookeeperPlace::server();
  Fleet fleet{{"n1", "n2", "n3"}, policy_timeout, [this](const std::string&) { return configuration(); }};
};

/// Its old group's leader dies before it has the new file; the next one has never seen the job in that group.
// S28 zookeeper
TEST_F(Policy, AJobThatMovesBetweenGroupsWhileNodesGetItsFileOneByOneHasEachSlotOnce) {
  for (const char* node : {"n1", "n2", "n3"})
    fleet[node].file("groups", "[group.one]\ncandidates = [\"n1\", \"n2\"]\n[group.two]\ncandidates = [\"n3\"]\n");
  fleet.job("moves", every_second("group = \"one\"\n"));
  fleet.start();
  ASSERT_TRUE(wait_for_starts(2, "n1"));
  fleet["n3"].job("moves", every_second("group = \"two\"\n"));
  ASSERT_TRUE(wait_for_starts(2, "n1")) << "it is not released yet";
  fleet["n2"].job("moves", every_second("group = \"two\"\n"));
  ASSERT_TRUE(wait_for_starts(1, "n1"));
  const Ran jobs = fleet["n3"].ballot({"jobs"});
  EXPECT_NE(jobs.out.find("waiting for group one"), std::string::npos) << jobs.out;
  fleet["n1"].kill();
  ASSERT_TRUE(wait_for_starts(2, "n3"));
  fleet["n1"].job("moves", every_second("group = \"two\"\n"));
  fleet["n1"].start();
  ASSERT_TRUE(fleet["n1"].wait_for("session open"));
  ASSERT_TRUE(wait_for_starts(2, "n3"));
  expect_all_accounted_for();
}

// S29 zookeeper
TEST_F(Policy, ASecondDaemonOfTheSameNameIsRefusedWithWhoTheFirstIs) {
  fleet.job("tick", every_second());
  fleet.start();
  BallotDaemon other("n1");
  other.configure(configuration());
  other.job("tick", every_second());
  other.start();
  EXPECT_EQ(other.wait(), 1);
  EXPECT_NE(other.log.find("node n1 is in use by the daemon with pid " + std::to_string(fleet["n1"].pid())),
            std::string::npos)
      << other.log;
  ASSERT_TRUE(wait_for_starts(2, "n1")) << "the first one is not disturbed";
  expect_all_accounted_for();
}

TEST_F(Policy, ADaemonOfRootRefusesAStoreThatAsksNobodyWhoHeIsUnlessItIsAllowed) {
  BallotDaemon daemon("n1");
  std::string text = configuration();
  const std::string allowed = "allow_open_store = true\n";
  text.erase(text.find(allowed), allowed.size());
  daemon.configure(text);
  daemon.start();
  if (::geteuid() == 0) {
    EXPECT_EQ(daemon.wait(), 78);
    EXPECT_NE(daemon.log.find("allow_open_store = true"), std::string::npos) << daemon.log;
    EXPECT_NE(daemon.log.find("[zookeeper] auth"), std::string::npos) << daemon.log;
  } else {
    EXPECT_TRUE(daemon.wait_for("allow_open_store = true")) << "a warning";
    daemon.stop();
  }
  daemon.configure(configuration());
  const std::size_t refused = daemon.log.size();
  daemon.start();
  EXPECT_TRUE(daemon.wait_for("session open"));
  EXPECT_EQ(daemon.log.find("whoever reaches it", refused), std::string::npos) << daemon.log;
  daemon.send(SIGTERM);
  EXPECT_EQ(daemon.wait(), 0);
}

// S29 zookeeper
TEST_F(Policy, ADaemonWithoutANamespaceIsRefused) {
  BallotDaemon daemon("n1");
  daemon.configure(place.config(policy_timeout));
  daemon.start();
  EXPECT_EQ(daemon.wait(), 78);
  EXPECT_NE(daemon.log.find("namespace"), std::string::npos) << daemon.log;
}

// S30 zookeeper
TEST_F(Policy, AStoreThatWasRestoredFromASnapshotHaltsTheGroupUnderALeaderThatNeverLed) {
  fleet.job("tick", every_second());
  fleet.start();
  ASSERT_TRUE(wait_for_starts(2, "n1"));
  store.kill();
  store.save();
  ZookeeperPlace::start_server();
  ASSERT_TRUE(wait_for_starts(6));
  std::string survivor;  // the restart of the server may have cost the first leader its term
  for (const char* node : {"n2", "n3"})
    if (starts_after({}, node, fleet.oracle.reports()) == 0) survivor = node;
  ASSERT_NE(survivor, "");
  for (const char* node : {"n1", "n2", "n3"})
    if (node != survivor) fleet[node].kill();
  store.kill();
  store.restore();
  const Instant restored = Instant::now();
  ZookeeperPlace::start_server();
  ASSERT_TRUE(fleet[survivor].wait_for("group halted: the store has gone back"));
  const Ran status = fleet[survivor].ballot({"status"});
  EXPECT_EQ(status.code, 1) << "degraded";
  EXPECT_NE(status.out.find("halted: group default: the store has gone back"), std::string::npos) << status.out;
  EXPECT_EQ(starts_after(restored, "", fleet.oracle.reports()), 0u);
  const Ran repaired = fleet[survivor].ballot({"repair", "--group", "default"});
  EXPECT_EQ(repaired.code, 0) << repaired.err;
  EXPECT_TRUE(wait_for_starts(2, survivor));
  std::uint64_t before = 0, after = std::numeric_limits<std::uint64_t>::max();
  for (const Report& report : fleet.oracle.reports())
    if (report.node == survivor)
      after = std::min(after, report.fence);
    else
      before = std::max(before, report.fence);
  EXPECT_GT(after, before) << "fences go on above all that were seen";
}

TEST_F(Policy, APreferredNodeIsHandedTheGroupAndNoSlotIsLost) {
  for (const char* node : {"n1", "n2", "n3"}) fleet[node].file("groups", "[group.default]\npreferred = [\"n3\"]\n");
  fleet.job("tick", every_second());
  fleet.start();
  ASSERT_TRUE(fleet["n1"].wait_for("hands over to n3", 1, seconds(60)));
  ASSERT_TRUE(wait_for_starts(3, "n3"));
  EXPECT_EQ(fleet["n2"].rows().size(), 0u) << "it may have been elected on the way, and has passed the group on";
  WallTime ended{}, began{};
  const Evidence evidence = fleet.evidence();
  EXPECT_EQ(check(evidence), Findings{});
  for (const NodeLedger& ledger : evidence.ledgers)
    for (const TermRow& term : ledger.terms) {
      if (ledger.node == "n1" && term.ended_at) ended = *term.ended_at;
      if (ledger.node == "n3") began = term.elected_at;
    }
  std::cout << "hand-over to the preferred node: " << (began - ended).count() << " ms\n";
}

}  // namespace
}  // namespace ballot::testing
