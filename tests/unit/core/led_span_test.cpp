#include "core/record/led_span.hpp"

#include <gtest/gtest.h>

namespace ballot::core {
namespace {

using namespace std::chrono_literals;

const WallTime elected{Millis(1'767'225'600'000)};  // 2026-01-01T00:00:00Z
constexpr Millis lease = 9s;
using Spans = std::vector<LedSpan>;

GroupRegister left_by(std::uint64_t epoch, std::optional<WallTime> ended_at = std::nullopt) {
  GroupRegister before;
  before.epoch = epoch;
  before.elected_at = elected;
  before.ended_at = ended_at;
  return before;
}

TEST(LedBefore, IsNobodyWhereNothingIsKnown) {
  EXPECT_EQ(led_before({}, 1, std::nullopt, lease), Spans{});
  EXPECT_EQ(led_before({}, 2, std::nullopt, lease), Spans{});
}

TEST(LedBefore, IsATermUntilTheEndThatItRecorded) {
  EXPECT_EQ(led_before(left_by(4, elected + 1min), 5, std::nullopt, lease), (Spans{{elected, elected + 1min}}));
  EXPECT_EQ(led_before(left_by(4, elected + 1min), 5, elected + 2min, lease), (Spans{{elected, elected + 1min}}));
}

TEST(LedBefore, IsATermUntilTheEndOfItsLeaseWhereItLostItsSession) {
  EXPECT_EQ(led_before(left_by(4), 5, elected + 1min, lease), (Spans{{elected, elected + 1min + lease}}));
  EXPECT_EQ(led_before(left_by(4), 5, elected - 1s, lease), (Spans{{elected, elected + lease}}));
  EXPECT_EQ(led_before(left_by(4), 5, std::nullopt, lease), (Spans{{elected, elected + lease}}));
}

TEST(LedBefore, IsATermThatRecordedNothingForItsLastLease) {
  const LedSpan last{elected + 5min, elected + 5min + lease};
  EXPECT_EQ(led_before(left_by(4, elected + 1min), 6, last.from, lease), (Spans{{elected, elected + 1min}, last}));
  EXPECT_EQ(led_before(left_by(4, elected + 1min), 6, std::nullopt, lease), (Spans{{elected, elected + 1min}}));
  EXPECT_EQ(led_before({}, 2, last.from, lease), Spans{last});
  EXPECT_EQ(led_before(left_by(4), 6, last.from, lease), (Spans{{elected, last.until}})) << "it may have gone on";
}

}  // namespace
}  // namespace ballot::core
