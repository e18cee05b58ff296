// Jobs that come `after` others, with a real daemon: what runs, in which order, what it is given, what people are told.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/wall_text.hpp"
#include "support/process/ballot_daemon.hpp"
#include "support/process/process_facts.hpp"

namespace ballot::testing {
namespace {

using namespace std::chrono_literals;

std::optional<Row> row_of(const std::vector<Row>& rows, WallTime slot) {
  for (const Row& row : rows)
    if (row.slot == slot) return row;
  return std::nullopt;
}

/// Of the job at least so many have succeeded.
bool has_runs(const BallotDaemon& daemon, const std::string& job, std::ptrdiff_t least) {
  return wait_until([&] {
    const std::vector<Row> rows = daemon.rows(job);
    return std::count_if(rows.begin(), rows.end(), [](const Row& row) { return row.status == Status::succeeded; }) >=
           least;
  });
}

TEST(Chain, EachSlotOfAChildRunsAfterThatOfItsParentAndIsGivenItsRun) {
  BallotDaemon daemon;
  daemon.job("extract", "schedule = \"*/2 * * * * *\"\nshell = \"sleep 0.3\"");
  daemon.job("load", "after = [\"extract\"]\nshell = \"echo after $BALLOT_UPSTREAM\"");
  daemon.start();
  ASSERT_TRUE(has_runs(daemon, "load", 3)) << daemon.log;
  EXPECT_EQ(daemon.stop(), 0);
  const std::vector<Row> parents = daemon.rows("extract");
  std::size_t ran = 0;
  for (const Row& row : daemon.rows("load")) {
    if (row.status != Status::succeeded) continue;
    const auto parent = row_of(parents, row.slot);
    ASSERT_TRUE(parent && parent->run && parent->ended_at) << format_slot(row.slot);
    EXPECT_EQ(parent->status, Status::succeeded);
    EXPECT_GE(*row.started_at, *parent->ended_at);
    EXPECT_EQ(daemon.ballot({"output", row.run->text()}).out, "after " + parent->run->text() + "\n");
    ++ran;
  }
  EXPECT_GE(ran, 3u);
  EXPECT_EQ(daemon.ballot({"audit"}).code, 0) << daemon.ballot({"audit"}).out;
}

TEST(Chain, ASlotWhoseParentHasFailedIsSkippedAndWhySaysForWhichRun) {
  BallotDaemon daemon;
  daemon.job("extract", "schedule = \"*/2 * * * * *\"\nshell = \"exit 3\"");
  daemon.job("load", "after = [\"extract\"]\nshell = \"true\"");
  daemon.job("alarm", "after = [\"extract\"]\nafter_status = \"failed\"\nshell = \"true\"");
  daemon.start();
  ASSERT_TRUE(has_runs(daemon, "alarm", 2)) << daemon.log;
  ASSERT_TRUE(wait_until([&] { return !daemon.rows("load").empty(); }));
  const Row skipped = daemon.rows("load").at(0);
  EXPECT_EQ(skipped.status, Status::skipped);
  EXPECT_EQ(skipped.reason, Reason::upstream);
  const auto why = daemon.ballot({"why", "load", "--at", format_slot(skipped.slot)});
  EXPECT_NE(why.out.find("skipped: upstream"), std::string::npos) << why.out;
  std::string words = why.out;
  std::replace(words.begin(), words.end(), '\n', ' ');
  EXPECT_NE(words.find("It was skipped because of job extract, whose slot " + format_slot(skipped.slot) +
                       " failed: exit_code 3"),
            std::string::npos)
      << why.out;
  const auto show = daemon.ballot({"show", "load"}), parent = daemon.ballot({"show", "extract"});
  EXPECT_NE(show.out.find("extract, once they have succeeded"), std::string::npos) << show.out;
  EXPECT_NE(parent.out.find("alarm, load"), std::string::npos) << parent.out;
  EXPECT_EQ(daemon.stop(), 0);
}

TEST(Chain, AChildThatWaitsIsQueuedAndWhySaysForWhichRun) {
  BallotDaemon daemon;
  daemon.job("extract", "schedule = \"* * * * * *\"\nshell = \"sleep 600\"");
  daemon.job("load", "after = [\"extract\"]\nshell = \"true\"");
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("started")) << daemon.log;
  ASSERT_TRUE(wait_until([&] {
    const auto rows = daemon.rows("extract");
    const auto running = std::find_if(rows.begin(), rows.end(), [](const Row& row) { return row.run.has_value(); });
    if (running == rows.end()) return false;
    const auto why = daemon.ballot({"why", "load", "--at", format_slot(running->slot)});
    return why.out.find("queued") != std::string::npos && why.out.find("extract") != std::string::npos &&
           why.out.find("runs since") != std::string::npos;
  })) << daemon.ballot({"why", "load"}).out;
  daemon.stop();
}

/// Whatever a daemon has not done when it is killed, the next one does: each slot of the child has one disposition.
TEST(Chain, ADaemonThatIsKilledAgainAndAgainRunsEachSlotOfTheChildOnce) {
  BallotDaemon daemon;
  daemon.job("extract", "schedule = \"* * * * * *\"\nshell = \"sleep 0.4\"");
  daemon.job("load", "after = [\"extract\"]\nshell = \"true\"");
  for (int i = 0; i < 4; ++i) {
    daemon.start();
    ASSERT_TRUE(has_runs(daemon, "load", 2 * (i + 1))) << daemon.log;
    daemon.kill();
  }
  daemon.start();
  ASSERT_TRUE(has_runs(daemon, "load", 12)) << daemon.log;
  EXPECT_EQ(daemon.stop(), 0);
  const std::vector<Row> parents = daemon.rows("extract"), children = daemon.rows("load");
  std::set<WallTime> seen;
  for (const Row& row : children) {
    if (row.slot_until) continue;
    EXPECT_TRUE(seen.insert(row.slot).second) << "twice: " << format_slot(row.slot);
    const auto parent = row_of(parents, row.slot);
    if (row.status == Status::succeeded) {
      ASSERT_TRUE(parent && parent->ended_at) << format_slot(row.slot);
      EXPECT_EQ(parent->status, Status::succeeded);
      EXPECT_GE(*row.started_at, *parent->ended_at);
    }
  }
  const auto audit = daemon.ballot({"audit"});
  EXPECT_EQ(audit.code, 0) << audit.out;
}

}  // namespace
}  // namespace ballot::testing
