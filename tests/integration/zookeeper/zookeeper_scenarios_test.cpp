// Scenarios of docs/testing.md whose fault is a ZooKeeper server's: restored from a snapshot, and answers that are lost
// on their way.
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "base/wall_text.hpp"
#include "integration/fleet/restored_store.hpp"
#include "support/process/process_facts.hpp"
#include "support/servers/zookeeper_place.hpp"

namespace ballot::testing {
namespace {

using std::chrono::seconds;

class OnAServer : public ::testing::Test {
 protected:
  static constexpr Millis timeout{4000};

  OnAServer() {
    fleet.job("brief", "schedule = \"* * * * * *\"\nmisfire = \"all\"\n" + fleet.oracle.command({"--for", "50ms"}));
  }
  ~OnAServer() override {
    if (HasFailure()) std::cout << fleet.logs();
  }

  bool starts(int count) {
    const WallTime now = Instant::now().wall;
    return fleet.oracle.wait_until([&](const Reports& all) {
      return std::count_if(all.begin(), all.end(), [&](const Report& r) { return r.slot > now && r.on_time(); }) >=
             count;
    });
  }

  bool claimed(WallTime slot) const { return place.text("r/j/brief").find(format_slot(slot)) != std::string::npos; }

  const ZookeeperPlace place;
  ZookeeperServer& store = ZookeeperPlace::server();
  TcpRelay relay{store.port()};
  Fleet fleet{{"n1"}, timeout, [this](const std::string&) {
                std::string text = place.config(timeout);
                text.replace(text.find(store.address()), store.address().size(), relay.address());
                return text.insert(text.find('\n') + 1, "namespace = \"ballot\"\n");
              }};
};

// S11 zookeeper
TEST_F(OnAServer, ThatWasRestoredFromASnapshotTheLeaderHalts) {
  fleet.start();
  ASSERT_TRUE(starts(1));
  fleet.fault();
  store.kill();
  store.save();
  ZookeeperPlace::start_server();
  ASSERT_TRUE(starts(3));
  store.kill();
  store.restore();
  fleet.halted("default");
  ZookeeperPlace::start_server();
  expect_halted_until_it_is_repaired(fleet, fleet["n1"]);
  fleet.healed();
  ASSERT_TRUE(starts(3));
  EXPECT_EQ(check(fleet.evidence()), Findings{});
}

// S7 zookeeper
TEST_F(OnAServer, WhoseAnswersAreLostNoSlotRunsTwiceAndNoneIsLost) {
  fleet.start();
  ASSERT_TRUE(starts(1));
  for (int round = 0; round < 3; ++round) {
    // From before a slot is due until its claim has landed.
    const WallTime due = std::chrono::ceil<seconds>(Instant::now().wall + Millis(100));
    std::this_thread::sleep_until(due - Millis(100));
    fleet.fault();
    relay.drop_answers(true);
    ASSERT_TRUE(wait_until([&] { return claimed(due); })) << place.text("r/j/brief");
    relay.break_connections();
    relay.drop_answers(false);
    fleet.healed();
    ASSERT_TRUE(starts(1)) << fleet["n1"].log;
  }
  ASSERT_TRUE(starts(3));
  const Evidence evidence = fleet.evidence();
  EXPECT_EQ(check(evidence), Findings{});
  EXPECT_EQ(evidence.ledgers[0].terms.size(), 1u) << "it kept its term";
  std::multiset<WallTime> slots;
  for (const Report& report : evidence.reports) slots.insert(report.slot);
  for (WallTime slot = evidence.from; slot <= evidence.until; slot += seconds(1))
    EXPECT_EQ(slots.count(slot), 1u) << format_slot(slot);
}

}  // namespace
}  // namespace ballot::testing
