// Who may use the store, and who should lead, with real daemons on a real server: a store that asks nobody who he is, a
// preferred node.
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
  const ZookeeperPlace place;
  Fleet fleet{{"n1", "n2", "n3"}, policy_timeout, [this](const std::string&) { return configuration(); }};
};

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
