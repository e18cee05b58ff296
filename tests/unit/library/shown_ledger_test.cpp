// The ledger in public form: rows page by page, runs, counts by the hour; and cursors, which are of one list only.
#include <gtest/gtest.h>

#include "base/wall_text.hpp"
#include "library/history/file_ledger.hpp"
#include "library/history/ledger_questions.hpp"
#include "library/shown/cursor.hpp"
#include "library/shown/ledger_answers.hpp"
#include "library/shown/values.hpp"
#include "storage/ledger_file.hpp"
#include "unit/storage/storage_test_support.hpp"

namespace ballot::library {
namespace {

using io::Message;
using storage::noon;
using storage::ran;
using storage::run_id;

struct ShownLedger : ::testing::Test {
  void write(const std::vector<storage::Record>& records) {
    storage::LedgerFile(folder / "history.db", Millis(100)).write(records, storage::Sync::later);
  }
  Result<Message> ask(Message question) {
    auto ledger = FileLedger::open(place);
    return answer_shown(**ledger, question.set("do", "ledger").set("form", "shown"), noon + std::chrono::hours(24));
  }
  static Message history() { return Message().set("ask", "history"); }

  TempFolder folder;
  LedgerPlace place{folder / "history.db", folder / "no-runner.sock", "host-1", std::chrono::hours(1'000'000)};
};

TEST_F(ShownLedger, IsReadOnceTheDaemonHasOpenedItsFile) {
  place.wait_until_opened = [this](const std::function<bool()>&) { write({ran(1)}); };
  const auto answer = ask(history());
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(answer->objects("rows").size(), 1U);
}

TEST(ShownState, OfAJobThatAnotherNodeLeadsIsThatOnesWordAndElseNotKnown) {
  const auto job = [](const std::string& leader, const std::string& state) {
    return Message().set("job", "backup").set("leader", leader).set("state", state);
  };
  const auto shown_by = [&](const Message& one, std::vector<Message> said) {
    std::vector<Message> jobs{one};
    drop_unsure_states(jobs, "host-1");
    set_states(jobs, Message().set("states", std::move(said)));
    return jobs.front().text("state").value_or("not known");
  };
  const auto says = [](const std::string& by, const std::string& state) {
    return Message().set("job", "backup").set("node", by).set("state", state);
  };
  EXPECT_EQ(shown_by(job("host-1", "active"), {}), "active") << "it leads it";
  EXPECT_EQ(shown_by(job("host-2", "active"), {}), "not known");
  EXPECT_EQ(shown_by(job("", ""), {}), "not known");
  EXPECT_EQ(shown_by(job("host-2", "active"), {says("host-2", "active")}), "active");
  EXPECT_EQ(shown_by(job("host-2", "active"), {says("host-3", "active")}), "not known") << "it does not lead it";
  EXPECT_EQ(shown_by(job("host-2", "active"), {says("host-2", "not defined there")}), "not defined there");
  EXPECT_EQ(shown_by(job("host-2", "active"), {says("", "paused")}), "paused") << "by the store";
  EXPECT_EQ(shown_by(job("host-2", "drift"), {says("host-2", "paused")}), "paused")
      << "the order is that of the states";
  EXPECT_EQ(shown_by(job("host-2", "drift"), {says("host-2", "active")}), "drift");
  EXPECT_EQ(shown_by(job("host-2", "disabled"), {says("host-2", "paused")}), "disabled");
  EXPECT_EQ(shown_by(job("host-2", "disabled"), {says("host-2", "halted")}), "halted");
}

TEST_F(ShownLedger, GivesEachRowOnceOverAllPages) {
  std::vector<storage::Record> records;
  for (int i = 0; i < 25; ++i) records.emplace_back(ran(i, noon + std::chrono::minutes(i)));
  write(records);
  std::vector<std::string> slots;
  Message question = history().set("limit", std::int64_t{10});
  for (int page = 0; page < 5; ++page) {
    const auto answer = ask(question);
    ASSERT_TRUE(answer) << answer.error().what;
    for (const Message& row : answer->objects("rows")) slots.push_back(*row.text("slot"));
    const auto next = answer->text("next");
    if (!next) break;
    question.set("cursor", *next);
  }
  ASSERT_EQ(slots.size(), 25U);
  EXPECT_TRUE(std::is_sorted(slots.rbegin(), slots.rend())) << "newest first";
  EXPECT_EQ(slots.front(), format_slot(noon + std::chrono::minutes(24)));
}

TEST_F(ShownLedger, GivesWhatPeopleAskedOnceOverAllPages) {
  std::vector<storage::Record> records;
  for (std::uint32_t i = 0; i < 5; ++i) {
    RequestRow row;
    row.id = run_id(i), row.kind = "trigger", row.job = "backup", row.node = "host-1", row.by = "host-2 token ci";
    row.at = noon + std::chrono::minutes(i / 2);
    records.emplace_back(row);
    records.emplace_back(AnswerRow{row.id, i % 2 ? "refused" : "done", i % 2 ? "it is paused" : "", row.at});
  }
  write(records);
  std::vector<Message> all;
  Message question = Message().set("ask", "requests").set("limit", std::int64_t{2}).set("by", "token ci");
  for (int page = 0; page < 4; ++page) {
    const auto answer = ask(question);
    ASSERT_TRUE(answer) << answer.error().what;
    for (const Message& row : answer->objects("requests")) all.push_back(row);
    if (!answer->text("next")) break;
    question.set("cursor", *answer->text("next"));
  }
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all.front().text("at"), format_millis(noon + std::chrono::minutes(2)));
  EXPECT_EQ(all.front().text("run_id"), run_id(4).text());
  EXPECT_EQ(all[1].text("result"), "refused");
  EXPECT_EQ(all[1].text("text"), "it is paused");
  EXPECT_EQ(all[1].text("by"), "host-2 token ci");
  EXPECT_FALSE(all[1].text("run_id")) << "nothing came of it";
}

TEST_F(ShownLedger, ShowsTheLastSevenDaysUnlessAsked) {
  write({ran(1, noon), ran(2, noon - std::chrono::days(6) - std::chrono::minutes(1))});
  EXPECT_EQ(ask(history())->objects("rows").size(), 1U);
  const Message all = history().set("since", std::int64_t{0});
  EXPECT_EQ(ask(all)->objects("rows").size(), 2U);
}

TEST_F(ShownLedger, ShowsTheLastSlotsOfJobsOfAllTimesOrOfOne) {
  std::vector<storage::Record> records;
  for (int day = 0; day < 20; ++day) records.emplace_back(ran(day + 1, noon - std::chrono::days(day)));
  write(records);
  const auto strip = [&](const Message& more) {
    Message question = more;
    const auto answer = ask(question.set("ask", "strips").set("jobs", std::vector<std::string>{"backup"}));
    return answer ? answer->objects("strips").at(0).objects("rows") : std::vector<Message>{};
  };
  const auto ms = [](WallTime time) { return time.time_since_epoch().count(); };
  EXPECT_EQ(strip(Message()).size(), 20U);
  const Message until = Message().set("until", ms(noon - std::chrono::days(1))).set("last", std::int64_t{3});
  const auto before = strip(until);
  ASSERT_EQ(before.size(), 3U);
  EXPECT_EQ(before[0].text("slot"), format_slot(noon - std::chrono::days(2)));
  EXPECT_EQ(strip(Message(until).set("since", ms(noon - std::chrono::days(3)))).size(), 2U);
}

TEST_F(ShownLedger, AJobThatNobodyKnowsCostsTheOthersNothing) {
  write({ran(1)});
  const auto asked = [](const char* what, std::vector<std::string> jobs) {
    return Message().set("ask", std::string(what)).set("jobs", std::move(jobs));
  };
  for (const char* what : {"strips", "usual"}) {
    const auto answer =
        ask(asked(what, {"nonesuch", "backup", "defined"}).set("defined", std::vector<std::string>{"defined"}));
    ASSERT_TRUE(answer) << answer.error().what;
    const auto all = answer->objects(what);
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].text("job"), "nonesuch");
    EXPECT_EQ(all[0].text("unknown"), "no job nonesuch is loaded here, nor in the ledger");
    EXPECT_EQ(all[1].text("job"), "backup");
    EXPECT_FALSE(all[1].text("unknown"));
    EXPECT_FALSE(all[2].text("unknown")) << "it has not run, and is defined";
  }
  const auto strips = ask(asked("strips", {"nonesuch", "backup"}))->objects("strips");
  EXPECT_TRUE(strips[0].objects("rows").empty());
  EXPECT_EQ(strips[1].objects("rows").size(), 1U);
  const auto none = ask(asked("strips", {"nonesuch", "mistyped"}));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::not_found);
}

