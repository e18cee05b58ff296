// How long a job's runs take as a rule: the same rule as the page's.
#include "library/history/usual_time.hpp"

#include <gtest/gtest.h>

#include "library/history/file_ledger.hpp"
#include "storage/ledger_file.hpp"
#include "unit/storage/storage_test_support.hpp"

namespace ballot::library {
namespace {

using namespace std::chrono_literals;
using storage::noon;

struct UsualTimes : ::testing::Test {
  /// A run that was due so long ago and took so long.
  void ran(Millis ago, Millis took, Status status = Status::succeeded) {
    Row row = storage::ran(++last, noon - ago);
    row.duration = took;
    row.status = status;
    records.emplace_back(row);
  }
  UsualTime usual() {
    storage::LedgerFile(folder / "history.db", Millis(100)).write(records, storage::Sync::later);
    auto ledger = FileLedger::open(place);
    const auto found = usual_time(**ledger, "backup", noon);
    EXPECT_TRUE(found);
    return found ? *found : UsualTime{};
  }

  TempFolder folder;
  LedgerPlace place{folder / "history.db", folder / "no-runner.sock", "host-1", std::chrono::hours(1'000'000)};
  std::vector<storage::Record> records;
  std::uint32_t last = 0;
};

TEST_F(UsualTimes, AreTheMiddleOfTheWeekBeforeTheLastDay) {
  for (int day = 0; day < 9; ++day) ran(24h * day + 12h, day == 0 ? 50min : 10min + 1min * day);
  for (int i = 1; i < 4; ++i) ran(1h * i, 50min);
  ran(24h * 2 + 13h, 5s, Status::failed);
  EXPECT_EQ(usual().basis, UsualTime::Basis::week);
  EXPECT_EQ(usual().takes, 14min) << "of 11 to 16 min the fourth: the last day and what is older than a week count not";
}

TEST_F(UsualTimes, OfAYoungJobAreTheMiddleOfTheOlderHalfOfItsLastSlots) {
  for (int i = 0; i < 10; ++i) ran(1h + 10min * i, i < 5 ? 50min : 10min + 1min * i);
  EXPECT_EQ(usual().basis, UsualTime::Basis::recent);
  EXPECT_EQ(usual().takes, 17min) << "of 15 to 19 min";
}

TEST_F(UsualTimes, OfFewRunsAreTheirMiddleAndOfNoneNotKnown) {
  ran(1h, 5s, Status::failed);
  EXPECT_EQ(usual().basis, UsualTime::Basis::none);
  ran(2h, 3min);
  ran(3h, 1min);
  ran(4h, 2min);
  EXPECT_EQ(usual().basis, UsualTime::Basis::few);
  EXPECT_EQ(usual().takes, 2min);
}

}  // namespace
}  // namespace ballot::library
