#include "core/session/shutdown.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <type_traits>

#include "core/core.hpp"

namespace ballot::core {
namespace {

using namespace std::chrono_literals;
struct StopOfTwoGroups : ::testing::Test {
  using Phase = Shutdown::Phase;
  using Groups = std::set<GroupEntry*, ByName>;
  Shutdown shutdown;
  GroupEntry a{"a", {}}, b{"b", {}};

  static SteadyTime at(Millis t) { return SteadyTime(t); }
  bool ask(Millis t, Millis wait, bool leave = false) { return shutdown.ask(at(t), {wait, leave}, {&b, &a}); }
};

TEST(Shutdown, ThatNobodyAskedForNeverComes) {
  const Shutdown shutdown;
  EXPECT_EQ(shutdown.phase(), Shutdown::Phase::none);
  EXPECT_FALSE(shutdown.is_asked());
  EXPECT_FALSE(shutdown.leaves());
  EXPECT_FALSE(shutdown.wake());
  EXPECT_FALSE(shutdown.is_wait_over(SteadyTime::max()));
  EXPECT_FALSE(shutdown.is_past_bound(SteadyTime::max()));
  EXPECT_FALSE(shutdown.is_closing_past_bound(SteadyTime::max()));
}

TEST(Shutdown, OfANodeThatTheStoreRefusesIsAtOnce) {
  Shutdown shutdown;
  shutdown.end();
  EXPECT_EQ(shutdown.phase(), Shutdown::Phase::stopped);
  EXPECT_TRUE(shutdown.is_asked());
  EXPECT_FALSE(shutdown.leaves());
  EXPECT_FALSE(shutdown.wake());
  EXPECT_FALSE(shutdown.ask(SteadyTime(1s), {}, {})) << "nothing is left to stop";
  EXPECT_EQ(shutdown.phase(), Shutdown::Phase::stopped);
}

/// A daemon that is stopped as it starts: what its runner has it is told after that.
TEST(Stop, BeforeTheRunnerHasAnsweredOpensNoSession) {
  for (const bool leave : {false, true}) {
    Core core(CoreSettings{});
    const auto step = [&core](const Event& event) { return core.step({WallTime(1000h), SteadyTime(1h)}, event); };
    const auto has = []<class Kind>(const Actions& actions, std::type_identity<Kind>) {
      return std::any_of(actions.begin(), actions.end(),
                         [](const Action& action) { return std::holds_alternative<Kind>(action); });
    };
    step(Load{});
    EXPECT_TRUE(has(step(Stop{0s, leave}), std::type_identity<Stopped>()));
    EXPECT_FALSE(has(step(Inventory{}), std::type_identity<OpenSession>())) << "nobody would close it";
    EXPECT_FALSE(has(step(Reload{}), std::type_identity<OpenSession>()));
  }
}

TEST_F(StopOfTwoGroups, DrainsUntilTheWaitIsOver) {
  EXPECT_TRUE(ask(100s, 30s));
  EXPECT_EQ(shutdown.phase(), Phase::draining);
  EXPECT_FALSE(shutdown.leaves());
  EXPECT_EQ(shutdown.wake(), at(130s));
  EXPECT_FALSE(shutdown.is_wait_over(at(129'999ms)));
  EXPECT_TRUE(shutdown.is_wait_over(at(130s)));
  EXPECT_FALSE(shutdown.is_past_bound(at(1h))) << "runs are killed first";
}

TEST_F(StopOfTwoGroups, WithoutAWaitKillsAtOnce) {
  ask(100s, 0s);
  EXPECT_TRUE(shutdown.is_wait_over(at(100s)));
}

TEST_F(StopOfTwoGroups, IsAskedForTwiceAndTheShorterWaitCounts) {
  EXPECT_TRUE(ask(100s, 30s));
  EXPECT_FALSE(ask(110s, 60s));
  EXPECT_EQ(shutdown.wake(), at(130s)) << "a longer one changes nothing";
  EXPECT_FALSE(ask(112s, 5s));
  EXPECT_EQ(shutdown.wake(), at(105s)) << "it counts from when the stop was asked for first";
  EXPECT_TRUE(shutdown.is_wait_over(at(112s)));
}

TEST_F(StopOfTwoGroups, IsAskedForAgainAndStillWaitsForWhatWasLedThen) {
  ask(100s, 30s);
  shutdown.ready(a);
  EXPECT_FALSE(ask(110s, 30s));
  EXPECT_EQ(shutdown.unready(), Groups{&b});
}

TEST_F(StopOfTwoGroups, IsLeftOrNotAsItWasAskedForFirst) {
  ask(100s, 30s);
  ask(101s, 30s, true);
  EXPECT_FALSE(shutdown.leaves());
  Shutdown left;
  left.ask(at(100s), {30s, true}, {});
  left.ask(at(101s), {30s, false}, {});
  EXPECT_TRUE(left.leaves());
}

TEST_F(StopOfTwoGroups, WaitsForEachUntilItIsReadyInOrderOfTheirNames) {
  ask(100s, 30s);
  EXPECT_EQ(std::vector<GroupEntry*>(shutdown.unready().begin(), shutdown.unready().end()),
            (std::vector<GroupEntry*>{&a, &b}));
  shutdown.ready(b);
  shutdown.ready(b);
  EXPECT_EQ(shutdown.unready(), Groups{&a});
  shutdown.ready(a);
  EXPECT_TRUE(shutdown.unready().empty());
  EXPECT_EQ(shutdown.phase(), Phase::draining) << "what is done then is Core's";
}

TEST_F(StopOfTwoGroups, IsReadyOfAGroupThatWasNotLed) {
  GroupEntry another{"c", {}};
  ask(100s, 30s);
  shutdown.ready(another);
  EXPECT_EQ(shutdown.unready().size(), 2u);
}

TEST_F(StopOfTwoGroups, KillsForTheLongestGraceAndTenSecondsMore) {
  ask(100s, 30s);
  shutdown.begin_killing(at(130s), 20s);
  EXPECT_EQ(shutdown.phase(), Phase::killing);
  EXPECT_FALSE(shutdown.is_wait_over(at(200s))) << "that was once";
  EXPECT_EQ(shutdown.wake(), at(160s));
  EXPECT_FALSE(shutdown.is_past_bound(at(159'999ms)));
  EXPECT_TRUE(shutdown.is_past_bound(at(160s)));
  EXPECT_FALSE(ask(131s, 0s));
  EXPECT_EQ(shutdown.wake(), at(160s)) << "asked again, it is not sooner";
}

TEST_F(StopOfTwoGroups, ThatLeavesThemKillsNothingAndIsBoundByTenSecondsWhateverTheWait) {
  ask(100s, 60s, true);
  EXPECT_TRUE(shutdown.leaves());
  EXPECT_FALSE(shutdown.is_wait_over(at(1h)));
  EXPECT_EQ(shutdown.wake(), at(110s));
  EXPECT_FALSE(shutdown.is_past_bound(at(109'999ms)));
  EXPECT_TRUE(shutdown.is_past_bound(at(110s)));
}

TEST_F(StopOfTwoGroups, ClosesForEightSecondsAtMost) {
  for (const bool leave : {false, true}) {
    shutdown = Shutdown();
    ask(100s, 0s, leave);
    if (!leave) shutdown.begin_killing(at(100s), 0s);
    EXPECT_FALSE(shutdown.is_closing_past_bound(at(1h))) << "it is not closing yet";
    shutdown.begin_closing(at(104s));
    EXPECT_EQ(shutdown.phase(), Phase::closing);
    EXPECT_FALSE(shutdown.is_wait_over(at(1h)));
    EXPECT_EQ(shutdown.wake(), at(112s));
    EXPECT_FALSE(shutdown.is_closing_past_bound(at(111'999ms)));
    EXPECT_TRUE(shutdown.is_closing_past_bound(at(112s)));
  }
}

TEST_F(StopOfTwoGroups, WakesNobodyOnceItIsComplete) {
  ask(100s, 0s);
  shutdown.begin_closing(at(101s));
  shutdown.end();
  EXPECT_EQ(shutdown.phase(), Phase::stopped);
  EXPECT_FALSE(shutdown.wake());
  EXPECT_FALSE(shutdown.is_closing_past_bound(at(1h)));
}

}  // namespace
}  // namespace ballot::core
