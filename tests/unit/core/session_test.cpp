#include "core/session/session.hpp"

#include <gtest/gtest.h>

namespace ballot::core {
namespace {

using namespace std::chrono_literals;

/// A session of T = 10 s (margin 1 s, renewal every 1 s, request time-out 1 s), opened at 0.
struct SessionOf10s : ::testing::Test {
  Session session;
  RequestId last = 0;
  Actions out;
  Millis wall_step{0};

  Now now(Millis t) const { return {WallTime(t + 1000h + wall_step), SteadyTime(t)}; }
  void SetUp() override {
    session.begin(now(0ms), out);
    session.on_opened(now(50ms), {10s, Capability::fenced, "s", 0});
    out.clear();
  }
  std::optional<RequestId> renewal() const {
    for (const Action& action : out)
      if (const auto* renew = std::get_if<Renew>(&action)) return renew->request;
    return std::nullopt;
  }
  void answer(Millis t, StoreResult outcome) { session.on_renewed(now(t), {last, outcome, ""}); }
};

TEST_F(SessionOf10s, CountsItsDeadlineFromTheSendingNotFromTheAnswer) {
  EXPECT_EQ(session.deadline(), SteadyTime(9s));
  session.on_time(now(1s), last, out);
  ASSERT_TRUE(renewal());
  answer(1900ms, StoreResult::done);
  EXPECT_EQ(session.deadline(), SteadyTime(10s));
}

TEST_F(SessionOf10s, CountsItsDeadlineFromTheSendingTimeThatTheStoreNamesWhereThatIsTheEarlierOne) {
  session.on_time(now(2s), last, out);
  session.on_renewed(now(2100ms), {last, StoreResult::done, "", {}, 0, SteadyTime(1s)});
  EXPECT_EQ(session.deadline(), SteadyTime(10s));
  session.on_time(now(4s), last, out);
  session.on_renewed(now(4100ms), {last, StoreResult::done, "", {}, 0, SteadyTime(9s)});
  EXPECT_EQ(session.deadline(), SteadyTime(13s)) << "no later than it was sent";
}

TEST_F(SessionOf10s, HasOneRenewalInFlight) {
  session.on_time(now(1s), last, out);
  session.on_time(now(2500ms), last, out);
  EXPECT_EQ(last, 1u);
}

TEST_F(SessionOf10s, IsInDoubtWhenARenewalIsOverdueAndBeyondItOnceALaterOneIsConfirmed) {
  session.on_time(now(2s), last, out);
  session.on_time(now(2999ms), last, out);
  EXPECT_FALSE(session.in_doubt());
  session.on_time(now(3s), last, out);
  EXPECT_TRUE(session.in_doubt());
  EXPECT_FALSE(session.may_claim(now(3s), launch_margin));
  answer(3200ms, StoreResult::done);
  EXPECT_FALSE(session.in_doubt());
}

TEST_F(SessionOf10s, LosesItsTermsAtTheDeadlineWhateverItHasBeenTold) {
  EXPECT_EQ(session.on_time(now(8999ms), last, out), Session::Edge::none);
  out.clear();
  EXPECT_EQ(session.on_time(now(9s), last, out), Session::Edge::lost);
  EXPECT_TRUE(std::holds_alternative<CloseSession>(out.at(0)));
  answer(9001ms, StoreResult::done);
  EXPECT_EQ(session.state(), Session::State::closing);
}

TEST_F(SessionOf10s, AnOutageMovesTheDeadlineByAThirdAndEndsNoDoubt) {
  session.on_time(now(7s), last, out);
  session.on_time(now(8s), last, out);
  session.on_outage(now(8500ms), {SteadyTime(8s)});
  EXPECT_EQ(session.deadline(), SteadyTime(11333ms)) << "counted from the asking";
  EXPECT_TRUE(session.in_doubt());
  session.on_outage(now(9s), {SteadyTime(1h)});
  EXPECT_EQ(session.deadline(), SteadyTime(12333ms)) << "nobody asks later than now";
  session.on_outage(now(9s), {SteadyTime(2s)});
  EXPECT_EQ(session.deadline(), SteadyTime(12333ms));
  EXPECT_EQ(session.on_time(now(12333ms), last, out), Session::Edge::lost);
  session.on_outage(now(12400ms), {SteadyTime(12s)});
  EXPECT_EQ(session.state(), Session::State::closing) << "what is over stays over";
}

TEST_F(SessionOf10s, MakesNoClaimWithinTheLaunchBudgetOfTheDeadline) {
  EXPECT_TRUE(session.may_claim(now(8499ms), launch_margin));
  EXPECT_FALSE(session.may_claim(now(8500ms), launch_margin));
  EXPECT_TRUE(session.may_claim(now(7499ms), session.terminate_budget(5s)));
  EXPECT_FALSE(session.may_claim(now(7500ms), session.terminate_budget(5s)))
      << "the end of the term would kill it at once";
}

TEST_F(SessionOf10s, IsInDoubtAfterAStepOfTheWallClockUntilARenewalSentLaterIsConfirmed) {
  session.on_time(now(2s), last, out);
  wall_step = 1500ms;
  session.on_time(now(2100ms), last, out);
  EXPECT_TRUE(session.in_doubt());
  answer(2200ms, StoreResult::done);
  EXPECT_TRUE(session.in_doubt()) << "it was sent before the step";
  session.on_time(now(4s), last, out);
  answer(4100ms, StoreResult::done);
  EXPECT_FALSE(session.in_doubt());
}

TEST_F(SessionOf10s, ToleratesASmallStepOfTheWallClock) {
  wall_step = 900ms;
  session.on_time(now(1s), last, out);
  EXPECT_FALSE(session.in_doubt());
}

TEST_F(SessionOf10s, OpensANewGenerationAfterTheOldOneIsClosed) {
  session.on_time(now(9s), last, out);
  EXPECT_EQ(session.on_closed(now(9100ms), {Cause::expired, ""}), Session::Edge::none);
  out.clear();
  session.on_time(now(9100ms), last, out);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(std::get<OpenSession>(out[0]).generation, 2u);
}

TEST_F(SessionOf10s, GivesChildrenAGraceThatFitsBeforeTheDeadline) {
  EXPECT_EQ(session.grace(10s), 1s);
  EXPECT_EQ(session.grace(300ms), 300ms);
}

TEST_F(SessionOf10s, OutlastsAStoreThatDoesNotAnswerForHalfItsTimeoutWithTimeForItsChildren) {
  for (Millis t = 1s; t <= 3s; t += 1s) session.on_time(now(t), last, out), answer(t + 20ms, StoreResult::done);
  session.on_time(now(4s), last, out);  // sent as the store stops: what counts was sent a second before
  session.on_time(now(8s), last, out);
  EXPECT_TRUE(session.in_doubt());
  EXPECT_GE(session.deadline() - session.grace(10s), SteadyTime(3s + 20ms + 5s + 1s));
  answer(8020ms, StoreResult::done);
  EXPECT_FALSE(session.in_doubt());
  EXPECT_EQ(session.deadline(), SteadyTime(13s));
}

TEST_F(SessionOf10s, KeepsInMindThatTheClockHasSteppedWhileARenewalIsOverdue) {
  session.on_time(now(1s), last, out);
  session.on_time(now(2s), last, out);
  EXPECT_EQ(session.doubt(), Session::Doubt::overdue);
  wall_step = 1h;
  session.on_time(now(2100ms), last, out);
  EXPECT_EQ(session.doubt(), Session::Doubt::clock_stepped);
  answer(2200ms, StoreResult::unknown);
  EXPECT_EQ(session.doubt(), Session::Doubt::clock_stepped);
}

TEST_F(SessionOf10s, SaysThatItIsNotOpenedAfterHalfAMinute) {
  Session opening;
  opening.begin(now(0ms), out);
  out.clear();
  EXPECT_EQ(opening.wake(), SteadyTime(30s));
  opening.on_time(now(30s), last, out);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(std::get<Notice>(out[0]).level, Level::warn);
  EXPECT_EQ(opening.wake(), SteadyTime(60s));
}

TEST_F(SessionOf10s, IsRefusedOnlyAtItsVeryFirstOpening) {
  Session fresh;
  fresh.begin(now(0ms), out);
  EXPECT_TRUE(fresh.is_refused({Cause::superseded, "node a is in use"}));
  EXPECT_FALSE(fresh.is_refused({Cause::unreachable, ""}));
  session.on_closed(now(100ms), {Cause::expired, ""});
  session.begin(now(300ms), out);
  EXPECT_FALSE(session.is_refused({Cause::superseded, "node a is in use"}));
}

}  // namespace
}  // namespace ballot::core
