#include "io/notify/fair_queue.hpp"

#include <gtest/gtest.h>

namespace ballot::io {
namespace {

using Queue = FairQueue<int>;

std::vector<int> take_all(Queue& queue) {
  std::vector<int> taken;
  while (auto next = queue.take()) taken.push_back(next->item);
  return taken;
}

TEST(FairQueue, GivesInTurnAndNoMoreThanItMay) {
  Queue queue({.at_once = 2, .at_once_a_key = 2});
  for (int i = 1; i <= 3; ++i) EXPECT_TRUE(queue.push("a", i, 0).empty());
  EXPECT_EQ(take_all(queue), (std::vector{1, 2}));
  queue.done("a");
  EXPECT_EQ(take_all(queue), std::vector{3});
}

TEST(FairQueue, LetsNoKeyHoldUpAnother) {
  Queue queue({.at_once = 10, .at_once_a_key = 1});
  queue.push("hangs", 1, 0);
  queue.push("hangs", 2, 0);
  queue.push("other", 3, 0);
  EXPECT_EQ(take_all(queue), (std::vector{1, 3}));
  queue.done("hangs");
  EXPECT_EQ(take_all(queue), std::vector{2});
}

TEST(FairQueue, DropsTheOldestOfAKeyOfWhichTooManyWait) {
  Queue queue({.waiting_a_key = 2});
  queue.push("a", 1, 0);
  queue.push("a", 2, 0);
  const auto dropped = queue.push("a", 3, 0);
  ASSERT_EQ(dropped.size(), 1u);
  EXPECT_EQ(dropped[0].item, 1);
  EXPECT_EQ(take_all(queue), (std::vector{2, 3}));
}

TEST(FairQueue, DropsTheNewOneWhereTooManyWaitOrTooMuch) {
  Queue few({.waiting = 1});
  few.push("a", 1, 0);
  EXPECT_EQ(few.push("b", 2, 0).at(0).item, 2);
  Queue small({.bytes = 10});
  small.push("a", 1, 8);
  EXPECT_EQ(small.push("b", 2, 8).at(0).item, 2);
  EXPECT_EQ(take_all(small), std::vector{1});
  EXPECT_TRUE(small.push("b", 2, 8).empty()) << "what was taken weighs nothing";
}

TEST(FairQueue, TakesOneAloneHoweverLargeItIs) {
  Queue queue({.bytes = 10});
  EXPECT_TRUE(queue.push("a", 1, 100).empty());
  EXPECT_EQ(take_all(queue), std::vector{1});
}

TEST(FairQueue, SaysAllThatItDrops) {
  Queue queue({.waiting_a_key = 1, .bytes = 10});
  queue.push("a", 1, 4);
  queue.push("b", 2, 4);
  const auto dropped = queue.push("a", 3, 8);
  ASSERT_EQ(dropped.size(), 2u);
  EXPECT_EQ(dropped[0].item, 1);
  EXPECT_EQ(dropped[1].item, 3);
}

}  // namespace
}  // namespace ballot::io
