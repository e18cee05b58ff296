// The requests that a ledger keeps, and the rows that are read with who asked for them.
#include "storage/ledger_file.hpp"
#include "storage/retention.hpp"
#include "storage/schema.hpp"
#include "storage_test_support.hpp"

namespace ballot::storage {
namespace {

using std::chrono::hours;

class RequestsKept : public ::testing::Test {
 protected:
  void write(const std::vector<Record>& records) { LedgerFile(path_, Millis(100)).write(records, Sync::now); }
  std::vector<Row> rows() {
    std::vector<Row> all;
    auto reader = Reader::open(path_);
    EXPECT_TRUE(reader->history({.limit = std::nullopt}, [&](const Row& row) { return all.push_back(row), true; }));
    return all;
  }
  static Row by_hand(Status status = Status::succeeded, Reason reason = Reason::none) {
    Row row = ran(1);
    row.trigger = Trigger::manual;
    row.status = status;
    row.reason = reason;
    return row;
  }
  static RequestRow request(const std::string& kind, const std::string& by) {
    RequestRow row;
    row.id = *ran(1).run, row.kind = kind, row.job = "backup", row.node = "host-1", row.at = noon, row.by = by;
    if (kind == "trigger") return row;
    row.run = row.id;
    row.id = *ran(kind == "kill" ? 2 : 3).run;
    return row;
  }

