#include "storage/retention.hpp"

#include "storage_test_support.hpp"

namespace ballot::storage {
namespace {

using std::chrono::days;
using std::chrono::hours;

class RetentionTest : public ::testing::Test {
 protected:
  void write(std::vector<Record> records) { file_->write(records, Sync::later); }
  int sweep(Limits limits) {
    Retention retention(*file_, limits);
    int slices = 1;
    while (retention.slice(noon)) ++slices;
    return slices;
  }
  std::int64_t count(const char* table) {
    return file_->database().number(("SELECT count(*) FROM " + std::string(table)).c_str());
  }
  std::int64_t pages() { return file_->database().number("PRAGMA page_count"); }

  TempFolder folder_;
  std::string path_ = folder_ / "history.db";
  std::unique_ptr<LedgerFile> file_ = std::make_unique<LedgerFile>(path_, Millis(100));
};

TEST_F(RetentionTest, DeletesRowsWithTheirOutputOnceTheyAreTooOld) {
  for (std::uint32_t i = 0; i < 20; ++i)
    write({ran(i, noon - days(i)), OutputRecord{run_id(i), 1, {"said", "", 4}}, missed(noon - days(i) + hours(1))});
  sweep({.keep = days(5)});
  EXPECT_EQ(count("ledger WHERE run_id IS NOT NULL"), 6);
  EXPECT_EQ(count("ledger WHERE run_id IS NULL"), 6);
  EXPECT_EQ(count("output"), 6);
}

TEST_F(RetentionTest, LeavesOpenRowsAndWhatEndedLately) {
  Row open = ran(1, noon - days(100)), late = ran(2, noon - days(100)), range = missed(noon - days(100));
  open.status = Status::running;
  open.ended_at.reset();
  late.ended_at = noon - days(1);
  range.slot_until = noon - days(1);
  write({open, late, range, missed(noon - days(99))});
  sweep({.keep = days(5)});
  EXPECT_EQ(count("ledger"), 3);
  EXPECT_EQ(count("ledger WHERE slots = 1 AND run_id IS NULL AND slot_until IS NULL"), 0);
}

TEST_F(RetentionTest, KeepsTheNewestRunsOfEachJobWithAllTheirAttempts) {
  for (std::uint32_t i = 0; i < 10; ++i) {
    Row again = ran(i, noon - hours(i));
    again.attempt = 2;
    write(
        {ran(i, noon - hours(i)), again, ran(100 + i, noon - hours(i), "other"), missed(noon - hours(i) - Millis(1))});
  }
  write({ran(200, noon, "rare")});
  sweep({.keep = days(90), .keep_runs_per_job = 3});
  EXPECT_EQ(rows_in(path_, {.jobs = {"backup"}, .statuses = {Status::succeeded}}).size(), 6u);
  EXPECT_EQ(rows_in(path_, {.jobs = {"backup"}, .statuses = {Status::missed}}).size(), 2u);
  EXPECT_EQ(rows_in(path_, {.jobs = {"other"}}).size(), 3u);
  EXPECT_EQ(rows_in(path_, {.jobs = {"rare"}}).size(), 1u);
}

TEST_F(RetentionTest, CountsAndDeletesRunsWhoseStatusOnlyANewerVersionKnows) {
  for (std::uint32_t i = 0; i < 10; ++i) {
    Row row = ran(i, noon - hours(i));
    if (i % 2 == 0) row.status = Named<Status>::parse("deferred").value();
    write({row});
  }
  sweep({.keep = days(90), .keep_runs_per_job = 3});
  EXPECT_EQ(count("ledger"), 3);
}

TEST_F(RetentionTest, LooksOnlyAtJobsThatGotRows) {
  write({ran(1)});
  EXPECT_EQ(file_->take_touched_jobs().size(), 1u);
  EXPECT_TRUE(file_->take_touched_jobs().empty());
  file_ = std::make_unique<LedgerFile>(path_, Millis(100));
  EXPECT_GE(file_->take_touched_jobs().size(), 1u);
}

TEST_F(RetentionTest, DeletesTheOldestRowsUntilTheFileIsSmallEnough) {
  const std::string said(4000, 'x');
  for (std::uint32_t i = 0; i < 500; ++i)
    write({ran(i, noon - hours(i)), OutputRecord{run_id(i), 1, {said, said, 8000}},
           TermRow{"nightly", "host-1", i, noon - hours(i), noon - hours(i) + Millis(1), Cause::resigned}});
  constexpr std::int64_t most = 1 << 20;
  ASSERT_GT(pages() * 4096, 4 * most);
  sweep({.keep = days(90), .max_size = most});
  EXPECT_LE(pages() * 4096, most);
  EXPECT_GT(pages() * 4096, most * 7 / 10);
  const std::vector<Row> left = rows_in(path_);
  ASSERT_GT(left.size(), 50u);
  EXPECT_EQ(left.front().slot, noon);
  EXPECT_EQ(left.back().slot, noon - hours(static_cast<int>(left.size()) - 1));
  EXPECT_EQ(count("output"), static_cast<std::int64_t>(left.size()));
  EXPECT_EQ(count("term"), static_cast<std::int64_t>(left.size()));
}

TEST_F(RetentionTest, StopsAtAnEmptyLedgerThatIsStillTooLarge) {
  write({ran(1)});
  Row open = ran(2);
  open.status = Status::claimed;
  write({open});
  sweep({.keep = days(90), .max_size = 1});
  EXPECT_EQ(count("ledger"), 1);
}

TEST_F(RetentionTest, WorksInSlicesAndGivesPagesBack) {
  std::vector<Record> records;
  for (std::uint32_t i = 0; i < 9000; ++i) records.emplace_back(ran(i, noon - days(50) + Millis(i)));
  write(std::move(records));
  const std::int64_t before = pages();
  EXPECT_GE(sweep({.keep = days(5)}), 5);
  EXPECT_EQ(count("ledger"), 0);
  EXPECT_LT(pages(), before / 4);
  EXPECT_EQ(file_->database().number("PRAGMA freelist_count"), 0);
}

TEST_F(RetentionTest, DeletesTermsThatEndedTooLongAgoAndOutputWithoutARow) {
  write({TermRow{"nightly", "host-1", 1, noon - days(60), noon - days(50), Cause::expired},
         TermRow{"nightly", "host-1", 2, noon - days(50), noon - days(4), Cause::expired},
         TermRow{"weekly", "host-1", 3, noon - days(60), {}, Cause::none},
         OutputRecord{RunId{}, 1, {"long ago", "", 8}}});
  sweep({.keep = days(5)});
  EXPECT_EQ(count("term"), 2);
  EXPECT_EQ(count("output"), 0);
}

}  // namespace
}  // namespace ballot::storage
