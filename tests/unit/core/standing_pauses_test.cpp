// Pauses of all instances of a job: their records, and what answers say of them.
#include "core/jobs/standing_pauses.hpp"

#include <gtest/gtest.h>

namespace ballot::core {
namespace {

const RunId an_id = *RunId::parse("0190a0b0-0000-7000-8000-000000000001");
const StandingPause a_pause{an_id, WallTime(Millis(1'700'000'000'123)), "n1 uid 0"};
const PauseOfAll only_a_pause{a_pause, {}};

TEST(StandingPause, ReadsBackWhatItWrote) {
  const auto read = parse_standing_pause(to_text(a_pause));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(*read, a_pause);
  EXPECT_EQ(paused_job({pause_record("trim"), "", 1}), "trim");
  EXPECT_FALSE(paused_job({"p/../x", "", 1}));
}

TEST(StandingPause, HasItsEndAndItsReason) {
  StandingPause pause = a_pause;
  pause.terms = {a_pause.at + std::chrono::hours(2), "disks are changed"};
  const auto read = parse_standing_pause(to_text(pause));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(*read, pause);
}

TEST(StandingPause, ThatCannotBeReadIsAPauseAllTheSame) {
  EXPECT_EQ(standing_pause_of({"p/trim", "ballot 1\nrubbish\n", 1}), StandingPause{});
}

TEST(PauseEnd, ReadsBackWhatItWroteAndIsNoPauseToWhoDoesNotKnowIt) {
  const PauseEnd end{a_pause.at, "n1 uid 0"};
  const auto read = parse_pause_end(to_text(end));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(*read, end);
  const Register stored{pause_end_record("trim"), "", 1};
  EXPECT_EQ(resumed_job(stored), "trim");
  EXPECT_FALSE(paused_job(stored));
  EXPECT_FALSE(resumed_job({pause_record("trim"), "", 1}));
}

TEST(StandingPauses, KnowTheLastEndOfOne) {
  StandingPauses pauses;
  EXPECT_TRUE(pauses.learn("trim", {a_pause, {}}, 2, 3));
  EXPECT_EQ(pauses.jobs(), std::vector<std::string>{"trim"});
  const PauseEnd end{a_pause.at, "n1 uid 0"};
  EXPECT_TRUE(pauses.learn("trim", {{}, end}, 4, 4));
  EXPECT_TRUE(pauses.jobs().empty());
  ASSERT_TRUE(pauses.find("trim"));
  EXPECT_EQ(pauses.find("trim")->end, end);
}

TEST(StandingPauses, AreWhatTheLastAnswerSays) {
  StandingPauses pauses;
  EXPECT_TRUE(pauses.learn("trim", {}, 1, 2));
  EXPECT_FALSE(pauses.find("trim"));
  EXPECT_TRUE(pauses.learn("trim", only_a_pause, 2, 3));
  ASSERT_TRUE(pauses.find("trim"));
  EXPECT_EQ(pauses.find("trim")->standing, a_pause);
  EXPECT_TRUE(pauses.learn("trim", {}, 4, 4));
  EXPECT_FALSE(pauses.find("trim")->standing);
}

TEST(StandingPauses, AreNotGoneByAnAnswerToWhatWasAskedBefore) {
  StandingPauses pauses;
  EXPECT_TRUE(pauses.learn("trim", only_a_pause, 5, 7));
  EXPECT_FALSE(pauses.learn("trim", {}, 6, 7));
  EXPECT_TRUE(pauses.find("trim"));
  EXPECT_TRUE(pauses.learn("trim", only_a_pause, 8, 9));
  EXPECT_TRUE(pauses.learn("trim", {}, 8, 9)) << "it is known since 7";
}

}  // namespace
}  // namespace ballot::core