  TempFolder folder_;
  std::string path_ = folder_ / "history.db";
};

TEST_F(RequestsKept, SayWhoTriggeredARun) {
  write({request("trigger", "host-2 uid 1000"), by_hand()});
  ASSERT_EQ(rows().size(), 1u);
  EXPECT_EQ(rows()[0].triggered_by, "host-2 uid 1000");
  EXPECT_EQ(rows()[0].ended_by, "");
}

TEST_F(RequestsKept, SayWhichVariablesATriggerGaveItsRun) {
  RequestRow trigger = request("trigger", "host-2 uid 1000");
  trigger.env = "DAY=2026-01-01 NOTE=two%20words";
  write({trigger, by_hand()});
  EXPECT_EQ(rows().at(0).env, trigger.env);
  auto reader = Reader::open(path_);
  std::vector<std::string> given;
  EXPECT_TRUE(reader->requests({}, [&](const RequestRow& row) { return given.push_back(row.env), true; }));
  EXPECT_EQ(given, std::vector<std::string>{trigger.env});
  EXPECT_EQ(decode(encode(trigger)).has_value(), true);
  EXPECT_EQ(std::get<RequestRow>(*decode(encode(trigger))).env, trigger.env) << "as the spool has it";
}

/// The release before opens the file, sets `additions` back, and writes triggers as ever.
TEST_F(RequestsKept, WithoutVariablesAreReadFromAFileThatAReleaseBeforeHasOpened) {
  write({request("trigger", "host-2 uid 1000"), by_hand()});
  Database(path_, Open::write)
      .run(
          "UPDATE meta SET value = 8 WHERE key = 'additions'; DROP VIEW requests; DROP TRIGGER trigger_env_gone;"
          "DROP TABLE trigger_env");
  EXPECT_EQ(rows().at(0).triggered_by, "host-2 uid 1000");
  EXPECT_EQ(rows().at(0).env, "");
  RequestRow trigger = request("trigger", "host-2 uid 1000");
  trigger.env = "DAY=1";
  write({trigger});
  EXPECT_EQ(rows().at(0).env, "DAY=1");
  LedgerFile file(path_, Millis(100));
  file.database().run("DELETE FROM request");
  EXPECT_EQ(file.database().number("SELECT count(*) FROM trigger_env"), 0);
}

TEST_F(RequestsKept, SayWhoKilledOrForgotARun) {
  write({request("trigger", "host-2 uid 1000"), request("kill", "host-3 uid 0"),
         by_hand(Status::killed, Reason::operator_)});
  EXPECT_EQ(rows().at(0).triggered_by, "host-2 uid 1000");
  EXPECT_EQ(rows().at(0).ended_by, "host-3 uid 0");
  write({request("forget", "host-4 uid 0"), by_hand(Status::lost, Reason::forgotten)});
  EXPECT_EQ(rows().at(0).ended_by, "host-3 uid 0") << "`lost` does not replace what has ended";
}

TEST_F(RequestsKept, AreNotOfRunsThatEndedByThemselves) {
  write({request("kill", "host-3 uid 0"), by_hand()});
  EXPECT_EQ(rows().at(0).ended_by, "") << "the kill came too late";
  Row slots = ran(1);
  slots.trigger = Trigger::schedule;
  write({request("trigger", "host-2 uid 1000"), slots});
  EXPECT_EQ(rows().at(0).triggered_by, "");
}

/// A page at a time, as texts.
std::vector<std::string> requests_of(const std::string& path, RequestFilter filter, std::int64_t page = 2) {
  std::vector<std::string> all;
  auto reader = Reader::open(path);
  filter.limit = page;
  for (bool is_first = true; is_first || filter.after; is_first = false) {
    const auto end = reader->requests(filter, [&](const RequestRow& row) {
      all.push_back(row.kind + " " + row.job + row.group + " " + row.result +
                    (row.text.empty() ? "" : ": " + row.text));
      return true;
    });
    EXPECT_TRUE(end) << end.error().what;
    filter.after = end ? *end : std::nullopt;
  }
  return all;
}

class RequestsAsked : public RequestsKept {
 protected:
  using Texts = std::vector<std::string>;
  static RequestRow asked(std::uint32_t id, const std::string& kind, const std::string& job, const std::string& group,
                          const std::string& by, WallTime at) {
    return {
        .id = run_id(id), .kind = kind, .job = job, .group = group, .run = {}, .node = "host-1", .at = at, .by = by};
  }
  void write_five() {
    write({asked(1, "trigger", "backup", "", "host-1 uid 1000", noon), AnswerRow{run_id(1), "done", "", noon},
           asked(2, "pause", "", "nightly", "host-2 token ci from 192.0.2.7", noon + hours(1)),
           AnswerRow{run_id(2), "done", "", noon + hours(1)},
           asked(3, "trigger", "backup", "", "host-1 uid 10", noon + hours(1)),
           AnswerRow{run_id(3), "refused", "it is paused", noon + hours(1)},
           asked(4, "kill", "sweep", "", "host-2 uid 0", noon + hours(2)),
           asked(5, "resume", "", "nightly", "host-2 uid 0", noon + hours(3))});
  }
};

TEST_F(RequestsAsked, ComeNewestFirstWithWhatCameOfThemInPages) {
  write_five();
  EXPECT_EQ(requests_of(path_, {}), (Texts{"resume nightly ", "kill sweep ", "trigger backup refused: it is paused",
                                           "pause nightly done", "trigger backup done"}));
}

TEST_F(RequestsAsked, AreThoseThatTheFilterTakes) {
  write_five();
  EXPECT_EQ(requests_of(path_, {.jobs = {"backup"}}).size(), 2u);
  EXPECT_EQ(requests_of(path_, {.groups = {"nightly"}}).size(), 2u);
  EXPECT_EQ(requests_of(path_, {.jobs = {"none"}}), Texts{});
  EXPECT_EQ(requests_of(path_, {.kinds = {"kill", "resume"}}).size(), 2u);
  EXPECT_EQ(requests_of(path_, {.kinds = {"k' OR '1"}}), Texts{});
  EXPECT_EQ(requests_of(path_, {.by = "uid 10"}), Texts{"trigger backup refused: it is paused"}) << "whole words";
  EXPECT_EQ(requests_of(path_, {.by = "token ci"}), Texts{"pause nightly done"});
  EXPECT_EQ(requests_of(path_, {.run = run_id(1)}), Texts{"trigger backup done"});
  EXPECT_EQ(requests_of(path_, {.since = noon + hours(1), .until = noon + hours(2)}).size(), 2u);
}

TEST_F(RequestsAsked, OfAJobAreThoseOfItsGroupToo) {
  write_five();
  DefinitionRow definition;
  definition.job = "backup", definition.group = "nightly", definition.node = "host-1";
  write({definition});
  EXPECT_EQ(requests_of(path_, {.jobs = {"backup"}}).size(), 4u);
  EXPECT_EQ(requests_of(path_, {.jobs = {"sweep"}}), Texts{"kill sweep "});
}

/// A job's requests name no group: what the group's definitions have is its.
TEST_F(RequestsAsked, OfAGroupAreThoseOfItsJobsToo) {
  write_five();
  DefinitionRow definition;
  definition.job = "backup", definition.group = "nightly", definition.node = "host-1";
  write({definition});
  EXPECT_EQ(requests_of(path_, {.groups = {"nightly"}}).size(), 4u);
}

TEST_F(RequestsAsked, NameTheRunThatATriggerMade) {
  write_five();
  auto reader = Reader::open(path_);
  std::vector<RequestRow> all;
  ASSERT_TRUE(reader->requests({.jobs = {"backup"}}, [&](const RequestRow& row) { return all.push_back(row), true; }));
  EXPECT_EQ(all.at(1).run, run_id(1));
  EXPECT_EQ(all.at(1).answered_at, noon);
  EXPECT_FALSE(all.at(0).run) << "it was refused";
}

/// The build before writes requests alone, and sets `additions` back: what came of them is not known then.
TEST_F(RequestsAsked, OfALedgerThatAnOlderBallotWritesHaveNoAnswers) {
  write_five();
  Database(path_, Open::write).run("UPDATE meta SET value = 4 WHERE key = 'additions'");
  EXPECT_EQ(requests_of(path_, {.jobs = {"backup"}}), (Texts{"trigger backup ", "trigger backup "}));
  write({AnswerRow{run_id(4), "done", "", noon}});
  EXPECT_EQ(requests_of(path_, {.kinds = {"kill", "trigger"}}).at(0), "kill sweep done") << "it is this one's again";
}

TEST_F(RequestsAsked, SayWhoPausedAndResumedWhatKeptASlotFromRunning) {
  Row slot = missed(noon + hours(2), Reason::paused, "backup");
  slot.status = Status::skipped;
  write({slot, PauseRow{"", "nightly", "host-1", noon + hours(1), noon + hours(3), "host-2 token ci from 192.0.2.7"},
         asked(5, "resume", "", "nightly", "host-2 uid 0", noon + hours(3) - Millis(20)),
         asked(6, "resume", "other", "", "host-2 uid 7", noon + hours(3) - Millis(10))});
  EXPECT_EQ(rows().at(0).paused_by, "host-2 token ci from 192.0.2.7");
  EXPECT_EQ(rows().at(0).resumed_by, "host-2 uid 0");
  write({PauseRow{"backup", "nightly", "host-1", noon, {}, "ada"}});
  EXPECT_EQ(rows().at(0).paused_by, "ada") << "the job's own comes first";
  EXPECT_EQ(rows().at(0).resumed_by, "");
}

/// It was due before the pause that has decided it.
struct WaitingSlotThatWasPaused : RequestsAsked {
  WaitingSlotThatWasPaused() {
    slot.status = Status::skipped;
    slot.node = "host-1";
    slot.epoch = 9;
  }
  PauseRow pause(const std::string& by, Millis from, std::optional<Millis> until) {
    PauseRow row{"backup", "nightly", "host-1", noon + from, std::nullopt, by};
    if (until) row.until = noon + *until;
    return row;
  }
  TermRow term(std::uint64_t epoch, Millis from, std::optional<Millis> until = {}) {
    TermRow row{.group = "nightly", .node = "host-1", .epoch = epoch, .elected_at = noon + from};
    if (until) row.ended_at = noon + *until;
    return row;
  }
  Row slot = missed(noon + hours(2), Reason::paused, "backup");
  const Millis minute = std::chrono::minutes(1);
};

TEST_F(WaitingSlotThatWasPaused, NamesThePauseThatBeganWhileItWaited) {
  write({slot, term(9, Millis(0)), pause("ada", minute, hours(1)), pause("bob", hours(2) + minute, hours(3)),
         pause("eve", hours(4), {}), asked(5, "resume", "backup", "", "host-2 uid 7", noon + hours(3) - Millis(20))});
  EXPECT_EQ(rows().at(0).paused_by, "bob");
  EXPECT_EQ(rows().at(0).paused_at, noon + hours(2) + minute);
  EXPECT_EQ(rows().at(0).resumed_by, "host-2 uid 7");
}

/// Another node has ended it.
TEST_F(WaitingSlotThatWasPaused, NamesNoPauseBeforeWhoseEndIsNotKnownHere) {
  write({slot, term(3, -hours(9), -hours(7)), pause("ada", -hours(8), {}), term(9, hours(1))});
  EXPECT_EQ(rows().at(0).paused_by, "ada") << "it may have stood still";
  write({pause("bob", hours(2) + minute, {})});
  EXPECT_EQ(rows().at(0).paused_by, "bob") << "that term would have recorded the other one's end";
}

TEST_F(WaitingSlotThatWasPaused, NamesNoPauseAfterTheTermThatHasSettledIt) {
  write({slot, term(9, Millis(0), hours(2) + minute), pause("eve", hours(4), {})});
  EXPECT_EQ(rows().at(0).paused_by, "");
}

/// Its pauses are in that one's ledger.
TEST_F(WaitingSlotThatWasPaused, NamesNoPauseOfThisNodeWhereAnotherHasSettledIt) {
  slot.node = "host-2", slot.epoch = 8;
  write({slot, term(9, hours(3)), pause("eve", hours(4), {})});
  EXPECT_EQ(rows().at(0).paused_by, "");
}

TEST_F(RequestsAsked, SayThatAPauseWasOverByItsOwnEnd) {
  Row slot = missed(noon + hours(2), Reason::paused, "backup"), later = slot;
  slot.status = later.status = Status::skipped;
  later.slot = noon + hours(5);
  PauseRow pause{"backup", "nightly", "host-1", noon + hours(1), noon + hours(3), "ada"};
  pause.ends = pause.until, pause.reason = "disks are changed";
  write({slot, pause, asked(5, "resume", "backup", "", "host-2 uid 0", noon + hours(3) - Millis(20))});
  Row read = rows().at(0);
  EXPECT_EQ(read.paused_by, "ada");
  EXPECT_EQ(read.paused_at, noon + hours(1));
  EXPECT_EQ(read.pause_ends, noon + hours(3));
  EXPECT_EQ(read.pause_reason, "disks are changed");
  EXPECT_EQ(read.resumed_by, "its end");
  PauseRow unseen{"backup", "nightly", "host-1", noon + hours(4), std::nullopt, "bob"};
  unseen.ends = noon + Millis(std::chrono::minutes(270));  // another node has seen it end
  write({later, unseen});
  EXPECT_EQ(rows().at(0).slot, later.slot);
  EXPECT_EQ(rows().at(0).paused_by, "") << "that one was over by then";
}

TEST_F(RequestsKept, AndTheirAnswersGoThroughTheSpool) {
  const AnswerRow row{run_id(3), "refused", "it is paused", noon};
  const auto read = decode(encode(row));
  ASSERT_TRUE(read);
  const AnswerRow back = std::get<AnswerRow>(*read);
  EXPECT_EQ(std::tie(back.id, back.result, back.text, back.at), std::tie(row.id, row.result, row.text, row.at));
}

TEST_F(RequestsKept, GoThroughTheSpool) {
  for (const char* kind : {"trigger", "kill"}) {
    const RequestRow row = request(kind, "ada");
    const auto read = decode(encode(row));
    ASSERT_TRUE(read);
    const RequestRow back = std::get<RequestRow>(*read);
    EXPECT_EQ(std::tie(back.id, back.kind, back.job, back.group, back.run, back.node, back.at, back.by),
              std::tie(row.id, row.kind, row.job, row.group, row.run, row.node, row.at, row.by));
  }
}

TEST_F(RequestsKept, HaveAViewForPeople) {
  RequestRow pause = request("pause", "");
  pause.job = "", pause.group = "nightly", pause.run.reset();
  write({request("kill", "ada"), AnswerRow{request("kill", "ada").id, "done", "", noon}, pause});
  Database db(path_, Open::read);
  Statement query(db, "SELECT run_id, job, by, result FROM requests WHERE kind = 'kill'");
  Cursor found = query.start();
  ASSERT_TRUE(found.step());
  EXPECT_EQ(found.text(0), ran(1).run->text());
  EXPECT_EQ(found.text(1), "backup");
  EXPECT_EQ(found.text(2), "ada");
  EXPECT_EQ(found.text(3), "done");
  EXPECT_EQ(db.number("SELECT count(*) FROM requests WHERE job IS NULL AND \"group\" = 'nightly' AND by IS NULL"), 1);
}

TEST_F(RequestsKept, GoWithRetention) {
  LedgerFile file(path_, Millis(100));
  file.write(std::vector<Record>{request("kill", "ada"), AnswerRow{request("kill", "ada").id, "done", "", noon}},
             Sync::now);
  Retention retention(file, {.keep = hours(2)});
  const auto count = [&] {
    return file.database().number("SELECT (SELECT count(*) FROM request) + (SELECT count(*) FROM answer)");
  };
  while (retention.slice(noon + hours(2))) continue;
  EXPECT_EQ(count(), 2);
  while (retention.slice(noon + hours(3))) continue;
  EXPECT_EQ(count(), 0);
}

TEST_F(RequestsKept, GoWithTheRowsOfTheirTimeWhereTheLedgerIsTooLarge) {
  LedgerFile file(path_, Millis(100));
  std::vector<Record> all{request("kill", "ada")};
  for (int hour = 0; hour < 3000; ++hour) {
    Row row = ran(1);
    row.run.reset();
    row.attempt = 0;
    row.status = Status::missed;
    row.slot = noon + hours(hour);
    all.push_back(row);
  }
  file.write(all, Sync::now);
  Retention retention(file, {.keep = hours(100'000), .max_size = 1});
  while (retention.slice(noon + hours(3000))) continue;
  EXPECT_EQ(file.database().number("SELECT count(*) FROM request"), 0);
}

/// It has made none of the tables that were added later, and a command of this release reads it.
TEST_F(RequestsKept, AreNotAskedForInALedgerOfAnOlderBallot) {
  write({by_hand()});
  Database(path_, Open::write)
      .run("DROP VIEW requests; DROP TABLE request; UPDATE meta SET value = 3 WHERE key = 'additions'");
  EXPECT_EQ(rows().at(0).triggered_by, "");
  write({request("trigger", "ada")});
  EXPECT_EQ(rows().at(0).triggered_by, "ada");
}

}  // namespace
}  // namespace ballot::storage
