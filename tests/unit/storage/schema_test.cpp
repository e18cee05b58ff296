#include "storage/schema.hpp"

#include <fstream>

#include "base/wall_text.hpp"
#include "storage/ledger_file.hpp"
#include "storage/sqlite_error.hpp"
#include "storage/statement.hpp"
#include "storage_test_support.hpp"

namespace ballot::storage {
namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Schema : public ::testing::Test {
 protected:
  std::string refusal(const std::string& path) {
    try {
      open_ledger(path, Millis(100));
    } catch (const SqliteError& error) {
      EXPECT_EQ(error.fault(), Fault::refused);
      return error.what();
    }
    return "";
  }

  TempFolder folder_;
  std::string path_ = folder_ / "history.db";
};

TEST_F(Schema, MarksTheFileAsALedgerOfThisVersion) {
  Database db = open_ledger(path_, Millis(100));
  EXPECT_EQ(db.number("PRAGMA application_id"), application_id);
  EXPECT_EQ(db.number("PRAGMA user_version"), 1);
  EXPECT_EQ(db.number("PRAGMA auto_vacuum"), 2);
  EXPECT_EQ(db.number("SELECT count(*) FROM pragma_journal_mode WHERE journal_mode = 'wal'"), 1);
  EXPECT_EQ(std::filesystem::status(path_).permissions() & std::filesystem::perms::others_all,
            std::filesystem::perms::none);
}

TEST_F(Schema, OpensAFileThatItMadeBefore) {
  { Database db = open_ledger(path_, Millis(100)); }
  EXPECT_NO_THROW(open_ledger(path_, Millis(100)));
  EXPECT_NO_THROW(open_ledger_for_reading(path_));
}

TEST_F(Schema, RefusesAFileOfANewerBallotAndLeavesItAsItIs) {
  {
    Database db = open_ledger(path_, Millis(100));
    db.run("PRAGMA user_version = 2");
    db.on_close(WalOnClose::is_folded_in);
  }
  const std::string before = bytes_of(path_);
  EXPECT_NE(refusal(path_).find("newer ballot (schema 2, this one knows 1)"), std::string::npos) << refusal(path_);
  EXPECT_EQ(bytes_of(path_), before);
  const auto reader = Reader::open(path_);
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code, Errc::refused);
}

TEST_F(Schema, RefusesTheDatabaseOfAnotherProgram) {
  {
    Database db(path_, Open::write);
    db.run("CREATE TABLE theirs (x)");
  }
  const std::string before = bytes_of(path_);
  EXPECT_NE(refusal(path_).find("another program"), std::string::npos);
  EXPECT_EQ(bytes_of(path_), before);
}

TEST_F(Schema, AddsWhatAnOlderBallotLeavesAlone) {
  LedgerFile(path_, Millis(100)).write(std::vector<Record>{ran(1)}, Sync::now);
  {
    Database db(path_, Open::write);  // as the first release made it
    db.run(
        "DROP VIEW definitions; DROP TABLE definition; DROP TABLE opening; DROP TABLE horizon;"
        "DELETE FROM meta WHERE key <> 'change'");
  }
  auto reader = Reader::open(path_);
  ASSERT_TRUE(reader);
  int rows = 0;
  const auto none = [](const LedgerBasics& basics) { EXPECT_TRUE(basics.definitions.empty()); };
  EXPECT_TRUE(reader->scan({}, none, [&](const Row&, std::int64_t) { ++rows; }));
  EXPECT_EQ(rows, 1);
  Database db = open_ledger(path_, Millis(100));
  EXPECT_EQ(db.number("PRAGMA user_version"), 1);
  EXPECT_EQ(db.number("SELECT count(*) FROM ledger"), 1);
  EXPECT_EQ(db.number("SELECT count(*) FROM definitions"), 0);
  EXPECT_TRUE(knows_all_writes(db));
}

TEST_F(Schema, MigratesAllOrNothing) {
  {
    Database db(path_, Open::write);
    db.run(("PRAGMA application_id = " + std::to_string(application_id)).c_str());
    db.run("CREATE TABLE term (in_the_way)");
  }
  EXPECT_THROW(open_ledger(path_, Millis(100)), SqliteError);
  Database db(path_, Open::read);
  EXPECT_EQ(db.number("PRAGMA user_version"), 0);
  EXPECT_EQ(db.number("SELECT count(*) FROM sqlite_schema WHERE type = 'table'"), 1);
}

// What is on disks cannot be renumbered: words are only added, at the end of their enumeration.
TEST_F(Schema, KeepsTheNumbersOfItsWords) {
  Database db = open_ledger(path_, Millis(100));
  Statement words(db, "SELECT group_concat(text, ' ') FROM (SELECT text FROM word WHERE kind = ?1 ORDER BY id)");
  const std::pair<std::string_view, std::string_view> expected[] = {
      {"status", "queued claimed running succeeded failed timed_out killed lost skipped missed"},
      {"reason",
       "exit_code signal cannot_start oom lost_limit deadline operator replaced leadership_lost shutdown node_died"
       " runner_died forgotten evidence_lost overlap queue_full paused dry_run misfire start_deadline unclaimed stale"
       " dst_gap no_leader no_definition halted exception temporary permanent upstream calendar"},
      {"trigger", "schedule catch_up reboot manual rerun chain backfill"},
      {"leftover", "escaped unkillable"},
      {"cause", "resigned expired superseded unreachable evicted auth_failed shutdown unfit"}};
  for (const auto& [kind, text] : expected) {
    Cursor row = words.start(kind);
    ASSERT_TRUE(row.step());
    EXPECT_EQ(row.text(0), text);
  }
}

