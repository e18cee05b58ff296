#include "runner/sessions.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ballot::runner {
namespace {

SteadyTime at(int millis) { return SteadyTime(Millis(millis)); }

std::vector<std::uint64_t> due(Sessions& sessions, int now) {
  std::vector<std::uint64_t> all;
  sessions.take_due(at(now), [&](std::uint64_t session) { all.push_back(session); });
  return all;
}

TEST(Sessions, WithoutADeadlineHaveNone) {
  Sessions sessions;
  EXPECT_EQ(sessions.limit(3), SteadyTime::max());
  EXPECT_EQ(sessions.due(3, SteadyTime::max()), std::nullopt);
  EXPECT_EQ(sessions.next(), std::nullopt);
}

TEST(Sessions, SignalAGraceBeforeTheDeadlineAndKill200msBefore) {
  Sessions sessions;
  sessions.set({3, at(10'000), Millis(4'000)});
  EXPECT_EQ(sessions.limit(3), at(10'000));
  EXPECT_EQ(sessions.next(), at(6'000));
  EXPECT_EQ(sessions.due(3, at(5'999)), std::nullopt);
  EXPECT_EQ(sessions.due(3, at(6'000)), at(9'800));
}

TEST(Sessions, WithAGraceBelow200msAreKilledAtOnce) {
  Sessions sessions;
  sessions.set({3, at(10'000), Millis(0)});
  EXPECT_EQ(sessions.next(), at(9'800));
  EXPECT_EQ(sessions.due(3, at(9'800)), at(9'800));
}

TEST(Sessions, AreToldOnceForEachDeadline) {
  Sessions sessions;
  sessions.set({3, at(10'000), Millis(1'000)});
  sessions.set({4, at(20'000), Millis(1'000)});
  EXPECT_EQ(due(sessions, 9'000), std::vector<std::uint64_t>({3}));
  EXPECT_TRUE(due(sessions, 9'001).empty());
  EXPECT_EQ(sessions.next(), at(19'000));
  sessions.set({3, at(30'000), Millis(1'000)});
  EXPECT_EQ(due(sessions, 30'000), std::vector<std::uint64_t>({3, 4}));
}

}  // namespace
}  // namespace ballot::runner
