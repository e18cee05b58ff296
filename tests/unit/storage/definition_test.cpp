// The definitions that a ledger keeps, and what an audit is given of it.
#include "storage/ledger_file.hpp"
#include "storage/retention.hpp"
#include "storage_test_support.hpp"

namespace ballot::storage {
namespace {

class Definitions : public ::testing::Test {
 protected:
  void write(const std::vector<Record>& records) { LedgerFile(path_, Millis(100)).write(records, Sync::now); }
  LedgerBasics basics(const std::vector<std::string>& jobs = {}) {
    LedgerBasics read;
    rows_.clear();
    auto reader = Reader::open(path_);
    EXPECT_TRUE(reader->scan(
        jobs, [&](LedgerBasics all) { read = std::move(all); },
        [&](const Row& row, std::int64_t change) { rows_.emplace_back(row, change); }));
    return read;
  }

  TempFolder folder_;
  std::string path_ = folder_ / "history.db";
  std::vector<std::pair<Row, std::int64_t>> rows_;
};

TEST_F(Definitions, AreReadAsTheyWereWritten) {
  write({full_definition()});
  const LedgerBasics read = basics();
  ASSERT_EQ(read.definitions.size(), 1u);
  EXPECT_EQ(read.definitions[0].row, full_definition());
  EXPECT_EQ(read.definitions[0].first_epoch, 7u);
  EXPECT_FALSE(read.definitions[0].sealed);
}

TEST_F(Definitions, OfATermThatGoesOnAddNothingButItsEpoch) {
  DefinitionRow next = full_definition();
  next.basis = Basis::taken_over;
  next.before = 7;
  next.epoch = 9;
  next.from = noon + std::chrono::hours(1);
  write({full_definition(), next});
  const LedgerBasics read = basics();
  ASSERT_EQ(read.definitions.size(), 1u);
  EXPECT_EQ(read.definitions[0].row.from, noon);
  EXPECT_EQ(read.definitions[0].row.epoch, 9u);
  EXPECT_EQ(read.definitions[0].first_epoch, 7u);
}

TEST_F(Definitions, AreNewOnesAfterAnotherNodesTermOrWithOtherContent) {
  DefinitionRow foreign = full_definition(), edited = full_definition();
  foreign.basis = edited.basis = Basis::taken_over;
  foreign.before = 8;
  foreign.epoch = 9;
  edited.before = edited.epoch = 9;
  edited.digest = "d2";
  write({full_definition(), foreign, edited});
  EXPECT_EQ(basics().definitions.size(), 3u);
  Database db(path_, Open::read);
  EXPECT_EQ(db.number("SELECT count(*) FROM definitions WHERE until IS NULL"), 1);
}

TEST_F(Definitions, AreSealedByTheNextOpening) {
  write({full_definition(), ran(1)});
  write({ran(2, noon + Millis(60'000))});
  const LedgerBasics read = basics();
  ASSERT_EQ(read.definitions.size(), 1u);
  ASSERT_TRUE(read.definitions[0].sealed);
  ASSERT_EQ(rows_.size(), 2u);
  EXPECT_LT(rows_[0].second, *read.definitions[0].sealed);
  EXPECT_GT(rows_[1].second, *read.definitions[0].sealed);
}

/// Who knows what it went by, or deleted.
TEST_F(Definitions, AreForgottenOnceAnOlderBallotHasWritten) {
  write({full_definition(), ran(1)});
  {
    Database older(path_, Open::write);
    older.run("UPDATE meta SET value = value + 1 WHERE key = 'change'");
  }
  EXPECT_TRUE(basics().definitions.empty());
  write({ran(2)});
  EXPECT_TRUE(basics().definitions.empty());
  write({full_definition()});
  EXPECT_EQ(basics().definitions.size(), 1u);
}

TEST_F(Definitions, OfSomeJobsAreAloneWithTheirRows) {
  DefinitionRow other = full_definition();
  other.job = "other";
  other.group = "fresh";
  write({full_definition(), other, ran(1), ran(2, noon, "other")});
  EXPECT_EQ(basics({"other"}).definitions.size(), 1u);
  ASSERT_EQ(rows_.size(), 1u);
  EXPECT_EQ(rows_[0].first.job, "other");
  EXPECT_TRUE(basics({"unheard-of"}).definitions.empty());
  EXPECT_TRUE(rows_.empty());
  EXPECT_EQ(*Reader::open(path_)->jobs_of({"fresh"}), std::vector<std::string>{"other"});
}

TEST_F(Definitions, RowsComeBySlotThenAttempt) {
  Row again = ran(1, noon);
  again.attempt = 2;
  write({ran(3, noon + Millis(5)), again, ran(1, noon), missed(noon - Millis(5))});
  basics();
  ASSERT_EQ(rows_.size(), 4u);
  EXPECT_FALSE(rows_[0].first.run);
  EXPECT_EQ(rows_[1].first.attempt, 1);
  EXPECT_EQ(rows_[2].first.attempt, 2);
  EXPECT_EQ(rows_[3].first.run, run_id(3));
}

TEST_F(Definitions, TellUpToWhereRetentionHasDeleted) {
  LedgerFile file(path_, Millis(100));
  file.write(std::vector<Record>{ran(1), ran(2, noon + std::chrono::hours(48))}, Sync::now);
  Retention retention(file, {.keep = std::chrono::hours(24)});
  while (retention.slice(noon + std::chrono::hours(50))) continue;
  EXPECT_EQ(basics().kept_since, noon + Millis(1));
  EXPECT_EQ(rows_.size(), 1u);
}

TEST_F(Definitions, TellOfWhichJobOnlyTheNewestRunsAreLeft) {
  LedgerFile file(path_, Millis(100));
  file.write(std::vector<Record>{ran(1), ran(2, noon + Millis(60'000)), ran(3, noon, "other")}, Sync::now);
  Retention retention(file, {.keep = std::chrono::days(36'500), .keep_runs_per_job = 1});
  while (retention.slice(noon)) continue;
  const LedgerBasics read = basics();
  EXPECT_EQ(read.kept_since, WallTime{});
  ASSERT_EQ(read.jobs_kept.size(), 1u);
  EXPECT_EQ(read.jobs_kept[0], std::pair(std::string("backup"), noon + Millis(1)));
}

TEST_F(Definitions, GoOnceTheyHaveEndedBeforeWhatIsKept) {
  LedgerFile file(path_, Millis(100));
  DefinitionRow edited = full_definition();
  edited.basis = Basis::defined;
  edited.before = 7;
  edited.digest = "d2";
  edited.from = noon + std::chrono::hours(1);
  file.write(std::vector<Record>{full_definition(), edited}, Sync::now);
  Retention retention(file, {.keep = std::chrono::hours(24)});
  while (retention.slice(noon + std::chrono::hours(26))) continue;
  const LedgerBasics read = basics();
  ASSERT_EQ(read.definitions.size(), 1u);
  EXPECT_EQ(read.definitions[0].row.digest, "d2");
}

}  // namespace
}  // namespace ballot::storage
