#include "core/request/request_desk.hpp"

#include "unit/core/desk_case.hpp"

namespace ballot::core {
namespace {

using namespace std::chrono_literals;

// What is asked here: from acceptance to the answer.
struct RequestDeskAsked : DeskCase {};

TEST_F(RequestDeskAsked, SendsARequestAtOnceWhereThereIsASession) {
  const Request a = make(Kind::trigger);
  const Errands errands = accept(a, 5s);
  ASSERT_EQ(texts(errands), Texts{"create q/A"});
  const auto& recording = std::get<RecordOp>(errands[0]);
  EXPECT_EQ(recording.request, a.id);
  const auto sent = parse_request(recording.records.at(0).value);
  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->job, "a");
  EXPECT_EQ(sent->until, wall(35s)) << "whoever asked waits no longer";
  EXPECT_EQ(desk.wake(true), steady(35s));
}

TEST_F(RequestDeskAsked, SendsARequestOnceThereIsASessionAndWithEachUntilTheStoreHasIt) {
  const Request a = make(Kind::pause);
  EXPECT_TRUE(accept(a, 0s, false).empty());
  EXPECT_EQ(texts(desk.on_opened()), Texts{"create q/A"});
  desk.on_lost();
  EXPECT_EQ(texts(desk.on_opened()), Texts{"create q/A"}) << "it may not have arrived";
  desk.on_stored(a.id);
  desk.on_lost();
  EXPECT_TRUE(desk.on_opened().empty());
}

/// It may have been refused meanwhile; its leader removed it then, and sent once more it would be done after all.
TEST_F(RequestDeskAsked, SendsATriggerAgainOnlyOnceItIsReadThatNothingHasComeOfIt) {
  const Request a = make(Kind::trigger);
  accept(a);
  desk.on_lost();
  EXPECT_EQ(texts(desk.on_opened()), Texts{"read the fate of A in a"});
  desk.on_fate_unknown(at(1s), a.id);
  desk.on_lost();
  EXPECT_EQ(texts(desk.on_opened()), Texts{"read the fate of A in a"});
  EXPECT_EQ(texts(desk.on_fate(at(2s), a.id, {job_with("a", {})})), Texts{"create q/A"});
}

TEST_F(RequestDeskAsked, ReadsTheFateOfATriggerOfWhichTheStoreDoesNotSayWhetherItArrived) {
  const Request a = make(Kind::trigger);
  accept(a);
  EXPECT_TRUE(desk.on_unknown(a.id));
  EXPECT_EQ(texts(desk.go_on()), Texts{"read the fate of A in a"});
  EXPECT_TRUE(desk.on_fate_unknown(at(1s), a.id)) << "it is read once more";
  EXPECT_EQ(texts(desk.go_on()), Texts{"read the fate of A in a"});
  EXPECT_EQ(texts(desk.on_fate(at(2s), a.id, {job_with("a", {})})), Texts{"create q/A"});
}

TEST_F(RequestDeskAsked, SendsAPauseAgainOfWhichTheStoreDoesNotSayWhetherItArrived) {
  const Request a = make(Kind::pause);
  accept(a);
  EXPECT_TRUE(desk.on_unknown(a.id));
  EXPECT_EQ(texts(desk.go_on()), Texts{"create q/A"});
  EXPECT_TRUE(desk.go_on().empty());
  desk.expire(at(patience), true);
  EXPECT_FALSE(desk.on_unknown(a.id)) << "nobody waits for it: it is not sent again behind the asker's back";
}

TEST_F(RequestDeskAsked, SendsATriggerThatWasRefusedMeanwhileNoSecondTime) {
  const Request a = make(Kind::trigger);
  accept(a);
  desk.on_lost();
  desk.on_opened();
  const auto refusal = answer_of(a, Answer::refused(Errc::conflict, "overlap"), 1min);
  for (const Texts& done : {Texts{"read the fate of A in a"}, Texts{"reply 7: conflict: overlap"}})
    EXPECT_EQ(texts(desk.on_fate(at(2s), a.id, {refusal, job_with("a", {})})), done);
}

/// A full store has refused the second record, and may be slow with the first one.
TEST_F(RequestDeskAsked, SaysThatARequestMayYetBeDoneWhoseSecondRecordAloneIsRefused) {
  const Request a = make(Kind::trigger), b = make(Kind::pause);
  accept(a), accept(b);
  for (const Request& one : {a, b}) EXPECT_TRUE(desk.on_unknown(one.id));
  EXPECT_EQ(texts(desk.go_on()), (Texts{"read the fate of A in a", "create q/B"}));
  EXPECT_EQ(texts(desk.on_fate(at(2s), a.id, {job_with("a", {})})), Texts{"create q/A"});
  const std::string unsure =
      "no space. It was asked of the store before, which has not said whether that has arrived: it may yet be ";
  const Errands refused = desk.on_not_stored(a.id, "no space");
  EXPECT_EQ(texts(refused), (Texts{"reply 7: unavailable: " + unsure + "begun; see `ballot history`", "remove q/A"}));
  EXPECT_EQ(conclusions(refused), Texts{"A expired: " + unsure + "begun; see `ballot history`, and A"});
  EXPECT_EQ(texts(desk.on_not_stored(b.id, "no space")),
            (Texts{"reply 7: unavailable: " + unsure + "done", "remove q/B"}));
}

/// Of what was listed first nothing is in the store.
TEST_F(RequestDeskAsked, SaysThatAKillIsNotDoneWhoseFirstRecordIsRefused) {
  const Request a = make(Kind::kill);
  accept(a);
  EXPECT_TRUE(desk.on_unknown(a.id));
  EXPECT_EQ(texts(desk.go_on()), Texts{"list runs for A"});
  EXPECT_EQ(texts(desk.on_runs_listed(a.id, {job_with("a", {new_id()})}, true)), Texts{"create q/A"});
  EXPECT_EQ(texts(desk.on_not_stored(a.id, "no space")), Texts{"reply 7: unavailable: no space"});
}

/// It had arrived: its leader answers, or removes it.
TEST_F(RequestDeskAsked, WaitsForTheAnswerToATriggerThatHadArrived) {
  const Request a = make(Kind::trigger);
  accept(a);
  desk.on_lost();
  desk.on_opened();
  EXPECT_TRUE(desk.on_fate(at(2s), a.id, {record_of(a), job_with("a", {})}).empty());
  desk.on_lost();
  EXPECT_TRUE(desk.on_opened().empty());
}

TEST_F(RequestDeskAsked, RefusesARequestThatIsUnderWayAndAnswersTheFirstOne) {
  const Request a = stored(make(Kind::pause));
  EXPECT_EQ(texts(desk.accept(at(1s), {8, a, "", 1s}, true)),
            Texts{"reply 8: conflict: the request is under way already"});
  EXPECT_EQ(desk.wake(true), steady(patience)) << "the first one's patience";
  desk.answer(at(2s), a.id, Answer::done());
  EXPECT_EQ(texts(desk.on_withdrawn(a.id)), Texts{"reply 7: done"});
}

TEST_F(RequestDeskAsked, SaysWhyARequestWasNotStoredAndForgetsIt) {
  const Request a = make(Kind::pause);
  accept(a);
  EXPECT_EQ(texts(desk.on_not_stored(a.id, "no space")), Texts{"reply 7: unavailable: no space"});
  EXPECT_TRUE(desk.on_not_stored(a.id, "no space").empty());
  EXPECT_FALSE(desk.wake(true));
  EXPECT_EQ(texts(accept(a)), Texts{"create q/A"}) << "it may be asked again";
}

TEST_F(RequestDeskAsked, FindsTheRunOfAKillByItsLastDigitsBeforeItIsSent) {
  const Request a = make_kill();
  const RunId b = new_id(), c = new_id();
  suffix = b.text().substr(30);
  EXPECT_EQ(texts(accept(a)), Texts{"list runs for A"});
  Register unreadable = job_with("x", {b});
  unreadable.value = "?";
  const std::vector<Register> jobs{job_with("w", {c}), unreadable, job_with("y", {b}), {"g/g", "?", 1}};
  const Errands errands = desk.on_runs_listed(a.id, jobs, true);
  ASSERT_EQ(texts(errands), Texts{"create q/A"});
  const auto sent = parse_request(std::get<RecordOp>(errands[0]).records.at(0).value);
  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->job, "y");
  EXPECT_EQ(sent->run, b);
}

