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
    RequestRow row{*ran(1).run, kind, "backup", "", std::nullopt, "host-1", noon, by};
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
  write({request("kill", "ada"), RequestRow{*ran(4).run, "pause", "", "nightly", {}, "host-1", noon, ""}});
  Database db(path_, Open::read);
  Statement query(db, "SELECT run_id, job, by FROM requests WHERE kind = 'kill'");
  Cursor found = query.start();
  ASSERT_TRUE(found.step());
  EXPECT_EQ(found.text(0), ran(1).run->text());
  EXPECT_EQ(found.text(1), "backup");
  EXPECT_EQ(found.text(2), "ada");
  EXPECT_EQ(db.number("SELECT count(*) FROM requests WHERE job IS NULL AND \"group\" = 'nightly' AND by IS NULL"), 1);
}

TEST_F(RequestsKept, GoWithRetention) {
  LedgerFile file(path_, Millis(100));
  file.write(std::vector<Record>{request("kill", "ada")}, Sync::now);
  Retention retention(file, {.keep = hours(2)});
  const auto count = [&] { return file.database().number("SELECT count(*) FROM request"); };
  while (retention.slice(noon + hours(2))) continue;
  EXPECT_EQ(count(), 1);
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
