#include "base/wall_text.hpp"

#include <gtest/gtest.h>

namespace ballot {
namespace {

TEST(WallText, WritesSecondsAndMilliseconds) {
  const WallTime t{Millis(1'741'503'600'250)};
  EXPECT_EQ(format_seconds(t), "2025-03-09T07:00:00Z");
  EXPECT_EQ(format_millis(t), "2025-03-09T07:00:00.250Z");
  EXPECT_EQ(format_slot(t), "2025-03-09T07:00:00.250Z");
  EXPECT_EQ(format_slot(WallTime(Millis(0))), "1970-01-01T00:00:00Z");
}

TEST(WallText, WritesTheNearestTimeThatHasFourDigitsForItsYear) {
  EXPECT_EQ(format_millis(WallTime::min()), "0000-01-01T00:00:00.000Z");
  EXPECT_EQ(format_millis(WallTime::max()), "9999-12-31T23:59:59.999Z");
  EXPECT_EQ(format_slot(WallTime::min()), "0000-01-01T00:00:00.000Z");
}

TEST(WallText, ReadsOffsetsAndFractions) {
  EXPECT_EQ(parse_wall("2025-03-09T08:00:00.25+01:00"), WallTime(Millis(1'741'503'600'250)));
  EXPECT_EQ(parse_wall("2025-03-09 07:00:00Z"), WallTime(Millis(1'741'503'600'000)));
}

TEST(WallText, RefusesWhatIsNoTime) {
  for (const char* text : {"", "2025-03-09", "2025-13-09T07:00:00Z", "2025-02-30T07:00:00Z", "2025-03-09T24:00:00Z",
                           "2025-03-09T07:00:00", "2025-03-09T07:00:00.Z", "2025-03-09T07:00:00Zx", "2025-3-9T7:0:0Z",
                           "0000-01-01T00:00:00+23:59", "9999-12-31T23:59:59-00:01"})
    EXPECT_EQ(parse_wall(text), std::nullopt) << text;
}

}  // namespace
}  // namespace ballot