Row of_newer_words(const char* status, const char* reason, WallTime slot) {
  Row row = missed(slot);
  row.status = Named<Status>::parse(status).value();
  row.reason = Named<Reason>::parse(reason).value();
  return row;
}

TEST_F(Schema, KeepsTheStatusesAndReasonsOfANewerVersion) {
  const std::vector<Record> records = {of_newer_words("deferred", "solar_flare", noon),
                                       of_newer_words("12", "57", noon + Millis(60'000))};
  LedgerFile(path_, Millis(100)).write(records, Sync::now);
  auto reader = Reader::open(path_);
  ASSERT_TRUE(reader);
  for (const Filter& filter : {Filter{}, Filter{.jobs = {"backup"}}, Filter{.groups = {"nightly"}},
                               Filter{.nodes = {"host-1"}}, Filter{.jobs = {"backup"}, .groups = {"nightly"}}}) {
    std::string shown;
    const auto show = [&](const Row& row) {
      shown += std::string(row.status.text()) + " " + std::string(row.reason.text()) + ", ";
      return true;
    };
    ASSERT_TRUE(reader->history(filter, show));
    EXPECT_EQ(shown, "12 57, deferred solar_flare, ");
  }
  Database db(path_, Open::read);
  EXPECT_EQ(db.number("SELECT count(*) FROM history WHERE status = 'deferred' AND reason = 'solar_flare'"), 1);
  EXPECT_EQ(db.number("SELECT count(*) FROM history WHERE status = '12' AND reason = '57'"), 1);
}

/// What a version records of a newer one's words has its own numbers: the newer one's, once it has the file.
TEST_F(Schema, GivesWordsTheirNumbersOnceTheyAreKnown) {
  const std::vector<Record> records = {of_newer_words("missed", "solar_flare", noon)};
  LedgerFile(path_, Millis(100)).write(records, Sync::now);
  Database(path_, Open::write).run("INSERT INTO word VALUES ('reason', 57, 'solar_flare')");  // as that version does
  const Database db = open_ledger(path_, Millis(100));
  Database read(path_, Open::read);
  EXPECT_EQ(read.number("SELECT reason FROM ledger"), 57);
  EXPECT_EQ(read.number("SELECT count(*) FROM word WHERE text = 'solar_flare'"), 1);
  EXPECT_EQ(read.number("SELECT count(*) FROM history WHERE reason = 'solar_flare'"), 1);
}

TEST_F(Schema, NamesANumberThatAnOlderVersionHasRecordedWithoutItsWord) {
  open_ledger(path_, Millis(100)).run("UPDATE word SET text = '26' WHERE kind = 'reason' AND id = 26");
  Database db = open_ledger(path_, Millis(100));
  EXPECT_EQ(db.number("SELECT count(*) FROM word WHERE kind = 'reason' AND id = 26 AND text = 'halted'"), 1);
}

TEST_F(Schema, ShowsPlainWordsAndTimesInItsViews) {
  LedgerFile file(path_, Millis(100));
  Row row = full_row();
  row.slot += Millis(250);
  const std::vector<Record> records = {row, missed(noon), TermRow{"nightly", "host-1", 7, noon, {}, Cause::none}};
  file.write(records, Sync::now);
  Statement query(
      file.database(),
      "SELECT run_id, job, \"group\", slot, slot_until, slots, \"trigger\", attempt, status, reason, exit_code,"
      " signal, started_at, ended_at, duration_ms, node, leftover FROM history ORDER BY status");
  Cursor shown = query.start();
  ASSERT_TRUE(shown.step());
  const std::string expected[] = {row.run->text(),
                                  "backup",
                                  "nightly",
                                  format_slot(row.slot),
                                  format_seconds(*row.slot_until),
                                  "61",
                                  "rerun",
                                  "3",
                                  "killed",
                                  "operator",
                                  "143",
                                  "15",
                                  format_millis(*row.started_at),
                                  format_millis(*row.ended_at),
                                  "1000",
                                  "host-1",
                                  "escaped"};
  for (int column = 0; column < 17; ++column) EXPECT_EQ(shown.text(column), expected[column]) << column;
  ASSERT_TRUE(shown.step());
  EXPECT_TRUE(shown.null(0));
  EXPECT_EQ(shown.text(3), format_slot(noon));
  EXPECT_EQ(shown.text(9), "no_leader");
  EXPECT_TRUE(shown.null(16));
  EXPECT_EQ(file.database().number("SELECT count(*) FROM terms WHERE \"group\" = 'nightly' AND cause IS NULL"), 1);
}

// The questions of docs/ledger.md: indented, from SELECT to a semicolon.
TEST_F(Schema, AnswersTheQuestionsOfItsDocument) {
  Database db = open_ledger(path_, Millis(100));
  std::ifstream document(BALLOT_SOURCE_DIR "/docs/ledger.md");
  int questions = 0;
  std::string sql;
  for (std::string line; std::getline(document, line);) {
    if (line.rfind("    SELECT", 0) == 0 || !sql.empty()) sql += line;
    if (!sql.ends_with(';')) continue;
    EXPECT_NO_THROW(Statement(db, sql).run()) << sql;
    sql.clear();
    ++questions;
  }
  EXPECT_EQ(questions, 8);
  EXPECT_EQ(sql, "");
}

}  // namespace
}  // namespace ballot::storage
