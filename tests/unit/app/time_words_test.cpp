#include "app/options/time_words.hpp"

#include <gtest/gtest.h>

#include "base/wall_text.hpp"

namespace ballot::app {
namespace {

const WallTime asked_at = *parse_wall("2026-03-01T09:30:00.250Z");

std::string read(std::string_view text) {
  const auto time = parse_time_words(text, asked_at);
  return time ? format_slot(*time) : "none";
}

TEST(TimeWords, AreDaysAtMidnightInUtc) {
  EXPECT_EQ(read("today"), "2026-03-01T00:00:00Z");
  EXPECT_EQ(read("yesterday"), "2026-02-28T00:00:00Z");
  EXPECT_EQ(read("tomorrow"), "2026-03-02T00:00:00Z");
  EXPECT_EQ(read("2026-11-26"), "2026-11-26T00:00:00Z");
  EXPECT_EQ(read("now"), "2026-03-01T09:30:00.250Z");
}

TEST(TimeWords, AreDaysWithATimeOfDay) {
  EXPECT_EQ(read("yesterday 22:30"), "2026-02-28T22:30:00Z");
  EXPECT_EQ(read("today 22:30:15"), "2026-03-01T22:30:15Z");
  EXPECT_EQ(read("2026-11-26 22:30"), "2026-11-26T22:30:00Z");
  EXPECT_EQ(read("2026-11-26T22:30:15"), "2026-11-26T22:30:15Z");
}

TEST(TimeWords, ATimeOfDayAloneIsTheLastOneThatHasCome) {
  EXPECT_EQ(read("09:30"), "2026-03-01T09:30:00Z");
  EXPECT_EQ(read("09:30:01"), "2026-02-28T09:30:01Z");
  EXPECT_EQ(read("22:30"), "2026-02-28T22:30:00Z");
}

TEST(TimeWords, ADateWithoutItsYearIsTheLastOneThatHasCome) {
  EXPECT_EQ(read("03-01 09:30:00"), "2026-03-01T09:30:00Z");
  EXPECT_EQ(read("03-01 09:30:01"), "2025-03-01T09:30:01Z");
  EXPECT_EQ(read("12-24"), "2025-12-24T00:00:00Z");
  EXPECT_EQ(read("02-29"), "none");
}

TEST(TimeWords, MaySayThatTheyAreInUtc) {
  EXPECT_EQ(read("09:30Z"), "2026-03-01T09:30:00Z");
  EXPECT_EQ(read("2026-02-26 22:30:15Z"), "2026-02-26T22:30:15Z");
}

TEST(TimeWords, AreNothingElse) {
  for (const char* text :
       {"", "yesterda", "yesterday22:30", "yesterday ", "yesterday 25:00", "24:00", "9:30", "22:30ZZ", "Z",
        "13-01 22:30", "1--1 22:30", "2026-02-30", "2026-11-26 ", "2026-11-26x22:30", "22:30:60", "2h", "tomorrows"})
    EXPECT_EQ(read(text), "none") << text;
}

}  // namespace
}  // namespace ballot::app
