#include "storage/ledger.hpp"

#include <atomic>
#include <barrier>
#include <fstream>

#include "storage/database.hpp"
#include "storage_test_support.hpp"

namespace ballot::storage {
namespace {

class LedgerTest : public ::testing::Test {
 protected:
  std::unique_ptr<Ledger> open() { return std::make_unique<Ledger>(quick(path_), watch_.hooks()); }

  TempFolder folder_;
  std::string path_ = folder_ / "history.db";
  Watch watch_;
};

TEST_F(LedgerTest, KeepsEveryFieldOfARow) {
  const auto ledger = open();
  ledger->record(full_row());
  ledger->record(missed(noon));
  flush(*ledger);
  const std::vector<Row> rows = rows_in(path_);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(same(rows[0], full_row()));
  EXPECT_TRUE(same(rows[1], missed(noon)));
  EXPECT_TRUE(watch_.states().empty());
  EXPECT_TRUE(watch_.alarms().empty());
}

TEST_F(LedgerTest, SaysOnceItsFileIsThereForReadersOrCannotBe) {
  const std::string no_folder = folder_ / "file";
  std::ofstream(no_folder) << "no folder";
  for (const std::string& path : {path_, no_folder + "/history.db"}) {
    std::promise<bool> is_there;
    LedgerHooks hooks = watch_.hooks();
    hooks.on_opened = [&] { is_there.set_value(static_cast<bool>(Reader::open(path))); };
    const Ledger ledger(quick(path), std::move(hooks));
    EXPECT_EQ(is_there.get_future().get(), path == path_);
  }
}

TEST_F(LedgerTest, ReplacesARowByItsRunAndAttempt) {
  const auto ledger = open();
  Row row = ran(1);
  row.status = Status::running;
  row.ended_at.reset();
  ledger->record(row);
  ledger->record(ran(1));
  row.attempt = 2;
  ledger->record(row);
  flush(*ledger);
  const std::vector<Row> rows = rows_in(path_);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].attempt, 2);
  EXPECT_EQ(rows[0].status, Status::running);
  EXPECT_TRUE(same(rows[1], ran(1)));
}

TEST_F(LedgerTest, TakesEvidenceOnlyOfASlotThatItKnowsNothingOf) {
  const auto ledger = open();
  Row many = missed(noon);
  many.slots = 150;
  many.slot_until = noon + std::chrono::minutes(149);
  ledger->record(many);
  ledger->record_if_absent(missed(noon, Reason::misfire));
  ledger->record_if_absent(missed(noon + std::chrono::minutes(10), Reason::misfire));
  ledger->record_if_absent(missed(noon + std::chrono::minutes(150), Reason::no_leader));
  flush(*ledger);
  const std::vector<Row> rows = rows_in(path_);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].reason, Reason::no_leader);
  EXPECT_TRUE(same(rows[1], many));
}

TEST_F(LedgerTest, TakesOfTheEvidenceOfARangeWhatFollowsTheSlotsThatItKnows) {
  const auto ledger = open();
  ledger->record(missed(noon));
  ledger->record(missed(noon + std::chrono::minutes(1)));
  Row many = missed(noon);
  many.slots = 5;
  many.slot_until = noon + std::chrono::minutes(4);
  for (int twice = 0; twice < 2; ++twice) ledger->record_if_absent(many);
  flush(*ledger);
  std::vector<Row> rows = rows_in(path_);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].slot, noon + std::chrono::seconds(61));
  EXPECT_EQ(rows[0].slot_until, noon + std::chrono::minutes(4));
  EXPECT_EQ(rows[0].slots, 3);

  many.slots = 3;  // of another job, only the last one is not known
  many.slot_until = noon + std::chrono::minutes(2);
  many.job = "other";
  ledger->record(missed(noon, Reason::no_leader, "other"));
  ledger->record(missed(noon + std::chrono::minutes(1), Reason::no_leader, "other"));
  ledger->record_if_absent(many);
  flush(*ledger);
  rows = rows_in(path_, {.jobs = {"other"}});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].slot, many.slot_until);
  EXPECT_FALSE(rows[0].slot_until);
}

TEST_F(LedgerTest, TakesEvidenceOfASlotOfWhichItKnowsABackfillAlone) {
  const auto ledger = open();
  Row again = ran(1);
  again.trigger = Trigger::backfill;
  Row many = missed(again.slot);
  many.slots = 5;
  many.slot_until = again.slot + std::chrono::minutes(4);
  ledger->record(again);
  ledger->record_if_absent(many);
  flush(*ledger);
  const std::vector<Row> rows = rows_in(path_);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(same(rows[0].run ? rows[1] : rows[0], many));
  EXPECT_TRUE(same(rows[0].run ? rows[0] : rows[1], again));
}

TEST_F(LedgerTest, ReplacesARowWithoutARunByItsJobAndSlot) {
  const auto ledger = open();
  ledger->record(missed(noon));
  Row longer = missed(noon, Reason::misfire);
  longer.slots = 150;
  longer.slot_until = noon + std::chrono::minutes(149);
  ledger->record(longer);
  ledger->record(missed(noon, Reason::no_leader, "other"));
  ledger->record(ran(1));  // the slot has run after all: a row of its own
  flush(*ledger);
  const std::vector<Row> rows = rows_in(path_, {.jobs = {"backup"}});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(same(rows[0], ran(1)));
  EXPECT_TRUE(same(rows[1], longer));
  EXPECT_EQ(rows_in(path_).size(), 3u);
}

