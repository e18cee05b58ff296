// The pauses that a ledger keeps, and since when it has all of them.
#include "storage/ledger_file.hpp"
#include "storage/retention.hpp"
#include "storage/schema.hpp"
#include "storage_test_support.hpp"

namespace ballot::storage {
namespace {

using std::chrono::hours;

class PausesKept : public ::testing::Test {
 protected:
  void write(const std::vector<Record>& records) { LedgerFile(path_, Millis(100)).write(records, Sync::now); }
  LedgerBasics basics() {
    LedgerBasics read;
    auto reader = Reader::open(path_);
    EXPECT_TRUE(reader->scan(
        {}, [&](LedgerBasics all) { read = std::move(all); }, [](const Row&, std::int64_t) {}));
    return read;
  }
  static PauseRow pause(std::optional<WallTime> until = std::nullopt) {
    return {"backup", "nightly", "host-1", noon, until, "ada"};
  }

  TempFolder folder_;
  std::string path_ = folder_ / "history.db";
};

TEST_F(PausesKept, AreReadAsTheyWereWritten) {
  write({pause(noon + hours(1)), PauseRow{"", "nightly", "host-2", noon + hours(2), {}, ""}});
  const std::vector<PauseRow> read = basics().pauses;
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].job, "") << "of the whole group";
  EXPECT_EQ(read[0].group, "nightly");
  EXPECT_EQ(read[0].from, noon + hours(2));
  EXPECT_EQ(read[0].until, std::nullopt);
  EXPECT_EQ(read[1].job, "backup");
  EXPECT_EQ(read[1].node, "host-1");
  EXPECT_EQ(read[1].from, noon);
  EXPECT_EQ(read[1].until, noon + hours(1));
  EXPECT_EQ(read[1].by, "ada");
  Database db(path_, Open::read);
  EXPECT_EQ(db.number("SELECT count(*) FROM pauses WHERE job IS NULL AND until IS NULL"), 1);
}

TEST_F(PausesKept, HaveTheirEndOnceItIsKnownAndKeepIt) {
  write({pause()});
  EXPECT_EQ(basics().pauses.at(0).until, std::nullopt);
  write({pause(noon + hours(1)), pause()});
  ASSERT_EQ(basics().pauses.size(), 1u);
  EXPECT_EQ(basics().pauses[0].until, noon + hours(1));
}

TEST_F(PausesKept, SayWhenTheyWereToEndAndWhy) {
  PauseRow row = pause();
  row.ends = noon + hours(2), row.reason = "disks are changed";
  write({row});
  EXPECT_EQ(basics().pauses.at(0).ends, row.ends);
  EXPECT_EQ(basics().pauses.at(0).reason, row.reason);
  row.ends = noon + hours(4), row.reason = "";
  write({row});
  EXPECT_EQ(basics().pauses.at(0).ends, row.ends) << "somebody has paused it a second time";
  EXPECT_EQ(basics().pauses.at(0).reason, "");
  EXPECT_EQ(Database(path_, Open::read).number("SELECT count(*) FROM pauses WHERE ends = '2025-03-09T16:00:00.000Z'"),
            1);
  write({pause()});
  EXPECT_FALSE(basics().pauses.at(0).ends) << "and without one";
}

/// The release before opens the file, sets `additions` back, and writes pauses as ever.
TEST_F(PausesKept, HaveNoEndInAFileThatAnOlderBallotHasMade) {
  write({pause()});
  Database(path_, Open::write)
      .run(
          "UPDATE meta SET value = 7 WHERE key = 'additions'; DROP VIEW pauses; DROP TABLE pause_terms;"
          "DROP TRIGGER pause_terms_gone");
  ASSERT_EQ(basics().pauses.size(), 1u);
  EXPECT_FALSE(basics().pauses[0].ends);
  PauseRow row = pause();
  row.ends = noon + hours(2);
  write({row});
  EXPECT_EQ(basics().pauses.at(0).ends, row.ends);
}

TEST_F(PausesKept, GoThroughTheSpool) {
  PauseRow with_terms = pause();
  with_terms.ends = noon + hours(2), with_terms.reason = "disks are changed";
  for (const PauseRow& row : {pause(), pause(noon + hours(1)), with_terms}) {
    const auto read = decode(encode(row));
    ASSERT_TRUE(read);
    const PauseRow back = std::get<PauseRow>(*read);
    EXPECT_EQ(std::tie(back.job, back.group, back.node, back.from, back.until, back.by, back.ends, back.reason),
              std::tie(row.job, row.group, row.node, row.from, row.until, row.by, row.ends, row.reason));
  }
}

TEST_F(PausesKept, GoWithRetentionOnceTheyHaveEnded) {
  LedgerFile file(path_, Millis(100));
  PauseRow ended = pause(noon + hours(1));
  ended.ends = ended.until;
  file.write(std::vector<Record>{ended, PauseRow{"", "nightly", "host-1", noon, {}, ""}}, Sync::now);
  Retention retention(file, {.keep = hours(2)});
  while (retention.slice(noon + hours(2))) {
  }
  EXPECT_EQ(basics().pauses.size(), 2u);
  while (retention.slice(noon + hours(4))) {
  }
  ASSERT_EQ(basics().pauses.size(), 1u) << "the one that goes on";
  EXPECT_EQ(basics().pauses[0].job, "");
  EXPECT_EQ(file.database().number("SELECT count(*) FROM pause_terms"), 0);
}

/// A release without pauses opens the file, sets `additions` back, and writes.
TEST_F(PausesKept, AreCompleteOnlySinceTheLastOlderBallot) {
  write({ran(1)});
  const auto first = basics().pauses_since;
  ASSERT_TRUE(first);
  write({ran(2), pause()});
  EXPECT_EQ(basics().pauses_since, first);
  {
    Database db(path_, Open::write);
    db.run(
        "UPDATE meta SET value = 1 WHERE key = 'additions'; UPDATE meta SET value = value + 10 WHERE key IN ('change', "
        "'seen')");
  }
  EXPECT_FALSE(basics().pauses_since) << "a reader beside it";
  write({ran(3)});
  ASSERT_TRUE(basics().pauses_since);
  EXPECT_GE(*basics().pauses_since, *first + 10);
  EXPECT_EQ(basics().pauses.size(), 1u);
}

/// A build between two releases knew of stores, and not of pauses.
TEST_F(PausesKept, AreNotKnownInAFileWhoseLastAdditionCameBeforeThem) {
  write({ran(1)});
  Database(path_, Open::write)
      .run(
          "UPDATE meta SET value = 2 WHERE key = 'additions'; DELETE FROM meta WHERE key = 'pauses'; DROP VIEW pauses; "
          "DROP TABLE pause");
  EXPECT_EQ(basics().pauses_since, std::nullopt);
}

/// One that knows none of the additions.
TEST_F(PausesKept, AreCompleteOnlySinceABallotThatKnowsNoDefinitions) {
  write({ran(1), pause()});
  const auto first = basics().pauses_since;
  {
    Database db(path_, Open::write);
    db.run("UPDATE meta SET value = value + 10 WHERE key = 'change'");
  }
  EXPECT_FALSE(basics().pauses_since);
  write({ran(2)});
  EXPECT_GE(*basics().pauses_since, *first + 10);
}

}  // namespace
}  // namespace ballot::storage
