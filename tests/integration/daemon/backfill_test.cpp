// Backfills with a real daemon: which slots are chosen and why, what runs and in which order, and that a daemon which
// is killed in the middle goes on where it was.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "base/wall_text.hpp"
#include "support/process/ballot_daemon.hpp"
#include "support/process/process_facts.hpp"

namespace ballot::testing {
namespace {

using namespace std::chrono_literals;

struct Backfill : ::testing::Test {
  BallotDaemon daemon;
  const std::string ran = daemon.folder / "ran";  // a line for each start: slot and trigger

  /// Due at each tenth minute; what it is told goes into a file.
  void every_ten_minutes(const std::string& more = "") {
    daemon.job("load", "schedule = \"*/10 * * * *\"\nshell = \"echo $BALLOT_SLOT $BALLOT_TRIGGER >> " + ran + "; " +
                           (more.empty() ? "true" : more) + "\"");
  }
  std::vector<std::string> lines() const {
    std::ifstream file(ran);
    std::vector<std::string> all;
    for (std::string line; std::getline(file, line);)
      if (line.ends_with(" backfill")) all.push_back(line.substr(0, line.find(' ')));
    return all;
  }
  Ran backfill(std::vector<std::string> flags) const {
    flags.insert(flags.begin(), {"backfill", "load"});
    return daemon.ballot(flags);
  }
  bool is_done() const { return daemon.ballot({"show", "load"}).out.find("\nbackfill") == std::string::npos; }
  /// The tenth minutes of the last two hours.
  static std::vector<std::string> expected(WallTime now) {
    std::vector<std::string> slots;
    const WallTime since = now - 2h;
    for (WallTime slot = std::chrono::ceil<std::chrono::minutes>(since); slot < now; slot += 1min)
      if (slot.time_since_epoch() % 10min == Millis(0)) slots.push_back(format_slot(slot));
    return slots;
  }
  std::string audit() const {
    const Ran audited = daemon.ballot({"audit"});
    return audited.code == 0 ? "" : audited.out + audited.err;
  }
};

TEST_F(Backfill, RunsSlotsOfBeforeItsJobWasThereOldestFirst) {
  every_ten_minutes();
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  const WallTime now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  Ran done;
  ASSERT_TRUE(wait_until([&] { return (done = backfill({"--since", "2h"})).code == 0; })) << done.err;
  const std::vector<std::string> slots = expected(now);
  EXPECT_EQ(done.out, "backfill of " + std::to_string(slots.size()) + " slots up to " + slots.back() + "\n");
  ASSERT_TRUE(daemon.wait_for("the backfill is done")) << daemon.log;
  EXPECT_EQ(lines(), slots);
  ASSERT_TRUE(wait_until([&] { return is_done(); }));
  const Ran again = backfill({"--since", "2h"});
  EXPECT_NE(again.out.find("nothing to run: none of"), std::string::npos) << again.out << again.err;
  EXPECT_EQ(daemon.stop(), 0);
  EXPECT_EQ(audit(), "");
}

TEST_F(Backfill, ADryRunSaysWhichSlotsAndWhyAndRunsNone) {
  every_ten_minutes();
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  Ran dry;
  ASSERT_TRUE(wait_until([&] { return (dry = backfill({"--since", "1h", "--dry-run"})).code == 0; })) << dry.err;
  EXPECT_NE(dry.out.find(":00Z  no row\n"), std::string::npos) << dry.out;
  EXPECT_NE(dry.out.find(" would be run, oldest first; nothing is begun by --dry-run\n"), std::string::npos) << dry.out;
  EXPECT_EQ(lines(), std::vector<std::string>());
  const Ran failed = backfill({"--since", "1h", "--failed", "--dry-run"});
  EXPECT_NE(failed.out.find("nothing to run"), std::string::npos) << failed.out;
  EXPECT_NE(backfill({"--failed"}).err.find("needs --since, or --stop"), std::string::npos);
  EXPECT_NE(backfill({"--since", "1h", "--failed", "--all"}).err.find("one of --failed"), std::string::npos);
  EXPECT_NE(backfill({"--since", "1h", "--parallel", "17"}).err.find("at most 16"), std::string::npos);
  EXPECT_EQ(daemon.stop(), 0);
}

/// The run that goes on is the runner's, and ends; what had not begun the next daemon begins.
TEST_F(Backfill, ADaemonThatIsKilledInTheMiddleRunsEachSlotOnceAndInOrder) {
  every_ten_minutes("sleep 0.3");
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  const WallTime now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  Ran done;
  ASSERT_TRUE(wait_until([&] { return (done = backfill({"--since", "2h"})).code == 0; })) << done.err;
  for (const std::size_t most : {2u, 5u, 8u}) {
    ASSERT_TRUE(wait_until([&] { return lines().size() >= most; })) << daemon.log;
    daemon.kill();
    daemon.start();
    ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  }
  ASSERT_TRUE(wait_until([&] { return is_done(); })) << daemon.log;
  EXPECT_EQ(daemon.stop(), 0);
  const std::vector<std::string> started = lines();
  EXPECT_TRUE(std::is_sorted(started.begin(), started.end())) << "oldest first";
  EXPECT_EQ(std::set<std::string>(started.begin(), started.end()).size(), started.size()) << "none twice";
  std::map<std::string, std::set<std::string>> runs;  // by slot; one whose claim the daemon had made alone is lost
  for (const Row& row : daemon.rows("load"))
    if (row.trigger == Trigger::backfill) runs[format_slot(row.slot)].insert(row.run->text());
  for (const std::string& slot : expected(now)) EXPECT_EQ(runs[slot].size(), 1u) << slot;
  EXPECT_EQ(audit(), "");
}

TEST_F(Backfill, FailedSlotsAreRunAgainAndWhySaysBoth) {
  daemon.job("load", "schedule = \"* * * * * *\"\nshell = \"echo $BALLOT_SLOT $BALLOT_TRIGGER >> " + ran +
                         "; test -e " + (daemon.folder / "good") + "\"");
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("failed: exit_code", 3)) << daemon.log;
  daemon.folder.write("good", "");
  ASSERT_TRUE(daemon.wait_for("succeeded", 2)) << daemon.log;
  Ran done;
  ASSERT_TRUE(wait_until([&] { return (done = backfill({"--since", "1m", "--failed"})).code == 0; })) << done.err;
  ASSERT_TRUE(daemon.wait_for("the backfill is done")) << daemon.log;
  const std::vector<std::string> again = lines();
  ASSERT_GE(again.size(), 3u);
  Ran why;
  EXPECT_TRUE(wait_until([&] {
    why = daemon.ballot({"why", "load", "--at", again.front()});
    std::replace(why.out.begin(), why.out.end(), '\n', ' ');
    return why.out.find("A backfill has run the slot again: succeeded.") != std::string::npos;
  })) << why.out;
  EXPECT_NE(why.out.find("The command ended with a code that is not among"), std::string::npos) << why.out;
  EXPECT_EQ(daemon.stop(), 0);
  EXPECT_EQ(audit(), "");
}

TEST_F(Backfill, IsShownAndStopped) {
  every_ten_minutes("sleep 5");
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  const WallTime now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  Ran done;
  ASSERT_TRUE(wait_until([&] { return (done = backfill({"--since", "2h"})).code == 0; })) << done.err;
  ASSERT_TRUE(wait_until([&] { return !lines().empty(); }));
  const std::string shown = daemon.ballot({"show", "load"}).out;
  const std::string all = std::to_string(expected(now).size()), left = std::to_string(expected(now).size() - 1);
  EXPECT_NE(shown.find("1 of " + all + " slots begun, 1 running, next "), std::string::npos) << shown;
  const std::string jobs = daemon.ballot({"jobs"}).out;
  EXPECT_NE(jobs.find(" backfill 1 of " + all + " "), std::string::npos) << jobs;
  const std::string json = daemon.ballot({"jobs", "--format", "json"}).out;
  EXPECT_NE(json.find("\"backfill_begun\":1,\"backfill_left\":" + left), std::string::npos) << json;
  const std::string status = daemon.ballot({"status"}).out;
  EXPECT_NE(status.find("backfills   job load: backfill 1 of " + all + ", next "), std::string::npos) << status;
  const Ran second = backfill({"--since", "1h"});
  EXPECT_NE(second.err.find("`ballot backfill load --stop` ends it"), std::string::npos) << second.err;
  const Ran stopped = backfill({"--stop"});
  EXPECT_EQ(stopped.code, 0) << stopped.err;
  EXPECT_NE(stopped.out.find("the backfill is stopped: "), std::string::npos) << stopped.out;
  EXPECT_TRUE(is_done());
  EXPECT_EQ(backfill({"--stop"}).out, "no backfill of job load goes on\n");
  const std::size_t begun = lines().size();
  EXPECT_EQ(daemon.stop(), 0);
  EXPECT_EQ(lines().size(), begun);
  EXPECT_EQ(audit(), "");
}

}  // namespace
}  // namespace ballot::testing
