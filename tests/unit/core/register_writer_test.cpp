#include "core/job/register/register_writer.hpp"

#include <gtest/gtest.h>

namespace ballot::core {
namespace {

using namespace std::chrono_literals;

const SteadyTime sent_at{Millis(1'000'000)};

struct Writer : ::testing::Test {
  using Next = RegisterWriter::Next;
  using Repeat = RegisterWriter::Repeat;

  RegisterWriter writer;
  JobRegister stored;
  Term term;
  Settlement settlement;

  Writer() { term.group = "g"; }
  void sends() { writer.send(writer.begin(stored, term), "a", term, 3); }
  Next answers(StoreResult outcome) { return writer.on_answer({outcome, 0, ""}, sent_at); }
};

TEST_F(Writer, AWriteIsOfItsTermAndOfTheVersionThatWasKnown) {
  term.epoch = 4;
  sends();
  const RegisterWrite& request = writer.pending()->request;
  EXPECT_EQ(request.name, "j/a");
  EXPECT_EQ(request.group, "g");
  EXPECT_EQ(request.epoch, 4U);
  EXPECT_EQ(request.version, 3U);
  EXPECT_EQ(writer.pending()->next.epoch, 4U);
}

TEST_F(Writer, AnUnknownOutcomeRepeatsTheSameWrite) {
  sends();
  const std::string text = writer.pending()->request.value;
  EXPECT_EQ(answers(StoreResult::unknown), Next::wait);
  EXPECT_EQ(writer.repeat(sent_at), Repeat::none);
  EXPECT_EQ(writer.repeat(sent_at + 1s), Repeat::write);
  EXPECT_EQ(writer.pending()->request.value, text);
  EXPECT_EQ(writer.repeat(sent_at + 2s), Repeat::none);
}

TEST_F(Writer, ARefusalIsBelievedOnlyWhereNoOutcomeWasUnknown) {
  sends();
  EXPECT_EQ(answers(StoreResult::failed), Next::failed);
  answers(StoreResult::unknown);
  EXPECT_EQ(answers(StoreResult::failed), Next::read);
  EXPECT_TRUE(writer.is_reading());
}

TEST_F(Writer, AReadThatFailsIsRepeated) {
  sends();
  EXPECT_EQ(answers(StoreResult::conflict), Next::read);
  writer.read_later(sent_at);
  EXPECT_EQ(writer.repeat(sent_at + 1s), Repeat::read);
}

TEST_F(Writer, AWriteThatIsLeftBehindClaimsNothingMore) {
  PendingWrite write = writer.begin(stored, term);
  write.intent = ClaimDueSlot{{*RunId::parse("00000000-0000-7000-8000-000000000010"), 1}};
  writer.send(std::move(write), "a", term, 0);
  EXPECT_TRUE(writer.detach());
  EXPECT_FALSE(writer.pending()->claim());
  EXPECT_TRUE(writer.pending()->is<CatchUp>());
}

TEST_F(Writer, AClaimThatIsOfNoDueSlotStaysOneWhenItsWriteIsLeftBehind) {
  PendingWrite write = writer.begin(stored, term);
  write.intent = ClaimAtOnce{{*RunId::parse("00000000-0000-7000-8000-000000000010"), 2}};
  writer.send(std::move(write), "a", term, 0);
  EXPECT_FALSE(writer.detach());
  ASSERT_TRUE(writer.pending()->claim());
  EXPECT_EQ(writer.pending()->claim()->attempt, 2);
}

TEST_F(Writer, AWriteThatClaimsNothingHasNoClaim) {
  PendingWrite write = writer.begin(stored, term);
  EXPECT_FALSE(write.claim());
  write.intent = QueueRun{*RunId::parse("00000000-0000-7000-8000-000000000010")};
  EXPECT_FALSE(write.claim()) << "it waits for its turn";
}

TEST_F(Writer, AfterARefusalTheNextWriteWaits) {
  writer.retry_later(sent_at);
  EXPECT_FALSE(writer.may_begin(sent_at));
  EXPECT_TRUE(writer.may_begin(sent_at + retry_delay));
}

TEST_F(Writer, WhatHasEndedIsClosedALittleLaterAndAtOnceInAStop) {
  EXPECT_FALSE(writer.is_flush_due(settlement, true, false, sent_at));
  EXPECT_TRUE(writer.close_at());
  EXPECT_TRUE(writer.is_flush_due(settlement, true, true, sent_at));
  EXPECT_TRUE(writer.is_flush_due(settlement, true, false, *writer.close_at()));
  EXPECT_FALSE(writer.is_flush_due(settlement, false, false, *writer.close_at()));
}

}  // namespace
}  // namespace ballot::core
