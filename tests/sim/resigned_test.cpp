// What is left by a daemon that was killed while its runner lives, and somebody resigns for it.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

struct Resigned : ::testing::Test {
  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");
  Job job = minutely();

  void begin() {
    a.jobs = b.jobs = {define(job)};
    a.exits["job"] = 7;
    a.start();
    world.run_for(1s);
    b.start();
    ASSERT_TRUE(world.run_while_not([&] { return !world.starts.empty(); }, 2min));
    world.run_for(500ms);
    a.crash();
    a.resign_after(1s);
  }
  /// While the register still shows it; and somebody resigns a second later.
  void end_function_and_crash() {
    job.details.edit().function = "work";
    a.jobs = {define(job)};
    a.takes["job"] = 1s;
    a.start();
    const auto has_ended = [&] { return !world.starts.empty() && row_of(a) && is_final(row_of(a)->status); };
    ASSERT_TRUE(world.run_while_not(has_ended, 2min));
    ASSERT_EQ(world.oracle.job_register("job")->runs.size(), 1u);
    a.crash();
    a.resign_after(1s);
  }
  void expect_b_leads_within(Millis span) {
    EXPECT_TRUE(world.run_while_not([&] { return b.leads("default"); }, span));
  }
  const Row* row_of(const SimNode& node) const { return node.ledger.row(world.starts[0].run, 1); }
};

TEST_F(Resigned, GroupsAreLedBeforeItsSessionIsOverAndItsEndsAreKnown) {
  a.takes["job"] = 1s;
  begin();
  expect_b_leads_within(1100ms);
  world.run_for(10s);
  ASSERT_TRUE(row_of(b));
  EXPECT_EQ(row_of(b)->exit_code, 7);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Resigned, WhatTheNextLeaderHasClosedIsLostToItsOwnNodeAfterARebootAndToNobodyElse) {
  a.takes["job"] = 1s;
  begin();
  expect_b_leads_within(1100ms);
  world.run_for(10s);
  a.reboot();
  a.start();
  world.run_for(10s);
  ASSERT_TRUE(row_of(a));
  EXPECT_EQ(row_of(a)->status, Status::lost);
  EXPECT_EQ(merged({&a.ledger, &b.ledger}).find(world.starts[0].run, 1)->row.exit_code, 7);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Resigned, AGroupWaitsForARunThatEndsWithItsTerm) {
  a.takes["job"] = 3s;
  begin();
  world.run_for(2400ms);
  EXPECT_FALSE(b.leads("default"));
  expect_b_leads_within(1200ms);
  world.run_for(10s);
  ASSERT_TRUE(row_of(b));
  EXPECT_EQ(row_of(b)->exit_code, 7);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Resigned, AGroupIsHandedOverBesideARunThatFinishesWhateverItsTerm) {
  job.on_leadership_lost = OnLeadershipLost::finish;
  a.takes["job"] = 20s;
  begin();
  expect_b_leads_within(1100ms);
  world.run_for(10s);
  EXPECT_EQ(a.open_children(), 1);
  world.run_for(15s);
  ASSERT_TRUE(row_of(b));
  EXPECT_EQ(row_of(b)->exit_code, 7) << "its end is published when it comes";
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Resigned, ADaemonThatIsBackCutsItShort) {
  a.takes["job"] = 20s;
  begin();
  world.run_for(1s + 2ms);
  a.start();
  world.run_for(30s);
  EXPECT_EQ(row_of(a)->exit_code, 7);
  EXPECT_EQ(world.broken_promises(), "");
}

/// How a function ended is known to its process and its ledger alone: whoever resigns publishes it as lost.
TEST_F(Resigned, AFunctionThatHadEndedIsLostToTheNextLeaderAndNotInItsOwnLedger) {
  end_function_and_crash();
  world.run_for(3s);
  b.jobs = a.jobs;
  b.start();
  world.run_for(10s);
  ASSERT_TRUE(row_of(b));
  EXPECT_EQ(row_of(b)->status, Status::lost);
  EXPECT_EQ(merged({&a.ledger, &b.ledger}).find(world.starts[0].run, 1)->row.status, Status::succeeded);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Resigned, AFunctionThatHadEndedIsNotLostToItsOwnDaemonThatIsBackFirst) {
  job.guarantee = Guarantee::at_least_once;
  end_function_and_crash();
  world.run_for(3s);
  const std::size_t told = a.notices.size();
  a.start();
  world.run_for(10s);
  EXPECT_EQ(world.starts.size(), 1u) << "it is not repeated";
  EXPECT_EQ(row_of(a)->status, Status::succeeded);
  EXPECT_TRUE(std::none_of(a.notices.begin() + static_cast<std::ptrdiff_t>(told), a.notices.end(),
                           [](const core::Notice& notice) { return notice.text.starts_with("lost"); }));
  EXPECT_TRUE(world.oracle.job_register("job")->runs.empty());
  for (const auto& [name, record] : world.store.contents().records)
    EXPECT_FALSE(name.starts_with("o/")) << record.value;
  EXPECT_EQ(world.broken_promises(), "");
}

}  // namespace
}  // namespace ballot
