// Triggered chains whose jobs are edited, moved, taken away or repaired meanwhile: no slot runs twice, and each that
// does not run says why.
#include <gtest/gtest.h>

#include "sim/triggered_chain.hpp"

namespace ballot {
namespace {

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

/// What that one shows is taken up once somebody has put its register right, without a repair.
TEST_F(TriggeredChain, AChildThatIsRepairedWhileItsParentCannotBeReadDoesNotRunWhatItMayHaveRunBefore) {
  add("load", {"extract"});
  takes("extract", 90s);
  begin();
  trigger("extract");
  world.run_for(3s);
  const std::string sound = world.store.contents().registers.at("j/extract").value;
  for (const char* const job : {"load", "extract"})
    world.store.forge("j/" + std::string(job), "unreadable"), world.oracle.edited(job);
  for (SimNode* node : {&a, &b}) node->crash();
  b.start();
  world.run_for(20s);
  leader().ask(core::Request::Kind::repair, "load");
  world.run_for(20s);
  world.store.forge("j/extract", sound);
  b.crash();
  a.start();
  world.run_for(4min);
  EXPECT_EQ(world.starts_of("load"), 0u);
  EXPECT_EQ(fates("load"), "chain missed: halted");
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
struct ParentOfBefore : TriggeredChain {
  void spoil() {
    add("load", {"extract"}).details.edit().after_status = AfterStatus::ended;
    begin();
    run_and_spoil();
  }
  void run_and_spoil() {
    trigger("extract");
    while (kept("extract") == 0 || !world.oracle.job_register("extract")->kept->chained.front().ended)
      world.run_for(1ms);
    const std::string before = world.store.contents().registers.at("j/extract").value;
    world.run_for(1min);
    ASSERT_EQ(world.starts_of("load"), 1u);
    ASSERT_EQ(kept("extract") + kept("load"), 0u);
    world.store.forge("j/extract", before + "fence ?\n");
    world.oracle.edited("extract");
    for (SimNode* node : {&a, &b}) node->crash();
    b.start();  // it has not seen the register as it was
    world.run_for(20s);
  }
};

TEST_F(ParentOfBefore, ARepairBringsUpNoSlotThatAChildHasRun) {
  spoil();
  leader().ask(core::Request::Kind::repair, "extract");
  world.run_for(1min);
  EXPECT_EQ(world.starts_of("load"), 1u);
  EXPECT_EQ(fates("load"), "chain succeeded");
}

TEST_F(ParentOfBefore, WhileItsRepairIsWrittenNothingIsBegunAfterIt) {
  spoil();
  leader().ask(core::Request::Kind::repair, "extract");
  for (int i = 0; i < 100; ++i) {
    world.run_for(1ms);
    leader().ask(core::Request::Kind::resume, "load");  // the child is decided on anew
  }
  world.run_for(1min);
  EXPECT_EQ(world.starts_of("load"), 1u);
  EXPECT_EQ(fates("load"), "chain succeeded");
}

/// Its latest run has failed since: by that alone the slot, which had run, would be skipped.
TEST_F(ParentOfBefore, WhileItsRepairIsWrittenNoSlotThatItShowsIsDecidedByAnotherParent) {
  add("other", {});
  add("load", {"extract", "other"});
  begin();
  trigger("other", true);
  world.run_for(20s);
  run_and_spoil();
  exits("other", 1);
  trigger("other", true);
  world.run_for(20s);
  ASSERT_EQ(start_of("other").outcome->exit_code, 1);
  leader().ask(core::Request::Kind::repair, "extract");
  for (int i = 0; i < 100; ++i) {
    world.run_for(1ms);
    leader().ask(core::Request::Kind::resume, "load");
  }
  world.run_for(1min);
  EXPECT_EQ(world.starts_of("load"), 1u);
  EXPECT_EQ(fates("load"), "chain succeeded");
}

}  // namespace
}  // namespace ballot