TEST_F(ShownLedger, ShowsRunsThatEndedBadlyByOneWord) {
  std::vector<storage::Record> records;
  int number = 0;
  for (const Status status :
       {Status::succeeded, Status::failed, Status::timed_out, Status::killed, Status::lost, Status::running}) {
    Row row = ran(++number, noon + std::chrono::minutes(number));
    row.status = status;
    records.emplace_back(row);
  }
  write(records);
  EXPECT_EQ(ask(history().set("failed", true))->objects("rows").size(), 4U);
  EXPECT_EQ(ask(history().set("failed", false))->objects("rows").size(), 6U);
  const std::vector<std::string> also{"running"};
  EXPECT_EQ(ask(history().set("failed", true).set("statuses", also))->objects("rows").size(), 5U);
}

TEST_F(ShownLedger, TakesNoCursorOfAnotherListOrOfNone) {
  std::vector<storage::Record> records;
  for (int i = 0; i < 5; ++i) records.emplace_back(ran(i, noon + std::chrono::minutes(i)));
  write(records);
  const std::string next = *ask(history().set("limit", std::int64_t{2}))->text("next");
  EXPECT_TRUE(ask(history().set("limit", std::int64_t{3}).set("cursor", next))) << "of longer pages";
  EXPECT_FALSE(ask(history().set("cursor", next).set("statuses", std::vector<std::string>{"failed"})));
  EXPECT_FALSE(ask(Message().set("ask", "history").set("cursor", next).set("scope", "fleet")));
  for (const std::string& text : {std::string(), next.substr(1), next.substr(0, next.size() - 1), next + "0",
                                  "2" + next.substr(1), std::string(5000, '0')}) {
    const auto answer = ask(history().set("cursor", text));
    ASSERT_FALSE(answer) << text;
    EXPECT_EQ(answer.error().code, Errc::invalid) << text;
  }
}