TEST_F(RequestDeskAsked, RefusesAKillThatNamesNoRunOrSeveral) {
  const Request a = make_kill();
  suffix = "";
  accept(a);
  EXPECT_EQ(texts(desk.on_runs_listed(a.id, {job_with("x", {new_id()}), job_with("y", {new_id()})}, true)),
            Texts{"reply 7: invalid: 2 open runs end with : give more of its digits"});
  suffix = "zz";
  accept(a);
  EXPECT_EQ(texts(desk.on_runs_listed(a.id, {job_with("x", {new_id()})}, true)),
            Texts{"reply 7: not_found: no open run ends with zz; see `ballot history`"});
  EXPECT_TRUE(desk.on_runs_listed(a.id, {}, true).empty()) << "nobody waits for it";
}

TEST_F(RequestDeskAsked, FindsTheOneOpenRunOfTheJobThatAKillNames) {
  const Request a = make(Kind::kill);
  const RunId run = new_id();
  EXPECT_EQ(texts(accept(a)), Texts{"list runs for A"});
  const Errands errands = desk.on_runs_listed(a.id, {job_with("x", {new_id()}), job_with("a", {run})}, true);
  ASSERT_EQ(texts(errands), Texts{"create q/A"});
  const auto sent = parse_request(std::get<RecordOp>(errands[0]).records.at(0).value);
  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->job, "a");
  EXPECT_EQ(sent->run, run);
}

