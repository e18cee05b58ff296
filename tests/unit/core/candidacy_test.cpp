#include "core/candidate/candidacy.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace ballot::core {
namespace {

using namespace std::chrono_literals;
using State = CandidateStatus::State;

/// A candidate of group "g" in a session of T = 6 s (margin 600 ms, renewal every 2 s), opened at 0.
struct CandidateOf6s : ::testing::Test {
  Candidacy candidacy{"g", 10s};
  Actions out;
  std::uint64_t generation = 0;

  static Now at(Millis t) { return {WallTime(t + 1000h), SteadyTime(t)}; }
  void step(Millis t, const Candidacy::Event& event) {
    out = candidacy.step(at(t), event);
    for (const Action& action : out)
      if (const auto* open = std::get_if<OpenSession>(&action)) generation = open->generation;
  }
  template <class What>
  void give(Millis t, What what) {
    step(t, BackendEvent{generation, std::move(what)});
  }
  template <class Kind>
  const Kind* sent() const {
    for (const Action& action : out)
      if (const auto* found = std::get_if<Kind>(&action)) return found;
    return nullptr;
  }
  const CandidateStatus& status() const { return candidacy.status(); }

  void open(Millis t) { give(t, backend::SessionOpened{6s, Capability::fenced, "s", 0, ""}); }
  void elect(Millis t, std::uint64_t epoch, std::optional<SteadyTime> old = {}, bool resumed = false) {
    give(t, backend::Elected{"g", epoch, resumed, old, {}});
  }
  void depose(Millis t, Cause cause) { give(t, backend::Deposed{"g", status().epoch, cause}); }
  void lead() {
    step(0ms, Enter{});
    open(10ms);
    elect(20ms, 7);
  }
  /// Asks for a renewal at `t`, and is answered 10 ms later.
  void renew(Millis t, StoreResult outcome = StoreResult::done) {
    step(t, Tick{});
    ASSERT_TRUE(sent<Renew>());
    give(t + 10ms, backend::Renewed{sent<Renew>()->request, outcome, ""});
  }
  void ask_to_leave(Millis t, const std::string& group, WallTime until) {
    give(t, backend::Changed{"q/"});
    Request request;
    request.kind = Request::Kind::evict;
    request.id.bytes[15] = 9;
    request.group = group;
    request.until = until;
    std::vector<Register> found;
    found.push_back({request_record(request.id), to_text(request), 1});
    ASSERT_TRUE(sent<List>());
    give(t, backend::ReadDone{sent<List>()->request, StoreResult::done, found, ""});
  }
};

TEST_F(CandidateOf6s, CampaignsOnceItsSessionStands) {
  step(0ms, Enter{});
  EXPECT_TRUE(sent<OpenSession>());
  EXPECT_FALSE(sent<Campaign>());
  open(10ms);
  ASSERT_TRUE(sent<Campaign>());
  EXPECT_EQ(sent<Campaign>()->group, "g");
  EXPECT_EQ(status().state, State::following);
}

TEST_F(CandidateOf6s, LeadsUntilADeadlineThatIsCountedFromTheSending) {
  lead();
  EXPECT_TRUE(status().leads());
  EXPECT_EQ(status().epoch, 7u);
  EXPECT_EQ(status().deadline, SteadyTime(5400ms));
  EXPECT_EQ(status().grace, 600ms) << "T/10";
  renew(2s);
  EXPECT_EQ(status().deadline, SteadyTime(7400ms));
}

TEST_F(CandidateOf6s, BeginsNothingWhileARenewalIsOverdue) {
  lead();
  step(2s, Tick{});
  EXPECT_TRUE(candidacy.may_act(at(2900ms)));
  step(3s, Tick{});
  EXPECT_TRUE(status().in_doubt);
  EXPECT_TRUE(status().leads());
  EXPECT_FALSE(candidacy.may_act(at(3s)));
}

TEST_F(CandidateOf6s, LeadsNoMoreAtItsDeadlineAndClosesTheSessionBeforeItCampaignsAgain) {
  lead();
  step(5400ms, Tick{});
  EXPECT_FALSE(status().leads());
  EXPECT_EQ(status().epoch, 0u);
  EXPECT_EQ(status().cause, Cause::expired);
  EXPECT_EQ(status().failures, 1);
  EXPECT_TRUE(sent<CloseSession>());
  EXPECT_FALSE(sent<Campaign>());
  give(5500ms, backend::SessionClosed{Cause::shutdown, ""});
  EXPECT_FALSE(sent<Campaign>());
  step(5500ms, Tick{});
  ASSERT_TRUE(sent<OpenSession>());
  open(5600ms);
  EXPECT_TRUE(sent<Campaign>());
  EXPECT_EQ(status().failures, 0);
}

TEST_F(CandidateOf6s, DoesNotLeadByAnAnswerThatComesPastTheDeadline) {
  lead();
  step(2s, Tick{});
  const RequestId request = sent<Renew>()->request;
  give(5400ms, backend::Renewed{request, StoreResult::done, ""});
  EXPECT_FALSE(status().leads());
}

TEST_F(CandidateOf6s, DropsWhatBelongsToAnOlderSession) {
  lead();
  step(5400ms, Tick{});
  give(5500ms, backend::SessionClosed{Cause::shutdown, ""});
  step(5500ms, Tick{});
  open(5600ms);
  out = candidacy.step(at(5700ms), BackendEvent{generation - 1, backend::Elected{"g", 7, false, {}, {}}});
  EXPECT_FALSE(status().leads());
}

TEST_F(CandidateOf6s, WaitsForTheDeadlineOfATermThatDidNotEndCleanly) {
  step(0ms, Enter{});
  open(10ms);
  elect(20ms, 7, SteadyTime(1500ms));
  EXPECT_TRUE(status().leads());
  EXPECT_FALSE(candidacy.may_act(at(1499ms)));
  EXPECT_TRUE(candidacy.may_act(at(1500ms)));
}

TEST_F(CandidateOf6s, WaitsForATimeoutWhereItTakesUpATermThatAnotherProcessHad) {
  step(0ms, Enter{});
  open(10ms);
  elect(20ms, 7, std::nullopt, true);
  renew(2s);
  renew(4s);
  EXPECT_FALSE(candidacy.may_act(at(6019ms)));
  EXPECT_TRUE(candidacy.may_act(at(6020ms)));
}

TEST_F(CandidateOf6s, HandsOverAndLetsOthersFollowBeforeItCampaignsAgain) {
  lead();
  step(1s, Leave{});
  EXPECT_TRUE(sent<Resign>());
  EXPECT_EQ(status().state, State::leaving);
  EXPECT_FALSE(candidacy.may_act(at(1s)));
  step(1s, Enter{});
  EXPECT_FALSE(sent<Campaign>());
  depose(1010ms, Cause::resigned);
  EXPECT_FALSE(sent<Campaign>());
  ASSERT_TRUE(candidacy.wake());
  EXPECT_EQ(*candidacy.wake(), SteadyTime(1260ms));
  step(1260ms, Tick{});
  EXPECT_TRUE(sent<Campaign>());
  EXPECT_EQ(status().failures, 0) << "a race is no failure";
}

TEST_F(CandidateOf6s, CampaignsOnWhereAnotherTermFollowsItsOwn) {
  lead();
  depose(1s, Cause::superseded);
  EXPECT_EQ(status().state, State::following);
  EXPECT_EQ(status().failures, 0);
  elect(2s, 9);
  EXPECT_EQ(status().epoch, 9u);
}

TEST_F(CandidateOf6s, IsOutForThreeTimeoutsAfterAnEvictionByForce) {
  lead();
  depose(1s, Cause::evicted);
  EXPECT_TRUE(sent<Resign>()) << "or the store would have it campaign on";
  EXPECT_EQ(status().state, State::outside);
  ASSERT_TRUE(sent<Renew>());
  give(1010ms, backend::Renewed{sent<Renew>()->request, StoreResult::done, ""});
  Election others{"g", 8, {Candidate{}}};
  for (Millis t = 3s; t < 19s; t += 1s) {
    step(t, Tick{});
    if (const auto* renewal = sent<Renew>()) give(t, backend::Renewed{renewal->request, StoreResult::done, ""});
    EXPECT_FALSE(sent<Campaign>());
    step(t + 500ms, Tick{});
    if (const auto* look = sent<Observe>())
      give(t + 500ms, backend::Observed{look->request, StoreResult::done, {others}, ""});
    EXPECT_EQ(status().state, State::outside) << t.count();
  }
  step(19s, Tick{});
  EXPECT_TRUE(sent<Campaign>());
}

TEST_F(CandidateOf6s, IsBackAtOnceAfterAnEvictionWhereThereIsNoOther) {
  lead();
  depose(1s, Cause::evicted);
  step(2s, Tick{});
  ASSERT_TRUE(sent<Observe>());
  give(2010ms, backend::Observed{sent<Observe>()->request, StoreResult::done, {Election{"g", 7, {}}}, ""});
  EXPECT_TRUE(sent<Campaign>());
}

TEST_F(CandidateOf6s, IsAskedToLeaveAndAnswersOnceItHas) {
  lead();
  give(30ms, backend::ReadDone{sent<List>()->request, StoreResult::done, {}, ""});
  ask_to_leave(100ms, "g", WallTime(1001h));
  EXPECT_TRUE(status().asked_to_leave);
  EXPECT_TRUE(sent<Remove>()) << "the next leader is not meant";
  EXPECT_TRUE(status().leads()) << "what runs is ended first";
  EXPECT_FALSE(candidacy.may_act(at(100ms)));
  step(200ms, Leave{});
  step(200ms, Enter{});
  depose(210ms, Cause::resigned);
  ASSERT_TRUE(sent<Create>());
  EXPECT_EQ(sent<Create>()->records.size(), 1u);
  step(1s, Tick{});
  EXPECT_EQ(status().state, State::outside) << "for three timeouts, or until nobody else is found";
}

TEST_F(CandidateOf6s, LeavesInOrderWhenTheStoreFindsItUnfitAndIsBackOnceItIsFit) {
  lead();
  give(100ms, backend::Unfit{"g", "check 'db' is critical"});
  EXPECT_EQ(status().unfit, "check 'db' is critical");
  EXPECT_TRUE(status().asked_to_leave);
  EXPECT_TRUE(status().leads()) << "what runs is ended first";
  EXPECT_FALSE(sent<Resign>());
  step(200ms, Leave{});
  EXPECT_TRUE(sent<Resign>());
  step(200ms, Enter{});
  depose(210ms, Cause::resigned);
  EXPECT_EQ(status().cause, Cause::unfit);
  step(1500ms, Tick{});
  EXPECT_FALSE(sent<Campaign>());
  EXPECT_GT(candidacy.wake().value(), SteadyTime(1500ms)) << "it waits for the store's word, not for time";
  give(1600ms, backend::Unfit{"g", ""});
  EXPECT_TRUE(sent<Campaign>());
  EXPECT_EQ(status().unfit, "");
}

TEST_F(CandidateOf6s, ThatFollowsWithdrawsWhileItIsUnfitToLeadAnything) {
  step(0ms, Enter{});
  open(10ms);
  give(20ms, backend::Unfit{"other", "another group"});
  EXPECT_EQ(status().state, State::following);
  give(30ms, backend::Unfit{"", "maintenance"});
  EXPECT_TRUE(sent<Resign>());
  EXPECT_EQ(status().state, State::outside);
  elect(40ms, 7);
  EXPECT_FALSE(status().leads()) << "the resignation is under way";
  give(50ms, backend::Unfit{"g", "a check"});
  give(60ms, backend::Unfit{"", ""});
  EXPECT_FALSE(sent<Campaign>()) << "one of two reasons is left";
  EXPECT_EQ(status().unfit, "a check");
  give(70ms, backend::Unfit{"g", ""});
  EXPECT_TRUE(sent<Campaign>());
}

TEST_F(CandidateOf6s, IsTakenForFitInItsNextSession) {
  step(0ms, Enter{});
  open(10ms);
  give(20ms, backend::Unfit{"", "maintenance"});
  give(30ms, backend::SessionClosed{Cause::expired, ""});
  EXPECT_EQ(status().unfit, "");
  step(1s, Tick{});
  open(1010ms);
  EXPECT_TRUE(sent<Campaign>());
}

TEST_F(CandidateOf6s, DoesNotHearRequestsOfOtherGroupsNorLateOnes) {
  lead();
  give(30ms, backend::ReadDone{sent<List>()->request, StoreResult::done, {}, ""});
  ask_to_leave(100ms, "other", WallTime(1001h));
  EXPECT_FALSE(status().asked_to_leave);
  ask_to_leave(200ms, "g", WallTime(1000h));
  EXPECT_FALSE(status().asked_to_leave);
}

TEST_F(CandidateOf6s, CountsSessionsThatCannotBeOpenedAndTriesAgain) {
  step(0ms, Enter{});
  give(10ms, backend::SessionClosed{Cause::unreachable, "no route"});
  EXPECT_EQ(status().failures, 1);
  EXPECT_EQ(status().trouble, "no route");
  ASSERT_TRUE(candidacy.wake());
  step(SteadyTime(*candidacy.wake()).time_since_epoch(), Tick{});
  EXPECT_TRUE(sent<OpenSession>());
}

TEST_F(CandidateOf6s, GivesUpWhereAnotherCandidateHasItsName) {
  step(0ms, Enter{});
  give(10ms, backend::SessionClosed{Cause::superseded, "n1 is in use"});
  EXPECT_TRUE(status().refused);
  EXPECT_EQ(status().state, State::closed);
  EXPECT_FALSE(candidacy.wake());
}

TEST_F(CandidateOf6s, GivesUpWhereItsFirstSessionIsNotPermitted) {
  step(0ms, Enter{});
  give(10ms, backend::SessionClosed{Cause::auth_failed, "cannot make the folder /nowhere"});
  EXPECT_TRUE(status().refused);
  EXPECT_EQ(status().cause, Cause::auth_failed);
  EXPECT_FALSE(candidacy.wake());
}

TEST_F(CandidateOf6s, TriesAgainWhereALaterSessionIsNotPermitted) {
  lead();
  give(100ms, backend::SessionClosed{Cause::unreachable, ""});
  ASSERT_TRUE(candidacy.wake());
  step(SteadyTime(*candidacy.wake()).time_since_epoch(), Tick{});
  give(1s, backend::SessionClosed{Cause::auth_failed, "the password was changed"});
  EXPECT_FALSE(status().refused);
  EXPECT_TRUE(candidacy.wake());
}

TEST_F(CandidateOf6s, IsClosedOnceTheStoreSaysSo) {
  lead();
  step(1s, Close{});
  EXPECT_TRUE(sent<Resign>()) << "its term has ended in a clean way";
  ASSERT_TRUE(sent<CloseSession>());
  EXPECT_FALSE(sent<CloseSession>()->keep);
  EXPECT_NE(status().state, State::closed);
  give(1010ms, backend::SessionClosed{Cause::shutdown, ""});
  EXPECT_EQ(status().state, State::closed);
  EXPECT_EQ(status().epoch, 0u);
  EXPECT_FALSE(status().unconfirmed);
}

TEST_F(CandidateOf6s, SaysThatItsTermMayLastWhereTheStoreDoesNotConfirmItsEnd) {
  lead();
  step(1s, Close{});
  give(2s, backend::SessionClosed{Cause::unreachable, ""});
  EXPECT_EQ(status().state, State::closed);
  EXPECT_TRUE(status().unconfirmed);
}

TEST_F(CandidateOf6s, HasNothingToConfirmWhereItOnlyFollowed) {
  step(0ms, Enter{});
  open(10ms);
  step(1s, Close{});
  give(2s, backend::SessionClosed{Cause::unreachable, ""});
  EXPECT_FALSE(status().unconfirmed);
}

}  // namespace
}  // namespace ballot::core
