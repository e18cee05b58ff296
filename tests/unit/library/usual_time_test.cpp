// How long a job's runs take as a rule: one rule, whoever asks.
#include "library/history/usual_time.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/wall_text.hpp"
#include "library/history/file_ledger.hpp"
#include "library/history/ledger_wire.hpp"
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
    EXPECT_EQ(found->front().slower_since, by_rows.slower_since);
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

TEST_F(UsualTimes, AreTheMiddleOfTheTwoWeeksBeforeTheLastDay) {
  for (int day = 0; day < 17; ++day) ran(24h * day + 12h, day == 0 ? 50min : 10min + 1min * day);
  for (int i = 1; i < 4; ++i) ran(1h * i, 50min);
  ran(24h * 2 + 13h, 5s, Status::failed);
  EXPECT_EQ(usual().basis, Basis::week);
  EXPECT_EQ(usual().takes, 17min) << "of 11 to 23 min: the last day and what is older than two weeks count not";
  EXPECT_EQ(usual().slower_since, std::nullopt);
  EXPECT_EQ(usual().until(noon), noon - 24h);
}

TEST_F(UsualTimes, OfAJobThatIsDueOftenAreThoseOfAboutThisTimeOfTheDay) {
  for (int i = 0; i < 7 * 24 * 12; ++i) ran(5min * i, (i / 12) % 24 < 2 ? 10min : 3min);
  EXPECT_EQ(usual().basis, Basis::week);
  EXPECT_EQ(usual().takes, 10min);
  EXPECT_EQ(usual().slower_since, std::nullopt);
}

TEST_F(UsualTimes, OfAJobThatIsQuickAtTheWeekendAreNotThoseOfTheWeekend) {
  for (int today = 0; today < 7; ++today) {
    rows.clear();
    for (int i = 1; i < 14 * 24 * 4; ++i) ran(15min * i, (today + 70 - i / 96) % 7 < 2 ? 2s : 10s);
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.slot > b.slot; });
    EXPECT_EQ(usual_of(rows, noon, {}).slower_since, std::nullopt) << today;
    EXPECT_EQ(usual_of(rows, noon, {}).takes, 10s) << today;
  }
}

TEST_F(UsualTimes, OfAJobThatHasBeenSlowForDaysAreThoseOfBefore) {
  for (int i = 1; i < 12 * 24 * 12; ++i) ran(5min * i, i <= 6 * 24 * 12 ? 9s + 1ms * (i % 7) : 1s + 1ms * (i % 5));
  EXPECT_EQ(usual().basis, Basis::week);
  EXPECT_NEAR(static_cast<double>(usual().takes.count()), 1000, 10);
  ASSERT_TRUE(usual().slower_since);
  EXPECT_EQ(noon - *usual().slower_since, 24h * 6) << "the first of all, and not of those that are looked at";
}

TEST_F(UsualTimes, OfAYoungJobThatHasBeenSlowForEightyRunsAreThoseOfBefore) {
  for (int i = 1; i <= 110; ++i) ran(1min * i, i <= 84 ? 9s + 1ms * (i % 7) : 1s + 1ms * (i % 5));
  EXPECT_EQ(usual().basis, Basis::recent);
  EXPECT_NEAR(static_cast<double>(usual().takes.count()), 1000, 10);
  ASSERT_TRUE(usual().slower_since);
  EXPECT_EQ(noon - *usual().slower_since, 84min);
}

TEST_F(UsualTimes, OfAYoungJobThatHasBeenSlowForHundredsOfRunsAreThoseOfBefore) {
  for (int i = 1; i <= 8 * 60; ++i) ran(1min * i, i <= 5 * 60 ? 9s : 1s);
  EXPECT_EQ(usual().basis, Basis::recent);
  EXPECT_EQ(usual().takes, 1s);
  ASSERT_TRUE(usual().slower_since);
  EXPECT_EQ(noon - *usual().slower_since, 5h);
}

TEST_F(UsualTimes, AreSlowerSinceTheSameRunHoweverLongAgoThatWas) {
  for (int i = 0; i < 4 * 60 * 3; ++i) {
    const Millis ago = 3h - 15s * i;
    ran(ago, i < 3 * 60 ? 2s + 1ms * (i % 9) : 8s);
    if (i < 3 * 60 + 10 || i % 23) continue;
    const auto found = ledger()->usual_times({"backup"}, noon - ago + 1s);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->front().slower_since, noon - 3h + 45min) << i;
  }
}

TEST_F(UsualTimes, AreSlowerHoweverShortTheQuickTimeWasAgainstTheSlowOne) {
  constexpr std::chrono::seconds step(15);
  for (const Millis slow_for : std::vector<Millis>{10min, 24min, 48min, 49min, 53min, 5h, 11h, 23h, 25h, 72h, 216h}) {
    rows.clear(), records.clear(), ++last;
    const std::string job = "backup-" + std::to_string(last);
    for (Millis ago = slow_for + 34 * step; ago > 0ms; ago -= ago > slow_for ? step : step * 4)
      ran(ago, ago > slow_for ? 2s + 1ms * (ago / step % 9) : 8s, Status::succeeded, job);
    const auto found = ledger()->usual_times({job}, noon);
    ASSERT_TRUE(found);
    std::reverse(rows.begin(), rows.end());
    for (const UsualTime& one : {found->front(), usual_of(rows, noon, {})}) {
      EXPECT_LT(one.takes, 3s) << slow_for.count();
      EXPECT_EQ(one.slower_since, noon - slow_for) << slow_for.count();
    }
  }
}

