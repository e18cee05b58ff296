// What stores have shown a node, as its ledger keeps it.
#include "storage/database.hpp"
#include "storage/known_tables.hpp"
#include "storage/ledger_file.hpp"
#include "storage_test_support.hpp"

namespace ballot::storage {
namespace {

using Of = KnownRow::Of;

KnownRow store(std::uint32_t id, std::string place, std::uint64_t revision, std::uint64_t times = 0) {
  return {run_id(id), Of::store, std::move(place), 0, revision, times};
}
KnownRow group(std::uint32_t id, std::string name, std::uint64_t repair, std::uint64_t epoch, std::uint64_t times = 0) {
  return {run_id(id), Of::group, std::move(name), repair, epoch, times};
}
KnownRow job(std::uint32_t id, std::string name, std::uint64_t repair, std::uint64_t fence) {
  return {run_id(id), Of::job, std::move(name), repair, fence, 0};
}

class Known : public ::testing::Test {
 protected:
  void write(const std::vector<Record>& records) { LedgerFile(path_, Millis(100)).write(records, Sync::now); }
  std::vector<KnownRow> read() { return read_known(path_); }
  void run(const char* sql) { Database(path_, Open::write).run(sql); }

  TempFolder folder_;
  std::string path_ = folder_ / "history.db";
};

TEST_F(Known, IsReadAsItWasWrittenLast) {
  const std::uint64_t beyond = std::uint64_t{1} << 63;  // as tables have no such number
  write({job(1, "backup", 0, 3), store(1, "local ballot /var", 10), group(1, "nightly", 0, 7)});
  write({job(1, "backup", 90, beyond + 5), group(1, "nightly", 90, 8, 2), store(1, "local ballot /srv", 4, 2)});
  EXPECT_EQ(read(), (std::vector<KnownRow>{store(1, "local ballot /srv", 4, 2), group(1, "nightly", 90, 8, 2),
                                           job(1, "backup", 90, beyond + 5)}));
}

TEST_F(Known, IsKeptForEachStoreTheOneThatWasUsedLastComingLast) {
  write({store(1, "here", 10), job(1, "backup", 0, 3)});
  write({store(2, "here", 2), job(2, "backup", 0, 1)});
  EXPECT_EQ(read(), (std::vector<KnownRow>{store(1, "here", 10), store(2, "here", 2), job(1, "backup", 0, 3),
                                           job(2, "backup", 0, 1)}));
  write({store(1, "here", 11)});
  EXPECT_EQ(read()[1], store(1, "here", 11));
}

TEST_F(Known, OfOneJobIsWrittenOnceATransactionByTheLedger) {
  Watch watch;
  Ledger ledger({.path = path_}, watch.hooks());
  ledger.record(store(1, "here", 10));
  for (std::uint64_t fence = 1; fence <= 100; ++fence) {
    ledger.record(job(1, "backup", 0, fence));
    ledger.record(job(1, "rotate", 0, 2 * fence));
  }
  ledger.close();
  EXPECT_EQ(read(), (std::vector<KnownRow>{store(1, "here", 10), job(1, "backup", 0, 100), job(1, "rotate", 0, 200)}));
}

/// A ballot that knows the definitions only says so when it opens the file, and leaves these tables alone.
TEST_F(Known, IsKeptWhileAnOlderBallotWrites) {
  write({store(1, "here", 10), job(1, "backup", 0, 3), full_definition()});
  run("UPDATE meta SET value = 1 WHERE key = 'additions'");
  write({ran(1)});
  EXPECT_EQ(read(), (std::vector<KnownRow>{store(1, "here", 10), job(1, "backup", 0, 3)}));
  EXPECT_EQ(Database(path_, Open::read).number("SELECT count(*) FROM definition"), 1) << "nothing says that it is old";
}

TEST_F(Known, IsNothingInAFileOfAnOlderBallot) {
  write({ran(1)});
  run("DROP TABLE known_store; DROP TABLE known_group; DROP TABLE known_job");
  EXPECT_EQ(read(), std::vector<KnownRow>());
}

TEST_F(Known, WaitsInTheSpoolWithTheRows) {
  for (const KnownRow& row : {store(1, "here", 10, 3), group(1, "nightly", 90, 8, 2), job(1, "backup", 5, 6)}) {
    const std::string bytes = encode(row);
    EXPECT_EQ(std::get<KnownRow>(*decode(bytes)), row);
    for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(decode(bytes.substr(0, size))) << size;
  }
}

}  // namespace
}  // namespace ballot::storage
