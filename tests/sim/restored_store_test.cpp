// A store that was put back while no daemon ran, or none that knew better: what the nodes' ledgers know of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sim/repair.hpp"

namespace ballot {
namespace {

/// The nodes' ledgers outlive their daemons.
struct RestoredStore : Repair {
  SimStore::Contents old;

  void start_a() {
    a.jobs = b.jobs = {define(job)};
    a.start();
    world.run_for(5min + 20s);
    ASSERT_TRUE(a.leads("default"));
    old = world.store.contents();
  }
  void stop(SimNode& node) {
    node.stop(0s);
    ASSERT_TRUE(world.run_while_not([&] { return node.stopped(); }, 1min));
    node.crash();
  }
  /// As the seeds of a test have it.
  void end(SimNode& node, bool cleanly) {
    if (cleanly) return stop(node);
    node.crash();
    node.runner.power_cut();
  }
  SimNode* led() {
    for (SimNode* node : {&a, &b})
      if (node->running() && node->leads("default")) return node;
    return nullptr;
  }
  bool is_halted() {
    return world.run_while_not([&] { return led() && !halted(*led()).empty(); }, 2min);
  }
  /// a leads, b stands by. The store goes back to now, and is b's.
  void expect_halted_on_an_older_copy_of_which_b_knows() {
    ASSERT_TRUE(a.leads("default"));
    const SimStore::Contents copy = world.store.contents();
    world.run_for(5min);
    ASSERT_TRUE(a.leads("default"));
    a.crash();
    a.runner.power_cut();
    world.store.restore(copy);
    EXPECT_TRUE(is_halted());
    EXPECT_TRUE(b.leads("default"));
    world.run_for(5min);
    expect_no_double();
    ASSERT_TRUE(repair(b).ok);
    EXPECT_TRUE(starts_within(2min));
  }
  /// No slot was started twice, and no fence was given twice.
  void expect_no_double() {
    std::set<std::pair<std::string, WallTime>> slots;
    std::set<std::pair<std::string, std::uint64_t>> fences;
    for (const Start& start : world.starts) {
      EXPECT_TRUE(slots.emplace(start.job, start.slot).second) << start.job << " " << format_slot(start.slot);
      EXPECT_TRUE(fences.emplace(start.job, start.fence).second) << start.job << " fence " << start.fence;
    }
  }
};

// S33 sim
TEST_F(RestoredStore, HaltsTheDaemonThatIsStartedOnIt) {
  for (const bool cleanly : {true, false}) {
    start_a();
    world.run_for(5min);
    end(a, cleanly);
    world.store.restore(old);
    a.start();
    EXPECT_TRUE(is_halted());
    EXPECT_FALSE(starts_within(2min));
    expect_no_double();
    const core::Reply reply = repair(a);
    EXPECT_TRUE(reply.ok) << reply.text;
    EXPECT_TRUE(starts_within(2min)) << halted(a);
    expect_no_double();
    stop(a);
  }
  EXPECT_EQ(world.broken_promises(), "");
}

/// Neither a term nor much else has passed since: its last claims alone are gone.
TEST_F(RestoredStore, ThatHasLostNothingButTheLastClaimsOfATermThatIsResumedHaltsIt) {
  start_a();
  world.run_for(2min);
  a.crash();
  world.store.edit(old);  // sessions and terms stay
  a.start();
  EXPECT_TRUE(is_halted());
  EXPECT_FALSE(starts_within(2min));
  expect_no_double();
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(RestoredStore, ThatWasEmptiedHaltsTheDaemonThatIsStartedOnIt) {
  start_a();
  stop(a);
  world.store.restore({});
  a.start();
  EXPECT_TRUE(is_halted());
  EXPECT_FALSE(starts_within(2min));
  ASSERT_TRUE(repair(a).ok);
  EXPECT_TRUE(starts_within(2min));
  EXPECT_EQ(halted(a), "");
  expect_no_double();
}

TEST_F(RestoredStore, IsHaltedAlsoAfterSeveralRestarts) {
  start_a();
  world.run_for(5min);
  stop(a);
  world.store.restore(old);
  for (int i = 0; i < 3; ++i) {
    a.start();
    EXPECT_TRUE(is_halted()) << i;
    EXPECT_FALSE(starts_within(2min)) << i;
    i == 1 ? a.crash() : stop(a);
  }
  expect_no_double();
}

TEST_F(RestoredStore, ThatWasRepairedIsNotHaltedByRestarts) {
  start_a();
  b.start();
  world.run_for(2min);
  hand_over(a);
  world.run_for(2min);
  stop(a), stop(b);
  world.store.restore(old);
  a.start();
  ASSERT_TRUE(is_halted());
  ASSERT_TRUE(repair(a).ok);
  ASSERT_TRUE(starts_within(2min));
  for (int i = 0; i < 3; ++i) {
    i == 1 ? a.crash() : stop(a);
    b.start();  // the first time it learns only now that the store went back, and was repaired
    EXPECT_TRUE(starts_within(3min)) << i;
    EXPECT_EQ(halted(b), "") << i;
    i == 1 ? b.crash() : stop(b);
    a.start();
    EXPECT_TRUE(starts_within(3min)) << i;
    EXPECT_EQ(halted(a), "") << i;
  }
  expect_no_double();
}

TEST_F(RestoredStore, ThatGoesBackToBeforeItsRepairIsHaltedAgain) {
  start_a();
  world.run_for(5min);
  stop(a);
  world.store.restore(old);
  a.start();
  ASSERT_TRUE(is_halted());
  ASSERT_TRUE(repair(a).ok);
  ASSERT_TRUE(starts_within(2min));
  const auto repaired = world.store.contents();
  world.run_for(5min);
  for (const auto& to : {repaired, old}) {
    stop(a);
    world.store.restore(to);
    a.start();
    EXPECT_TRUE(is_halted());
    EXPECT_FALSE(starts_within(2min));
    ASSERT_TRUE(repair(a).ok);
    EXPECT_TRUE(starts_within(2min));
  }
  expect_no_double();
}

// ---- several nodes

/// The node that leads has lost its ledger, and the other one knows: from its own terms, or from the store's revision.
TEST_F(RestoredStore, HaltsALeaderThatDoesNotKnowOnceANodeThatKnowsIsThere) {
  start_a();
  world.run_for(5min);
  stop(a);
  world.store.restore(old);
  b.start();
  EXPECT_TRUE(starts_within(2min)) << "nobody knows better";
  a.start();
  EXPECT_TRUE(is_halted());
  EXPECT_TRUE(b.leads("default"));
  EXPECT_NE(halted(b).find("as node a knows"), std::string::npos) << halted(b);
  EXPECT_FALSE(starts_within(2min));
  ASSERT_TRUE(repair(a).ok);
  EXPECT_TRUE(starts_within(2min));
  world.run_for(5min);
  EXPECT_EQ(halted(b), "");
  for (int i = 0; i < 2; ++i) {
    hand_over(*led());
    EXPECT_TRUE(starts_within(2min)) << halted(*led());
  }
}

/// What is published is listed before the first term of a session.
TEST_F(RestoredStore, IsNotClaimedOfByALeaderThatCouldHaveHeardOfIt) {
  start_a();
  world.run_for(5min);
  stop(a);
  world.store.restore(old);
  Group only_b;
  only_b.name = "default";
  only_b.candidates = {"b"};
  a.groups = b.groups = {only_b};
  a.start();
  world.run_for(20s);
  b.start();
  EXPECT_TRUE(is_halted());
  EXPECT_NE(halted(b).find("as node a knows"), std::string::npos) << halted(b);
  expect_no_double();
}

TEST_F(RestoredStore, HaltsNoGroupThatWasRepairedBeforeTheNodeThatKnowsIsBack) {
  start_a();
  world.run_for(5min);
  stop(a);
  world.store.restore(old);
  b.start();
  world.run_for(2min);
  stop(b);
  world.store.restore(old);
  b.start();
  ASSERT_TRUE(is_halted());
  ASSERT_TRUE(repair(b).ok);
  ASSERT_TRUE(starts_within(2min));
  a.start();
  world.run_for(3min);
  EXPECT_EQ(halted(b), "");
  EXPECT_TRUE(starts_within(2min));
  hand_over(b);
  EXPECT_TRUE(starts_within(2min)) << halted(a);
}

/// A repair that a stand-by has not heard of would look like one that was made since the store went back.
TEST_F(RestoredStore, IsNotTakenForRepairedByARepairThatWasMadeBeforeTheStandbyWasThere) {
  start_a();
  world.run_for(5min);
  world.store.restore(old);
  ASSERT_TRUE(is_halted());
  ASSERT_TRUE(repair(a).ok);
  ASSERT_TRUE(starts_within(2min));
  b.start();
  world.run_for(3min);
  expect_halted_on_an_older_copy_of_which_b_knows();
}

TEST_F(RestoredStore, IsNotTakenForRepairedByARepairThatWasMadeBesideAStandby) {
  start_a();
  b.start();
  world.run_for(5min);
  SimStore::Contents edited = world.store.contents();
  edited.registers = old.registers;
  world.store.edit(edited);
  ASSERT_TRUE(is_halted());
  ASSERT_TRUE(repair(a).ok);
  ASSERT_TRUE(starts_within(2min));
  world.run_for(1min);
  expect_halted_on_an_older_copy_of_which_b_knows();
}

// ---- another store

TEST_F(RestoredStore, OfAnotherIdentityInTheSamePlaceIsAnotherStore) {
  start_a();
  stop(a);
  world.store.restore({});
  b.start();  // a fleet of its own
  world.run_for(2min);
  a.start();
  world.run_for(2min);
  EXPECT_EQ(halted(b), "");
  EXPECT_EQ(count(a, "not the store that was in this place before"), 1u);
  hand_over(b);
  EXPECT_TRUE(starts_within(2min)) << halted(a);
}

TEST_F(RestoredStore, InAnotherPlaceIsKnownByItsIdentity) {
  start_a();
  world.run_for(5min);
  stop(a);
  world.store.restore(old);
  a.store_place = "sim under another name";
  a.start();
  EXPECT_TRUE(is_halted());
  EXPECT_FALSE(starts_within(2min));
}

TEST_F(RestoredStore, ThatIsNewInAnotherPlaceHaltsNothing) {
  start_a();
  stop(a);
  const auto first = world.store.contents();
  world.store.restore({});
  a.store_place = "another";
  a.start();
  EXPECT_TRUE(starts_within(2min)) << halted(a);
  stop(a);
  a.store_place = "sim";
  world.store.restore(first);
  a.start();
  EXPECT_TRUE(starts_within(2min)) << "the first store again, as it was left: " << halted(a);
}

TEST_F(RestoredStore, IsNotKnownToALedgerThatWasLost) {
  start_a();
  world.run_for(5min);
  stop(a);
  a.ledger.wipe();
  world.store.restore(old);
  a.start();
  EXPECT_TRUE(starts_within(2min)) << "nothing shows that it has gone back";
}

/// Nothing of a store that goes on is taken for one that has gone back.
TEST_F(RestoredStore, IsNoneWhereItGoesOn) {
  start_a();
  for (int i = 0; i < 12; ++i) {
    world.run_for(Millis(1234 * (i % 5)) + 30s);
    i % 3 == 0 ? stop(a) : a.crash();
    if (i % 4 == 0) a.runner.power_cut();
    if (i % 2 == 0) b.running() ? b.crash() : b.start();
    world.run_for(Millis(700 * (i % 7)));
    a.start();
  }
  world.run_for(2min);
  EXPECT_EQ(halted(*led()), "");
  EXPECT_EQ(count(a, "gone back") + count(b, "gone back"), 0u);
  expect_accounted();
}

// ---- many ways

/// Jobs of several groups, two nodes that end anyhow, and a snapshot of any age.
class RestoredAnyhow : public ::testing::TestWithParam<int> {};

TEST_P(RestoredAnyhow, StartsNoSlotTwiceAndGivesNoFenceTwice) {
  SimWorld world(static_cast<std::uint64_t>(GetParam()));
  ballot::Random random(static_cast<std::uint64_t>(GetParam()) + 77);
  const auto some = [&](int most) { return static_cast<int>(random.below(static_cast<std::uint64_t>(most))); };
  SimNode &a = world.add("a"), &b = world.add("b");
  for (int i = 0; i < 4; ++i) {
    Job job = minutely("job" + std::to_string(i));
    job.group = "group" + std::to_string(i / 2);
    a.jobs.push_back(define(job));
  }
  b.jobs = a.jobs;
  a.start();
  const bool b_knows = some(2) == 0;
  if (b_knows) b.start();
  world.run_for(Millis(60'000 + some(300'000)));
  const auto old = world.store.contents();
  world.run_for(Millis(130'000 + some(300'000)));  // the revision of some minute since is in both ledgers
  for (SimNode* node : {&a, &b}) {
    if (!node->running()) continue;
    if (some(2) == 0) {
      node->stop(0s);
      world.run_while_not([&] { return node->stopped(); }, 1min);
    }
    node->crash();
    if (some(2) == 0) node->runner.power_cut();
  }
  world.run_for(Millis(some(20'000)));
  world.store.restore(old);
  a.start();
  if (some(2) == 0) world.run_for(Millis(some(3000)));
  if (!b_knows) world.run_for(20s);  // else it may lead before anybody has told it
  b.start();
  world.run_for(3min);
  std::set<std::pair<std::string, WallTime>> slots;
  std::set<std::pair<std::string, std::uint64_t>> fences;
  for (const Start& start : world.starts) {
    EXPECT_TRUE(slots.emplace(start.job, start.slot).second) << start.job << " " << format_slot(start.slot);
    EXPECT_TRUE(fences.emplace(start.job, start.fence).second) << start.job << " fence " << start.fence;
  }
  for (const std::string group : {"group0", "group1"}) {
    SimNode& leader = a.leads(group) ? a : b;
    for (const ShownGroup& shown : groups_of(leader))
      EXPECT_FALSE(shown.name == group && shown.halted.empty()) << group;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RestoredAnyhow, ::testing::Range(1, 25));

}  // namespace
}  // namespace ballot