TEST_F(ShownLedger, ShowsARunByItsLastDigitsWithAllItsAttempts) {
  Row first = ran(1, noon), second = ran(1, noon);
  first.status = Status::failed, first.reason = Reason::exit_code, first.exit_code = 3;
  second.attempt = 2;
  write({first, second, ran(2, noon)});
  const std::string id = run_id(1).text();
  for (const std::string& name : {id, id.substr(id.size() - 8)}) {
    const auto run = ask(Message().set("ask", "run").set("run", name));
    ASSERT_TRUE(run) << run.error().what;
    EXPECT_EQ(run->text("run_id"), id);
    EXPECT_EQ(run->text("status"), std::string(to_string(second.status)));
    ASSERT_EQ(run->objects("attempts").size(), 2U);
    EXPECT_EQ(run->objects("attempts")[1].text("reason"), "exit_code");
    EXPECT_EQ(run->objects("attempts")[1].integer("exit_code"), 3);
  }
  EXPECT_EQ(ask(Message().set("ask", "run").set("run", run_id(9).text())).error().code, Errc::not_found);
}

/// A run counts as its last attempt ended, and a row of many slots as so many.
TEST_F(ShownLedger, CountsSlotsOfEachHourOrDayOrAllOnce) {
  Row failed = ran(1, noon), again = ran(1, noon), other = ran(2, noon + std::chrono::minutes(59));
  failed.status = Status::failed, failed.reason = Reason::exit_code;
  again.attempt = 2, again.status = other.status = Status::succeeded, again.reason = other.reason = Reason::none;
  Row missed;
  missed.job = again.job, missed.group = "g", missed.slot = noon + std::chrono::hours(1);
  missed.slot_until = missed.slot + std::chrono::minutes(4), missed.slots = 5;
  missed.status = Status::missed, missed.reason = Reason::no_leader;
  write({failed, again, other, missed});
  const auto counts = [&](const std::string& per) {
    Message asked;
    asked.set("ask", "summary").set("since", std::int64_t{(noon - Millis(5)).time_since_epoch().count()});
    const auto answer = ask(per.empty() ? asked : asked.set("per", per));
    std::string all = answer ? "" : answer.error().what;
    if (answer)
      for (const Message& one : answer->objects(per == "day" || per == "all" ? "counts" : "hours"))
        all += one.text("from").value_or(one.text("hour").value_or("")) + " " + *one.text("status") + " " +
               one.text("reason").value_or("-") + " " + std::to_string(*one.integer("slots")) + " " +
               std::to_string(*one.integer("attempts")) + "\n";
    return all;
  };
  const auto expected = [](const std::string& from, const std::string& second) {
    return from + " failed exit_code 0 1\n" + second + " missed no_leader 5 0\n" + from + " succeeded - 2 2\n";
  };
  const std::string hour = format_slot(noon), next = format_slot(noon + std::chrono::hours(1)),
                    day = format_slot(std::chrono::floor<std::chrono::days>(noon)),
                    since = format_millis(noon - Millis(5));
  for (const char* per : {"", "hour"})
    EXPECT_EQ(counts(per),
              hour + " failed exit_code 0 1\n" + hour + " succeeded - 2 2\n" + next + " missed no_leader 5 0\n");
  EXPECT_EQ(counts("day"), expected(day, day));
  EXPECT_EQ(counts("all"), expected(since, since));
  EXPECT_EQ(counts("week"), "per: 'week' is not a period: hour, day or all");
}

