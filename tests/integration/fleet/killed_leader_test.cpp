// Two daemons of one host on `local`: the leader is killed at any phase of the second.
#include "integration/fleet/killed_leaders.hpp"

namespace ballot::testing {
namespace {

using namespace std::chrono_literals;

TEST(KilledLeader, OnOneHostIsSucceededAtOnceAndNoSlotIsLost) {
  Fleet fleet({"n1", "n2"}, "", 15s);
  KilledLeaders kills(fleet, "n1");
  fleet.start();
  std::vector<Millis> taken;
  for (int i = 0; i < KilledLeaders::count(); ++i) taken.push_back(kills.kill(KilledLeaders::phase(i)));
  kills.expect_each_slot_once();
  for (const Millis one : taken) EXPECT_LE(one, 1000ms) << "100 ms on a quiet machine";
  if (::testing::Test::HasFailure()) std::cout << fleet.logs();
}

}  // namespace
}  // namespace ballot::testing
