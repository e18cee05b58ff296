#include "core/request/request_desk.hpp"
#include "unit/core/desk_case.hpp"

namespace ballot::core {
namespace {

using namespace std::chrono_literals;

// What this node does for whoever asked elsewhere, and what it finds of that in the store.
struct RequestDeskRecords : DeskCase {
  Texts listed(Millis t, const std::vector<Register>& records, bool stopping = false) {
    return texts(desk.on_records(at(t), records, stopping));
  }
};

TEST_F(RequestDeskRecords, AreTakenUpUntilThisNodeDoesThem) {
  const Request a = make(Kind::pause);
  EXPECT_EQ(listed(0s, {record_of(a)}), Texts{"take up A"});
  EXPECT_EQ(listed(1s, {record_of(a)}), Texts{"take up A"}) << "perhaps it has become this node's to do";
  desk.take(a, "g");
  EXPECT_EQ(listed(2s, {record_of(a)}), Texts{});
}

TEST_F(RequestDeskRecords, AreTakenUpAgainWhereTheTermEndedWithWhichTheyWereDone) {
  const Request a = make(Kind::pause), b = make(Kind::pause), c = make(Kind::kill);
  desk.take(a, "g");
  desk.take(b, "h");
  Request kill = c;
  kill.run = new_id();
  desk.take(c, "");
  desk.on_term_ended("g");
  EXPECT_EQ(listed(0s, {record_of(a), record_of(b), record_of(kill)}), Texts{"take up A"});
}

TEST_F(RequestDeskRecords, AreNotTakenUpByADaemonThatStops) {
  EXPECT_EQ(listed(0s, {record_of(make(Kind::pause))}, true), Texts{});
}

TEST_F(RequestDeskRecords, AreNotTakenUpPastTheirTimeAndRemoved) {
  const Request a = make(Kind::pause);
  EXPECT_EQ(listed(patience, {record_of(a)}), Texts{"take up A"});
  EXPECT_EQ(listed(patience + 1ms, {record_of(a)}), Texts{"remove q/A"});
}

TEST_F(RequestDeskRecords, ArePastTheirTimeAndStillTheirAskersToRemove) {
  const Request a = stored(make(Kind::pause));
  EXPECT_EQ(listed(patience + 1ms, {record_of(a)}), Texts{});
}

TEST_F(RequestDeskRecords, AreRemovedWhereTheyAreUnreadableOrAnothers) {
  const Request a = make(Kind::pause), b = make(Kind::pause);
  EXPECT_EQ(listed(0s, {{request_record(a.id), "?", 1}, {request_record(b.id), to_text(a), 1}}),
            (Texts{"remove q/A", "remove q/B"}));
}

TEST_F(RequestDeskRecords, AreLeftAloneWhereTheyAreOfANewerFormatOrOfNoRequest) {
  const Request a = make(Kind::pause);
  EXPECT_EQ(listed(0s, {{request_record(a.id), "ballot 2\nnews\n", 1}, {"q/x", "?", 1}, {"q/", "?", 1}}), Texts{});
}

TEST_F(RequestDeskRecords, AreNotTakenUpWhereTheirAnswerIsThereWhicheverIsListedFirst) {
  const Request a = make(Kind::pause);
  const Register request = record_of(a), answer = answer_of(a, Answer::done(), 60s);
  EXPECT_EQ(listed(0s, {request, answer}), Texts{});
  EXPECT_EQ(listed(0s, {answer, request}), Texts{});
}

TEST_F(RequestDeskRecords, AreAnsweredInTheStoreForWhoeverAskedElsewhere) {
  const Request a = make(Kind::pause);
  desk.take(a, "g");
  const Errands errands = desk.answer(at(5s), a.id, Answer::did("paused"));
  ASSERT_EQ(texts(errands), (Texts{"create q/A.answer", "remove q/A"})) << "in this order";
  const auto answer = parse_answer(std::get<RecordOp>(errands[0]).records.at(0).value);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->text, "paused");
  EXPECT_EQ(answer->until, wall(65s));
}

TEST_F(RequestDeskRecords, AreRemovedWithoutAnAnswerWhereTheyWereWithdrawn) {
  const Request a = make(Kind::pause);
  desk.take(a, "g");
  EXPECT_EQ(texts(desk.answer(at(5s), a.id, std::nullopt)), Texts{"remove q/A"});
  EXPECT_EQ(listed(6s, {record_of(a)}), Texts{"take up A"}) << "nor is it remembered";
}

TEST_F(RequestDeskRecords, ThatWereReadBeforeTheyWereRemovedAreNotDoneTwice) {
  Request a = make(Kind::pause), b = make(Kind::pause);
  a.until = wall(3h);
  desk.take(a, "g");
  desk.answer(at(0s), a.id, Answer::done());
  EXPECT_EQ(listed(1s, {record_of(a)}), Texts{"remove q/A"});
  desk.answer(at(1h), b.id, Answer::done());
  EXPECT_EQ(listed(1h, {record_of(a)}), Texts{"remove q/A"});
  desk.answer(at(1h + 1ms), b.id, Answer::done());
  EXPECT_EQ(listed(1h + 1ms, {record_of(a)}), Texts{"take up A"}) << "it remembers them for an hour";
}

TEST_F(RequestDeskRecords, OfATriggerThatWasDoneAreAnsweredAgainForAnotherNode) {
  Request a = make(Kind::trigger);
  desk = RequestDesk("n1");
  desk.take(a, "g");
  desk.answer(at(0s), a.id, Answer::done(a.id));
  a.by = "n1 uid 0";
  EXPECT_EQ(listed(1s, {record_of(a)}), Texts{"remove q/A"}) << "read before it was removed";
  a.by = "n2 uid 0";
  EXPECT_EQ(listed(2s, {record_of(a)}), (Texts{"create q/A.answer", "remove q/A"}));
}

TEST_F(RequestDeskRecords, OfATriggerThatWasDoneAreAnsweredAtOnceForWhoeverAskedHere) {
  const Request a = make(Kind::trigger);
  desk.take(a, "g");
  desk.answer(at(0s), a.id, Answer::done(a.id));
  stored(a);
  EXPECT_EQ(listed(1s, {record_of(a)}), (Texts{"reply 7: done A, which repeats another", "remove q/A"}));
}

TEST_F(RequestDeskRecords, OfAnswersAreReadOnceByWhoeverAsked) {
  const Request a = stored(make(Kind::pause));
  const Register answer = answer_of(a, Answer::did("paused"), 60s);
  EXPECT_EQ(listed(1s, {answer}), (Texts{"reply 7: done: paused", "remove q/A.answer q/A"}));
  EXPECT_EQ(listed(2s, {answer}), Texts{}) << "then it is left to its time";
}

TEST_F(RequestDeskRecords, OfAnswersAreRemovedByAnybodyPastTheirTime) {
  const Request a = make(Kind::pause);
  const Register answer = answer_of(a, Answer::done(), 60s);
  EXPECT_EQ(listed(50s, {answer}), Texts{}) << "whoever asked is to read it";
  EXPECT_EQ(desk.cleanup(), steady(61s));
  EXPECT_EQ(listed(60s, {answer}), Texts{});
  EXPECT_EQ(listed(60'001ms, {answer}), Texts{"remove q/A.answer q/A"});
}

TEST_F(RequestDeskRecords, OfAnswersThatAreUnreadableAreRemovedAndAnswerNothing) {
  const Request a = stored(make(Kind::pause));
  EXPECT_EQ(listed(1s, {{answer_record(a.id), "?", 1}}), Texts{"remove q/A.answer q/A"});
  EXPECT_EQ(desk.wake(true), steady(patience)) << "it times out";
}

TEST_F(RequestDeskRecords, OfEndsAreToldOnceToWhoeverWaits) {
  const Request a = stored(make(Kind::trigger, true));
  EXPECT_EQ(listed(1s, {end_of(a, 1s)}), Texts{"read the fate of A in a"}) << "its answer comes first";
  EXPECT_EQ(listed(2s, {answer_of(a, Answer::done(a.id), 60s), end_of(a, 1s)}),
            (Texts{"reply 7: done A", "remove q/A.answer q/A", "reply 7 the end of A", "remove q/A.end"}));
  EXPECT_EQ(listed(3s, {end_of(a, 1s)}), Texts{}) << "then it is left to its time";
}

TEST_F(RequestDeskRecords, OfEndsAreRemovedByAnybodyAMinuteLater) {
  const Request a = make(Kind::trigger, true);
  EXPECT_EQ(listed(60'999ms, {end_of(a, 1s)}), Texts{});
  EXPECT_EQ(desk.cleanup(), steady(62s));
  EXPECT_EQ(listed(61s, {end_of(a, 1s)}), Texts{"remove q/A.end"});
  EXPECT_EQ(listed(1s, {{end_record(a.id), "?", 1}}), Texts{"remove q/A.end"}) << "at once where it is unreadable";
}

TEST_F(RequestDeskRecords, OfARunThatEndsHereAreMadeForWhoeverWaitsElsewhere) {
  const Request a = make(Kind::trigger, true);
  const Errands errands = desk.on_run_ended(row_of(a, 5s));
  ASSERT_EQ(texts(errands), Texts{"create q/A.end"});
  const auto row = parse_outcome(std::get<RecordOp>(errands[0]).records.at(0).value);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->run, a.id);
  EXPECT_EQ(row->ended_at, wall(5s));
}

TEST_F(RequestDeskRecords, AreListedAgainASecondAfterTheEarliestOfTheirTimes) {
  EXPECT_FALSE(desk.cleanup());
  EXPECT_FALSE(desk.begin_cleanup(SteadyTime::max()));
  Request a = make(Kind::pause), b = make(Kind::pause);
  a.until = wall(20s), b.until = wall(10s);
  listed(5s, {record_of(a), record_of(b)});
  EXPECT_EQ(desk.cleanup(), steady(11s));
  EXPECT_FALSE(desk.begin_cleanup(steady(10'999ms)));
  EXPECT_TRUE(desk.begin_cleanup(steady(11s)));
  EXPECT_FALSE(desk.cleanup());
  EXPECT_FALSE(desk.begin_cleanup(steady(12s))) << "once";
  desk.clean_up_at(at(20s), wall(10s));
  EXPECT_EQ(desk.cleanup(), steady(21s)) << "never in the past";
}

}  // namespace
}  // namespace ballot::core