TEST_F(UsualTimes, OfAJobThatWasSlowAreThoseOfBeforeUntilAnEighthOfItsRunsAreQuickAgain) {
  for (const int quick : {5, 30}) {
    rows.clear();
    for (int i = 1; i <= 700; ++i) ran(15s * i, i > quick && i <= 666 ? 8s : 2s);
    EXPECT_EQ(usual_of(rows, noon, {}).slower_since,
              quick == 5 ? std::optional<WallTime>(noon - 15s * 666) : std::nullopt);
  }
}

TEST_F(UsualTimes, OfAJobThatIsQuickAtNightAreThoseOfTheDayWhereItWasMadeAtNight) {
  for (int i = 1; i < (4 * 24 + 18) * 12; ++i) ran(5min * i, (i / 12 + 12) % 24 < 6 ? 2s : 9s);
  EXPECT_EQ(usual().slower_since, std::nullopt);
  EXPECT_EQ(usual().takes, 9s);
}

TEST_F(UsualTimes, AreSlowerSinceTheFirstOfMoreSlowRunsThanOthersWhereSomeBeforeWereSlowToo) {
  for (int i = 1; i <= 10 * 60; ++i) ran(1min * i, i <= 6 * 60 ? (i % 17 ? 9s : 1s) : (i % 23 ? 1s : 9s));
  EXPECT_EQ(usual().takes, 1s);
  EXPECT_EQ(usual().slower_since, noon - 6h);
}

TEST_F(UsualTimes, AreSlowerSinceTheFirstOfThousandsOfRuns) {
  for (int i = 1; i <= 12 * 24 * 60; i += i < 3 * 24 * 60 || i > 5 * 24 * 60 ? 10 : 1)
    ran(1min * i, i <= 4 * 24 * 60 - 77 ? 9s : 1s);
  EXPECT_EQ(usual().basis, Basis::week);
  ASSERT_TRUE(usual().slower_since);
  EXPECT_EQ(noon - *usual().slower_since, 24h * 4 - 77min);
}

TEST_F(UsualTimes, OfAJobThatGrewSlowAndQuickAgainAreThoseOfAll) {
  for (int i = 1; i <= 90; ++i) ran(1min * i, i > 40 && i <= 60 ? 9s : 1s);
  EXPECT_EQ(usual().takes, 1s);
  EXPECT_EQ(usual().slower_since, std::nullopt);
}

TEST_F(UsualTimes, GrowSlowByASecondAtLeast) {
  for (int i = 1; i <= 90; ++i) ran(1min * i, i <= 40 ? 900ms : 10ms);
  EXPECT_EQ(usual().slower_since, std::nullopt);
}

TEST_F(UsualTimes, OfAYoungJobAreTheMiddleOfTheOlderHalfOfItsLastRuns) {
  for (int i = 0; i < 10; ++i) ran(1h + 10min * i, 60min - 1min * i);
  EXPECT_EQ(usual().basis, Basis::recent);
  EXPECT_EQ(usual().takes, 53min) << "of 51 to 55 min";
}

TEST_F(UsualTimes, OfAYoungJobThatGrewSlowAreThoseOfBefore) {
  for (int i = 0; i < 20; ++i) ran(10min * (i + 1), i < 16 ? 50min : 10min);
  EXPECT_EQ(usual().takes, 10min);
  EXPECT_EQ(usual().runs, 4u);
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
  EXPECT_EQ(said[0].integer("runs"), 8);
  EXPECT_EQ(said[0].text("slower_since"), std::nullopt);
  EXPECT_EQ(said[1].text("basis"), "recent");
  EXPECT_EQ(said[2].text("basis"), "few");
  EXPECT_EQ(said[2].integer("usual_ms"), std::nullopt);
  EXPECT_EQ(said[2].integer("runs"), 1);
}

TEST_F(UsualTimes, AreSaidWithSinceWhenRunsAreSlower) {
  for (int i = 0; i < 20; ++i) ran(10min * (i + 1), i < 16 ? 50min : 10min);
  io::Message asked;
  asked.set("ask", "usual").set("jobs", std::vector<std::string>{"backup"});
  const auto answer = answer_shown(*ledger(), asked.set("form", "shown"), noon);
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(answer->objects("usual").front().text("slower_since"), format_slot(noon - 160min));
  const UsualTime again = usual_time_from(to_message(usual()));
  EXPECT_EQ(again.slower_since, noon - 160min);
  EXPECT_EQ(again.takes, 10min);
}

}  // namespace
}  // namespace ballot::library
