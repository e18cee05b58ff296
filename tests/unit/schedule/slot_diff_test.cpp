// Which slots appear, vanish and move when a plan takes another's place.
#include "schedule/slot_diff.hpp"

#include <gtest/gtest.h>

#include "unit/schedule/plans.hpp"

namespace ballot::schedule {
namespace {

const WallTime from = at("2026-01-05T00:00:00Z"), until = at("2026-01-12T00:00:00Z");  // Monday to Monday

TEST(SlotDiff, OfTheSamePlanIsEmpty) {
  const Plan plan = plan_of("0 2 * * *");
  EXPECT_TRUE(compare_slots(&plan, &plan, from, until).is_empty());
  EXPECT_TRUE(compare_slots(nullptr, nullptr, from, until).is_empty());
}

TEST(SlotDiff, OfANewJobIsAllThatAppears) {
  const Plan plan = plan_of("0 2 * * *");
  const SlotDiff diff = compare_slots(nullptr, &plan, from, until);
  EXPECT_EQ(diff.appear, 7);
  EXPECT_EQ(diff.first_appears, at("2026-01-05T02:00:00Z"));
  EXPECT_EQ(diff.vanish + diff.move, 0);
}

TEST(SlotDiff, OfARemovedJobIsAllThatVanishes) {
  const Plan plan = plan_of("0 2 * * *");
  const SlotDiff diff = compare_slots(&plan, nullptr, from, until);
  EXPECT_EQ(diff.vanish, 7);
  EXPECT_EQ(diff.first_vanishes, at("2026-01-05T02:00:00Z"));
}

TEST(SlotDiff, AnotherHourMovesEachSlot) {
  const Plan before = plan_of("0 2 * * *"), after = plan_of("30 3 * * *");
  const SlotDiff diff = compare_slots(&before, &after, from, until);
  EXPECT_EQ(diff.move, 7);
  EXPECT_EQ(diff.appear + diff.vanish, 0);
  EXPECT_EQ(diff.first_move, std::pair(at("2026-01-05T02:00:00Z"), at("2026-01-05T03:30:00Z")));
}

TEST(SlotDiff, ADayLessVanishes) {
  const Plan before = plan_of("0 2 * * *"), after = plan_of("0 2 * * 1-6");
  const SlotDiff diff = compare_slots(&before, &after, from, until);
  EXPECT_EQ(diff.vanish, 1);
  EXPECT_EQ(diff.first_vanishes, at("2026-01-11T02:00:00Z"));
  EXPECT_EQ(diff.appear + diff.move, 0);
}

TEST(SlotDiff, OneOfTwoSlotsADayMovesAlone) {
  const Plan before = plan_of("0 2,14 * * *"), after = plan_of("0 2,15 * * *");
  const SlotDiff diff = compare_slots(&before, &after, from, until);
  EXPECT_EQ(diff.move, 7);
  EXPECT_EQ(diff.first_move, std::pair(at("2026-01-05T14:00:00Z"), at("2026-01-05T15:00:00Z")));
}

TEST(SlotDiff, TwiceAsOftenAppears) {
  const Plan before = plan_of("0 * * * *"), after = plan_of("*/30 * * * *");
  EXPECT_EQ(compare_slots(&before, &after, from, until).appear, 7 * 24);
}

TEST(SlotDiff, AnIntervalIsCountedFromTheSpansBegin) {
  const Plan before = plan_of("@every 1h"), after = plan_of("@every 2h");
  EXPECT_EQ(compare_slots(&before, &after, from, until).vanish, 7 * 12);
}

TEST(SlotDiff, ADateThatDoesNotExistIsNoSlot) {
  const Plan before = plan_of("0 12 30 12 *", "Pacific/Apia"), after = plan_of("0 12 31 12 *", "Pacific/Apia");
  const SlotDiff diff = compare_slots(&before, &after, at("2011-12-28T00:00:00Z"), at("2012-01-02T00:00:00Z"));
  EXPECT_EQ(diff.appear, 1) << "Samoa had no 30 December 2011";
  EXPECT_EQ(diff.vanish + diff.move, 0);
}

}  // namespace
}  // namespace ballot::schedule
