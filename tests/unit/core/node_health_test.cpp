#include "core/node/node_health.hpp"

#include <gtest/gtest.h>

namespace ballot::core {
namespace {

using namespace std::chrono_literals;
struct HealthyNode : ::testing::Test {
  using Clock = NodeHealth::Clock;
  using Texts = std::vector<std::string>;
  static constexpr RunnerSilence talks{}, silent{true, false}, silent_for_long{true, true};
  NodeHealth health;

  static Texts texts(const NodeHealth::Change& change) {
    Texts texts;
    for (const Notice& notice : change.notices) texts.push_back(notice.text);
    return texts;
  }
  void SetUp() override { health.on_inventory(); }
};

TEST(NodeHealth, OfANodeWithoutARunnerSpeaksAgainstHandingItAnything) {
  NodeHealth health;
  EXPECT_FALSE(health.has_runner());
  EXPECT_FALSE(health.runner_is_silent());
  EXPECT_EQ(health.unfit(), "its runner is gone");
  EXPECT_TRUE(health.may_lead()) << "what it leads it keeps";
  health.on_inventory();
  EXPECT_TRUE(health.has_runner());
  EXPECT_EQ(health.unfit(), "");
}

TEST_F(HealthyNode, ClaimsNothingWhileItsRunnerIsSilentButLeads) {
  const auto change = health.on_silence(silent);
  EXPECT_FALSE(change.of_eligibility);
  EXPECT_TRUE(change.notices.empty());
  EXPECT_FALSE(health.has_runner());
  EXPECT_TRUE(health.runner_is_silent());
  EXPECT_TRUE(health.may_lead());
  EXPECT_EQ(health.unfit(), "its runner does not answer");
}

TEST_F(HealthyNode, GivesItsGroupsAwayWhereItsRunnerIsSilentForLong) {
  health.on_silence(silent);
  const auto change = health.on_silence(silent_for_long);
  EXPECT_TRUE(change.of_eligibility);
  ASSERT_EQ(change.notices.size(), 1u);
  EXPECT_EQ(change.notices[0].level, Level::error);
  EXPECT_FALSE(health.may_lead());
  EXPECT_FALSE(health.on_silence(silent_for_long).of_eligibility) << "reported again it is no news";
  EXPECT_TRUE(health.on_silence(silent_for_long).notices.empty());
}

TEST_F(HealthyNode, TakesPartAgainWhereItsRunnerAnswers) {
  health.on_silence(silent_for_long);
  const auto change = health.on_silence(talks);
  EXPECT_TRUE(change.of_eligibility);
  EXPECT_EQ(texts(change), Texts{"this node takes part in elections again"});
  EXPECT_TRUE(health.has_runner());
  EXPECT_TRUE(health.may_lead());
  EXPECT_EQ(health.unfit(), "");
}

TEST_F(HealthyNode, SaysNothingOfASilenceThatWasShort) {
  health.on_silence(silent);
  const auto change = health.on_silence(talks);
  EXPECT_FALSE(change.of_eligibility);
  EXPECT_TRUE(change.notices.empty());
  EXPECT_TRUE(health.has_runner());
}

TEST_F(HealthyNode, HasNoRunnerThatCouldBeSilentOnceItIsGone) {
  health.on_silence(silent_for_long);
  const auto change = health.on_runner_gone();
  EXPECT_TRUE(change.of_eligibility);
  EXPECT_FALSE(health.has_runner());
  EXPECT_FALSE(health.runner_is_silent());
  EXPECT_TRUE(health.may_lead());
  EXPECT_EQ(health.unfit(), "its runner is gone");
  health.on_inventory();
  EXPECT_TRUE(health.has_runner()) << "the silence was that of the one before";
}

TEST_F(HealthyNode, LosesItsRunnerWithoutAWordWhereItWasNotSilent) {
  const auto change = health.on_runner_gone();
  EXPECT_FALSE(change.of_eligibility);
  EXPECT_TRUE(change.notices.empty());
  EXPECT_FALSE(health.has_runner());
}

TEST_F(HealthyNode, HasARightClockUpToASecondAndASkewedOneUpToTen) {
  for (const Millis sign : {1ms, -1ms}) {
    const auto clock = [&](Millis off) { return health.on_clock(off * sign.count()), health.clock(); };
    EXPECT_EQ(clock(0ms), Clock::right);
    EXPECT_EQ(clock(1000ms), Clock::right);
    EXPECT_EQ(clock(1001ms), Clock::skewed);
    EXPECT_EQ(clock(10'000ms), Clock::skewed);
    EXPECT_TRUE(health.may_lead());
    EXPECT_EQ(health.unfit(), "");
    EXPECT_EQ(clock(10'001ms), Clock::wrong);
    EXPECT_FALSE(health.may_lead());
    EXPECT_EQ(health.unfit(), "its clock is wrong");
  }
}

TEST_F(HealthyNode, LogsEachStepOfItsClockOnceAndWhichWayItIsOff) {
  EXPECT_EQ(texts(health.on_clock(1500ms)),
            Texts{"clock skew: this clock is 1500 ms before the store's; beyond 10 s this node leads nothing"});
  EXPECT_EQ(texts(health.on_clock(1600ms)), Texts{});
  EXPECT_EQ(texts(health.on_clock(-11s)),
            Texts{"clock skew: this clock is 11000 ms behind the store's: this node leads nothing"});
  EXPECT_EQ(texts(health.on_clock(-12s)), Texts{});
  EXPECT_EQ(texts(health.on_clock(-2s)), Texts{}) << "better, and not right yet";
  EXPECT_EQ(texts(health.on_clock(0s)), Texts{"no clock skew any more"});
  EXPECT_EQ(texts(health.on_clock(0s)), Texts{});
}

TEST_F(HealthyNode, MayLeadOtherwiseThanBeforeOnlyAsItsClockBecomesWrongOrIsWrongNoMore) {
  EXPECT_FALSE(health.on_clock(5s).of_eligibility);
  EXPECT_TRUE(health.on_clock(11s).of_eligibility);
  EXPECT_FALSE(health.on_clock(-11s).of_eligibility);
  EXPECT_TRUE(health.on_clock(5s).of_eligibility);
  EXPECT_FALSE(health.on_clock(0s).of_eligibility);
  EXPECT_TRUE(health.on_clock(11s).of_eligibility) << "at once from a right one";
  EXPECT_TRUE(health.on_clock(0s).of_eligibility);
}

TEST_F(HealthyNode, MayLeadOnlyWhereNeitherClockNorRunnerSpeaksAgainstIt) {
  health.on_clock(11s);
  health.on_silence(silent_for_long);
  health.on_silence(talks);
  EXPECT_FALSE(health.may_lead());
  health.on_silence(silent_for_long);
  health.on_clock(0s);
  EXPECT_FALSE(health.may_lead());
  EXPECT_EQ(health.unfit(), "its runner does not answer");
  health.on_silence(talks);
  EXPECT_TRUE(health.may_lead());
}

TEST_F(HealthyNode, MayNotLeadWhileTheStoreSaysThatItIsUnfit) {
  const NodeHealth::Change unfit = health.on_unfit("maintenance");
  EXPECT_EQ(texts(unfit), Texts{"not fit to lead: maintenance: this node gives its groups away"});
  EXPECT_TRUE(unfit.of_eligibility);
  EXPECT_FALSE(health.may_lead());
  EXPECT_EQ(health.unfit(), "maintenance");
  EXPECT_EQ(texts(health.on_unfit("maintenance")), Texts{});
  EXPECT_FALSE(health.on_unfit("a check is critical").of_eligibility) << "another reason";
  const NodeHealth::Change fit = health.on_unfit("");
  EXPECT_EQ(texts(fit), Texts{"fit to lead again"});
  EXPECT_TRUE(fit.of_eligibility);
  EXPECT_TRUE(health.may_lead());
}

TEST_F(HealthyNode, ForgetsWhatTheStoreHasSaidWithItsSession) {
  health.on_unfit("maintenance");
  health.forget_unfit();
  EXPECT_TRUE(health.may_lead());
  EXPECT_EQ(health.unfit(), "");
}

}  // namespace
}  // namespace ballot::core
