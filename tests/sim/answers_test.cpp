// Answers that never come, come late, or are of what has changed since.
#include <gtest/gtest.h>

#include "support/sim/core_views.hpp"
#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

TEST(Unanswered, AClaimThatTheBackendForgetsIsTakenAsUnknownAfterATimeout) {
  SimWorld world;
  SimNode& a = world.add("a");
  a.jobs = {define(minutely())};
  world.run_for(250ms);  // so that no renewal is under way with the claim
  a.start();
  world.run_for(2min - 251ms);
  a.link.lose_answer = a.link.never_answer = 1000;
  world.run_for(5ms);
  a.link.lose_answer = a.link.never_answer = 0;
  world.run_for(8s);
  EXPECT_EQ(world.starts.size(), 2u) << "it had landed";
  world.run_for(3min);
  EXPECT_GE(world.starts.size(), 5u);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST(Unanswered, AListOfRequestsThatIsForgottenIsAskedForAgain) {
  SimWorld world;
  SimNode& a = world.add("a");
  a.jobs = {define(minutely())};
  a.start();
  world.run_for(1min + 30s);
  a.trigger("job");
  world.run_for(6ms);  // the request is there, and its list is on the way
  a.link.lose_answer = a.link.never_answer = 1000;
  world.run_for(20ms);
  a.link.lose_answer = a.link.never_answer = 0;
  world.run_for(12s);
  ASSERT_EQ(a.replies.size(), 1u);
  EXPECT_TRUE(a.replies[0].ok) << a.replies[0].text;
}

/// What was read in between shows the register as it was before, and the first sending still lands.
TEST(Unanswered, AWriteThatWasGivenUpAndLandsAfterAllIsRecorded) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SimWorld world(seed);
    SimNode& a = world.add("a");
    a.jobs = {define(minutely())};
    a.takes["job"] = 90s;
    a.start();
    const WallTime from = world.wall();
    world.run_for(2min + 4s);  // the second slot is skipped, and this is about to be written
    a.link.late_request = 1000;
    a.link.late_max = 8s;
    world.run_for(1500ms);
    a.link.late_request = 0;
    a.link.refuse_write = 1000;
    world.run_for(12s);
    a.link.refuse_write = 0;
    world.run_for(4min);
    ASSERT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 1min), "") << "seed " << seed;
  }
}

TEST(Answered, RequestsAreNotDoneAgainWhenAnOlderListShowsThem) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SimWorld world(seed);
    SimNode& a = world.add("a");
    SimNode& b = world.add("b");
    a.jobs = b.jobs = {define(minutely())};
    a.takes["job"] = 50s;
    a.start();
    world.run_for(1s);
    b.start();
    world.run_for(1min + 10s);
    ASSERT_EQ(a.open_children(), 1);
    a.link.delay_max = b.link.delay_max = 200ms;
    a.link.lose_request = 300;
    for (int i = 0; i < 6; ++i) {
      b.trigger("job");
      world.run_for(world.loop.between(1ms, 300ms));
    }
    a.link.lose_request = 0;
    world.run_for(10s);
    EXPECT_EQ(b.replies.size(), 6u);
    std::size_t skipped = 0;
    for (const Row& row : a.rows()) skipped += row.trigger == Trigger::manual ? 1 : 0;
    EXPECT_EQ(skipped, 6u) << "each is skipped once, seed " << seed;
    EXPECT_EQ(world.broken_promises(), "");
  }
}

/// `b` dies leading group two with a run going on; while `a` takes over, and looks for the run's outcome, its files
/// move a job from group one, which it leads, to group two.
TEST(TakingOver, ARegisterThatThisNodeHasWrittenSinceItWasReadIsNoStoreThatHasGoneBack) {
  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");
  Job moves = minutely("moves"), runs = minutely("runs");
  moves.group = "one";
  runs.group = "two";
  runs.on_leadership_lost = OnLeadershipLost::finish;
  a.takes["runs"] = b.takes["runs"] = 10min;
  b.jobs = {define(runs)};
  b.start();
  world.run_for(100ms);
  a.jobs = {define(moves), define(runs)};
  a.start();
  world.run_for(1min + 10s);
  ASSERT_EQ(b.open_children(), 1);
  a.link.delay_min = a.link.delay_max = 50ms;
  b.reboot();
  ASSERT_TRUE(world.run_while_not([&] { return world.store.leader("two")->node == "a"; }, 20s));
  world.run_for(51ms);  // elected, and its registers are asked for
  moves.group = "two";
  a.jobs = {define(moves), define(runs)};
  a.load();
  const std::size_t before = world.starts_of("moves");
  world.run_for(3min);
  EXPECT_TRUE(a.leads("two"));
  EXPECT_GE(world.starts_of("moves"), before + 2);
  for (const ShownGroup& group : groups_of(a)) EXPECT_EQ(group.halted, "");
  EXPECT_EQ(world.broken_promises(), "");
}

}  // namespace
}  // namespace ballot
