// Which renewals of a session count, where a follower of the ensemble acknowledges them: with a tick of 2 s it reports
// to the leader each second.
#include <gtest/gtest.h>

#include "zookeeper/renewals.hpp"

namespace ballot::zookeeper {
namespace {

using namespace std::chrono_literals;

struct RenewalsOf10s : ::testing::Test {
  Renewals renewals{10s, 2s, at(0ms)};

  static SteadyTime at(Millis t) { return SteadyTime(t); }
  void confirm(Millis sent, Millis answered) { renewals.confirm(at(sent), at(sent), at(answered)); }
  /// One a second, each answered at once, up to `last`.
  void each_second(Millis last) {
    for (Millis t = 1s; t <= last; t += 1s) confirm(t, t + 5ms);
  }
  SteadyTime counts() const { return renewals.counts_from(); }
};

TEST_F(RenewalsOf10s, CountTheOneBeforeTheLastThatWasAnswered) {
  confirm(1s, 1005ms);
  EXPECT_EQ(counts(), at(0ms)) << "as it was opened";
  confirm(2s, 2005ms);
  EXPECT_EQ(counts(), at(1s));
  confirm(3s, 3005ms);
  EXPECT_EQ(counts(), at(2s));
}

TEST_F(RenewalsOf10s, DoNotDependOnTimersThatAreExact) {
  confirm(1s, 1005ms);
  confirm(1998ms, 2003ms);
  confirm(2997ms, 3003ms);
  EXPECT_EQ(counts(), at(1998ms));
}

TEST_F(RenewalsOf10s, CountOnlyWhatTheLeaderKnowsOfWhereTheyComeMoreOften) {
  for (Millis t = 200ms; t <= 2s; t += 200ms) confirm(t, t + 5ms);
  EXPECT_EQ(counts(), at(1800ms)) << "a margin after the one at 1 s at most";
  Renewals small(2s, 2s, at(0ms));  // a margin of 500 ms
  for (Millis t = 200ms; t <= 2s; t += 200ms) small.confirm(at(t), at(t), at(t + 5ms));
  EXPECT_EQ(small.counts_from(), at(1500ms));
}

TEST_F(RenewalsOf10s, ALateAnswerCountsTheOneBeforeIt) {
  each_second(10s);
  confirm(11s, 16s);
  EXPECT_EQ(counts(), at(10s));
}

TEST_F(RenewalsOf10s, WhatComesAtOnceAfterALateAnswerProvesNothingMore) {
  each_second(10s);
  confirm(11s, 16s);
  confirm(16s, 16010ms);
  EXPECT_EQ(counts(), at(10s));
  confirm(17s, 17010ms);
  EXPECT_EQ(counts(), at(16s));
}

TEST_F(RenewalsOf10s, AfterOneWithoutAnAnswerTheNextIsALateOne) {
  each_second(10s);
  renewals.lost();
  confirm(13600ms, 13650ms);
  EXPECT_EQ(counts(), at(10s)) << "the leader may have been stopped until now";
  confirm(14600ms, 14610ms);
  EXPECT_EQ(counts(), at(13600ms));
}

TEST_F(RenewalsOf10s, AreEnoughWhereEachAnswerIsLate) {
  Millis sent = 1s;
  for (int i = 0; i < 20; ++i, sent += 2s) {
    confirm(sent, sent + 2s);
    EXPECT_GE(counts() + 9s - 1s, at(sent + 4s)) << "g before the deadline comes the next answer";
  }
}

TEST_F(RenewalsOf10s, NeverCountMoreThanAMarginAfterWhatWasReported) {
  Renewals slow(10s, 20s, at(0ms));
  for (Millis t = 1s; t <= 9s; t += 1s) slow.confirm(at(t), at(t), at(t + 5ms));
  EXPECT_EQ(slow.counts_from(), at(1s)) << "reported: only its beginning";
}

}  // namespace
}  // namespace ballot::zookeeper
