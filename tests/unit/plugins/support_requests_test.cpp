// What waits, what is sent, and what becomes of requests that nobody answers.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/requests.hpp"

namespace ballot::support {
namespace {

using namespace std::chrono_literals;

class TheRequests : public ::testing::Test {
 protected:
  void ask(const std::string& name, Priority priority = Priority::normal, std::size_t weight = 1) {
    requests.ask([this, name](std::uint64_t number) { sent.push_back(name), numbers.push_back(number); },
                 [this, name](const std::string& reply) { answered.push_back(name + "=" + reply); }, priority, weight);
  }
  std::size_t fill() {
    for (std::size_t i = 0; i < most + 10; ++i) ask("filler");
    return sent.size();
  }

  static constexpr std::size_t most = Requests<std::string>::widest;
  Requests<std::string> requests;
  std::vector<std::string> sent, answered;
  std::vector<std::uint64_t> numbers;
};

TEST_F(TheRequests, AreSentInTheOrderOfAskingAndAnsweredOnce) {
  ask("a");
  ask("b");
  EXPECT_EQ(sent, (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(requests.idle());
  requests.answer(numbers[1], "2");
  requests.answer(numbers[0], "1");
  requests.answer(numbers[0], "again");
  requests.answer(99, "nobody's");
  EXPECT_EQ(answered, (std::vector<std::string>{"b=2", "a=1"}));
  EXPECT_TRUE(requests.idle());
}

TEST_F(TheRequests, WaitWhileManyAreUnderWayButForWhatIsUrgent) {
  EXPECT_EQ(fill(), most);
  ask("urgent", Priority::urgent);
  EXPECT_EQ(sent.back(), "urgent");
  ask("later", Priority::low);
  for (std::size_t i = 0; i < most; ++i) requests.answer(numbers[i], "");
  EXPECT_EQ(sent.size(), most + 12) << "the rest, the urgent one, and the one for later";
  EXPECT_EQ(sent.back(), "later");
}

TEST_F(TheRequests, OfLowPriorityAreSentThoughOthersNeverEnd) {
  fill();
  ask("first", Priority::low);
  ask("second", Priority::low);
  const auto sent_already = [this](const std::string& name) { return std::count(sent.begin(), sent.end(), name) == 1; };
  for (int i = 0; !sent_already("second"); ++i) {
    ASSERT_LT(i, 2 * static_cast<int>(most)) << "so many others were answered, and others came";
    requests.answer(numbers[static_cast<std::size_t>(i)], "");
    ask("another");
  }
  EXPECT_LT(std::find(sent.begin(), sent.end(), "first"), std::find(sent.begin(), sent.end(), "second"));
}

TEST_F(TheRequests, OfLowPriorityAreSentThoughSomeOthersAreAlwaysUnderWay) {
  for (std::size_t i = 0; i < most / 4; ++i) ask("filler");
  ask("low", Priority::low);
  EXPECT_NE(sent.back(), "low");
  for (std::size_t i = 0; i < most / 4 && sent.back() != "low"; ++i) {
    ask("another");
    if (sent.back() != "low") requests.answer(numbers[i], "");
  }
  EXPECT_EQ(sent.back(), "low");
}

TEST_F(TheRequests, OneMayCountAsSeveral) {
  ask("heavy", Priority::normal, most);
  ask("next");
  EXPECT_EQ(sent.size(), 1u);
  requests.answer(numbers[0], "");
  EXPECT_EQ(sent.back(), "next");
}

TEST_F(TheRequests, ThatAStoreIsSilentOnAreAnsweredAsLateAndNotBefore) {
  EXPECT_FALSE(requests.due(1s)) << "nothing is waited for";
  ask("a");
  const auto due = requests.due(1s);
  ASSERT_TRUE(due);
  requests.time_out(*due - 1ms, 1s, "late");
  EXPECT_TRUE(answered.empty());
  requests.time_out(*due, 1s, "late");
  EXPECT_EQ(answered, std::vector<std::string>{"a=late"});
  requests.answer(numbers[0], "after all");
  EXPECT_EQ(answered.size(), 1u);
}

TEST_F(TheRequests, ThatWaitAreForgottenWithoutAnAnswer) {
  fill();
  requests.forget_waiting();
  for (const std::uint64_t number : std::vector(numbers)) requests.answer(number, "");
  EXPECT_EQ(sent.size(), most);
  EXPECT_TRUE(requests.idle());
}

TEST(RequestsOfWhichOneMayBeMissing, AreLateEachForItselfAndWhatWaitsWhereNothingIsAnswered) {
  Requests<std::string> requests(Missing::one);
  int late = 0;
  const auto ask = [&] {
    requests.ask([](std::uint64_t) {}, [&](const std::string& reply) { late += reply == "late"; });
  };
  for (std::size_t i = 0; i < Requests<std::string>::widest + 10; ++i) ask();
  requests.answer(2, "");
  const SteadyTime asked = *requests.due(0ms);
  requests.time_out(asked + 999ms, 1s, "late");
  EXPECT_EQ(late, 0);
  requests.time_out(boot_now() + 1s, 1s, "late");
  EXPECT_EQ(late, static_cast<int>(Requests<std::string>::widest + 9)) << "also what was waiting";
  EXPECT_TRUE(requests.idle());
  ask();
  requests.answer(1, "nobody's");
  requests.time_out(*requests.due(1s), 1s, "late");
  EXPECT_EQ(late, static_cast<int>(Requests<std::string>::widest + 10)) << "though others are answered";
}

}  // namespace
}  // namespace ballot::support
