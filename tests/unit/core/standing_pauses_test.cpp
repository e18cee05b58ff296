// Pauses of all instances of a job: their records, and what answers say of them.
#include "core/jobs/standing_pauses.hpp"

#include <gtest/gtest.h>

namespace ballot::core {
namespace {

const RunId an_id = *RunId::parse("0190a0b0-0000-7000-8000-000000000001");
const StandingPause a_pause{an_id, WallTime(Millis(1'700'000'000'123)), "n1 uid 0"};

TEST(StandingPause, ReadsBackWhatItWrote) {
  const auto read = parse_standing_pause(to_text(a_pause));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(*read, a_pause);
  EXPECT_EQ(paused_job({pause_record("trim"), "", 1}), "trim");
  EXPECT_FALSE(paused_job({"p/../x", "", 1}));
}

TEST(StandingPause, ThatCannotBeReadIsAPauseAllTheSame) {
  EXPECT_EQ(standing_pause_of({"p/trim", "ballot 1\nrubbish\n", 1}), StandingPause{});
}

TEST(StandingPauses, AreWhatTheLastAnswerSays) {
  StandingPauses pauses;
  EXPECT_TRUE(pauses.learn("trim", std::nullopt, 1, 2));
  EXPECT_FALSE(pauses.find("trim"));
  EXPECT_TRUE(pauses.learn("trim", a_pause, 2, 3));
  ASSERT_TRUE(pauses.find("trim"));
  EXPECT_EQ(*pauses.find("trim"), a_pause);
  EXPECT_TRUE(pauses.learn("trim", std::nullopt, 4, 4));
  EXPECT_FALSE(pauses.find("trim"));
}

TEST(StandingPauses, AreNotGoneByAnAnswerToWhatWasAskedBefore) {
  StandingPauses pauses;
  EXPECT_TRUE(pauses.learn("trim", a_pause, 5, 7));
  EXPECT_FALSE(pauses.learn("trim", std::nullopt, 6, 7));
  EXPECT_TRUE(pauses.find("trim"));
  EXPECT_TRUE(pauses.learn("trim", a_pause, 8, 9));
  EXPECT_TRUE(pauses.learn("trim", std::nullopt, 8, 9)) << "it is known since 7";
}

}  // namespace
}  // namespace ballot::core
