// Which slots a backfill is to run, by what the ledgers of a fleet say of each.
#include "library/backfill/slot_choice.hpp"

#include "base/wall_text.hpp"
#include "storage/retention.hpp"
#include "unit/fleet/fleet_of_three.hpp"

namespace ballot::library {
namespace {

using std::chrono::minutes;

/// Of job `backup`, each minute of six from noon on.
struct ChoiceOfSlots : Fleet3 {
  std::vector<WallTime> slots() const {
    std::vector<WallTime> all;
    for (int i = 0; i < 6; ++i) all.push_back(noon + minutes(i));
    return all;
  }
  Result<SlotChoice> choice(WhichSlots which = WhichSlots::unsuccessful, const std::set<WallTime>& open = {}) {
    return choose_slots(*fleet(), {"backup", noon, noon + minutes(6), which}, slots(), open);
  }
  /// The minutes, each with why.
  Texts chosen(WhichSlots which = WhichSlots::unsuccessful, const std::set<WallTime>& open = {}) {
    const auto found = choice(which, open);
    if (!found) return {found.error().what};
    Texts all;
    for (const ChosenSlot& one : found->chosen)
      all.push_back(std::to_string((one.slot - noon) / minutes(1)) + " " + one.why);
    return all;
  }
  static Row of(int minute, std::uint8_t number, Status status, Reason reason = Reason::none) {
    return with(ran(number, noon + minutes(minute)), status, reason);
  }
  static Row again(Row row) {
    row.trigger = Trigger::backfill;
    return row;
  }
};

TEST_F(ChoiceOfSlots, AreThoseThatHaveNotSucceededByTheLedgersOfAllNodes) {
  write("host-1",
        {on("host-1", of(0, 1, Status::succeeded)), on("host-1", of(1, 2, Status::failed, Reason::exit_code))});
  write("host-2", {on("host-2", of(2, 3, Status::succeeded)), missed(noon + minutes(3))});
  write("host-3", {on("host-3", of(4, 4, Status::killed, Reason::operator_))});
  EXPECT_EQ(chosen(), (Texts{"1 failed: exit_code", "3 missed: no_leader", "4 killed: operator", "5 no row"}));
  EXPECT_EQ(chosen(WhichSlots::failed), (Texts{"1 failed: exit_code", "4 killed: operator"}));
  EXPECT_EQ(chosen(WhichSlots::missed), (Texts{"3 missed: no_leader", "5 no row"}));
  EXPECT_EQ(chosen(WhichSlots::all).size(), 6u);
}

TEST_F(ChoiceOfSlots, SlotsWithoutOthersBetweenAreOneRange) {
  write("host-1", {on("host-1", of(2, 1, Status::succeeded))});
  const auto found = choice();
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ(found->ranges, (core::SlotRanges{{noon, noon + minutes(1)}, {noon + minutes(3), noon + minutes(5)}}));
  EXPECT_EQ(found->considered, 6u);
}

TEST_F(ChoiceOfSlots, ARowOfManySlotsSaysItOfEachAlsoWhereItBeginsBefore) {
  Row many = missed(noon - minutes(10));
  many.slots = 13;
  many.slot_until = noon + minutes(2);
  write("host-1", {many, on("host-1", of(3, 1, Status::succeeded)), on("host-1", of(4, 2, Status::succeeded)),
                   on("host-1", of(5, 3, Status::succeeded))});
  EXPECT_EQ(chosen(), (Texts{"0 missed: no_leader", "1 missed: no_leader", "2 missed: no_leader"}));
}

TEST_F(ChoiceOfSlots, WhatABackfillHasRunWithSuccessHasSucceeded) {
  write("host-1",
        {missed(noon), on("host-1", again(of(0, 1, Status::succeeded))), on("host-1", of(1, 2, Status::succeeded)),
         on("host-1", again(of(1, 3, Status::failed, Reason::exit_code))), missed(noon + minutes(2)),
         on("host-1", again(of(2, 4, Status::failed, Reason::exit_code)))});
  EXPECT_EQ(chosen(), (Texts{"2 failed: exit_code, by a backfill", "3 no row", "4 no row", "5 no row"}));
  EXPECT_EQ(chosen(WhichSlots::failed), Texts{"2 failed: exit_code, by a backfill"});
}

TEST_F(ChoiceOfSlots, ASlotWhoseRunGoesOnIsNone) {
  write("host-1", {on("host-1", of(0, 1, Status::running)), on("host-1", of(1, 2, Status::failed, Reason::exit_code))});
  const auto found = choice(WhichSlots::all, {noon + minutes(1)});  // it is to be tried again
  ASSERT_TRUE(found);
  EXPECT_EQ(found->chosen.size(), 4u);
  EXPECT_EQ(found->going_on, 2u);
}

TEST_F(ChoiceOfSlots, WhileANodeDoesNotAnswerItIsNotKnownWhichHaveNotSucceeded) {
  silent = {"host-3"};
  const Texts refused = chosen();
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_NE(refused[0].find("which slots have not succeeded is not known: "), std::string::npos) << refused[0];
  EXPECT_NE(refused[0].find("host-3"), std::string::npos) << refused[0];
  EXPECT_EQ(chosen(WhichSlots::all).size(), 6u);
}

TEST_F(ChoiceOfSlots, ASlotWhoseRowMayHaveBeenDeletedMayHaveSucceeded) {
  std::vector<storage::Record> rows;
  for (int i = 0; i < 5; ++i) rows.push_back(on("host-2", of(i, static_cast<std::uint8_t>(i), Status::succeeded)));
  storage::LedgerFile file(folder / "host-2.db", Millis(100));
  file.write(rows, storage::Sync::later);
  storage::Retention retention(file, {.keep_runs_per_job = 2});
  while (retention.slice(noon)) {
  }
  const auto found = choice();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::refused);
  const std::string from = format_slot(noon + minutes(2) + std::chrono::seconds(1));
  EXPECT_NE(found.error().what.find("which slots before " + from + " have not succeeded is not known"),
            std::string::npos)
      << found.error().what;
  EXPECT_FALSE(choice(WhichSlots::missed));
  EXPECT_EQ(chosen(WhichSlots::failed), Texts());
  EXPECT_EQ(chosen(WhichSlots::all).size(), 6u);
  const auto later = choose_slots(*fleet(), {"backup", noon + minutes(3), noon + minutes(6)},
                                  {noon + minutes(3), noon + minutes(4), noon + minutes(5)}, {});
  ASSERT_TRUE(later) << later.error().what;
  EXPECT_EQ(later->chosen.size(), 1u);
}

TEST(SlotsOfAPlan, AreThoseThatAreDueAndNoMoreThanCanBeLookedAt) {
  const auto plan = schedule::Plan::of_stored(
      {std::vector<std::string>{"* * * * * *"}, std::string("UTC"), {}, {}, std::string("g"), "j"});
  ASSERT_TRUE(plan);
  const auto some = slots_of_plan(*plan, {}, noon, noon + std::chrono::seconds(5));
  ASSERT_TRUE(some);
  EXPECT_EQ(some->size(), 5u);
  EXPECT_EQ(some->front(), noon);
  const auto many = slots_of_plan(*plan, {}, noon, noon + std::chrono::hours(24));
  ASSERT_FALSE(many);
  EXPECT_NE(many.error().what.find("more than 10000 slots"), std::string::npos) << many.error().what;
}

}  // namespace
}  // namespace ballot::library
