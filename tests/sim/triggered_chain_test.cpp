// Chains that somebody triggers: a run of each job that comes after the one that was triggered, once, or its reason,
// whoever leads by then.
#include <gtest/gtest.h>

#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

struct TriggeredChain : ::testing::Test {
  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");
  std::vector<Job> jobs;

  TriggeredChain() {
    add("extract", {});
    for (const char* const name : {"extract", "load", "clean", "report"}) takes(name, 10s);
  }
  /// By trigger only.
  Job& add(const std::string& name, std::vector<std::string> parents) {
    Job job = minutely(name);
    job.schedule.clear();
    if (!parents.empty()) job.details.edit().after = std::move(parents), job.details.edit().has_slots_of_first = true;
    return jobs.emplace_back(std::move(job));
  }
  Job& job(const std::string& name) {
    return *std::find_if(jobs.begin(), jobs.end(), [&](const Job& one) { return one.name == name; });
  }
  void takes(const std::string& job, Millis time) { a.takes[job] = b.takes[job] = time; }
  void exits(const std::string& job, int code) { a.exits[job] = b.exits[job] = code; }
  void equip() {
    for (SimNode* node : {&a, &b}) {
      node->jobs.clear();
      for (const Job& job : jobs) node->jobs.push_back(define(job));
      if (node->running()) node->load();
    }
  }
  void begin() {
    equip();
    a.start();
    world.run_for(5s);
    b.start();
    world.run_for(10s);
  }
  SimNode& leader() { return a.running() && a.leads("default") ? a : b; }
  RunId trigger(const std::string& job, bool alone = false) {
    const RunId run = leader().trigger_with(job, "", alone);
    world.run_for(1s);
    return run;
  }
  Start& start_of(const std::string& job) {
    return *std::find_if(world.starts.rbegin(), world.starts.rend(), [&](const Start& one) { return one.job == job; });
  }
  std::string fates(const std::string& job) const {
    std::string text;
    for (const Row& row : world.merged()) {
      if (row.job != job) continue;
      text +=
          (text.empty() ? "" : ", ") + std::string(to_string(row.trigger)) + " " + std::string(to_string(row.status));
      if (row.reason != Reason::none) text += ": " + std::string(to_string(row.reason));
    }
    return text;
  }
  std::size_t kept(const std::string& job) const { return world.oracle.job_register(job)->kept->chained.size(); }
  void expect_all_is_well() {
    world.judge_ends();
    EXPECT_EQ(world.broken_promises(), "");
  }
};

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

TEST_F(TriggeredChain, AnEditOfTheChildMissesItsSlotAndLaunchesNothing) {
  add("load", {"extract"});
  begin();
  trigger("extract");
  world.run_for(2s);
  job("load").description = "another";
  job("load").details.edit().nice = 5;
  equip();
  world.run_for(1min);
  EXPECT_EQ(fates("load"), "chain missed: no_definition");
  EXPECT_EQ(kept("extract") + kept("load"), 0u);
}

/// While a run of the first job goes on, its register is the group's before, and shows the slots of both triggers.
TEST_F(TriggeredChain, AMoveToAnotherGroupMissesWhatIsNotBegunYetAndNothingElse) {
  job("extract").concurrency = Concurrency::queue;
  takes("extract", 30s);
  add("load", {"extract"}).retries = 1;
  job("load").details.edit().retry_delay = 1min;
  exits("load", 1);
  add("report", {"extract", "load"});
  begin();
  trigger("extract"), trigger("extract");
  world.run_for(45s);
  ASSERT_EQ(fates("load"), "chain failed: exit_code");
  for (Job& one : jobs) one.group = "other";
  equip();
  world.run_for(1min);
  EXPECT_EQ(fates("load"), "chain failed: exit_code, chain missed: no_definition, chain missed: no_definition");
  EXPECT_EQ(fates("report"), "chain missed: no_definition, chain missed: no_definition");
  EXPECT_EQ(world.oracle.job_register("load")->group, "other");
  EXPECT_EQ(kept("extract") + kept("load") + kept("report"), 0u);
  expect_all_is_well();
}

/// The files of one job of a chain are gone for a while. The last job waits for another one, so that the first one has
/// the slot still.
struct GoneForAWhile : TriggeredChain {
  GoneForAWhile() {
    add("load", {"extract"});
    add("clean", {});
    add("report", {"extract", "clean"});
    takes("clean", 5min);
    begin();
    trigger("clean", true), trigger("extract");
    world.run_for(40s);
  }
  void take_away(const std::string& name) {
    const Job gone = job(name);
    std::erase_if(jobs, [&](const Job& one) { return one.name == name; });
    equip();
    world.run_for(20s);
    jobs.push_back(gone);
    equip();
    world.run_for(20s);
  }
};

