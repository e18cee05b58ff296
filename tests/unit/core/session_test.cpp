#include "core/session.hpp"

#include <gtest/gtest.h>

namespace ballot::core {
namespace {

using namespace std::chrono_literals;

/// A session of T = 6 s (margin 600 ms, renewal every 2 s, request time-out 1 s), opened at 0.
struct SessionOf6s : testing::Test {
  Session session;
  RequestId last = 0;
  Actions out;
  Millis wall_step{0};

  Now now(Millis t) const { return {WallTime(t + 1000h + wall_step), SteadyTime(t)}; }
  void SetUp() override {
    session.begin(now(0ms), out);
    session.on_opened(now(50ms), {6s, Capability::fenced, "s", 0});
    out.clear();
  }
  std::optional<RequestId> renewal() const {
    for (const Action& action : out)
      if (const auto* renew = std::get_if<Renew>(&action)) return renew->request;
    return std::nullopt;
  }
  void answer(Millis t, Outcome outcome) { session.on_renewed(now(t), {last, outcome, ""}); }
};

TEST_F(SessionOf6s, CountsItsDeadlineFromTheSendingNotFromTheAnswer) {
  EXPECT_EQ(session.deadline(), SteadyTime(5400ms));
  session.on_time(now(2s), last, out);
  ASSERT_TRUE(renewal());
  answer(2900ms, Outcome::done);
  EXPECT_EQ(session.deadline(), SteadyTime(7400ms));
}

TEST_F(SessionOf6s, HasOneRenewalInFlight) {
  session.on_time(now(2s), last, out);
  session.on_time(now(2500ms), last, out);
  EXPECT_EQ(last, 1u);
}

TEST_F(SessionOf6s, IsInDoubtWhenARenewalIsOverdueAndBeyondItOnceALaterOneIsConfirmed) {
  session.on_time(now(2s), last, out);
  session.on_time(now(2999ms), last, out);
  EXPECT_FALSE(session.in_doubt());
  session.on_time(now(3s), last, out);
  EXPECT_TRUE(session.in_doubt());
  EXPECT_FALSE(session.may_claim(now(3s)));
  answer(3200ms, Outcome::done);
  EXPECT_FALSE(session.in_doubt());
}

TEST_F(SessionOf6s, LosesItsTermsAtTheDeadlineWhateverItHasBeenTold) {
  EXPECT_EQ(session.on_time(now(5399ms), last, out), Session::Edge::none);
  out.clear();
  EXPECT_EQ(session.on_time(now(5400ms), last, out), Session::Edge::lost);
  EXPECT_TRUE(std::holds_alternative<CloseSession>(out.at(0)));
  answer(5401ms, Outcome::done);
  EXPECT_EQ(session.state(), Session::State::closing);
}

TEST_F(SessionOf6s, MakesNoClaimWithinTheLaunchBudgetOfTheDeadline) {
  EXPECT_TRUE(session.may_claim(now(4899ms)));
  EXPECT_FALSE(session.may_claim(now(4900ms)));
}

TEST_F(SessionOf6s, IsInDoubtAfterAStepOfTheWallClockUntilARenewalSentLaterIsConfirmed) {
  session.on_time(now(2s), last, out);
  wall_step = 1500ms;
  session.on_time(now(2100ms), last, out);
  EXPECT_TRUE(session.in_doubt());
  answer(2200ms, Outcome::done);
  EXPECT_TRUE(session.in_doubt()) << "it was sent before the step";
  session.on_time(now(4s), last, out);
  answer(4100ms, Outcome::done);
  EXPECT_FALSE(session.in_doubt());
}

TEST_F(SessionOf6s, ToleratesASmallStepOfTheWallClock) {
  wall_step = 900ms;
  session.on_time(now(1s), last, out);
  EXPECT_FALSE(session.in_doubt());
}

TEST_F(SessionOf6s, OpensANewGenerationAfterTheOldOneIsClosed) {
  session.on_time(now(6s), last, out);
  EXPECT_EQ(session.on_closed(now(6100ms), {Cause::expired, ""}), Session::Edge::none);
  out.clear();
  session.on_time(now(6100ms), last, out);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(std::get<OpenSession>(out[0]).generation, 2u);
}

TEST_F(SessionOf6s, GivesChildrenAGraceThatFitsBeforeTheDeadline) {
  EXPECT_EQ(session.grace(10s), 6000ms - 600ms - 2000ms - 1000ms);
  EXPECT_EQ(session.grace(1s), 1s);
}

}  // namespace
}  // namespace ballot::core
