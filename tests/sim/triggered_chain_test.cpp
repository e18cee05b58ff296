// Chains that somebody triggers: a run of each job that comes after the one that was triggered, once, or its reason,
// whoever leads by then.
#include <gtest/gtest.h>

#include "sim/triggered_chain.hpp"

namespace ballot {
namespace {

TEST_F(TriggeredChain, AChildBeginsOnceItsParentHasSucceeded) {
  add("load", {"extract"});
  begin();
  const RunId run = trigger("extract");
  world.run_for(5s);
  EXPECT_EQ(world.starts_of("load"), 0u);
  world.run_for(30s);
  EXPECT_EQ(fates("extract"), "manual succeeded");
  EXPECT_EQ(fates("load"), "chain succeeded");
  EXPECT_GE(start_of("load").at, *start_of("extract").ended);
  EXPECT_EQ(start_of("load").slot, start_of("extract").slot);
  EXPECT_NE(start_of("load").run, run);
  EXPECT_EQ(kept("extract") + kept("load"), 0u);
  expect_all_is_well();
}

TEST_F(TriggeredChain, AloneLeavesTheChildrenOut) {
  add("load", {"extract"});
  begin();
  trigger("extract", true);
  world.run_for(1min);
  EXPECT_EQ(fates("extract"), "manual succeeded");
  EXPECT_EQ(fates("load"), "");
  expect_all_is_well();
}

TEST_F(TriggeredChain, AChildCanBeTriggeredAtAnyTimeAndBeginsAtOnce) {
  add("load", {"extract"});
  add("report", {"load"});
  takes("load", 2s), takes("report", 2s);
  begin();
  trigger("extract");
  trigger("load");
  EXPECT_EQ(world.starts_of("load"), 1u);
  world.run_for(1min);
  EXPECT_EQ(fates("load"), "chain succeeded, manual succeeded");
  EXPECT_EQ(fates("report"), "chain succeeded, chain succeeded");
  expect_all_is_well();
}

TEST_F(TriggeredChain, AChildOfAParentThatFailedIsSkippedAndSoAreThoseAfterIt) {
  add("load", {"extract"});
  add("report", {"load"});
  exits("extract", 1);
  begin();
  trigger("extract");
  world.run_for(1min);
  EXPECT_EQ(fates("load"), "chain skipped: upstream");
  EXPECT_EQ(fates("report"), "chain skipped: upstream");
  EXPECT_EQ(kept("extract") + kept("load") + kept("report"), 0u);
  expect_all_is_well();
}

TEST_F(TriggeredChain, AJobThatRunsAfterFailuresBeginsThen) {
  add("load", {"extract"}).details.edit().after_status = AfterStatus::failed;
  exits("extract", 1);
  begin();
  trigger("extract");
  world.run_for(1min);
  EXPECT_EQ(fates("load"), "chain succeeded");
  expect_all_is_well();
}

/// A diamond: it comes after both, and has one slot of the trigger.
TEST_F(TriggeredChain, AJoinHasOneRunOnceTheLastOfItsParentsHasSucceeded) {
  add("load", {"extract"});
  add("clean", {"extract"});
  add("report", {"load", "clean"});
  takes("clean", 40s);
  begin();
  trigger("extract");
  world.run_for(3min);
  EXPECT_EQ(fates("report"), "chain succeeded");
  EXPECT_GE(start_of("report").at, *start_of("clean").ended);
  expect_all_is_well();
}

/// When the first one ends the other one has no run of it yet.
TEST_F(TriggeredChain, AJoinOfAJobAndOneThatComesAfterItWaitsForBoth) {
  add("report", {"extract", "load"});
  add("load", {"extract"});
  begin();
  for (int i = 0; i < 2; ++i) {  // of the second chain the first one's run counts for nothing
    trigger("extract");
    world.run_for(1min);
  }
  EXPECT_EQ(fates("report"), "chain succeeded, chain succeeded");
  EXPECT_GE(start_of("report").at, *start_of("load").ended);
  expect_all_is_well();
}

TEST_F(TriggeredChain, AJoinIsSkippedAsSoonAsOneOfItsParentsHasFailed) {
  add("load", {"extract"});
  add("clean", {"extract"});
  add("report", {"load", "clean"});
  takes("clean", 2min);
  exits("load", 1);
  begin();
  trigger("extract");
  world.run_for(40s);
  EXPECT_EQ(fates("report"), "chain skipped: upstream");
  world.run_for(3min);
  EXPECT_EQ(fates("report"), "chain skipped: upstream");
  EXPECT_EQ(kept("extract") + kept("load") + kept("clean") + kept("report"), 0u);
  expect_all_is_well();
}

/// What is mended and triggered by itself counts for a chain that is triggered later.
TEST_F(TriggeredChain, OfAParentThatIsNoPartOfItTheLatestRunCounts) {
  add("clean", {});
  add("report", {"extract", "clean"});
  exits("clean", 1);
  begin();
  trigger("extract");
  world.run_for(30s);
  EXPECT_EQ(fates("report"), "chain skipped: upstream") << "clean has had no run";
  trigger("clean", true);
  world.run_for(30s);
  trigger("extract");
  world.run_for(30s);
  EXPECT_EQ(fates("report"), "chain skipped: upstream, chain skipped: upstream") << "it has failed";
  exits("clean", 0);
  trigger("clean", true);
  world.run_for(30s);
  trigger("extract");
  world.run_for(30s);
  EXPECT_EQ(fates("report"), "chain skipped: upstream, chain skipped: upstream, chain succeeded");
  expect_all_is_well();
}

TEST_F(TriggeredChain, AJobWithAScheduleOfItsOwnHasASlotOfItToo) {
  Job own = minutely("own");
  own.schedule = {"0 0 1 1 *"};
  own.details.edit().after = {"extract"};
  jobs.push_back(own);
  begin();
  trigger("extract");
  world.run_for(1min);
  EXPECT_EQ(fates("own"), "chain succeeded");
  expect_all_is_well();
}

TEST_F(TriggeredChain, APausedChildIsSkippedAndADisabledOneIsNoPartOfIt) {
  add("load", {"extract"});
  add("clean", {"extract"}).enabled = false;
  add("report", {"load"}).details.edit().after_status = AfterStatus::ended;
  begin();
  a.pause("load", true);
  world.run_for(2s);
  trigger("extract");
  world.run_for(1min);
  EXPECT_EQ(fates("load"), "chain skipped: paused");
  EXPECT_EQ(fates("clean"), "");
  EXPECT_EQ(fates("report"), "chain skipped: upstream");
  EXPECT_EQ(kept("extract"), 0u);
  expect_all_is_well();
}

TEST_F(TriggeredChain, AChildWhoseOwnRunGoesOnIsSkippedForOverlap) {
  add("load", {"extract"});
  takes("load", 1min);
  begin();
  trigger("extract");
  trigger("load");
  world.run_for(3min);
  EXPECT_EQ(fates("load"), "chain skipped: overlap, manual succeeded");
  expect_all_is_well();
}

TEST_F(TriggeredChain, AChildWithAQueueWaitsForItsOwnRuns) {
  job("extract").concurrency = Concurrency::queue;
  job("extract").details.edit().queue_limit = 10;
  add("load", {"extract"}).concurrency = Concurrency::queue;
  takes("extract", 2s);
  takes("load", 20s);
  begin();
  for (int i = 0; i < 3; ++i) trigger("extract");
  world.run_for(2min);
  EXPECT_EQ(fates("load"), "chain succeeded, chain succeeded, chain succeeded");
  expect_all_is_well();
}

TEST_F(TriggeredChain, ARetryOfTheParentIsWaitedFor) {
  job("extract").retries = 1;
  job("extract").details.edit().retry_delay = 20s;
  add("load", {"extract"});
  exits("extract", 1);
  begin();
  trigger("extract");
  world.run_for(15s);
  exits("extract", 0);
  EXPECT_EQ(fates("load"), "");
  world.run_for(1min);
  EXPECT_EQ(fates("load"), "chain succeeded");
  expect_all_is_well();
}

TEST_F(TriggeredChain, TheNextLeaderGoesOnWithItWhereverTheLastOneDied) {
  add("load", {"extract"}).guarantee = Guarantee::at_least_once;
  add("report", {"load"}).guarantee = Guarantee::at_least_once;
  job("extract").guarantee = Guarantee::at_least_once;
  begin();
  for (int i = 0; i < 40; ++i) {
    trigger("extract");
    world.run_for(Millis(700 * i));
    SimNode& dead = leader();
    dead.crash();
    world.run_for(2min);
    dead.start();
    world.run_for(1min);
  }
  EXPECT_EQ(kept("extract") + kept("load") + kept("report"), 0u);
  std::map<RunId, int> runs;
  for (const Start& start : world.starts)
    if (start.job == "report" && start.attempt == 1) ++runs[start.run];
  EXPECT_GE(runs.size(), 30u);
  expect_all_is_well();
}

/// The slots that a child has not decided on are kept, and no more than the register has room for.
TEST_F(TriggeredChain, OfAChildThatCannotDecideNoMoreTriggersAreTakenThanAreKept) {
  add("load", {"extract"});
  add("clean", {});
  add("report", {"extract", "clean"}).concurrency = Concurrency::queue;
  takes("extract", 1s);
  takes("clean", 2h);
  begin();
  trigger("clean");
  for (int i = 0; i < 9; ++i) {
    trigger("extract");
    world.run_for(20s);
  }
  EXPECT_EQ(kept("extract"), core::chained_limit);
  EXPECT_EQ(world.starts_of("load"), core::chained_limit);
  const auto& replies = leader().replies;
  ASSERT_FALSE(replies.empty());
  EXPECT_NE(replies.back().text.find("are kept for job report"), std::string::npos) << replies.back().text;
  trigger("extract", true);
  world.run_for(20s);
  EXPECT_TRUE(leader().replies.back().ok);
  world.run_for(3h);
  EXPECT_EQ(kept("extract") + kept("load") + kept("report"), 0u);
  EXPECT_EQ(world.starts_of("report"), core::chained_limit);
  expect_all_is_well();
}

}  // namespace
}  // namespace ballot
