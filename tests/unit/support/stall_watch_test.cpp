#include "support/judge/stall_watch.hpp"

#include <gtest/gtest.h>

namespace ballot::testing {
namespace {

using namespace std::chrono_literals;

TEST(StallWatch, TakesATurnForAStallWhereItTookAHundredMillisecondsMoreThanItsSleep) {
  const WallTime wall{Millis(1'000'000)};
  const Instant began{7s, wall};
  EXPECT_FALSE(stall_of(began, {7s + 120ms, wall + Millis(120)}));
  const auto stall = stall_of(began, {7s + 121ms, wall + Millis(121)});
  ASSERT_TRUE(stall);
  EXPECT_EQ(stall->from, wall);
  EXPECT_EQ(stall->until, wall + Millis(121));
}

TEST(StallWatch, IsNotMisledByAWallClockThatIsSet) {
  const WallTime wall{Millis(1'000'000)};
  EXPECT_FALSE(stall_of({7s, wall}, {7s + 20ms, wall + Millis(3'600'000)}));
  EXPECT_TRUE(stall_of({7s, wall}, {8s, wall}));
}

}  // namespace
}  // namespace ballot::testing
