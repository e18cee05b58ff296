#include "core/store/store_guard.hpp"

#include <gtest/gtest.h>

namespace ballot::core {
namespace {

TEST(Seen, ARegisterMayOnlyGoOn) {
  Seen seen;
  EXPECT_TRUE(seen.allows({0, 0, 0}));
  seen.note({0, 5, 3});
  EXPECT_TRUE(seen.allows({0, 5, 3}));
  EXPECT_TRUE(seen.allows({0, 6, 3}));
  EXPECT_FALSE(seen.allows({0, 4, 3}));
  EXPECT_FALSE(seen.allows({0, 6, 2}));
  seen.note({0, 9, 3});
  EXPECT_FALSE(seen.allows({0, 8, 3})) << "the most of each is kept";
}

TEST(Seen, WhatWasSeenBeforeARepairCountsNoMore) {
  Seen seen;
  seen.note({0, 28, 40});
  EXPECT_TRUE(seen.allows({7, 1, 1}));
  seen.note({7, 1, 1});
  EXPECT_TRUE(seen.allows({7, 2, 1}));
  EXPECT_FALSE(seen.allows({7, 0, 1}));
  EXPECT_FALSE(seen.allows({0, 29, 41})) << "the state of before the repair";
  EXPECT_FALSE(seen.allows({6, 29, 41})) << "that of a repair before";
}

TEST(Seen, SaysWhatHasGoneBack) {
  Seen seen;
  seen.note({3, 28, 40});
  const auto why = [&](const Shown& now) { return seen.why_older(now, "j/x", "the fence of job x"); };
  EXPECT_EQ(why({3, 28, 40}), "");
  EXPECT_EQ(why({3, 27, 40}), "the store has gone back: the version of the register j/x is 27, and 28 was seen");
  EXPECT_EQ(why({3, 29, 2}), "the store has gone back: the fence of job x is 2, and 40 was seen");
  EXPECT_EQ(why({0, 29, 41}), "the store has gone back: the register j/x is older than its repair");
  EXPECT_EQ(why({0, 0, 0}), "the store has gone back: the register j/x is gone");
}

TEST(StoreGuard, ARenewalAtALowerRevisionThanWasSeenBeforeItShowsIt) {
  StoreGuard guard;
  guard.on_opened(10);
  guard.on_renewal_sent();
  EXPECT_FALSE(guard.on_renewed(20));
  guard.on_renewal_sent();
  EXPECT_TRUE(guard.on_renewed(19));
  EXPECT_EQ(guard.times(), 1);
  EXPECT_EQ(guard.how(), "the store has gone back: it is at revision 19, and 20 was seen");
}

TEST(StoreGuard, AServerThatLagsBehindShowsNothing) {
  StoreGuard guard;
  guard.on_opened(100);
  guard.on_opened(90);
  guard.on_renewal_sent();
  EXPECT_FALSE(guard.on_renewed(101));
  EXPECT_EQ(guard.times(), 0);
}

TEST(StoreGuard, AnAnswerOfBeforeShowsNothing) {
  StoreGuard guard;
  guard.on_opened(100);
  guard.on_renewal_sent();
  EXPECT_FALSE(guard.on_elected(120)) << "answered before the renewal";
  EXPECT_FALSE(guard.on_renewed(110));
  EXPECT_FALSE(guard.on_elected(105)) << "committed in this session, told late";
  EXPECT_EQ(guard.times(), 0);
}

TEST(StoreGuard, EachTimeCountsOnce) {
  StoreGuard guard;
  guard.on_opened(1000);
  guard.on_opened(0);
  guard.on_renewal_sent();
  EXPECT_TRUE(guard.on_elected(12));
  EXPECT_FALSE(guard.on_elected(13));
  EXPECT_FALSE(guard.on_renewed(11));
  guard.on_renewal_sent();
  EXPECT_FALSE(guard.on_renewed(15));
  guard.on_opened(15);
  EXPECT_TRUE(guard.on_elected(14)) << "and the next time too";
  EXPECT_EQ(guard.times(), 2);
}

TEST(StoreGuard, AStoreWithoutRevisionsShowsNothing) {
  StoreGuard guard;
  guard.on_opened(5);
  guard.on_renewal_sent();
  EXPECT_FALSE(guard.on_renewed(0));
  EXPECT_FALSE(guard.on_elected(0));
}

TEST(StoreGuard, WhatADaemonBeforeSawIsSeen) {
  StoreGuard renewed, elected;
  for (StoreGuard* guard : {&renewed, &elected}) {
    guard->on_opened(40);
    guard->recall(100, 0);
  }
  EXPECT_TRUE(elected.on_elected(41));
  renewed.on_renewal_sent();
  EXPECT_TRUE(renewed.on_renewed(99));
  StoreGuard sound;
  sound.on_opened(100);
  sound.recall(100, 0);
  EXPECT_FALSE(sound.on_elected(101));
}

TEST(StoreGuard, ALostWriteShowsItOnce) {
  StoreGuard guard;
  guard.on_opened(10);
  guard.on_lost_write("version 3 of m/a was given, and 4 had been acknowledged");
  EXPECT_EQ(guard.times(), 1);
  EXPECT_EQ(guard.how(), "the store has gone back: version 3 of m/a was given, and 4 had been acknowledged");
  EXPECT_FALSE(guard.on_renewed(9)) << "it is known";
}

struct Groups : ::testing::Test {
  StoreGuard store;
  GroupGuard group{store};
  std::string judge(const Shown& now) { return group.verify(store, now, "g"); }
  void go_back() {
    store.on_opened(1000);
    store.on_opened(0);
    ASSERT_TRUE(store.on_elected(7));
  }
};

TEST_F(Groups, AreSaneWhileEpochsGrow) {
  EXPECT_EQ(judge({0, 0, 1}), "");
  EXPECT_EQ(judge({0, 3, 2}), "");
  EXPECT_EQ(judge({0, 5, 2}), "the store has gone back: epoch 2 of group g was given twice");
  EXPECT_NE(judge({0, 5, 1}), "");
  EXPECT_NE(judge({0, 2, 3}), "");
}

TEST_F(Groups, OfAStoreThatHasGoneBackAreNotUntilTheyAreRepaired) {
  go_back();
  EXPECT_EQ(judge({0, 0, 1}), store.how());
  EXPECT_EQ(judge({0, 1, 2}), store.how()) << "nor the next time";
  EXPECT_EQ(judge({50, 2, 3}), "");
  EXPECT_EQ(judge({50, 3, 4}), "");
  go_back();
  EXPECT_EQ(judge({50, 4, 5}), store.how()) << "the repair was of the time before";
}

TEST_F(Groups, LearnARepairFromItsRegister) {
  go_back();
  group.learn_repair(store, {50, 2, 3});
  EXPECT_TRUE(group.knows_of(store));
  EXPECT_EQ(judge({50, 3, 4}), "");
  go_back();
  group.learn_repair(store, {50, 2, 3});
  EXPECT_FALSE(group.knows_of(store)) << "the same repair is of the time before";
}

TEST_F(Groups, AreKnownFromTheDaemonBefore) {
  const KnownRow known{{}, KnownRow::Of::group, "g", 50, 7, 0};
  group.recall(store, &known);
  EXPECT_EQ(judge({50, 3, 7}), "the store has gone back: epoch 7 of group g was given twice");
  EXPECT_NE(judge({50, 3, 6}), "");
  EXPECT_NE(judge({0, 0, 1}), "") << "it was emptied";
  EXPECT_EQ(judge({50, 3, 8}), "");
  EXPECT_EQ(group.known("g"), (KnownRow{{}, KnownRow::Of::group, "g", 50, 8, 0}));
}

TEST_F(Groups, ThatWereNotSoundWhenTheDaemonBeforeEndedAreNotSoundNow) {
  store.recall(9, 3);
  const KnownRow unsound{{}, KnownRow::Of::group, "g", 50, 7, 2}, sound{{}, KnownRow::Of::group, "g", 50, 7, 3};
  group.recall(store, &unsound);
  EXPECT_EQ(judge({50, 3, 8}), store.how());
  EXPECT_EQ(judge({60, 4, 9}), "") << "repaired since";
  group.recall(store, &sound);
  EXPECT_EQ(judge({60, 5, 10}), "");
  GroupGuard another;
  another.recall(store, nullptr);
  EXPECT_EQ(another.verify(store, {0, 0, 1}, "another"), "") << "nothing was known of it";
}

TEST_F(Groups, WithAnOlderJobAreEvidenceUntilTheirRepairIsKnown) {
  EXPECT_EQ(judge({0, 2, 3}), "");
  EXPECT_EQ(group.evidence(store), "");
  group.on_older_job("the fence of job x is 2, and 40 was seen");
  EXPECT_EQ(group.evidence(store), "the fence of job x is 2, and 40 was seen");
  EXPECT_FALSE(group.knows_of(store));
  EXPECT_EQ(judge({0, 4, 5}), group.evidence(store)) << "it leads the group itself";
  group.learn_repair(store, {50, 2, 3});
  EXPECT_EQ(group.evidence(store), "");
  EXPECT_EQ(judge({50, 3, 6}), "");
}

TEST_F(Groups, ThatAreNewAreNotConcerned) {
  go_back();
  GroupGuard another(store);
  EXPECT_EQ(another.verify(store, {0, 0, 1}, "another"), "");
}

}  // namespace
}  // namespace ballot::core