TEST_F(ShownLedger, ASlotThatARetryHasHealedIsNoneThatFailed) {
  Row failed = ran(1, noon), again = failed, both = ran(2, noon - Millis(1)), last = both;
  for (Row* row : {&failed, &both, &last}) row->status = Status::failed, row->reason = Reason::exit_code;
  again.attempt = last.attempt = 2;
  write({failed, again, both, last});
  Message asked;
  asked.set("ask", "summary").set("statuses", std::vector<std::string>{"failed"}).set("per", "all");
  const auto answer = ask(asked.set("since", std::int64_t{(noon - Millis(5)).time_since_epoch().count()}));
  ASSERT_TRUE(answer) << answer.error().what;
  const auto counts = answer->objects("counts");
  ASSERT_EQ(counts.size(), 1u);
  EXPECT_EQ(counts[0].integer("slots"), 1);
  EXPECT_EQ(counts[0].integer("attempts"), 3);
}

TEST_F(ShownLedger, SaysWhatItCannotBeAsked) {
  write({ran(1, noon)});
  EXPECT_EQ(ask(Message().set("ask", "everything")).error().code, Errc::invalid);
}

/// A node that dies records the end of its term no more.
TEST_F(ShownLedger, ATermWhoseEndNobodyRecordedIsOverWhereTheNextBegan) {
  const WallTime second = noon + std::chrono::minutes(5), third = noon + std::chrono::minutes(9);
  write({TermRow{"default", "host-1", 1, noon, std::nullopt, Cause::none},
         TermRow{"default", "host-2", 2, second, second + Millis(7), Cause::resigned},
         TermRow{"default", "host-1", 3, third, std::nullopt, Cause::none}});
  const auto answer = ask(Message().set("ask", "terms").set("group", "default"));
  ASSERT_TRUE(answer) << answer.error().what;
  std::vector<std::string> ends;
  for (const Message& one : answer->objects("terms"))
    ends.push_back(one.text("ended_at").value_or("goes on") + " " + one.text("cause").value_or("-"));
  EXPECT_EQ(ends, (std::vector<std::string>{"goes on -", format_millis(second + Millis(7)) + " resigned",
                                            format_millis(second) + " -"}));
}

/// A node that stood still has recorded the end of its term when it went on.
TEST_F(ShownLedger, ATermIsOverWhenTheNextBeganWhateverItsNodeRecorded) {
  const WallTime second = noon + std::chrono::minutes(5);
  write({TermRow{"default", "host-1", 1, noon, second + std::chrono::minutes(1), Cause::expired},
         TermRow{"default", "host-2", 2, second, std::nullopt, Cause::none}});
  const auto answer = ask(Message().set("ask", "terms").set("group", "default"));
  ASSERT_TRUE(answer) << answer.error().what;
  const auto terms = answer->objects("terms");
  ASSERT_EQ(terms.size(), 2u);
  EXPECT_EQ(terms[1].text("ended_at"), format_millis(second));
  EXPECT_EQ(terms[1].text("cause"), "expired");
}