TEST_F(LedgerTest, NeverReplacesAnEndedRowByLost) {
  const auto ledger = open();
  Row lost = ran(1), open_row = ran(2), lost_open = ran(2);
  lost.status = Status::lost;
  lost.reason = Reason::node_died;
  open_row.status = Status::running;
  lost_open.status = Status::lost;
  ledger->record(ran(1));
  ledger->record(lost);
  ledger->record(open_row);
  ledger->record(lost_open);
  flush(*ledger);
  EXPECT_EQ(rows_in(path_, {.run = run_id(1)})[0].status, Status::succeeded);
  EXPECT_EQ(rows_in(path_, {.run = run_id(2)})[0].status, Status::lost);
  ledger->record(ran(2));
  flush(*ledger);
  EXPECT_EQ(rows_in(path_, {.run = run_id(2)})[0].status, Status::succeeded);
}

TEST_F(LedgerTest, ReplacesATermByItsGroupAndEpoch) {
  const auto ledger = open();
  ledger->record(TermRow{"nightly", "host-1", 7, noon, {}, Cause::none});
  ledger->record(TermRow{"nightly", "host-1", 7, noon, noon + Millis(5), Cause::evicted});
  flush(*ledger);
  const auto terms = Reader::open(path_)->terms("nightly");
  ASSERT_TRUE(terms);
  ASSERT_EQ(terms->size(), 1u);
  EXPECT_EQ((*terms)[0].cause, Cause::evicted);
  EXPECT_EQ((*terms)[0].ended_at, noon + Millis(5));
}

TEST_F(LedgerTest, FlushesInOrderAlsoWithNothingToWrite) {
  const auto ledger = open();
  flush(*ledger);
  std::promise<std::vector<int>> order;
  std::vector<int> calls;
  ledger->record(ran(1));
  ledger->flush([&] { calls.push_back(1); });
  ledger->flush([&] { calls.push_back(2); });
  ledger->record(ran(2));
  ledger->flush([&] {
    calls.push_back(3);
    order.set_value(calls);
  });
  EXPECT_EQ(order.get_future().get(), (std::vector{1, 2, 3}));
}

TEST_F(LedgerTest, StoresWhatWasRecordedBeforeItsEndAndLeavesOneFile) {
  {
    const auto ledger = open();
    for (std::uint32_t i = 0; i < 5000; ++i) ledger->record(ran(i));
  }
  EXPECT_FALSE(std::filesystem::exists(path_ + "-wal"));
  EXPECT_EQ(rows_in(path_).size(), 5000u);
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "spool") ||
              std::filesystem::file_size(folder_ / "spool/history.db.rows") == 0);
}

TEST_F(LedgerTest, TakesRowsFromManyThreadsAtOnce) {
  const auto ledger = open();
  constexpr std::uint32_t threads = 4, each = 1000;
  std::atomic<int> flushed = 0;
  {
    std::vector<std::jthread> writers;
    for (std::uint32_t t = 0; t < threads; ++t)
      writers.emplace_back([&, t] {
        for (std::uint32_t i = 0; i < each; ++i) {
          ledger->record(ran(t * each + i));
          if (i % 100 == 0) ledger->flush([&] { ++flushed; });
        }
      });
  }
  flush(*ledger);
  EXPECT_EQ(flushed, 40);
  EXPECT_EQ(rows_in(path_).size(), threads * each);
}

TEST_F(LedgerTest, KeepsOneRowAKeyWhateverTheOrderOfWrites) {
  const auto ledger = open();
  for (std::uint32_t i = 0; i < 300; ++i)
    for (const Status status : {Status::claimed, Status::running, Status::succeeded}) {
      Row row = ran(i);
      row.status = status;
      ledger->record(row);
    }
  flush(*ledger);
  EXPECT_EQ(rows_in(path_).size(), 300u);
  EXPECT_EQ(rows_in(path_, {.statuses = {Status::succeeded}, .limit = std::nullopt}).size(), 300u);
}

TEST_F(LedgerTest, BeginsAnewWhenItsFileIsDeleted) {
  const auto ledger = open();
  ledger->record(ran(1));
  flush(*ledger);
  for (const char* part : {"", "-wal", "-shm"}) std::filesystem::remove(path_ + part);
  ledger->record(ran(2));
  flush(*ledger);
  const std::vector<Row> rows = rows_in(path_);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].run, run_id(2));
  ASSERT_EQ(watch_.alarms().size(), 1u);
  EXPECT_NE(watch_.alarms()[0].find("moved or deleted"), std::string::npos);
}

TEST_F(LedgerTest, SweepsWhatIsTooOldByItself) {
  {
    const auto ledger = open();
    for (std::uint32_t i = 0; i < 100; ++i) ledger->record(ran(i, noon - std::chrono::days(i)));
  }
  LedgerOptions options = quick(path_);
  options.limits.keep = std::chrono::days(10) + std::chrono::hours(1);
  { Ledger ledger(options, watch_.hooks()); }  // an end may come before the first pass
  Ledger ledger(options, watch_.hooks());
  const auto deadline = std::chrono::steady_clock::now() + patience;
  std::size_t rows = 100;
  while (rows != 11 && std::chrono::steady_clock::now() < deadline) rows = rows_in(path_).size();
  EXPECT_EQ(rows, 11u);
}

}  // namespace
}  // namespace ballot::storage
