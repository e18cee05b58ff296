// Triggers with variables, and chains that are triggered, with a real daemon: what a run is given, what people are
// told, what the next daemon does.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/process/ballot_daemon.hpp"
#include "support/process/process_facts.hpp"

namespace ballot::testing {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string in_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// The rows of the job that have ended, as "trigger status".
std::vector<std::string> ends_of(const BallotDaemon& daemon, const std::string& job) {
  std::vector<std::string> ends;
  for (const Row& row : daemon.rows(job))
    if (is_final(row.status))
      ends.push_back(std::string(to_string(row.trigger)) + " " + std::string(to_string(row.status)) +
                     (row.reason == Reason::none ? "" : ": " + std::string(to_string(row.reason))));
  return ends;
}

bool wait_for_ends(const BallotDaemon& daemon, const std::string& job, std::size_t count) {
  return wait_until([&] { return ends_of(daemon, job).size() >= count; });
}

TEST(TriggerEnv, IsGivenToTheRunAndShownWhereverTheRunIs) {
  BallotDaemon daemon;
  daemon.job(
      "load",
      "env = { DAY = \"today\" }\ntrigger_env = [\"DAY\", \"NOTE\"]\nshell = 'echo \"$DAY/$NOTE/$BALLOT_TRIGGER\"'");
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  const auto plain = daemon.ballot({"trigger", "load", "--wait"});
  EXPECT_EQ(plain.code, 0) << plain.out;
  EXPECT_EQ(daemon.ballot({"output", first_line(plain.out)}).out, "today//manual\n");
  const auto given =
      daemon.ballot({"trigger", "load", "--wait", "--env", "DAY=2026-01-01", "--env", "NOTE=a b\n\x1b[31m,\""});
  EXPECT_EQ(given.code, 0) << given.out;
  const std::string run = first_line(given.out);
  EXPECT_EQ(daemon.ballot({"output", run}).out, "2026-01-01/a b\n\x1b[31m,\"/manual\n");
  const std::string words = "DAY=2026-01-01 NOTE=a%20b%0A%1B[31m,\"";
  const auto why = daemon.ballot({"why", run});
  EXPECT_NE(in_one_line(why.out).find("with " + words), std::string::npos) << why.out;
  const auto json = daemon.ballot({"history", "--run", run, "--format", "json"});
  EXPECT_NE(json.out.find(R"("env":"DAY=2026-01-01 NOTE=a%20b%0A%1B[31m,\"")"), std::string::npos) << json.out;
  const auto csv = daemon.ballot({"history", "--job", "load", "--format", "csv"});
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 3) << csv.out;
  EXPECT_NE(csv.out.find("\"DAY=2026-01-01 NOTE=a%20b%0A%1B[31m,\"\"\""), std::string::npos) << csv.out;
  const auto requests = daemon.ballot({"history", "--requests", "--format", "json"});
  EXPECT_NE(requests.out.find("DAY=2026-01-01"), std::string::npos) << requests.out;
  EXPECT_EQ(daemon.log.find('\x1b'), std::string::npos);
  EXPECT_EQ(daemon.stop(), 0);
}

TEST(TriggerEnv, ThatTheJobDoesNotAllowIsAnErrorThatNamesIt) {
  BallotDaemon daemon;
  daemon.job("load", "trigger_env = [\"DAY\"]\ncommand = [\"/bin/true\"]");
  daemon.job("plain", "command = [\"/bin/true\"]");
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  const auto other = daemon.ballot({"trigger", "load", "--env", "PATH=/tmp"});
  EXPECT_NE(other.code, 0);
  EXPECT_NE(other.err.find("may not set PATH: its trigger_env allows DAY"), std::string::npos) << other.err;
  const auto none = daemon.ballot({"trigger", "plain", "--env", "DAY=1"});
  EXPECT_NE(none.err.find("may not set DAY: it has no trigger_env"), std::string::npos) << none.err;
  for (const char* wrong : {"DAY", "1=2", "LD_PRELOAD=x", "BALLOT_JOB=x"})
    EXPECT_NE(daemon.ballot({"trigger", "load", "--env", wrong}).err.find("--env: "), std::string::npos) << wrong;
  const auto large = daemon.ballot({"trigger", "load", "--env", "DAY=" + std::string(2000, 'x')});
  EXPECT_NE(large.err.find("may have 1024"), std::string::npos) << large.err;
  EXPECT_TRUE(daemon.rows("load").empty());
  EXPECT_EQ(daemon.stop(), 0);
}

TEST(TriggerEnv, OfARetryIsTheSameAfterTheDaemonWasKilled) {
  BallotDaemon daemon;
  daemon.job("load", "trigger_env = [\"DAY\"]\nretries = 1\nretry_delay = \"2s\"\nshell = 'echo $DAY; exit 1'");
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  const std::string run = first_line(daemon.ballot({"trigger", "load", "--env", "DAY=2026-01-01"}).out);
  ASSERT_TRUE(wait_for_ends(daemon, "load", 1)) << daemon.log;
  daemon.kill();
  daemon.start();
  ASSERT_TRUE(wait_for_ends(daemon, "load", 2)) << daemon.log;
  EXPECT_EQ(daemon.ballot({"output", run, "--attempt", "2"}).out, "2026-01-01\n");
  EXPECT_EQ(daemon.stop(), 0);
}

TEST(TriggeredChain, BeginsTheJobsAfterItAndAloneDoesNot) {
  BallotDaemon daemon;
  daemon.job("extract", "shell = 'sleep 0.2'");
  daemon.job("load", "after = [\"extract\"]\nshell = 'echo \"$BALLOT_TRIGGER after $BALLOT_UPSTREAM\"'");
  daemon.job("report", "after = [\"extract\", \"load\"]\ncommand = [\"/bin/true\"]");
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  EXPECT_EQ(daemon.ballot({"trigger", "extract", "--alone", "--wait"}).code, 0);
  const std::string run = first_line(daemon.ballot({"trigger", "extract", "--wait"}).out);
  ASSERT_TRUE(wait_for_ends(daemon, "report", 1)) << daemon.log;
  EXPECT_EQ(ends_of(daemon, "extract"), (std::vector<std::string>{"manual succeeded", "manual succeeded"}));
  EXPECT_EQ(ends_of(daemon, "load"), (std::vector<std::string>{"chain succeeded"}));
  EXPECT_EQ(ends_of(daemon, "report"), (std::vector<std::string>{"chain succeeded"}));
  EXPECT_EQ(daemon.ballot({"output", "load"}).out, "chain after " + run + "\n");
  const auto audit = daemon.ballot({"audit"});
  EXPECT_EQ(audit.code, 0) << audit.out;
  EXPECT_EQ(daemon.stop(), 0);
}

TEST(TriggeredChain, OfAParentThatFailsIsSkippedAndWhySaysForWhichRun) {
  BallotDaemon daemon;
  daemon.job("extract", "shell = 'exit 3'");
  daemon.job("load", "after = [\"extract\"]\ncommand = [\"/bin/true\"]");
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  EXPECT_EQ(daemon.ballot({"trigger", "extract", "--wait"}).code, 3);
  ASSERT_TRUE(wait_for_ends(daemon, "load", 1)) << daemon.log;
  EXPECT_EQ(ends_of(daemon, "load"), (std::vector<std::string>{"chain skipped: upstream"}));
  const auto why = daemon.ballot({"why", "load"});
  EXPECT_NE(in_one_line(why.out).find("It was skipped because of job extract, whose slot"), std::string::npos)
      << why.out;
  EXPECT_NE(in_one_line(why.out).find("failed: exit_code"), std::string::npos) << why.out;
  EXPECT_EQ(daemon.stop(), 0);
}

/// Whatever a daemon has not done when it is killed, the next one does.
TEST(TriggeredChain, OfADaemonThatIsKilledHasOneRunOfEachJobAllTheSame) {
  BallotDaemon daemon;
  daemon.job("extract", "on_leadership_lost = \"finish\"\nshell = 'sleep 1'");
  daemon.job("load", "after = [\"extract\"]\nguarantee = \"at-least-once\"\nshell = 'sleep 0.2'");
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  for (std::size_t i = 1; i <= 3; ++i) {
    ASSERT_EQ(daemon.ballot({"trigger", "extract"}).code, 0) << daemon.log;
    daemon.kill();
    daemon.start();
    ASSERT_TRUE(wait_for_ends(daemon, "extract", i)) << daemon.log;
    if (i == 2) daemon.kill(), daemon.start();
    ASSERT_TRUE(wait_until([&] {
      const auto ends = ends_of(daemon, "load");
      return std::count(ends.begin(), ends.end(), "chain succeeded") >= static_cast<std::ptrdiff_t>(i);
    })) << daemon.log;
  }
  const auto audit = daemon.ballot({"audit"});
  EXPECT_EQ(audit.code, 0) << audit.out;
  EXPECT_EQ(daemon.stop(), 0);
  std::set<RunId> runs;
  for (const Row& row : daemon.rows("load")) runs.insert(*row.run);
  EXPECT_EQ(runs.size(), 3u);
}

TEST(Trigger, OfAJobThatQueuesSaysBehindWhichRunItIsQueued) {
  BallotDaemon daemon;
  daemon.job("load", "concurrency = \"queue\"\nqueue_limit = 2\nshell = \"sleep 60\"");
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  const auto first = daemon.ballot({"trigger", "load"});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.err, "") << "it is claimed";
  ASSERT_TRUE(wait_until([&] {
    const auto rows = daemon.rows("load");
    return rows.size() == 1 && rows[0].status == Status::running;
  })) << daemon.log;
  const std::string behind = "ballot trigger: queued behind run " + first_line(first.out).substr(24) + " of slot ";
  const auto second = daemon.ballot({"trigger", "load"}), third = daemon.ballot({"trigger", "load"});
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_EQ(second.err.find(behind), 0u) << second.err;
  EXPECT_NE(second.err.find(" on n1, started "), std::string::npos) << second.err;
  EXPECT_EQ(second.err.find("already"), std::string::npos) << second.err;
  EXPECT_EQ(third.err.find(behind), 0u) << third.err;
  EXPECT_TRUE(third.err.ends_with(", and 1 that waits already\n")) << third.err;
  EXPECT_EQ(daemon.rows("load").size(), 1u) << "of what waits there is no row";
  daemon.ballot({"kill", "load"});
}

}  // namespace
}  // namespace ballot::testing
