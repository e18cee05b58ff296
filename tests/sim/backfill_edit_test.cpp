// Backfills whose job is edited, moved, taken away or repaired while they go on.
#include "sim/backfills.hpp"

namespace ballot {
namespace {

TEST_F(Backfills, AnEditThatLeavesTheSlotsAsTheyAreLetsThemGoOn) {
  take(10s);
  begin(of_slots(1, 4));
  Job one = job("one");
  one.description = "another command";
  for (SimNode* node : {&a, &b}) node->jobs[0] = define(one), node->load();
  ASSERT_TRUE(wait_for_its_end());
  EXPECT_EQ(begun(), "1 2 3 4");
  expect_all_is_well();
}

TEST_F(Backfills, AnEditOfTheScheduleEndsThemAndSaysWhatIsLeft) {
  take(20s);
  begin(of_slots(1, 6));
  ASSERT_TRUE(world.run_while_not([&] { return begun() == "1 2"; }, 5min));
  Job one = job("one");
  one.schedule = {"*/2 * * * *"};
  for (SimNode* node : {&a, &b}) node->jobs[0] = define(one), node->load();
  world.run_for(5min);
  EXPECT_EQ(going_on(), nullptr);
  EXPECT_EQ(begun(), "1 2");
  const std::string left = "4 slots from " + format_slot(slot(3)) + " on are not begun";
  EXPECT_TRUE(was_said("the backfill is stopped: 2 slots begun, " + left));
  const auto& asked = a.ledger.requests();
  EXPECT_TRUE(std::any_of(asked.begin(), asked.end(),
                          [&](const RequestRow& one) { return one.kind == "backfill_stop" && one.text == left; }));
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Backfills, EndWhereNoFileDefinesTheirJobAnyMoreOrItIsDisabled) {
  take(20s);
  begin(of_slots(1, 6));
  ASSERT_TRUE(world.run_while_not([&] { return begun() == "1 2"; }, 5min));
  for (SimNode* node : {&a, &b}) node->jobs = {define(job("two"))}, node->load();
  world.run_for(2min);
  EXPECT_EQ(going_on(), nullptr);
  for (SimNode* node : {&a, &b}) node->jobs = {define(job("one")), define(job("two"))}, node->load();
  world.run_for(5min);
  EXPECT_EQ(begun(), "1 2") << "it does not come back with its job";
  Job disabled = job("one");
  disabled.enabled = false;
  for (SimNode* node : {&a, &b}) node->jobs[0] = define(disabled), node->load();
  world.run_for(1min);
  EXPECT_EQ(ask(b, of_slots(1, 6)).text, "job one is disabled: it has no slots; a trigger runs it");
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Backfills, EndWhereTheirJobIsMovedToAnotherGroup) {
  take(20s);
  begin(of_slots(1, 6));
  ASSERT_TRUE(world.run_while_not([&] { return begun() == "1 2"; }, 5min));
  Job moved = job("one");
  moved.group = "other";
  for (SimNode* node : {&a, &b}) node->jobs[0] = define(moved), node->load();
  world.run_for(5min);
  EXPECT_EQ(going_on(), nullptr);
  EXPECT_EQ(begun(), "1 2");
  EXPECT_TRUE(was_said("4 slots from " + format_slot(slot(3)) + " on are not begun"));
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Backfills, EndWhereTheirJobIsRepaired) {
  take(20s);
  begin(of_slots(1, 6));
  ASSERT_TRUE(world.run_while_not([&] { return begun() == "1 2"; }, 5min));
  world.judge.spoiled("one");
  world.store.spoil(core::job_register("one"));
  world.run_for(3min);
  const core::Reply repaired = ask(b, of(Kind::repair, "one", {}));
  ASSERT_TRUE(repaired.ok) << repaired.text;
  world.run_for(5min);
  EXPECT_EQ(going_on(), nullptr);
  EXPECT_EQ(begun(), "1 2") << "what the register had forgotten may have run";
  EXPECT_EQ(world.broken_promises(), "");
}

}  // namespace
}  // namespace ballot
