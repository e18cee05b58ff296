// How long runs of a job take as a rule, and which of them are slow by it.
#include "library/history/pace.hpp"

#include <gtest/gtest.h>

namespace ballot::library {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::days day{1};

struct PaceOfAJob : ::testing::Test {
  const WallTime now{std::chrono::hours(24 * 20'000)};
  const UsualTime usual{UsualTime::Basis::week, 20ms};
  std::vector<Row> rows;

  void add(Millis took, Millis ago, Status status = Status::succeeded) {
    Row row;
    row.status = status;
    row.slot = now - ago;
    row.duration = took;
    rows.push_back(row);
  }
};

TEST_F(PaceOfAJob, IsNotKnownOfFewerThanTwentySuccessesOfThirtyDays) {
  for (int i = 0; i < 19; ++i) add(1s, 2 * day);
  for (int i = 0; i < 30; ++i) add(1s, 31 * day), add(1s, 2 * day, Status::failed);
  EXPECT_FALSE(pace_of(rows, usual, now));
  add(1s, 2 * day);
  ASSERT_TRUE(pace_of(rows, usual, now));
  EXPECT_EQ(pace_of(rows, usual, now)->runs, 20u);
}

TEST_F(PaceOfAJob, HasNineteenOfTwentyWithinItsPercentile) {
  for (int i = 1; i <= 100; ++i) add(Millis(i * 1000), 3 * day);
  const auto pace = pace_of(rows, usual, now);
  EXPECT_EQ(pace->percentile, 95s);
  EXPECT_FALSE(is_slow(95s, *pace));
  EXPECT_TRUE(is_slow(95s + 1ms, *pace));
}

TEST_F(PaceOfAJob, IsNotKnownWhereItIsNotKnownWhatIsUsual) {
  for (int i = 0; i < 40; ++i) add(1s, 3 * day);
  EXPECT_FALSE(pace_of(rows, {UsualTime::Basis::few, 1s}, now));
  EXPECT_EQ(pace_of(rows, {UsualTime::Basis::recent, 3s}, now)->usual, 3s);
}

TEST_F(PaceOfAJob, IsThatOfBeforeItGrewSlow) {
  for (int i = 1; i <= 100; ++i) add(i <= 85 ? 9s : 1s, std::chrono::minutes(i));
  UsualTime before{UsualTime::Basis::recent, 1s, 15, now - std::chrono::minutes(85)};
  const auto pace = pace_of(rows, before, now);
  ASSERT_TRUE(pace);
  EXPECT_EQ(pace->percentile, 1s);
  EXPECT_EQ(pace->runs, 100u);
  EXPECT_TRUE(is_slow(9s, *pace));
}

TEST_F(PaceOfAJob, IsThatOfBeforeTheLastDayWhereThatIsUsual) {
  for (int i = 1; i <= 100; ++i) add(i <= 50 ? 9s : 1s, std::chrono::minutes(28 * i));
  EXPECT_EQ(pace_of(rows, usual, now)->percentile, 1s);
}

TEST_F(PaceOfAJob, CallsNothingSlowThatTakesLessThanASecondMoreThanUsual) {
  for (int i = 0; i < 40; ++i) add(20ms, 3 * day);
  EXPECT_FALSE(is_slow(1020ms, *pace_of(rows, usual, now)));
  EXPECT_TRUE(is_slow(1021ms, *pace_of(rows, usual, now)));
}

}  // namespace
}  // namespace ballot::library