TEST_F(RequestDeskAsked, RefusesAKillAtOnceWhoseRunIsOneOfANodeThatIsGone) {
  const Request a = make(Kind::kill), b = make(Kind::forget), c = make(Kind::kill);
  const RunId run = new_id();
  gone = {"n2"}, accept(a), accept(b), accept(c);
  const std::string refused =
      "reply 7: unavailable: node n2, which executes the run, does not renew its session with the store: it is down, "
      "stopped or cut off, and no other node can kill it. The run ";
  const auto finishes = job_with("a", {run}, {}, OnLeadershipLost::finish), ends = job_with("a", {run});
  EXPECT_EQ(texts(desk.on_runs_listed(a.id, {finishes}, true)),
            Texts{refused +
                  "counts as running until the node is back, or the job's `lost_after` is over; where it is certain "
                  "that nothing of it is left, `ballot forget D` closes it, so that the job goes on"});
  EXPECT_EQ(texts(desk.on_runs_listed(c.id, {ends}, true)),
            Texts{refused + "ends with its node's term, by the end of its lease at the latest, and the group's next "
                            "leader closes it"});
  EXPECT_EQ(texts(desk.on_runs_listed(b.id, {ends}, true)), Texts{"create q/B"});
}

TEST_F(RequestDeskAsked, NamesTheNodeThatHasNotAnsweredAKillInTime) {
  const Request a = make(Kind::kill);
  gone = {"n3"};
  accept(a);
  desk.on_runs_listed(a.id, {job_with("a", {new_id()}, {}, OnLeadershipLost::finish)}, true);
  desk.on_stored(a.id);
  const Texts said = texts(desk.expire(at(patience), true));
  ASSERT_EQ(said.size(), 2u);
  EXPECT_EQ(said[0].substr(0, said[0].find(". ")),
            "reply 7: timeout: not done in time: node n2, which executes the run, has not answered");
  EXPECT_NE(said[0].find("`ballot forget B` closes it"), std::string::npos) << said[0];
  EXPECT_NE(said[0].find("Where no node leads its group (`ballot nodes`), ask again once one does"), std::string::npos)
      << "a run that a lost term may have begun is the next leader's to kill: " << said[0];
}

TEST_F(RequestDeskAsked, RecordsTheRunThatAKillHasNamedWhereItIsNotOpen) {
  const Request a = make_kill();
  const RunId run = new_id();
  suffix = run.text();
  accept(a);
  const Errands errands = desk.on_runs_listed(a.id, {}, true);
  const auto end = std::find_if(errands.begin(), errands.end(), [](const RequestDesk::Errand& one) {
    return std::holds_alternative<RequestDesk::Conclude>(one);
  });
  ASSERT_NE(end, errands.end());
  EXPECT_EQ(std::get<RequestDesk::Conclude>(*end).unrecorded->run, run);
}

TEST_F(RequestDeskAsked, RefusesAKillOfAJobWithNoOpenRunOrSeveral) {
  const Request a = make(Kind::kill), b = make(Kind::kill);
  const RunId one = new_id(), other = new_id();
  accept(a), accept(b);
  EXPECT_EQ(texts(desk.on_runs_listed(a.id, {job_with("x", {new_id()}), job_with("a", {})}, true)),
            Texts{"reply 7: not_found: job a has no open run; see `ballot history`"});
  EXPECT_EQ(texts(desk.on_runs_listed(b.id, {job_with("a", {one, other})}, true)),
            Texts{"reply 7: invalid: 2 runs of job a are open; name one: C D"});
}

