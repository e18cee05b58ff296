#include "storage/memory_release.hpp"

#include <gtest/gtest.h>

namespace ballot::storage {
namespace {

using namespace std::chrono_literals;

constexpr MemoryRelease::Time start(1h);
constexpr auto never = MemoryRelease::Time::max();

/// Many records were stored at once.
MemoryRelease after_many() {
  MemoryRelease release;
  release.on_stored(start, 2'000);
  return release;
}

TEST(MemoryRelease, ComesFiveSecondsAfterMuchWasStoredAndOnce) {
  MemoryRelease release;
  EXPECT_EQ(release.at(), never);
  release.on_stored(start, 999);
  EXPECT_EQ(release.at(), never) << "they took little";
  release.on_stored(start + 1s, 1'000);
  EXPECT_EQ(release.at(), start + 6s);
  release.on_released();
  EXPECT_EQ(release.at(), never);
}

TEST(MemoryRelease, IsNotPutOffByARunEachFewSeconds) {
  MemoryRelease release = after_many();
  for (auto now = start; now < release.at(); now += 1s) {
    ASSERT_LT(now, start + 1min);
    release.on_stored(now, 3);
  }
}

TEST(MemoryRelease, IsPutOffWhileMuchIsStored) {
  MemoryRelease release = after_many();
  for (auto now = start; now < start + 1min; now += 100ms) {
    release.on_stored(now, 10);
    EXPECT_GT(release.at(), now);
  }
}

TEST(MemoryRelease, ComesAlsoWhereManyWereStoredAFewAtATime) {
  MemoryRelease release;
  auto now = start;
  for (int i = 0; i < 500; ++i) release.on_stored(now += 3s, 2);
  EXPECT_LE(release.at(), now + 5s);
}

}  // namespace
}  // namespace ballot::storage
