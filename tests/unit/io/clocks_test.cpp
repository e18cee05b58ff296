#include "io/clocks.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace ballot::io {
namespace {

TEST(Clocks, WallClockAgreesWithTheLibrarys) {
  const auto before = std::chrono::floor<Millis>(std::chrono::system_clock::now());
  const Now now = read_clocks();
  EXPECT_GE(now.wall, before);
  EXPECT_LE(now.wall, std::chrono::system_clock::now());
}

TEST(Clocks, BootClockCountsFromBoot) {
  const Now now = read_clocks();
  const Millis apart = boot_time() + now.steady.time_since_epoch() - now.wall;
  EXPECT_LT(std::chrono::abs(apart), std::chrono::seconds(2));
}

TEST(Clocks, BootTimeIsAWholeSecond) { EXPECT_EQ(boot_time().time_since_epoch() % std::chrono::seconds(1), Millis(0)); }

TEST(Clocks, BootIdIsAUuid) {
  EXPECT_EQ(boot_id().size(), 36u);
  EXPECT_EQ(boot_id(), boot_id());
}

TEST(Clocks, HostHasAName) { EXPECT_FALSE(host_name().empty()); }

}  // namespace
}  // namespace ballot::io
