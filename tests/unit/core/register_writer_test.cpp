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

/// Of a clock that was an hour ahead, and a repair that has brought the cursor back.
TEST_F(Writer, AWriteKnowsWhichSlotsNoRunHasClaimed) {
  const WallTime noon{12h};
  const auto misses = [](WallTime from, WallTime to) {
    return Disposition{from, to, 1, Status::missed, Reason::misfire};
  };
  PendingWrite write = writer.begin(stored, term);
  write.pass(noon);
  write.carry(misses(noon + 1min, noon + 30min), {});
  write.carry(misses(noon + 31min, noon + 60min), {});
  write.pass(noon + 61min);
  EXPECT_EQ(write.next.passed_over.all(), (std::vector<PassedOver>{{noon + 1min, noon + 60min}}));
  write.next.cursor = noon + 5min;
  write.pass(noon + 6min);
  EXPECT_EQ(write.next.passed_over.all(), (std::vector<PassedOver>{{noon + 6min + 1s, noon + 60min}}));
  EXPECT_TRUE(write.next.is_claimed(noon + 6min));
  EXPECT_FALSE(write.next.is_claimed(noon + 7min));
  EXPECT_TRUE(write.next.is_claimed(noon + 61min));
  write.carry(misses(noon + 7min, noon + 70min), {});
  EXPECT_TRUE(write.next.is_claimed(noon + 61min)) << "whatever passes over it";
  EXPECT_FALSE(write.next.is_claimed(noon + 62min));
  write.pass(noon + 3h);
  EXPECT_TRUE(write.next.passed_over.empty()) << "long past, whatever the clock was";
}

/// They are due again once the clock that was ahead is right: the pause is over then.
TEST_F(Writer, AWriteHasClaimedNoSlotsOfAPause) {
  const WallTime noon{12h};
  PendingWrite write = writer.begin(stored, term);
  write.pass(noon);
  write.carry({noon + 1min, noon + 30min, 30, Status::skipped, Reason::paused}, {});
  write.pass(noon + 31min);
  EXPECT_TRUE(write.next.is_claimed(noon));
  EXPECT_FALSE(write.next.is_claimed(noon + 1min));
  EXPECT_FALSE(write.next.is_claimed(noon + 30min));
  EXPECT_TRUE(write.next.is_claimed(noon + 31min));
  EXPECT_EQ(write.next.missed, stored.missed);
}

TEST_F(Writer, AWriteForgetsTheShortestRangeThatNoRunHasClaimed) {
  PendingWrite write = writer.begin(stored, term);
  WallTime slot{1000h};
  for (const Millis length : {Millis(50h), Millis(40h), Millis(10h), Millis(30h), Millis(20h)}) {
    write.carry({slot + 1min, slot + length, 2, Status::missed, Reason::no_leader}, {});
    write.pass(slot += length + 1min);
  }
  EXPECT_LE(write.next.passed_over.size(), passed_over_limit);
  for (const PassedOver& range : write.next.passed_over) EXPECT_GE(range.to - range.from, 19h);
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