TEST_F(RequestDeskAsked, ListsRunsOnceMoreWhereTheyCouldNotBeListed) {
  const Request a = make_kill(), b = make_kill();
  accept(a), accept(b);
  EXPECT_TRUE(desk.on_unknown(a.id));
  EXPECT_FALSE(desk.on_unknown(new_id())) << "nobody waits for that";
  EXPECT_EQ(texts(desk.go_on()), Texts{"list runs for A"});
  EXPECT_TRUE(desk.go_on().empty());
  desk.on_lost();
  EXPECT_EQ(texts(desk.on_opened()), (Texts{"list runs for A", "list runs for B"}));
}

TEST_F(RequestDeskAsked, SendsAKillWhoseRunWasFoundWithoutASessionOnceThereIsOne) {
  const Request a = make_kill();
  const RunId run = new_id();
  accept(a);
  EXPECT_TRUE(desk.on_runs_listed(a.id, {job_with("x", {run})}, false).empty());
  EXPECT_EQ(texts(desk.on_opened()), Texts{"create q/A"}) << "it is not listed again";
}

TEST_F(RequestDeskAsked, TellsAnAnswerGivenHereOnceTheRequestIsOutOfTheStore) {
  const Request a = stored(make(Kind::trigger));
  EXPECT_EQ(texts(desk.answer(at(1s), a.id, Answer::done(a.id))), Texts{"remove q/A, then answer A"});
  EXPECT_EQ(texts(desk.on_withdrawn(a.id)), Texts{"reply 7: done A"});
  EXPECT_TRUE(desk.on_withdrawn(a.id).empty());
  EXPECT_FALSE(desk.wake(true));
}

TEST_F(RequestDeskAsked, TellsAnAnswerGivenHereAtTheLatestWhenItsTimeIsOver) {
  const Request a = stored(make(Kind::trigger));
  desk.answer(at(1s), a.id, Answer::done(a.id));
  EXPECT_TRUE(desk.expire(at(patience - 1ms), true).empty());
  EXPECT_EQ(texts(desk.expire(at(patience), false)), Texts{"reply 7: done A"}) << "it is done, whatever becomes of it";
  EXPECT_TRUE(desk.on_withdrawn(a.id).empty());
}

TEST_F(RequestDeskAsked, TellsTheEndOfARunToWhomWaitsForIt) {
  const Request a = stored(make(Kind::trigger, true)), b = stored(make(Kind::trigger, true));
  EXPECT_EQ(texts(desk.on_records(at(1s), {answer_of(a, Answer::done(a.id), 9s), record_of(b)}, true)),
            (Texts{"reply 7: done A", "remove q/A.answer q/A"}));
  EXPECT_EQ(desk.wake(true), steady(patience)) << "that of the other";
  EXPECT_EQ(texts(desk.expire(at(patience + 1300ms), true)), Texts{"read the fate of B in a"});
  EXPECT_EQ(texts(desk.on_run_ended(row_of(a))), Texts{"reply 7 the end of A"});
  EXPECT_EQ(texts(desk.on_run_ended(row_of(a))), Texts{"create q/A.end"}) << "nobody here waits for it any more";
}

TEST_F(RequestDeskAsked, TellsAnAnswerBeforeTheEndOfItsRun) {
  const Request a = stored(make(Kind::trigger, true));
  desk.answer(at(1s), a.id, Answer::done(a.id));
  EXPECT_EQ(texts(desk.on_run_ended(row_of(a))), (Texts{"reply 7: done A", "reply 7 the end of A"}));
  EXPECT_TRUE(desk.on_withdrawn(a.id).empty());
}

TEST_F(RequestDeskAsked, WhoWaitsForARunWhoseLeaderDiedUnansweredHearsThatItWasBegunBeforeItsEnd) {
  const Request a = stored(make(Kind::trigger, true));
  EXPECT_EQ(texts(desk.on_run_ended(row_of(a))), (Texts{"reply 7: done A", "reply 7 the end of A"}));
}

TEST_F(RequestDeskAsked, WaitsForNoRunThatWasRefused) {
  const Request a = stored(make(Kind::trigger, true));
  const Answer refused = Answer::refused(Errc::refused, "it is paused");
  desk.on_records(at(1s), {answer_of(a, refused, 9s)}, false);
  EXPECT_EQ(texts(accept(a)), Texts{"create q/A"}) << "it is gone, and may be asked again";
}

