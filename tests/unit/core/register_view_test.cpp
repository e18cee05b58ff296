#include "core/job/register/register_view.hpp"

#include <gtest/gtest.h>

namespace ballot::core {
namespace {

using namespace std::chrono_literals;

const WallTime seen_at{Millis(1'767'268'800'000)};

struct View : ::testing::Test {
  RegisterView view;

  static JobRegister with_fence(std::uint64_t fence) {
    JobRegister r;
    r.group = "g";
    r.definition = "d";
    r.cursor = r.since = seen_at;
    r.fence = fence;
    r.epoch = 1;
    return r;
  }
  static Register stored(const JobRegister& r, std::uint64_t version) { return {"j/a", to_text(r), version}; }
  bool reads(std::uint64_t fence, std::uint64_t version) {
    return view.read("a", stored(with_fence(fence), version), seen_at);
  }
};

TEST_F(View, OfAJobThatHasNoneIsKnownAndOwnedByWhoeverDefinesIt) {
  EXPECT_TRUE(view.read("a", std::nullopt, seen_at));
  EXPECT_TRUE(view.is_known());
  EXPECT_FALSE(view.exists());
  EXPECT_EQ(view.owner("theirs"), "theirs");
}

TEST_F(View, OfAReleasedJobIsAnybodys) {
  reads(1, 1);
  EXPECT_EQ(view.owner("theirs"), "g");
  JobRegister released = with_fence(1);
  released.released = true;
  view.written(released, 2, seen_at);
  EXPECT_EQ(view.owner("theirs"), "theirs");
}

TEST_F(View, AnOlderRegisterIsReadAgainBeforeItCounts) {
  ASSERT_TRUE(reads(7, 7));
  EXPECT_FALSE(reads(5, 5));
  EXPECT_FALSE(view.is_known());
  EXPECT_TRUE(reads(7, 7));
  EXPECT_TRUE(view.is_sound());
}

TEST_F(View, TwoOlderAnswersMeanThatTheRegisterHasGoneBack) {
  reads(7, 7);
  reads(5, 5);
  EXPECT_TRUE(reads(5, 5));
  EXPECT_NE(view.rollback_reason(), "");
  EXPECT_EQ(view.highest_fence(), 7U);
}

TEST_F(View, AfterARepairItIsWhatWasSeenLast) {
  reads(7, 7);
  view.expect_newest();
  ASSERT_TRUE(reads(5, 5));
  ASSERT_FALSE(view.is_sound());
  view.restore("g", seen_at, {});
  EXPECT_TRUE(view.is_sound());
  EXPECT_EQ(view.stored().fence, 7U);
}

TEST_F(View, ARepairShowsWhatGoesOnHere) {
  ASSERT_TRUE(reads(7, 7));
  OpenRun run;
  run.id = *RunId::parse("00000000-0000-7000-8000-000000000010");
  view.restore("g", seen_at, {run});
  EXPECT_TRUE(view.shows(run.id));
}

TEST_F(View, TheRepairOfItsGroupEndsAHaltOnce) {
  reads(7, 7);
  view.expect_newest();
  reads(5, 5);
  Term term;
  term.group = "g";
  EXPECT_FALSE(view.heed_repair(term));
  term.repair = 9;
  EXPECT_TRUE(view.heed_repair(term));
  EXPECT_TRUE(view.is_sound());
  EXPECT_FALSE(view.heed_repair(term));
}

TEST_F(View, PeopleAreToldOnceWhyItCannotBeRead) {
  EXPECT_TRUE(view.read("a", Register{"j/a", "no register", 1}, seen_at));
  EXPECT_NE(view.trouble(), "");
  EXPECT_TRUE(view.is_new_trouble());
  EXPECT_FALSE(view.is_new_trouble());
}

TEST_F(View, ACursorThatIsAheadOfTheClockGoesBackToWhereItWasSeen) {
  reads(1, 1);
  JobRegister ahead = with_fence(2);
  ahead.cursor = seen_at + 1h;
  view.written(ahead, 2, seen_at + 10s);
  EXPECT_TRUE(view.clock_skew(seen_at + 10s));
  EXPECT_EQ(view.bring_cursor_back(seen_at + 10s), seen_at + 1h);
  EXPECT_EQ(view.stored().cursor, seen_at);
}

TEST_F(View, ACursorThatIsAheadOfTheClockGoesBackBehindSlotsThatWereClaimed) {
  JobRegister ahead = with_fence(2);
  ahead.cursor = ahead.claimed_until = seen_at + 1h;
  EXPECT_TRUE(view.read("a", Register{"j/a", to_text(ahead), 2}, seen_at));
  view.bring_cursor_back(seen_at);
  EXPECT_EQ(view.stored().cursor, seen_at);
  EXPECT_FALSE(view.clock_skew(seen_at));
  EXPECT_TRUE(view.stored().is_claimed(seen_at + 1h)) << "it stays done";
}

}  // namespace
}  // namespace ballot::core
