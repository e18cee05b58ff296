#include "library/next_slots.hpp"

#include <gtest/gtest.h>

#include "base/wall_text.hpp"

namespace ballot::library {
namespace {

using namespace std::chrono_literals;

const WallTime from = *parse_wall("2026-11-26T07:00:00Z");

std::string text_of(const NextSlots& next) {
  std::string text;
  for (const PlannedSlot& slot : next.slots())
    text += (text.empty() ? "" : ", ") + slot.job + "+" + std::to_string((slot.slot - from).count() / 1000);
  return text;
}

PlannedSlot at(int seconds, const std::string& job) { return {from + std::chrono::seconds(seconds), job, "g", "n1"}; }

TEST(NextSlots, ComeInOrderOfTheirTimesThenOfTheirJobs) {
  NextSlots next(from + 1h, 10);
  for (const auto& slot : {at(60, "b"), at(30, "c"), at(60, "a")}) next.add(slot);
  EXPECT_EQ(text_of(next), "c+30, a+60, b+60");
  EXPECT_FALSE(next.is_full());
}

TEST(NextSlots, AreThoseBeforeTheEnd) {
  NextSlots next(from + 60s, 10);
  next.add(at(59, "a")), next.add(at(60, "b"));
  EXPECT_EQ(text_of(next), "a+59");
  EXPECT_FALSE(next.is_full()) << "what comes later is not asked for";
}

TEST(NextSlots, AreTheFirstSoManyAndNobodyLooksFurtherThanTheLastOfThem) {
  NextSlots next(from + 1h, 2);
  next.add(at(10, "a"));
  EXPECT_EQ(next.until(), from + 1h);
  next.add(at(50, "a"));
  EXPECT_EQ(next.until(), from + 50s + 1ms);
  next.add(at(20, "b"));
  EXPECT_EQ(text_of(next), "a+10, b+20");
  EXPECT_EQ(next.until(), from + 20s + 1ms) << "a slot of the same instant may be of a job with an earlier name";
  next.add(at(20, "aa"));
  EXPECT_EQ(text_of(next), "a+10, aa+20");
  EXPECT_TRUE(next.is_full());
}

}  // namespace
}  // namespace ballot::library