TEST_F(RequestDeskAsked, TellsWhoHasNotAnsweredInTimeAndWithdrawsTheRequest) {
  stored(make(Kind::pause));
  Request b = make(Kind::kill);
  b.run = new_id();
  stored(b);
  EXPECT_EQ(texts(desk.expire(at(patience), true)),
            (Texts{"reply 7: timeout: not done in time: the group's leader has not answered", "remove q/A",
                   "reply 7: timeout: not done in time: neither the run's node nor the leader of its group has "
                   "answered. Where no node leads its group (`ballot nodes`), ask again once one does",
                   "remove q/B"}));
  EXPECT_FALSE(desk.wake(true));
}

TEST_F(RequestDeskAsked, NeedNotAskForTheFateOfATriggerThatWasNeverSent) {
  accept(make(Kind::trigger), 0s, false);
  EXPECT_EQ(texts(desk.expire(at(patience), false)),
            (Texts{"reply 7: timeout: not done in time: this node has no session with the store; see `ballot status`",
                   "remove q/A"}));
}

TEST_F(RequestDeskAsked, TellsAllThatNobodyHasAnsweredWhenTheDaemonStops) {
  const Request a = stored(make(Kind::trigger)), b = stored(make(Kind::pause)), c = stored(make(Kind::trigger, true));
  desk.answer(at(1s), b.id, Answer::done());
  desk.on_records(at(1s), {answer_of(c, Answer::done(c.id), 9s)}, false);
  EXPECT_EQ(texts(desk.give_up("the daemon is stopping")),
            (Texts{"remove q/A", "reply 7: unavailable: the daemon is stopping", "reply 7: done", "remove q/B"}));
  EXPECT_TRUE(desk.give_up("again").empty());
  EXPECT_EQ(texts(desk.on_run_ended(row_of(c))), Texts{"reply 7 the end of C"}) << "it may end before the daemon does";
  EXPECT_TRUE(desk.on_withdrawn(a.id).empty());
}

// What is recorded of requests, by whoever answers them.
struct RequestDeskConclusions : DeskCase {};

TEST_F(RequestDeskConclusions, AreRecordedOnceTheAnswerIsTold) {
  const Request a = stored(make(Kind::trigger));
  desk.take(a, "g");
  EXPECT_EQ(conclusions(desk.answer(at(1s), a.id, Answer::refused(Errc::conflict, "it is running"))), Texts{})
      << "the next leader may do it";
  EXPECT_EQ(conclusions(desk.on_withdrawn(a.id)), Texts{"A refused: it is running"});
  EXPECT_EQ(conclusions(desk.on_withdrawn(a.id)), Texts{});
}

TEST_F(RequestDeskConclusions, AreRecordedByTheNodeThatDoesThem) {
  const Request a = make(Kind::pause), b = make(Kind::pause);
  desk.take(a, "g"), desk.take(b, "g");
  EXPECT_EQ(conclusions(desk.answer(at(1s), a.id, Answer::did("paused"))), Texts{"A done: paused"});
  EXPECT_EQ(conclusions(desk.answer(at(1s), b.id, std::nullopt)), Texts{"B expired"}) << "it was withdrawn";
  const Request c = stored(make(Kind::pause));
  EXPECT_EQ(conclusions(desk.on_records(at(2s), {answer_of(c, Answer::done(), 9s)}, false)), Texts{})
      << "by the other node";
}

TEST_F(RequestDeskConclusions, AreRecordedWithTheRequestWhereNoNodeHasTakenItUp) {
  const Request a = make_kill();
  suffix = "zz";
  accept(a);
  EXPECT_EQ(conclusions(desk.on_runs_listed(a.id, {}, true)),
            Texts{"A refused: no open run ends with zz; see `ballot history`, and A"});
  Request b = make(Kind::pause);
  b.of_all = true;
  accept(b);
  EXPECT_EQ(conclusions(desk.on_stored(b.id)), Texts{"B done, and B"});
  stored(make(Kind::pause));
  EXPECT_EQ(conclusions(desk.expire(at(patience), true)),
            Texts{"C expired: not done in time: the group's leader has not answered, and C"});
  const Request d = stored(make(Kind::pause));
  desk.take(d, "g");
  EXPECT_EQ(conclusions(desk.give_up("the daemon is stopping")), Texts{"D expired: the daemon is stopping"});
}

// A trigger past its time, of which it must be certain that nothing comes of it.
struct RequestDeskFate : DeskCase {
  const Request a = stored(make(Kind::trigger));
  static constexpr Millis asked_at = patience + 1300ms, unknown_at = asked_at + 3s;

  void ask() { ASSERT_EQ(texts(desk.expire(at(asked_at), true)), Texts{"read the fate of A in a"}); }
};

