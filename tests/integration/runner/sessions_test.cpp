#include "runner/sessions.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ballot::runner {
namespace {

SteadyTime at(int millis) { return SteadyTime(Millis(millis)); }

using Due = std::vector<std::uint64_t>;

TEST(Sessions, WithoutADeadlineHaveNoLimit) {
  Sessions sessions;
  EXPECT_EQ(sessions.limit(3), std::nullopt);
  EXPECT_EQ(sessions.due(3, SteadyTime::max()), std::nullopt);
  EXPECT_EQ(sessions.next(), SteadyTime::max());
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
  EXPECT_EQ(sessions.take_due(at(9'000)), Due({3}));
  EXPECT_EQ(sessions.take_due(at(9'001)), Due());
  EXPECT_EQ(sessions.next(), at(19'000));
  sessions.set({3, at(30'000), Millis(1'000)});
  EXPECT_EQ(sessions.take_due(at(30'000)), Due({3, 4}));
}

TEST(Sessions, AreMovedByTheLatestDeadlineAlone) {
  Sessions sessions;
  sessions.set({3, at(10'000), Millis(1'000)});
  sessions.set({3, at(20'000), Millis(1'000)});
  EXPECT_EQ(sessions.take_due(at(18'999)), Due());
  sessions.set({3, at(15'000), Millis(1'000)});
  EXPECT_EQ(sessions.take_due(at(18'999)), Due({3}));
  EXPECT_EQ(sessions.limit(3), at(15'000));
}

TEST(Sessions, RefuseForAnHourPastTheirDeadlineAndAreForgottenThen) {
  Sessions sessions;
  for (std::uint64_t i = 0; i < 1'000; ++i) sessions.set({i, at(10'000), Millis(1'000)});
  EXPECT_EQ(sessions.take_due(at(10'000)).size(), 1'000u);
  EXPECT_EQ(sessions.take_due(at(10'000) + std::chrono::minutes(59)), Due());
  EXPECT_EQ(sessions.limit(999), at(10'000));
  EXPECT_EQ(sessions.take_due(at(10'000) + std::chrono::minutes(61)), Due());
  EXPECT_EQ(sessions.size(), 0u);
  EXPECT_EQ(sessions.next(), SteadyTime::max());
}

}  // namespace
}  // namespace ballot::runner
