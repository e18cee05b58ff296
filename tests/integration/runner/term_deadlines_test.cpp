#include "runner/term_deadlines.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ballot::runner {
namespace {

SteadyTime at(int millis) { return SteadyTime(Millis(millis)); }

using Due = std::vector<std::uint64_t>;

TEST(TermDeadlines, WithoutADeadlineHaveNoLimit) {
  TermDeadlines deadlines;
  EXPECT_EQ(deadlines.limit(3), std::nullopt);
  EXPECT_EQ(deadlines.due(3, SteadyTime::max()), std::nullopt);
  EXPECT_EQ(deadlines.next(), SteadyTime::max());
}

TEST(TermDeadlines, SignalAGraceBeforeTheDeadlineAndKill200msBefore) {
  TermDeadlines deadlines;
  deadlines.set({3, at(10'000), Millis(4'000)});
  EXPECT_EQ(deadlines.limit(3), at(10'000));
  EXPECT_EQ(deadlines.next(), at(6'000));
  EXPECT_EQ(deadlines.due(3, at(5'999)), std::nullopt);
  EXPECT_EQ(deadlines.due(3, at(6'000)), at(9'800));
}

TEST(TermDeadlines, WithAGraceBelow200msAreKilledAtOnce) {
  TermDeadlines deadlines;
  deadlines.set({3, at(10'000), Millis(0)});
  EXPECT_EQ(deadlines.next(), at(9'800));
  EXPECT_EQ(deadlines.due(3, at(9'800)), at(9'800));
}

TEST(TermDeadlines, AreDueOnceForEachDeadline) {
  TermDeadlines deadlines;
  deadlines.set({3, at(10'000), Millis(1'000)});
  deadlines.set({4, at(20'000), Millis(1'000)});
  EXPECT_EQ(deadlines.take_due(at(9'000)), Due({3}));
  EXPECT_EQ(deadlines.take_due(at(9'001)), Due());
  EXPECT_EQ(deadlines.next(), at(19'000));
  deadlines.set({3, at(30'000), Millis(1'000)});
  EXPECT_EQ(deadlines.take_due(at(30'000)), Due({3, 4}));
}

TEST(TermDeadlines, AreMovedByTheLatestDeadlineAlone) {
  TermDeadlines deadlines;
  deadlines.set({3, at(10'000), Millis(1'000)});
  deadlines.set({3, at(20'000), Millis(1'000)});
  EXPECT_EQ(deadlines.take_due(at(18'999)), Due());
  deadlines.set({3, at(15'000), Millis(1'000)});
  EXPECT_EQ(deadlines.take_due(at(18'999)), Due({3}));
  EXPECT_EQ(deadlines.limit(3), at(15'000));
}

TEST(TermDeadlines, RefuseForAnHourPastTheirDeadlineAndAreForgottenThen) {
  TermDeadlines deadlines;
  for (std::uint64_t i = 0; i < 1'000; ++i) deadlines.set({i, at(10'000), Millis(1'000)});
  EXPECT_EQ(deadlines.take_due(at(10'000)).size(), 1'000u);
  EXPECT_EQ(deadlines.take_due(at(10'000) + std::chrono::minutes(59)), Due());
  EXPECT_EQ(deadlines.limit(999), at(10'000));
  EXPECT_EQ(deadlines.take_due(at(10'000) + std::chrono::minutes(61)), Due());
  EXPECT_EQ(deadlines.size(), 0u);
  EXPECT_EQ(deadlines.next(), SteadyTime::max());
}

}  // namespace
}  // namespace ballot::runner
