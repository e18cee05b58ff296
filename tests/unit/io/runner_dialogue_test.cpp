// What a runner can say next, and what it cannot.
#include "io/runner_dialogue.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ballot::io {
namespace {

using runner::AttemptId;
using runner::FromRunner;

AttemptId attempt(std::uint8_t number) {
  AttemptId id;
  id.run.bytes[0] = number;
  id.attempt = 1;
  return id;
}

struct Dialogue : ::testing::Test {
  bool hears(const FromRunner& message) { return static_cast<bool>(dialogue.hear(message)); }
  /// After the inventory, with one run that was asked for and one that goes on.
  void begin() {
    EXPECT_TRUE(hears(runner::Hello{}));
    EXPECT_TRUE(hears(runner::Running{going, "job", 1, {}}));
    EXPECT_TRUE(hears(runner::Ready{}));
    runner::Start start;
    start.id = asked;
    dialogue.sent(start);
  }

  static inline const AttemptId going = attempt(1), asked = attempt(2), unknown = attempt(3);
  RunnerDialogue dialogue;
};

TEST_F(Dialogue, BeginsWithHelloAndHasNoSecondOne) {
  EXPECT_FALSE(hears(runner::Ready{}));
  EXPECT_FALSE(hears(runner::Pong{}));
  EXPECT_TRUE(hears(runner::Hello{}));
  EXPECT_FALSE(hears(runner::Hello{}));
}

TEST_F(Dialogue, HasOneInventory) {
  begin();
  EXPECT_FALSE(hears(runner::Ready{}));
  EXPECT_FALSE(hears(runner::Running{unknown, "job", 1, {}}));
  EXPECT_FALSE(hears(runner::Shown{.id = going}));
}

TEST_F(Dialogue, TakesEndsOfRunsBeforeItInTheInventoryOnly) {
  EXPECT_TRUE(hears(runner::Hello{}));
  EXPECT_TRUE(hears(runner::Ended{.id = attempt(9)}));
  EXPECT_TRUE(hears(runner::Ready{}));
  EXPECT_FALSE(hears(runner::Ended{.id = unknown}));
}

TEST_F(Dialogue, TakesTheLifeOfARun) {
  begin();
  EXPECT_TRUE(hears(runner::Started{asked, 1, {}}));
  EXPECT_TRUE(hears(runner::Printed{asked, "text"}));
  EXPECT_TRUE(hears(runner::Pong{}));
  EXPECT_TRUE(hears(runner::Ended{.id = asked}));
  EXPECT_FALSE(hears(runner::Ended{.id = asked}));
  EXPECT_FALSE(hears(runner::Printed{asked, "text"}));
  EXPECT_TRUE(hears(runner::Printed{going, "text"}));
}

TEST_F(Dialogue, TakesARefusalOfWhatWasAskedForOnly) {
  begin();
  EXPECT_FALSE(hears(runner::Refused{going}));
  EXPECT_FALSE(hears(runner::CannotStart{unknown, "exec", 2}));
  EXPECT_TRUE(hears(runner::Refused{asked}));
  EXPECT_FALSE(hears(runner::Started{asked, 1, {}})) << "nothing was started";
}

TEST_F(Dialogue, KnowsNothingOfARunThatWasAcknowledged) {
  begin();
  EXPECT_FALSE(hears(runner::Started{unknown, 1, {}}));
  dialogue.sent(runner::Ack{going});
  EXPECT_TRUE(hears(runner::Ended{.id = going})) << "it had not ended: its end is still to come";
  dialogue.sent(runner::Ack{going});
  EXPECT_FALSE(hears(runner::Ended{.id = going}));
}

TEST_F(Dialogue, TakesBothAnswersOnceMoreWhereAStartWasSentTwice) {
  begin();
  EXPECT_TRUE(hears(runner::Started{asked, 1, {}}));
  EXPECT_TRUE(hears(runner::Ended{.id = asked}));
  runner::Start again;
  again.id = asked;
  dialogue.sent(again);
  EXPECT_TRUE(hears(runner::Started{asked, 1, {}}));
  EXPECT_TRUE(hears(runner::Ended{.id = asked}));
}

TEST_F(Dialogue, NamesWhatItDoesNotTake) {
  begin();
  const auto heard = dialogue.hear(runner::Started{unknown, 1, {}});
  ASSERT_FALSE(heard);
  EXPECT_EQ(heard.error().code, Errc::corrupt);
  EXPECT_EQ(heard.error().what, "the runner cannot say this now: Started of run " + unknown.run.text() + ", attempt 1");
}

}  // namespace
}  // namespace ballot::io
