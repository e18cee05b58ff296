#include "core/store/record_feed.hpp"

#include <gtest/gtest.h>

namespace ballot::core {
namespace {

using namespace std::chrono_literals;

const SteadyTime now(1h);

TEST(RecordFeed, IsNotListedBeforeAnythingHasChanged) {
  RecordFeed feed("q/");
  EXPECT_EQ(feed.prefix(), "q/");
  EXPECT_FALSE(feed.is_dirty());
  EXPECT_FALSE(feed.begin(now));
}

TEST(RecordFeed, IsListedOnceHoweverOftenItHasChanged) {
  RecordFeed feed("q/");
  feed.on_changed();
  feed.on_changed();
  EXPECT_TRUE(feed.is_dirty());
  EXPECT_TRUE(feed.begin(now));
  EXPECT_FALSE(feed.is_dirty());
  EXPECT_FALSE(feed.begin(now));
  feed.on_listed(now, true, 1);
  EXPECT_FALSE(feed.begin(now));
}

TEST(RecordFeed, ThatChangesWhileItIsListedIsListedAgainAndNotBeforeTheAnswer) {
  RecordFeed feed("q/");
  feed.on_changed();
  ASSERT_TRUE(feed.begin(now));
  feed.on_changed();
  EXPECT_TRUE(feed.is_dirty());
  EXPECT_FALSE(feed.begin(now));
  EXPECT_TRUE(feed.is_dirty()) << "an attempt in vain changes nothing";
  feed.on_listed(now, true, 1);
  EXPECT_TRUE(feed.begin(now));
  feed.on_listed(now, true, 1);
  EXPECT_FALSE(feed.begin(now));
}

TEST(RecordFeed, WhoseListFailedIsListedAgain) {
  RecordFeed feed("q/");
  feed.on_changed();
  ASSERT_TRUE(feed.begin(now));
  feed.on_listed(now, false, 0);
  EXPECT_TRUE(feed.is_dirty());
  EXPECT_TRUE(feed.begin(now));
}

TEST(RecordFeed, ThatChangedAndWhoseListFailedIsListedOnceMore) {
  RecordFeed feed("q/");
  feed.on_changed();
  ASSERT_TRUE(feed.begin(now));
  feed.on_changed();
  feed.on_listed(now, false, 0);
  EXPECT_TRUE(feed.begin(now));
  feed.on_listed(now, true, 1);
  EXPECT_FALSE(feed.begin(now));
}

TEST(RecordFeed, WaitsForNoAnswerOnceTheSessionIsOver) {
  RecordFeed feed("q/");
  feed.on_changed();
  ASSERT_TRUE(feed.begin(now));
  feed.on_lost();
  EXPECT_FALSE(feed.begin(now)) << "the next session's watch reports a change first";
  feed.on_changed();
  EXPECT_TRUE(feed.begin(now));
}

TEST(RecordFeed, ThatWasToBeListedStillIsOnceTheSessionIsOver) {
  RecordFeed feed("q/");
  feed.on_changed();
  feed.on_lost();
  EXPECT_TRUE(feed.begin(now));
}

TEST(RecordFeed, IsWatchedOnceASessionAndWhereItIsWanted) {
  RecordFeed feed = RecordFeed::unwanted("p/");
  EXPECT_FALSE(feed.begin_watch());
  feed.want();
  EXPECT_TRUE(feed.begin_watch());
  EXPECT_FALSE(feed.begin_watch());
  feed.on_lost();
  EXPECT_TRUE(feed.begin_watch());
}

/// A list of so many records has been answered `now`.
RecordFeed paced_after(std::size_t records, int share) {
  RecordFeed feed = RecordFeed::paced("n/", share);
  feed.on_changed();
  EXPECT_TRUE(feed.begin(now)) << "the first list of a session waits for nothing";
  feed.on_listed(now, true, records);
  return feed;
}

TEST(RecordFeed, ThatIsPacedIsListedAgainAfterAPauseThatGrowsWithItsRecords) {
  for (const auto& [records, pause] : {std::pair<std::size_t, Millis>{3, 150ms}, {100, 5s}, {5'000, 30s}}) {
    RecordFeed feed = paced_after(records, 0);
    feed.on_changed();
    EXPECT_FALSE(feed.begin(now)) << records;
    EXPECT_EQ(feed.wake(), now + pause) << records;
    EXPECT_FALSE(feed.begin(now + pause - 1ms)) << records;
    feed.on_changed();
    EXPECT_TRUE(feed.begin(now + pause)) << records;
    EXPECT_FALSE(feed.wake()) << records;
  }
}

TEST(RecordFeed, ThatIsPacedIsListedAfterAQuietTimeWhenItsShareOfThePauseHasPassed) {
  RecordFeed feed = paced_after(100, 500);
  feed.on_changed();
  EXPECT_FALSE(feed.begin(now + 1h));
  EXPECT_EQ(feed.wake(), now + 1h + 2500ms);
  feed.on_changed();
  EXPECT_TRUE(feed.begin(now + 1h + 2500ms)) << "a later change does not put it off";
}

TEST(RecordFeed, ThatIsPacedIsListedAtOnceInTheNextSession) {
  RecordFeed feed = paced_after(100, 500);
  feed.on_lost();
  feed.on_changed();
  EXPECT_TRUE(feed.begin(now));
}

TEST(RecordFeed, ThatSomebodyWaitsForIsListedASecondAfterTheListBeforeAtMost) {
  RecordFeed feed = paced_after(100, 500);
  feed.on_changed();
  ASSERT_FALSE(feed.begin(now));
  feed.hurry();
  EXPECT_EQ(feed.wake(), now + 1s) << "and not sooner: who waits may wait for long";
  EXPECT_FALSE(feed.begin(now + 999ms));
  feed.hurry();
  EXPECT_TRUE(feed.begin(now + 1s)) << "nor does it put it off who says so again";
  feed.hurry();
  feed.on_listed(now + 1s, true, 100);
  feed.on_changed();
  EXPECT_FALSE(feed.begin(now + 1999ms));
  EXPECT_TRUE(feed.begin(now + 2s));
  feed.on_listed(now + 2s, true, 100);
  feed.on_changed();
  EXPECT_FALSE(feed.begin(now + 3s)) << "nobody waits any more";
  EXPECT_EQ(feed.wake(), now + 7s);
}

TEST(RecordFeed, ThatSomebodyWaitsForIsListedAtOnceAfterAQuietTimeAndNotLaterThanElse) {
  RecordFeed quiet = paced_after(100, 500);
  quiet.hurry();
  quiet.on_changed();
  EXPECT_TRUE(quiet.begin(now + 1h));
  RecordFeed small = paced_after(3, 0);
  small.hurry();
  small.on_changed();
  EXPECT_FALSE(small.begin(now));
  EXPECT_EQ(small.wake(), now + 150ms);
}

TEST(RecordFeed, IsCurrentOnceAllThatHasChangedIsListed) {
  RecordFeed feed("q/");
  EXPECT_TRUE(feed.is_current());
  feed.on_changed();
  EXPECT_FALSE(feed.is_current());
  ASSERT_TRUE(feed.begin(now));
  EXPECT_FALSE(feed.is_current()) << "the answer is on its way";
  feed.on_changed();
  feed.on_listed(now, true, 1);
  EXPECT_FALSE(feed.is_current());
  ASSERT_TRUE(feed.begin(now));
  feed.on_listed(now, true, 1);
  EXPECT_TRUE(feed.is_current());
}

TEST(RecordFeeds, AreOfRequestsOutcomesNodesAndPausesAndIndependent) {
  RecordFeeds feeds("node");
  std::vector<std::string_view> prefixes;
  for (const RecordFeed* feed : feeds.all()) prefixes.push_back(feed->prefix());
  EXPECT_EQ(prefixes, (std::vector<std::string_view>{"q/", "o/", "n/", "p/"}));
  feeds.outcomes.on_changed();
  EXPECT_FALSE(feeds.requests.begin(now));
  EXPECT_FALSE(feeds.nodes.begin(now));
  EXPECT_TRUE(feeds.outcomes.begin(now));
}

}  // namespace
}  // namespace ballot::core
