// `ballot run cron`: several candidates, one schedule: every tick once, whoever leads at the time.
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "integration/elections/cron_candidates.hpp"
#include "support/process/small_disk.hpp"

namespace ballot::testing {
namespace {

using namespace std::chrono_literals;
TEST_F(RunCron, RunsEachTickOnce) {
  CandidateProcess one(folder, cron("a", "* * * * * *", {"--on-child-success", "rerun"}, folder.saying("true")));
  ASSERT_TRUE(folder.wait_until_said("END", 4));
  EXPECT_TRUE(one.stops_between_runs(SIGTERM));
  expect_each_second_once();
  const auto starts = folder.said("START");
  EXPECT_EQ(field(starts[0], 4), field(starts[3], 4)) << "in one term";
  for (const std::string& line : starts) EXPECT_LT(WallTime(Millis(time_of(line))) - slot_of(line), 900ms) << line;
}

TEST_F(RunCron, SkipsTicksWhileItsChildRuns) {
  CandidateProcess one(folder, cron("a", "* * * * * *", {"--on-child-success", "rerun"}, folder.saying("sleep 1.5")));
  ASSERT_TRUE(folder.wait_until_said("END", 3));
  one.stop(SIGTERM);
  const auto starts = folder.said("START");
  for (std::size_t i = 1; i < starts.size(); ++i) EXPECT_EQ(slot_of(starts[i]) - slot_of(starts[i - 1]), 2s);
  EXPECT_GE(one.count("tick skipped"), 2u);
  EXPECT_EQ(folder.said("OVERLAP").size(), 0u);
}

TEST_F(RunCron, HasFiveCandidatesTakeTurnsWithoutLosingOrDoublingATick) { expect_turns(18, 60s); }

/// A leader that is killed: its tick is not repeated, the next one is made up for once its lease is over.
TEST_F(RunCron, MakesUpForTheTickThatAnElectionHeldUp) {
  CandidateProcess a(folder, cron("a", "*/2 * * * * *", {"--on-child-success", "rerun"}, folder.saying("true")));
  ASSERT_TRUE(folder.wait_until_said("END", 1));
  CandidateProcess b(folder, cron("b", "*/2 * * * * *", {"--log-level", "debug"}, folder.saying("true")));
  ASSERT_TRUE(b.wait_for("campaigns"));
  ASSERT_TRUE(folder.wait_until_said("END", 2));
  EXPECT_EQ(a.stop(SIGKILL), 137);
  ASSERT_TRUE(folder.wait_until_said("END", 5));
  b.stop(SIGTERM);
  const auto starts = folder.said("START");
  for (std::size_t i = 1; i < starts.size(); ++i)
    EXPECT_EQ(slot_of(starts[i]) - slot_of(starts[i - 1]), 2s) << starts[i - 1] << "\n" << starts[i];
  EXPECT_EQ(field(starts.back(), 3), "b");
}

TEST_F(RunCron, KeepsThePhaseOfEveryOverCandidates) {
  const Arguments flags{"--on-child-success", "rerun"};
  CandidateProcess a(folder, cron("a", "@every 2s", flags, folder.saying("true")));
  ASSERT_TRUE(folder.wait_until_said("END", 2));
  a.stop(SIGTERM);
  CandidateProcess b(folder, cron("b", "@every 2s", flags, folder.saying("true")));
  ASSERT_TRUE(folder.wait_until_said("END", 4));
  b.stop(SIGTERM);
  const auto starts = folder.said("START");
  for (const std::string& line : starts)
    EXPECT_EQ((slot_of(line) - slot_of(starts[0])) % Millis(2000), Millis(0)) << line;
}

TEST_F(RunCron, GoesOnAfterManyQuickRuns) {
  CandidateProcess one(folder, cron("a", "* * * * * *", {"--on-child-success", "rerun", "--on-child-error", "ignore"},
                                    folder.saying("test $(($(date +%s) % 2)) = 0")));
  ASSERT_TRUE(folder.wait_until_said("START", 6));
  one.stop(SIGTERM);
  expect_each_second_once();
}

TEST_F(RunCron, EndsWithTheCodeOfTheChildThatIsTheLast) {
  CandidateProcess one(folder, cron("a", "* * * * * *", {"--on-child-error", "exit"}, "exit 7"));
  EXPECT_EQ(one.wait(), 7);
}

TEST_F(RunCron, SaysOnceOfATickThatItIsMissedWhileItsStoreHasNoSpace) {
  const SmallDisk disk(folder.folder / "state", "1m");
  if (!disk.mounted()) GTEST_SKIP() << "only root can mount a small disk";
  CandidateProcess one(folder, cron("a", "* * * * * *", {"--on-child-success", "rerun"}, folder.saying("true")));
  ASSERT_TRUE(folder.wait_until_said("END", 1));
  disk.fill();
  ASSERT_TRUE(one.wait_for("tick missed", 3));
  disk.make_room();
  ASSERT_TRUE(folder.wait_until_said("END", folder.said("END").size() + 2));
  EXPECT_TRUE(one.stops_between_runs(SIGTERM));
  std::istringstream log(one.log());
  std::set<std::string> missed;
  for (std::string line; std::getline(log, line);) {
    if (line.find("tick missed") != std::string::npos)
      EXPECT_TRUE(missed.insert(line.substr(line.find(" tick="))).second) << line;
  }
}

TEST_F(RunCron, RunsItsTicksAnywayWithoutABackend) {
  const LockedStore store(folder);
  CandidateProcess one(folder,
                       cron("a", "* * * * * *", {"--on-election-failure", "run-anyway"}, folder.saying("true")));
  ASSERT_TRUE(folder.wait_until_said("END", 3));
  one.stop(SIGTERM);
  EXPECT_GE(one.count("unelected"), 3u);
}

}  // namespace
}  // namespace ballot::testing
