#include "storage/backlog.hpp"

#include "storage_test_support.hpp"

namespace ballot::storage {
namespace {

Record output(std::size_t bytes) { return OutputRecord{run_id(1), 1, {std::string(bytes, 'x'), "", 0}}; }

std::vector<int> tails(const Batch& batch) {
  std::vector<int> result;
  for (const Record& record : batch.records)
    result.push_back(std::holds_alternative<Row>(record) ? std::get<Row>(record).run->bytes[15] : -1);
  return result;
}

TEST(Backlog, KeepsTheOrder) {
  Backlog backlog({});
  for (std::uint32_t i = 1; i < 4; ++i) backlog.push(ran(i));
  EXPECT_EQ(tails(backlog.take()), (std::vector{1, 2, 3}));
  EXPECT_TRUE(backlog.take().empty());
}

TEST(Backlog, HandsOutAFlushWithTheLastRecordBeforeIt) {
  Backlog backlog({});
  for (std::uint32_t i = 0; i < 3000; ++i) backlog.push(ran(i));
  backlog.push_flush([] {});
  backlog.push(ran(1));
  std::size_t taken = 0;
  while (true) {
    const Batch batch = backlog.take();
    taken += batch.records.size();
    ASSERT_FALSE(batch.empty());
    EXPECT_EQ(batch.flushed.size(), taken >= 3000 ? 1u : 0u);
    if (taken >= 3000) break;
  }
  EXPECT_EQ(taken, 3001u);
}

TEST(Backlog, CountsWhatWasFreedElsewhereUntilItIsTaken) {
  Backlog backlog({});
  backlog.note_freed(2);
  backlog.note_freed(3);
  EXPECT_EQ(backlog.take_freed(), 5u);
  EXPECT_EQ(backlog.take_freed(), 0u);
}

TEST(Backlog, DropsNoRowForADefinition) {
  Backlog backlog({.records = 2});
  for (int i = 0; i < 5; ++i) backlog.push(full_definition());
  for (std::uint32_t i = 1; i < 3; ++i) backlog.push(ran(i));
  for (int i = 0; i < 5; ++i) backlog.push(full_definition());
  EXPECT_EQ(backlog.dropped(), Dropped{});
  backlog.push(ran(3));
  EXPECT_EQ(backlog.dropped(), (Dropped{1, 0}));
  backlog.take();
  for (std::uint32_t i = 1; i < 3; ++i) backlog.push(ran(i));
  EXPECT_EQ(backlog.dropped(), (Dropped{1, 0}));
}

TEST(Backlog, KeepsOneRecordOfWhatIsKnownOfAJobHoweverLongNothingCanBeStored) {
  Backlog backlog({.records = 2});
  backlog.push(ran(1));
  for (std::uint64_t fence = 1; fence <= 1000; ++fence) {
    backlog.push(KnownRow{run_id(1), KnownRow::Of::job, "backup", 0, fence, 0});
    backlog.push(KnownRow{run_id(1), KnownRow::Of::group, "backup", 0, fence, 0});
  }
  EXPECT_EQ(backlog.size(), 3u);
  EXPECT_EQ(backlog.dropped(), Dropped{});
  std::vector<std::uint64_t> counts;
  for (const Record& record : backlog.take().records)
    if (const auto* known = std::get_if<KnownRow>(&record)) counts.push_back(known->count);
  EXPECT_EQ(counts, (std::vector<std::uint64_t>{1000, 1000}));
  EXPECT_EQ(backlog.size(), 0u);
  EXPECT_TRUE(backlog.take().empty());
}

Row in(Status status, Row row) {
  row.status = status;
  return row;
}

TEST(Backlog, HandsOutOnlyTheLastRowOfAnAttempt) {
  Backlog backlog({});
  backlog.push(in(Status::claimed, ran(1)));
  backlog.push(in(Status::claimed, ran(2)));
  backlog.push(in(Status::running, ran(1)));
  backlog.push(output(10));
  backlog.push(in(Status::failed, ran(1)));
  const Batch batch = backlog.take();
  ASSERT_EQ(tails(batch), (std::vector{1, 2, -1}));
  EXPECT_EQ(std::get<Row>(batch.records[0]).status, Status::failed);
  EXPECT_EQ(std::get<Row>(batch.records[1]).status, Status::claimed);
}

TEST(Backlog, KeepsTheEndOfARunThatIsCalledLostAfterIt) {
  Backlog backlog({});
  backlog.push(in(Status::succeeded, ran(1)));
  backlog.push(in(Status::lost, ran(1)));
  const Batch batch = backlog.take();
  ASSERT_EQ(batch.records.size(), 1u);
  EXPECT_EQ(std::get<Row>(batch.records[0]).status, Status::succeeded);
}

TEST(Backlog, KeepsTheRowsOfEveryAttempt) {
  Backlog backlog({});
  Row second = ran(1);
  second.attempt = 2;
  backlog.push(ran(1));
  backlog.push(second);
  EXPECT_EQ(backlog.take().records.size(), 2u);
}

TEST(Backlog, DropsNewOutputBeyondItsBytes) {
  Backlog backlog({.records = 10, .output_bytes = 100});
  backlog.push(output(60));
  backlog.push(output(60));
  backlog.push(ran(1));
  EXPECT_EQ(tails(backlog.take()), (std::vector{-1, 1}));
  EXPECT_EQ(backlog.dropped(), (Dropped{.rows = 0, .outputs = 1}));
  backlog.push(output(60));
  EXPECT_EQ(tails(backlog.take()), (std::vector{-1}));
}

TEST(Backlog, DropsOutputFirstAndThenTheOldestRows) {
  Backlog backlog({.records = 3, .output_bytes = 100});
  backlog.push(ran(1));
  backlog.push(output(10));
  backlog.push(ran(2));
  backlog.push(ran(3));
  EXPECT_EQ(backlog.dropped(), (Dropped{.rows = 0, .outputs = 1}));
  backlog.push(ran(4));
  backlog.push(ran(5));
  EXPECT_EQ(backlog.dropped(), (Dropped{.rows = 2, .outputs = 1}));
  bool flushed = false;
  backlog.push_flush([&] { flushed = true; });
  const Batch batch = backlog.take();
  EXPECT_EQ(tails(batch), (std::vector{3, 4, 5}));
  ASSERT_EQ(batch.flushed.size(), 1u);
}

}  // namespace
}  // namespace ballot::storage
