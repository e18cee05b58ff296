// Events for followers: each is told once, in order, also to one who was cut off; and one whose place is gone is told.
#include "library/shown/event_feed.hpp"

#include <gtest/gtest.h>

namespace ballot::library {
namespace {

struct Follower : io::AnswerSink {
  void send(const io::Message& message) override { lines.push_back(message); }
  void finish(std::string line) override { last = std::move(line); }
  bool is_over() const override { return has_gone || !last.empty(); }

  std::string event(std::size_t line) const { return lines.at(line).text("event").value_or("none"); }
  std::string id(std::size_t line) const { return lines.at(line).text("id").value_or("none"); }
  /// Attempts of the rows that it was told of.
  std::vector<std::int64_t> rows() const {
    std::vector<std::int64_t> numbers;
    for (const io::Message& line : lines)
      if (line.text("event") == "row")
        numbers.push_back(io::decode(*line.text("data"))->integer("attempt").value_or(-1));
    return numbers;
  }

  std::vector<io::Message> lines;
  std::string last;
  bool has_gone = false;
};

struct Feed : ::testing::Test {
  std::shared_ptr<Follower> follow(const std::string& after = {}) {
    auto follower = std::make_shared<Follower>();
    io::Question question;
    question.message.set("do", "events");
    if (!after.empty()) question.message.set("after", after);
    feed.follow(question, io::Reply(follower));
    return follower;
  }
  void add(int from, int to) {
    for (Row row; from <= to; ++from) row.attempt = from, feed.add(row);
  }
  static std::vector<std::int64_t> numbers(int from, int to) {
    std::vector<std::int64_t> all;
    for (; from <= to; ++from) all.push_back(from);
    return all;
  }

  EventFeed feed;
};

TEST_F(Feed, BeginsWithAnIdAndTellsWhatComesAfter) {
  const auto follower = follow();
  add(1, 3);
  EXPECT_EQ(follower->event(0), "begin");
  EXPECT_EQ(follower->rows(), numbers(1, 3));
}

TEST_F(Feed, GoesOnForAFollowerWhereItWasCutOff) {
  const auto first = follow();
  add(1, 2);
  first->has_gone = true;
  add(3, 5);
  const auto again = follow(first->id(2));
  add(6, 6);
  EXPECT_EQ(again->event(0), "begin");
  EXPECT_EQ(again->id(0), first->id(2));
  EXPECT_EQ(again->rows(), numbers(3, 6));
  EXPECT_EQ(first->rows(), numbers(1, 2)) << "nothing is told to one who has gone";
}

TEST_F(Feed, SaysResetForAnIdThatIsGone) {
  const auto first = follow();
  const int many = static_cast<int>(most_events_kept);
  add(1, many + 1);
  EXPECT_EQ(follow(first->id(0))->event(0), "reset");
  EXPECT_EQ(follow(first->id(1))->rows(), numbers(2, many + 1)) << "the oldest that is kept";
}

TEST_F(Feed, SaysResetForAnIdOfAnotherProcessOrOfNone) {
  const std::string here = follow()->id(0);
  add(1, 1);
  EventFeed other;
  for (const std::string& id :
       {std::string("0123456789ab-0"), std::string("x"), here + "0000", here + "x", here.substr(0, here.size() - 1)}) {
    const auto follower = follow(id);
    EXPECT_EQ(follower->event(0), "reset") << id;
    EXPECT_TRUE(follower->rows().empty()) << id;
  }
}

TEST_F(Feed, RefusesMoreFollowersThanItHasRoomFor) {
  std::vector<std::shared_ptr<Follower>> all;
  for (std::size_t i = 0; i < most_followers; ++i) all.push_back(follow());
  EXPECT_TRUE(io::to_error(*io::decode(follow()->last)));
  all[0]->has_gone = true;
  EXPECT_EQ(follow()->event(0), "begin");
}

}  // namespace
}  // namespace ballot::library
