// A trigger that is asked for again, as the desk of the node sees it that is asked.
#include "core/request/request_desk.hpp"
#include "unit/core/desk_case.hpp"

namespace ballot::core {
namespace {

using namespace std::chrono_literals;

// The same trigger, asked for again while the first is under way: here, or of another node.
struct RequestDeskRepeated : DeskCase {
  Request of_another(Request request) {
    request.by = "n2 uid 0";
    request.until += 1s;
    return request;
  }
  /// Its fate is read once more, and the job's register has its run.
  void expect_done_by_its_register(const Request& a) {
    EXPECT_EQ(texts(desk.on_fate(at(2s), a.id, {job_with("a", {a.id})})),
              Texts{"reply 7: done A, which repeats another"});
  }
};

TEST_F(RequestDeskRepeated, IsAnsweredAsTheFirstOneAndSaysThatItRepeatsIt) {
  const Request a = stored(make(Kind::trigger));
  EXPECT_EQ(texts(desk.accept(at(1s), {8, a, "", 60s}, true)), Texts());
  desk.answer(at(2s), a.id, Answer::done(a.id));
  EXPECT_EQ(texts(desk.on_withdrawn(a.id)), (Texts{"reply 7: done A", "reply 8: done A, which repeats another"}));
}

TEST_F(RequestDeskRepeated, WithOtherContentIsAConflictAndTheFirstOneGoesOn) {
  const Request a = stored(make(Kind::trigger));
  Request other = a;
  other.job = "b";
  EXPECT_EQ(texts(desk.accept(at(1s), {8, other, "", 1s}, true)),
            Texts{"reply 8: conflict: run A of job a is under way already"});
  desk.answer(at(2s), a.id, Answer::done(a.id));
  EXPECT_EQ(texts(desk.on_withdrawn(a.id)), Texts{"reply 7: done A"});
}

TEST_F(RequestDeskRepeated, OfWhichTheEndIsAwaitedIsToldItToo) {
  const Request a = stored(make(Kind::trigger, true));
  desk.accept(at(1s), {8, a, "", 60s}, true);
  desk.answer(at(2s), a.id, Answer::done(a.id));
  desk.on_withdrawn(a.id);
  EXPECT_EQ(texts(desk.accept(at(3s), {9, a, "", 60s}, true)), Texts{"reply 9: done A, which repeats another"});
  EXPECT_EQ(texts(desk.on_run_ended(row_of(a))),
            (Texts{"reply 7 the end of A", "reply 8 the end of A", "reply 9 the end of A"}));
}

TEST_F(RequestDeskRepeated, AtAnotherNodeFollowsTheFirstAndLeavesItsRecordsThere) {
  const Request a = make(Kind::trigger), first = of_another(a);
  accept(a);
  EXPECT_EQ(texts(desk.on_stored(a.id, true)), Texts{"read the fate of A in a"});
  EXPECT_EQ(texts(desk.on_fate(at(1s), a.id, {record_of(first), job_with("a", {})})), Texts()) << "it is under way";
  RequestDesk withdrawn = desk, over = desk;
  EXPECT_EQ(texts(desk.on_records(at(2s), {record_of(first), answer_of(a, Answer::done(a.id), 99s)}, true)),
            Texts{"reply 7: done A, which repeats another"});
  EXPECT_EQ(texts(withdrawn.on_records(at(2s), {}, true)), Texts{"read the fate of A in a"});
  EXPECT_EQ(texts(withdrawn.on_fate(at(2s), a.id, {job_with("a", {a.id})})),
            Texts{"reply 7: done A, which repeats another"});
  over.on_records(at(2s), {}, true);
  EXPECT_EQ(
      texts(over.on_fate(at(2s), a.id, {job_with("a", {})})),
      Texts{"reply 7: unavailable: another node was asked for the run before, and nothing came of it: ask again"});
}

TEST_F(RequestDeskRepeated, AtAnotherNodeWithOtherContentIsAConflict) {
  const Request a = make(Kind::trigger);
  Request first = of_another(a);
  first.job = "b";
  accept(a);
  desk.on_stored(a.id, true);
  EXPECT_EQ(texts(desk.on_fate(at(1s), a.id, {record_of(first)})),
            Texts{"reply 7: conflict: run A of job b is under way already"});
}

TEST_F(RequestDeskRepeated, ByTheStoreAloneIsTheFirstStill) {
  const Request a = make(Kind::trigger);
  const Errands sent = accept(a);
  desk.on_stored(a.id, true);
  const Register own{request_record(a.id), std::get<RecordOp>(sent[0]).records.at(0).value, 1};
  EXPECT_EQ(texts(desk.on_fate(at(1s), a.id, {own})), Texts()) << "the record is this node's: it was created twice";
  EXPECT_EQ(texts(desk.answer(at(2s), a.id, Answer::done(a.id))), (Texts{"create q/A.answer", "remove q/A"}));
  EXPECT_EQ(texts(desk.on_records(at(2s), {answer_of(a, Answer::done(a.id), 99s)}, true)),
            (Texts{"reply 7: done A", "remove q/A.answer q/A"}));
}

TEST_F(RequestDeskRepeated, AfterItWasDoneIsAnsweredByTheRegisterOnceTheLeaderHasRemovedIt) {
  Request a = make(Kind::trigger);
  a.by = "n1 uid 0";
  stored(a);
  EXPECT_EQ(texts(desk.on_records(at(1s), {record_of(a)}, true)), Texts());
  EXPECT_EQ(texts(desk.on_records(at(2s), {}, true)), Texts{"read the fate of A in a"});
  RequestDesk waits = desk;
  const std::vector<Register> done{job_with("a", {}, {a.id})};
  EXPECT_EQ(texts(desk.on_fate(at(2s), a.id, done)), Texts{"read the fate of A in a"}) << "the answer may be there now";
  RequestDesk answered = desk;
  EXPECT_EQ(texts(desk.on_fate(at(2s), a.id, done)), (Texts{"reply 7: done A, which repeats another"}));
  Answer given = Answer::done(a.id);
  given.by = a.by;
  EXPECT_EQ(texts(answered.on_fate(at(2s), a.id, {answer_of(a, given, 99s), done[0]})), Texts{"reply 7: done A"})
      << "it has made it";
  EXPECT_EQ(texts(waits.on_fate(at(2s), a.id, {job_with("a", {})})), Texts()) << "its answer may be on the way";
  EXPECT_EQ(texts(waits.on_records(at(3s), {answer_of(a, Answer::done(a.id), 99s)}, true)),
            (Texts{"reply 7: done A", "remove q/A.answer q/A"}));
}

TEST_F(RequestDeskRepeated, ThatWasRemovedBeforeItIsKnownToBeStoredIsNotWaitedFor) {
  const Request a = make(Kind::trigger);
  accept(a);
  EXPECT_EQ(texts(desk.on_records(at(1s), {}, true)), Texts());
  EXPECT_EQ(texts(desk.on_stored(a.id)), Texts{"read the fate of A in a"});
}

TEST_F(RequestDeskRepeated, AfterItWasDoneAndReadBeforeTheLeaderHasRemovedItRepeatsItStill) {
  const Request a = make(Kind::trigger);
  accept(a);
  desk.on_records(at(1s), {}, true);  // listed before it was created
  desk.on_stored(a.id);
  EXPECT_EQ(texts(desk.on_fate(at(1s), a.id, {record_of(a), job_with("a", {a.id})})), Texts())
      << "whoever does it answers, or removes it";
  EXPECT_EQ(texts(desk.on_records(at(2s), {}, true)), Texts{"read the fate of A in a"});
  EXPECT_EQ(texts(desk.on_fate(at(2s), a.id, {job_with("a", {a.id})})), Texts{"read the fate of A in a"});
  expect_done_by_its_register(a);
}

TEST_F(RequestDeskRepeated, ThatGoesWhileItsFateIsReadIsReadAgain) {
  const Request a = make(Kind::trigger), first = of_another(a);
  accept(a);
  desk.on_stored(a.id, true);
  EXPECT_EQ(texts(desk.on_records(at(1s), {}, true)), Texts()) << "it is being read";
  EXPECT_EQ(texts(desk.on_fate(at(1s), a.id, {record_of(first)})), Texts{"read the fate of A in a"});
  expect_done_by_its_register(a);
}

TEST_F(RequestDeskRepeated, AtTheLeaderIsAnsweredInTheStoreForTheFirstOneToo) {
  const Request a = make(Kind::trigger), first = of_another(a);
  accept(a);
  desk.on_stored(a.id, true);
  desk.on_fate(at(1s), a.id, {record_of(first)});
  EXPECT_EQ(texts(desk.answer(at(2s), a.id, Answer::done(a.id))), (Texts{"create q/A.answer", "remove q/A"}));
  EXPECT_EQ(texts(desk.on_records(at(2s), {answer_of(a, Answer::done(a.id), 99s)}, true)),
            Texts{"reply 7: done A, which repeats another"});
}

/// The lists of records and the outcomes of what is created come in any order.
TEST_F(RequestDeskRepeated, AtAnotherNodeIsToldSoWhereTheAnswerComesBeforeItIsKnownWhoseRecordWasFirst) {
  Request a = make(Kind::trigger);
  a.by = "n1 uid 0";
  accept(a);
  Answer given = Answer::done(a.id);
  given.by = "n2 uid 0";
  const std::vector<Register> answered{record_of(of_another(a)), answer_of(a, given, 99s)};
  RequestDesk stored = desk, own = desk;
  EXPECT_EQ(texts(desk.on_records(at(1s), answered, true)), Texts{"reply 7: done A, which repeats another"})
      << "and its records are there for the first one to read";
  EXPECT_EQ(texts(stored.on_stored(a.id, true)), Texts{"read the fate of A in a"});
  EXPECT_EQ(texts(stored.on_records(at(1s), answered, true)), Texts{"reply 7: done A, which repeats another"});
  given.by = a.by;
  EXPECT_EQ(texts(own.on_records(at(1s), {record_of(a), answer_of(a, given, 99s)}, true)),
            (Texts{"reply 7: done A", "remove q/A.answer q/A"}));
}

TEST_F(RequestDeskRepeated, IsAnsweredInTheStoreWithWhoseRequestItWas) {
  Request first = make(Kind::trigger);
  first.by = "n2 uid 0";
  EXPECT_EQ(texts(desk.on_records(at(1s), {record_of(first)}, false)), Texts{"take up A"});
  desk.take(first, "g");
  const Errands errands = desk.answer(at(1s), first.id, Answer::done(first.id));
  const auto answer = parse_answer(std::get<RecordOp>(errands.at(0)).records.at(0).value);
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(answer->by, "n2 uid 0");
}

TEST_F(RequestDeskRepeated, AtAnotherNodePastItsTimeIsNotWithdrawn) {
  const Request a = make(Kind::trigger), first = of_another(a);
  accept(a);
  desk.on_stored(a.id, true);
  desk.on_fate(at(1s), a.id, {record_of(first)});
  const Millis late = patience + 1300ms;
  EXPECT_EQ(texts(desk.expire(at(late), true)), Texts{"read the fate of A in a"});
  EXPECT_EQ(texts(desk.on_fate(at(late), a.id, {record_of(first)})),
            Texts{"reply 7: timeout: not done in time: the group's leader has not answered"});
}

/// What it was refused for may be mended by then, as a halted job is by its repair.
TEST_F(RequestDeskRepeated, AfterARefusalIsDecidedAnewAndOfARecordThatIsListedLateItIsTheSameRefusal) {
  const Request first = of_another(make(Kind::trigger)), again = of_another(first);
  EXPECT_EQ(texts(desk.on_records(at(1s), {record_of(first)}, false)), Texts{"take up A"});
  desk.take(first, "g");
  desk.answer(at(1s), first.id, Answer::refused(Errc::refused, "the job is halted"));
  RequestDesk repeats = desk;
  EXPECT_EQ(texts(repeats.on_records(at(2s), {record_of(first)}, false)), (Texts{"create q/A.answer", "remove q/A"}));
  EXPECT_EQ(texts(desk.on_records(at(2s), {record_of(again)}, false)), Texts{"take up A"});
}

}  // namespace
}  // namespace ballot::core