TEST_F(RequestDeskFate, IsReadOnceWhenNobodyBeginsItAnyMore) {
  EXPECT_EQ(desk.wake(true), steady(patience));
  EXPECT_TRUE(desk.expire(at(patience), true).empty());
  EXPECT_EQ(desk.wake(true), steady(asked_at));
  EXPECT_TRUE(desk.expire(at(asked_at - 1ms), true).empty());
  ask();
  EXPECT_TRUE(desk.expire(at(asked_at + 1ms), true).empty());
  EXPECT_EQ(desk.wake(true), steady(unknown_at));
}

TEST_F(RequestDeskFate, IsThatOfARunThatTheStoreShows) {
  ask();
  EXPECT_EQ(texts(desk.on_fate(at(asked_at), a.id, {job_with("a", {a.id})})),
            (Texts{"remove q/A q/A.answer", "reply 7: done A"}));
  EXPECT_TRUE(desk.on_fate(at(asked_at), a.id, {}).empty());
}

TEST_F(RequestDeskFate, IsThatOfARunThatHasEndedAlready) {
  ask();
  EXPECT_EQ(texts(desk.on_fate(at(asked_at), a.id, {job_with("a", {}, {a.id})})),
            (Texts{"remove q/A q/A.answer", "reply 7: done A"}));
}

TEST_F(RequestDeskFate, IsTheAnswerThatNobodyHasReadWhateverElseTheStoreShows) {
  ask();
  const Register answer = answer_of(a, Answer::refused(Errc::refused, "it is paused"), 99s);
  const Register job = job_with("a", {a.id});
  for (const auto& registers : {std::vector{answer, job}, std::vector{job, answer}}) {
    RequestDesk again = desk;
    EXPECT_EQ(texts(again.on_fate(at(asked_at), a.id, registers)),
              (Texts{"remove q/A q/A.answer", "reply 7: refused: it is paused"}));
  }
}

TEST_F(RequestDeskFate, IsThatNothingComesOfItWhereTheStoreShowsNothing) {
  ask();
  EXPECT_EQ(
      texts(desk.on_fate(at(asked_at), a.id, {job_with("a", {new_id()}, {new_id()})})),
      (Texts{"remove q/A q/A.answer", "reply 7: timeout: not done in time: the group's leader has not answered"}));
}

TEST_F(RequestDeskFate, IsReadAgainAfterAPauseWhereTheStoreDidNotSay) {
  ask();
  desk.on_fate_unknown(at(asked_at + 1s), a.id);
  EXPECT_TRUE(desk.expire(at(asked_at + 1199ms), true).empty());
  EXPECT_EQ(desk.wake(true), steady(asked_at + 1200ms));
  EXPECT_EQ(texts(desk.expire(at(asked_at + 1200ms), true)), Texts{"read the fate of A in a"});
}

TEST_F(RequestDeskFate, IsReadInTheNextSessionWhereThisOneIsLost) {
  ask();
  desk.on_lost();
  EXPECT_EQ(desk.wake(false), steady(unknown_at));
  EXPECT_TRUE(desk.expire(at(asked_at + 1s), false).empty());
  EXPECT_EQ(texts(desk.expire(at(asked_at + 2s), true)), Texts{"read the fate of A in a"});
}

TEST_F(RequestDeskFate, IsToldToBeUnknownWhereTheStoreDoesNotSayInTime) {
  ask();
  EXPECT_TRUE(desk.expire(at(unknown_at - 1ms), true).empty());
  EXPECT_EQ(
      texts(desk.expire(at(unknown_at), true)),
      (Texts{"reply 7: unavailable: the store does not say whether it was begun; see `ballot history`", "remove q/A"}));
  EXPECT_TRUE(desk.on_fate(at(asked_at), a.id, {job_with("a", {a.id})}).empty()) << "it is said too late";
  desk.on_fate_unknown(at(unknown_at), a.id);
  EXPECT_FALSE(desk.wake(true));
}

TEST_F(RequestDeskFate, NeedNotBeReadWhereItsAnswerIsReadMeanwhile) {
  ask();
  EXPECT_EQ(texts(desk.on_records(at(asked_at), {answer_of(a, Answer::done(a.id), 99s)}, false)),
            (Texts{"reply 7: done A", "remove q/A.answer q/A"}));
  EXPECT_TRUE(desk.on_fate(at(asked_at), a.id, {}).empty());
}

}  // namespace
}  // namespace ballot::core