/// Only the node that leads a job knows of its pause.
/// The node that leads it comes before the store.
TEST(ShownJobs, ShowAllPausesAndThatTheStoreAloneSaysSo) {
  const auto said = [](const char* node, const char* word) {
    return Message().set("job", "a").set("node", node).set("state", word);
  };
  const std::vector pauses{Message()
                               .set("of", "job")
                               .set("by", "n1 uid 0")
                               .set("since", std::int64_t{0})
                               .set("until", std::int64_t{7'200'000})
                               .set("reason", "disks"),
                           Message().set("of", "group").set("by", "n2 uid 0")};
  const Message by_store = said("", "paused").set("evidence", true).set("pauses", pauses);
  std::vector<Message> jobs{Message().set("job", "a").set("leader", "n2").set("state", {})};
  set_states(jobs, Message().set("states", std::vector{by_store}));
  EXPECT_EQ(
      io::encode(jobs[0]),
      R"({"job":"a","leader":"n2","next_slot":null,"pause_reason":"disks","paused_at":null,"paused_by":null,)"
      R"("paused_until":"1970-01-01T02:00:00.000Z","pauses":[)"
      R"({"by":"n1 uid 0","of":"job","reason":"disks","since":"1970-01-01T00:00:00.000Z",)"
      R"("until":"1970-01-01T02:00:00.000Z"},)"
      R"({"by":"n2 uid 0","of":"group","reason":null,"since":null,"until":null}],"state":"paused","state_evidence":"store"})");
  jobs = {Message().set("job", "a").set("leader", "n2").set("state", {})};
  set_states(jobs, Message().set("states", std::vector{by_store, said("n2", "active")}));
  EXPECT_EQ(io::encode(jobs[0]), R"({"job":"a","leader":"n2","state":"active"})");
}

TEST(ShownGroups, SayOfAPauseOnlyWhereThisNodeLeadsThem) {
  const std::vector<std::string> nobody;
  EXPECT_NE(
      io::encode(shown(core::GroupView{"g", "candidate", 0, false, "", nobody}, {"n2", 7})).find(R"("paused":null)"),
      std::string::npos);
  EXPECT_NE(io::encode(shown(core::GroupView{"g", "leading", 3, true, "", nobody}, {"n1", 3})).find(R"("paused":true)"),
            std::string::npos);
}

TEST(ShownJobs, ShowWhoPausedAJobThatAnotherNodeLeads) {
  const auto job = [](const char* name, const char* leader) {
    return Message()
        .set("job", name)
        .set("leader", leader)
        .set("state", {})
        .set("next_slot", "soon")
        .set("paused_at", {});
  };
  const auto state = [](const char* name, const char* says) {
    return Message().set("job", name).set("node", "n2").set("state", says);
  };
  std::vector<Message> jobs{job("a", "n2"), job("b", "n2"), job("c", "n3"), job("d", "n2")};
  set_states(
      jobs,
      Message().set(
          "states",
          std::vector{
              state("a", "paused").set("paused_at", std::int64_t{1'741'503'600'250}).set("paused_by", "n1 token ops"),
              state("b", "active"), state("c", "paused"), state("d", "paused")}));
  EXPECT_EQ(io::encode(jobs[0]), R"({"job":"a","leader":"n2","next_slot":null,"paused_at":"2025-03-09T07:00:00.250Z",)"
                                 R"("paused_by":"n1 token ops","state":"paused"})");
  EXPECT_EQ(io::encode(jobs[1]), R"({"job":"b","leader":"n2","next_slot":"soon","paused_at":null,"state":"active"})");
  EXPECT_FALSE(jobs[2].text("state")) << "n2 does not lead it";
  EXPECT_EQ(io::encode(jobs[3]),
            R"({"job":"d","leader":"n2","next_slot":null,"paused_at":null,"paused_by":null,"state":"paused"})");
}

TEST(Cursor, IsOfLettersAndDigitsAndComesBackAsItWas) {
  const Message place = Message().set("slot", std::int64_t{-5}).set("node", "höst");
  const std::string text = cursor_text(place, "list");
  EXPECT_EQ(text.find_first_not_of("0123456789abcdef-"), std::string::npos);
  const auto back = cursor_place(text, "list");
  ASSERT_TRUE(back) << back.error().what;
  EXPECT_EQ(*back, place);
  EXPECT_FALSE(cursor_place(text, "other"));
}

}  // namespace
}  // namespace ballot::library
