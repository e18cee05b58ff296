// How long a job's runs take as a rule: one rule, whoever asks.
#include "library/history/usual_time.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "library/history/file_ledger.hpp"
#include "library/shown/ledger_answers.hpp"
#include "storage/ledger_file.hpp"
#include "unit/storage/storage_test_support.hpp"

namespace ballot::library {
namespace {

using namespace std::chrono_literals;
using storage::noon;
using Basis = UsualTime::Basis;

struct UsualTimes : ::testing::Test {
  /// A run that was due so long ago and took so long.
  void ran(Millis ago, Millis took, Status status = Status::succeeded, const std::string& job = "backup") {
    Row row = storage::ran(++last, noon - ago);
    row.job = job;
    row.duration = took;
    row.status = status;
    records.emplace_back(row);
    rows.push_back(row);
  }
  std::unique_ptr<LedgerView> ledger() {
    storage::LedgerFile(folder / "history.db", Millis(100)).write(records, storage::Sync::later);
    return *FileLedger::open(place);
  }
  /// By its ledger, and by all of its rows.
  UsualTime usual() {
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.slot > b.slot; });
    const UsualTime by_rows = usual_of(rows, noon, {});
    const auto found = ledger()->usual_times({"backup"}, noon);
    EXPECT_TRUE(found);
    EXPECT_EQ(found->front().basis, by_rows.basis);
    EXPECT_EQ(found->front().takes, by_rows.takes);
    EXPECT_EQ(found->front().runs, by_rows.runs);
    return by_rows;
  }
  UsualTime usual_without(const std::string& node, std::optional<WallTime> last_heard) {
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.slot > b.slot; });
    return usual_of(rows, noon, {{node, last_heard, "it does not answer"}});
  }

  TempFolder folder;
  LedgerPlace place{folder / "history.db", folder / "no-runner.sock", "host-1", std::chrono::hours(1'000'000)};
  std::vector<storage::Record> records;
  std::vector<Row> rows;
  std::uint32_t last = 0;
};

TEST_F(UsualTimes, AreTheMiddleOfTheWeekBeforeTheLastDay) {
  for (int day = 0; day < 9; ++day) ran(24h * day + 12h, day == 0 ? 50min : 10min + 1min * day);
  for (int i = 1; i < 4; ++i) ran(1h * i, 50min);
  ran(24h * 2 + 13h, 5s, Status::failed);
  EXPECT_EQ(usual().basis, Basis::week);
  EXPECT_EQ(usual().takes, 14min) << "of 11 to 16 min the fourth: the last day and what is older than a week count not";
}

TEST_F(UsualTimes, OfAJobThatIsDueOftenAreThoseOfAboutThisTimeOfTheDay) {
  for (int i = 0; i < 7 * 24 * 12; ++i) ran(5min * i, (i / 12) % 24 < 2 ? 10min : 3min);
  EXPECT_EQ(usual().basis, Basis::week);
  EXPECT_EQ(usual().takes, 10min);
}

TEST_F(UsualTimes, OfAYoungJobAreTheMiddleOfTheOlderHalfOfItsLastRuns) {
  for (int i = 0; i < 10; ++i) ran(1h + 10min * i, i < 5 ? 50min : 10min + 1min * i);
  EXPECT_EQ(usual().basis, Basis::recent);
  EXPECT_EQ(usual().takes, 17min) << "of 15 to 19 min";
}

TEST_F(UsualTimes, OfAYoungJobThatGrewSlowAreThoseOfBefore) {
  for (int i = 0; i < 20; ++i) ran(10min * (i + 1), i < 16 ? 50min : 10min);
  EXPECT_EQ(usual().takes, 10min) << "of the oldest five the middle";
}

TEST_F(UsualTimes, OfFewRunsAreTheirMiddleAndOfNoneNotKnown) {
  ran(1h, 5s, Status::failed);
  EXPECT_EQ(usual().basis, Basis::none);
  ran(2h, 3min);
  ran(3h, 1min);
  ran(4h, 2min);
  EXPECT_EQ(usual().basis, Basis::few);
  EXPECT_EQ(usual().takes, 2min);
}

TEST_F(UsualTimes, OfAYoungJobAreNotKnownWhileANodeIsAwayThatMayHaveOlderRuns) {
  for (int i = 0; i < 10; ++i) ran(1h * (i + 1), 5min);
  EXPECT_EQ(usual_without("host-9", std::nullopt).basis, Basis::few);
  EXPECT_EQ(usual_without("host-9", noon - 11h).basis, Basis::few) << "it lived before the oldest";
  EXPECT_EQ(usual_without("host-9", noon - 1h).basis, Basis::recent) << "it would have answered for those, too";
  rows.back().node = "host-9";
  EXPECT_EQ(usual_without("host-9", noon - 1h).basis, Basis::few) << "the oldest is its own, by the store";
  for (int day = 2; day < 6; ++day) ran(24h * day, 5min);
  EXPECT_EQ(usual_without("host-9", std::nullopt).basis, Basis::week);
}

TEST_F(UsualTimes, AreReadOfManyJobsAndSaidByTheApiWhereTheyAreKnown) {
  for (int i = 0; i < 10; ++i) ran(1h * (i + 1), 5min), ran(24h * i, 7min, Status::succeeded, "trim");
  ran(1h, 5min, Status::succeeded, "new");
  const auto reads = ledger();
  const auto times = reads->usual_times({"trim", "none", "backup", "new"}, noon);
  ASSERT_TRUE(times);
  ASSERT_EQ(times->size(), 4u);
  EXPECT_EQ(times->at(0).takes, 7min);
  EXPECT_EQ(times->at(1).basis, Basis::none);
  EXPECT_EQ(times->at(2).takes, 5min);
  io::Message asked;
  asked.set("ask", "usual").set("jobs", std::vector<std::string>{"trim", "backup", "new", "trim"});
  const auto answer = answer_shown(*reads, asked.set("form", "shown"), noon);
  ASSERT_TRUE(answer) << answer.error().what;
  const auto said = answer->objects("usual");
  ASSERT_EQ(said.size(), 3u);
  EXPECT_EQ(said[0].text("basis"), "week");
  EXPECT_EQ(said[0].integer("usual_ms"), 7 * 60'000);
  EXPECT_EQ(said[0].integer("runs"), 6);
  EXPECT_EQ(said[1].text("basis"), "recent");
  EXPECT_EQ(said[2].text("basis"), "few");
  EXPECT_EQ(said[2].integer("usual_ms"), std::nullopt);
  EXPECT_EQ(said[2].integer("runs"), 1);
}

}  // namespace
}  // namespace ballot::library
