#include "base/duration.hpp"

#include <gtest/gtest.h>

namespace ballot {
namespace {

using namespace std::chrono_literals;

TEST(Duration, ReadsEveryUnitInDescendingOrder) {
  EXPECT_EQ(parse_duration("1w2d3h4m5s6ms"), Millis(788645006));
  EXPECT_EQ(parse_duration("90s"), Millis(90s));
  EXPECT_EQ(parse_duration("0s"), Millis(0));
}

TEST(Duration, RefusesWhatIsNoDuration) {
  for (const char* text : {"", "5", "s", "-1s", "1s2m", "1m1m", "1.5h", "1 h", "1hour", "99999999999999999999s",
                           "9223372036854775807w", "1h "})
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
}

TEST(Duration, WritesTheShortestTextThatReadsBackTheSame) {
  for (const char* text : {"0s", "1ms", "1h30m", "2w", "1w2d3h4m5s6ms"})
    EXPECT_EQ(format_duration(*parse_duration(text)), text);
}

TEST(Size, ReadsBytesAndBinaryUnits) {
  EXPECT_EQ(parse_size("0"), 0);
  EXPECT_EQ(parse_size("64KiB"), 65536);
  EXPECT_EQ(parse_size("1GiB"), 1 << 30);
  for (const char* text : {"", "KiB", "1KB", "1 KiB", "-1", "9223372036854775807GiB"})
    EXPECT_EQ(parse_size(text), std::nullopt) << text;
}

}  // namespace
}  // namespace ballot
