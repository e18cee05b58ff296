// An outage of the store that its servers report, under on_outage = "hold", and one that they are silent about.
#include <gtest/gtest.h>

#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

struct OutageUnderHold : ::testing::Test {
  explicit OutageUnderHold(bool hold = true) : world(1, settings(hold)) {
    Job job = minutely();
    job.group = "g";
    a.jobs = b.jobs = {define(job)};
    a.takes["job"] = b.takes["job"] = 10min;
    a.start();
    world.run_for(1min + 1s);
    b.start();
    world.run_for(5s);
  }
  static SimStore::Settings settings(bool hold) {
    SimStore::Settings settings;
    settings.hold = hold;
    return settings;
  }

  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");
};

struct OutageWithoutHold : OutageUnderHold {
  OutageWithoutHold() : OutageUnderHold(false) {}
};

TEST_F(OutageUnderHold, ALeaderHoldsOnWhileTheServersSayThatTheyHaveNoQuorum) {
  ASSERT_EQ(a.open_children(), 1);
  const std::uint64_t epoch = world.store.leader("g")->epoch;
  world.store.lose_quorum();
  world.run_for(3min);
  EXPECT_TRUE(a.leads("g"));
  EXPECT_EQ(a.open_children(), 1);
  EXPECT_EQ(world.starts_of("job"), 1u) << "what cannot be claimed is not started";
  world.store.start();
  world.run_for(30s);
  EXPECT_TRUE(a.leads("g"));
  EXPECT_EQ(world.store.leader("g")->epoch, epoch);
  EXPECT_EQ(a.open_children(), 1);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(OutageUnderHold, ALeaderThatIsCutOffFromTheServersStepsDown) {
  world.store.lose_quorum();
  world.run_for(1min);
  a.link.cut = true;
  world.run_for(6s);
  EXPECT_FALSE(a.leads("g"));
  EXPECT_EQ(a.open_children(), 0);
  a.link.cut = false;
  world.store.start();
  world.run_for(30s);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(OutageUnderHold, ServersThatAreSilentHoldNobody) {
  world.store.stop();
  world.run_for(6s);
  EXPECT_FALSE(a.leads("g"));
  EXPECT_EQ(a.open_children(), 0);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(OutageWithoutHold, ALeaderStepsDownAtItsDeadline) {
  world.store.lose_quorum();
  world.run_for(6s);
  EXPECT_FALSE(a.leads("g"));
  EXPECT_EQ(a.open_children(), 0);
  EXPECT_EQ(world.broken_promises(), "");
}

}  // namespace
}  // namespace ballot
