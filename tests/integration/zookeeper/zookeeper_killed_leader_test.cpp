// Three daemons on ZooKeeper: the leader is killed at any phase of the second, with a supervisor and without.
#include "integration/fleet/killed_leaders.hpp"
#include "support/servers/zookeeper_server.hpp"

namespace ballot::testing {
namespace {

using namespace std::chrono_literals;

struct KilledLeaderOnZookeeper : ::testing::Test {
  static constexpr Millis timeout{8000}, tick{400};

  ZookeeperEnsemble store{1, {.tick = tick}};
  Fleet fleet{{"n1", "n2", "n3"}, timeout, [this](const std::string&) {
                return "[coordination]\nbackend = \"zookeeper\"\nnamespace = \"t\"\nallow_open_store = "
                       "true\nsession_timeout = \"" +
                       format_duration(timeout) + "\"\n[zookeeper]\ntick = \"" + format_duration(tick) +
                       "\"\nservers = \"" + store.addresses() + "\"\n";
              }};
  KilledLeaders kills{fleet, "n1"};

  ~KilledLeaderOnZookeeper() override {
    if (HasFailure()) std::cout << fleet.logs();
  }
};

TEST_F(KilledLeaderOnZookeeper, IsSucceededByItsRunnersResignationAndNoSlotIsLost) {
  fleet.start();
  std::vector<Millis> taken;
  for (int i = 0; i < KilledLeaders::count(); ++i) taken.push_back(kills.kill(KilledLeaders::phase(i)));
  kills.expect_each_slot_once();
  for (const Millis one : taken) EXPECT_LE(one, 4000ms) << "2 s on a quiet machine, not the session's 8";
}

/// As a unit's ExecStopPost= does.
TEST_F(KilledLeaderOnZookeeper, IsSucceededByItsSupervisorsResignationAndNoSlotIsLost) {
  fleet.start();
  std::vector<Millis> taken;
  const auto supervise = [](BallotDaemon& dead) {
    const Ran resigned = dead.ballot({"resign", "--session", dead.folder / "run/session"});
    EXPECT_EQ(resigned.code, 0) << resigned.err;
  };
  for (int i = 0; i < KilledLeaders::count(); ++i) taken.push_back(kills.kill(KilledLeaders::phase(i), supervise));
  kills.expect_each_slot_once();
  for (const Millis one : taken) EXPECT_LE(one, 2500ms) << "0.6 s on a quiet machine";
}

}  // namespace
}  // namespace ballot::testing
