// A group that has candidates and no leader.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/sim/core_views.hpp"
#include "support/sim/sim_fleet.hpp"
#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

struct Leaderless : ::testing::Test {
  SimWorld world;
  SimNode &a = world.add("a"), &b = world.add("b");

  void start() {
    a.jobs = b.jobs = {define(minutely())};
    a.start(), b.start();
    world.run_for(10s);
    ASSERT_TRUE(a.leads("default") || b.leads("default"));
  }
  static std::ptrdiff_t count(const SimNode& node, const std::string& text) {
    return std::count_if(node.notices.begin(), node.notices.end(),
                         [&](const core::Notice& notice) { return notice.text.starts_with(text); });
  }
  static bool is_leaderless(SimNode& node) {
    bool leaderless = false;
    node.core().views().visit_groups(
        "", SIZE_MAX, [&](const core::GroupView& group) { leaderless = leaderless || group.leaderless; });
    return leaderless;
  }
  void end_term() { world.store.depose("default", Cause::evicted); }
};

TEST_F(Leaderless, IsShownAndLoggedOnEachCandidateAfterTwoTimeouts) {
  start();
  world.store.elect_nobody(true);
  end_term();
  world.run_for(9s);
  for (SimNode* node : {&a, &b}) EXPECT_FALSE(is_leaderless(*node)) << "2 T are 10 s";
  world.run_for(2s);
  for (SimNode* node : {&a, &b}) {
    EXPECT_TRUE(is_leaderless(*node)) << node->name;
    EXPECT_EQ(count(*node, "leaderless: no candidate has led the group for 10 s"), 1) << node->name;
  }
  world.run_for(5min);
  for (SimNode* node : {&a, &b}) EXPECT_EQ(count(*node, "leaderless"), 1) << "once";
  world.store.elect_nobody(false);
  world.run_for(5s);
  for (SimNode* node : {&a, &b}) {
    EXPECT_FALSE(is_leaderless(*node)) << node->name;
    EXPECT_EQ(count(*node, "the group has a leader again"), 1) << node->name;
  }
}

TEST_F(Leaderless, IsAGroupThatNoneOfTheNodesMayLeadWhichAreThere) {
  SimNode& batch = world.add("batch-1");
  const auto is_without = [](SimNode& node) {
    bool is = false;
    node.core().views().visit_groups("", SIZE_MAX, [&](const core::GroupView& group) {
      is = is || (group.name == "batch" && group.without_candidates);
    });
    return is;
  };
  Job job = minutely();
  job.group = "batch";
  for (SimNode* node : {&a, &b, &batch}) {
    node->jobs = {define(minutely("other")), define(job)};
    node->groups = {{.name = "batch", .candidates = {"batch-*"}}};
  }
  a.start(), b.start();
  world.run_for(1min);
  for (SimNode* node : {&a, &b}) EXPECT_TRUE(is_without(*node)) << node->name;
  batch.start();
  world.run_for(1min);
  ASSERT_TRUE(batch.leads("batch"));
  for (SimNode* node : {&a, &b, &batch}) EXPECT_FALSE(is_without(*node)) << node->name;
  world.store.stop();
  world.run_for(1min);
  for (SimNode* node : {&a, &b}) EXPECT_FALSE(is_without(*node)) << "the others are not known in an outage";
}

TEST_F(Leaderless, IsNoGroupThatIsLedWithinTwoTimeouts) {
  start();
  world.store.elect_nobody(true);
  end_term();
  world.run_for(9s);
  world.store.elect_nobody(false);
  world.run_for(1min);
  EXPECT_EQ(count(a, "leaderless") + count(b, "leaderless"), 0);
}

TEST_F(Leaderless, IsNoGroupOfANodeThatMayNotLeadIt) {
  start();
  Group only_b;
  only_b.name = "default";
  only_b.candidates = {"b"};
  a.groups = b.groups = {only_b};
  a.load(), b.load();
  world.run_for(10s);
  world.store.elect_nobody(true);
  end_term();
  world.run_for(1min);
  EXPECT_FALSE(is_leaderless(a));
  EXPECT_TRUE(is_leaderless(b));
}

/// Whoever has no session is degraded for that.
TEST_F(Leaderless, IsCountedAnewInTheNextSession) {
  start();
  world.store.elect_nobody(true);
  end_term();
  world.run_for(11s);
  ASSERT_TRUE(is_leaderless(a));
  world.store.stop();
  world.run_for(20s);
  EXPECT_FALSE(is_leaderless(a));
  world.store.start();
  world.store.elect_nobody(false);
  world.run_for(30s);
  EXPECT_FALSE(is_leaderless(a));
  EXPECT_TRUE(a.leads("default") || b.leads("default"));
}

TEST(LeaderlessFleet, IsNoGroupWhileThousandsAreElected) {
  SimFleet fleet({.nodes = 3, .groups = 2'000, .jobs = 2'000});
  fleet.join(0ms);
  fleet.await_all_led();
  fleet.kill(1);
  fleet.await_all_led();
  EXPECT_EQ(fleet.notices("leaderless"), 0u);
}

}  // namespace
}  // namespace ballot