TEST_F(GoneForAWhile, AChildHasNoOtherRowOfWhatItHasRun) {
  ASSERT_EQ(fates("load"), "chain succeeded");
  take_away("load");
  EXPECT_EQ(fates("load"), "chain succeeded");
  world.run_for(6min);
  EXPECT_EQ(world.starts_of("load"), 1u);
  EXPECT_EQ(fates("report"), "chain succeeded");
  EXPECT_EQ(kept("extract") + kept("load") + kept("report"), 0u);
  expect_all_is_well();
}

TEST_F(GoneForAWhile, OfAFirstJobNothingIsBegunAnyMore) {
  ASSERT_EQ(kept("extract"), 1u);
  take_away("extract");
  EXPECT_EQ(kept("extract"), 0u);
  world.run_for(6min);
  EXPECT_EQ(fates("load"), "chain succeeded");
  EXPECT_EQ(fates("report"), "");
  expect_all_is_well();
}

TEST_F(TriggeredChain, AJobThatIsAddedLaterHasNoRunOfIt) {
  begin();
  trigger("extract");
  add("load", {"extract"});
  equip();
  world.run_for(1min);
  EXPECT_EQ(world.starts_of("load"), 0u);
  EXPECT_EQ(fates("load"), "");
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

TEST_F(TriggeredChain, ARepairedChildDoesNotRunWhatItMayHaveRunBefore) {
  add("load", {"extract"});
  begin();
  trigger("extract");
  world.run_for(3s);
  auto contents = world.store.contents();
  Register& stored = contents.registers.at("j/load");
  stored.value = "unreadable";
  stored.version = ++contents.revision;
  world.store.edit(std::move(contents));
  world.oracle.edited("load");
  world.run_for(20s);
  leader().ask(core::Request::Kind::repair, "load");
  world.run_for(1min);
  EXPECT_EQ(world.starts_of("load"), 0u);
  EXPECT_EQ(fates("load"), "chain missed: halted");
  EXPECT_EQ(kept("extract") + kept("load"), 0u);
}

/// The line of the slot stays in the first job's register, as `report` waits.
TEST_F(TriggeredChain, AChildThatIsRepairedAfterItsClocksWereSetBackDoesNotRunASlotAgain) {
  add("load", {"extract"});
  add("clean", {"extract"}).on_leadership_lost = OnLeadershipLost::finish;
  add("report", {"extract", "clean"});
  takes("clean", 10min);
  begin();
  for (SimNode* node : {&a, &b}) node->step_clock(1min);
  trigger("extract");
  world.run_for(30s);
  ASSERT_EQ(world.starts_of("load"), 1u);
  for (SimNode* node : {&a, &b}) node->step_clock(-1min);
  world.store.forge("j/load", "unreadable");
  world.oracle.edited("load");
  leader().crash();  // its runner would know that the run has ended
  world.run_for(15s);
  leader().ask(core::Request::Kind::repair, "load");
  world.run_for(3min);
  EXPECT_EQ(world.starts_of("load"), 1u);
  EXPECT_EQ(fates("load"), "chain succeeded");
  EXPECT_EQ(kept("load"), 1u) << "for the others of its chain";
}

/// The parent's register is one of before, which cannot be read.
TEST_F(TriggeredChain, ARepairedParentBringsUpNoSlotThatAChildHasRun) {
  add("load", {"extract"}).details.edit().after_status = AfterStatus::ended;
  begin();
  trigger("extract");
  world.run_for(3s);
  ASSERT_EQ(kept("extract"), 1u);
  const std::string before = world.store.contents().registers.at("j/extract").value;
  world.run_for(1min);
  ASSERT_EQ(world.starts_of("load"), 1u);
  ASSERT_EQ(kept("extract") + kept("load"), 0u);
  world.store.forge("j/extract", before + "fence ?\n");
  world.oracle.edited("extract");
  for (SimNode* node : {&a, &b}) node->crash();
  b.start();  // it has not seen the register as it was
  world.run_for(20s);
  leader().ask(core::Request::Kind::repair, "extract");
  world.run_for(1min);
  EXPECT_EQ(world.starts_of("load"), 1u);
  EXPECT_EQ(fates("load"), "chain succeeded");
}

}  // namespace
}  // namespace ballot
