#include "core/store/refused_writes.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace ballot::core {
namespace {

using namespace std::chrono_literals;

struct RefusedWritesOfANode : ::testing::Test {
  static constexpr WallTime from{1'767'225'600s};
  RefusedWrites writes;
  Millis time{1h};
  std::vector<std::string> log;

  void refuse(const std::string& name, const std::string& text = "no space") {
    act([&](Actions& out) { writes.refuse(out, now(), name, text); });
  }
  void complete(const std::string& name) {
    act([&](Actions& out) { writes.complete(out, now(), name); });
  }

 private:
  Now now() const { return {from + time, SteadyTime(time)}; }
  void act(const std::function<void(Actions&)>& what) {
    Actions out;
    what(out);
    for (const Action& action : out) log.push_back(std::get<Notice>(action).text);
  }
};

using Texts = std::vector<std::string>;

TEST_F(RefusedWritesOfANode, StandFromTheFirstOneOnUntilItIsWritten) {
  complete("j/one");
  EXPECT_FALSE(writes.standing()) << "it was never refused";
  refuse("j/one");
  time += 1s;
  refuse("j/one", "the store is read-only");
  ASSERT_TRUE(writes.standing());
  EXPECT_EQ(writes.standing()->since, from + 1h);
  EXPECT_EQ(writes.standing()->text, "the store is read-only") << "as it is now";
  complete("j/one");
  EXPECT_FALSE(writes.standing());
}

TEST_F(RefusedWritesOfANode, StandWhileAnotherOneThatIsTriedAgainIsRefused) {
  for (int i = 0; i < 10; ++i, time += 1s) {
    refuse("j/large");
    complete("j/small");
    ASSERT_TRUE(writes.standing()) << i;
  }
  complete("j/large");
  EXPECT_FALSE(writes.standing());
  EXPECT_EQ(log, (Texts{"the store refused a write: no space", "the store takes writes again"}));
}

TEST_F(RefusedWritesOfANode, EndWithAnotherOneWhereNobodyTriesThemAgain) {
  refuse("q/trigger");
  time += 4s;
  complete("j/one");
  EXPECT_TRUE(writes.standing()) << "it may be on its way again";
  time += 4s;
  complete("j/one");
  EXPECT_FALSE(writes.standing());
}

TEST_F(RefusedWritesOfANode, AreLoggedAtTheBeginningOnceAMinuteAndAtTheEnd) {
  for (int i = 0; i < 170; ++i, time += 1s) refuse(i % 2 ? "j/one" : "j/two");
  EXPECT_EQ(log, Texts(3, "the store refused a write: no space"));
  complete("j/one");
  complete("j/two");
  EXPECT_EQ(log.size(), 4u);
  EXPECT_EQ(log.back(), "the store takes writes again");
}

TEST_F(RefusedWritesOfANode, ThatComeAndGoAreLoggedOnceAMinuteAllTheSame) {
  for (int i = 0; i < 59; ++i, time += 1s) {
    refuse("j/one");
    EXPECT_TRUE(writes.standing());
    complete("j/one");
    EXPECT_FALSE(writes.standing());
  }
  EXPECT_EQ(log, (Texts{"the store refused a write: no space", "the store takes writes again"}));
}

}  // namespace
}  // namespace ballot::core
