#include "core/store/record_feed.hpp"

#include <gtest/gtest.h>

namespace ballot::core {
namespace {

TEST(RecordFeed, IsNotListedBeforeAnythingHasChanged) {
  RecordFeed feed("q/");
  EXPECT_EQ(feed.prefix(), "q/");
  EXPECT_FALSE(feed.is_dirty());
  EXPECT_FALSE(feed.begin());
}

TEST(RecordFeed, IsListedOnceHoweverOftenItHasChanged) {
  RecordFeed feed("q/");
  feed.on_changed();
  feed.on_changed();
  EXPECT_TRUE(feed.is_dirty());
  EXPECT_TRUE(feed.begin());
  EXPECT_FALSE(feed.is_dirty());
  EXPECT_FALSE(feed.begin());
  feed.on_listed(true);
  EXPECT_FALSE(feed.begin());
}

TEST(RecordFeed, ThatChangesWhileItIsListedIsListedAgainAndNotBeforeTheAnswer) {
  RecordFeed feed("q/");
  feed.on_changed();
  ASSERT_TRUE(feed.begin());
  feed.on_changed();
  EXPECT_TRUE(feed.is_dirty());
  EXPECT_FALSE(feed.begin());
  EXPECT_TRUE(feed.is_dirty()) << "an attempt in vain changes nothing";
  feed.on_listed(true);
  EXPECT_TRUE(feed.begin());
  feed.on_listed(true);
  EXPECT_FALSE(feed.begin());
}

TEST(RecordFeed, WhoseListFailedIsListedAgain) {
  RecordFeed feed("q/");
  feed.on_changed();
  ASSERT_TRUE(feed.begin());
  feed.on_listed(false);
  EXPECT_TRUE(feed.is_dirty());
  EXPECT_TRUE(feed.begin());
}

TEST(RecordFeed, ThatChangedAndWhoseListFailedIsListedOnceMore) {
  RecordFeed feed("q/");
  feed.on_changed();
  ASSERT_TRUE(feed.begin());
  feed.on_changed();
  feed.on_listed(false);
  EXPECT_TRUE(feed.begin());
  feed.on_listed(true);
  EXPECT_FALSE(feed.begin());
}

TEST(RecordFeed, WaitsForNoAnswerOnceTheSessionIsOver) {
  RecordFeed feed("q/");
  feed.on_changed();
  ASSERT_TRUE(feed.begin());
  feed.on_lost();
  EXPECT_FALSE(feed.begin()) << "the next session's watch reports a change first";
  feed.on_changed();
  EXPECT_TRUE(feed.begin());
}

TEST(RecordFeed, ThatWasToBeListedStillIsOnceTheSessionIsOver) {
  RecordFeed feed("q/");
  feed.on_changed();
  feed.on_lost();
  EXPECT_TRUE(feed.begin());
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

TEST(RecordFeeds, AreOfRequestsOutcomesNodesAndPausesAndIndependent) {
  RecordFeeds feeds;
  std::vector<std::string_view> prefixes;
  for (const RecordFeed* feed : feeds.all()) prefixes.push_back(feed->prefix());
  EXPECT_EQ(prefixes, (std::vector<std::string_view>{"q/", "o/", "n/", "p/"}));
  feeds.outcomes.on_changed();
  EXPECT_FALSE(feeds.requests.begin());
  EXPECT_FALSE(feeds.nodes.begin());
  EXPECT_TRUE(feeds.outcomes.begin());
}

}  // namespace
}  // namespace ballot::core
