// The daemon as its user runs it: job files in, runs out, every slot in the ledger; and the commands beside it.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include "base/wall_text.hpp"
#include "support/judge/schedule_check.hpp"
#include "support/process/ballot_daemon.hpp"

namespace ballot::testing {
namespace {

schedule::Plan plan(const std::string& expression) {
  return std::get<schedule::Plan>(schedule::Plan::make({.expressions = {expression}}));
}

const Row* find(const std::vector<Row>& rows, Status status) {
  for (const Row& row : rows)
    if (row.status == status) return &row;
  return nullptr;
}

TEST(Serve, RunsWhatIsDueAndRecordsEverySlotOnce) {
  BallotDaemon daemon;
  daemon.job("tick", "schedule = \"* * * * * *\"\nshell = \"echo slot $BALLOT_SLOT\"");
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("succeeded", 5)) << daemon.log;
  EXPECT_EQ(daemon.stop(), 0);
  const std::vector<Row> rows = daemon.rows("tick");
  ASSERT_GE(rows.size(), 5u);
  EXPECT_EQ(unaccounted(rows, "tick", plan("* * * * * *"), rows.front().slot, rows.back().slot), "");
  std::uint64_t fence = 0;
  for (const Row& row : rows) {
    EXPECT_EQ(row.status, Status::succeeded);
    EXPECT_EQ(row.exit_code, 0);
    EXPECT_GT(row.fence, fence);
    fence = row.fence;
    EXPECT_EQ(daemon.ballot({"output", row.run->text()}).out, "slot " + format_slot(row.slot) + "\n");
  }
}

TEST(Serve, RecordsHowEachRunEnded) {
  BallotDaemon daemon;
  daemon.job("code", "shell = \"exit 7\"");
  daemon.job("signal", "shell = \"kill -USR1 $$\"");
  daemon.job("hang", "command = [\"/bin/sleep\", \"600\"]\ndeadline = \"200ms\"\nkill_grace = \"1s\"");
  daemon.job("missing", "command = [\"/no/such/program\"]");
  daemon.job("fine", "shell = \"exit 3\"\nsuccess_codes = [3]");
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  EXPECT_EQ(daemon.ballot({"trigger", "code", "--wait"}).code, 7);
  EXPECT_EQ(daemon.ballot({"trigger", "signal", "--wait"}).code, 128 + SIGUSR1);
  EXPECT_EQ(daemon.ballot({"trigger", "hang", "--wait"}).code, 128 + SIGTERM);
  EXPECT_EQ(daemon.ballot({"trigger", "missing", "--wait"}).code, 1);
  EXPECT_EQ(daemon.ballot({"trigger", "fine", "--wait"}).code, 0 + 3);
  EXPECT_EQ(daemon.rows("code").at(0).reason, Reason::exit_code);
  EXPECT_EQ(daemon.rows("signal").at(0).signal, SIGUSR1);
  EXPECT_EQ(daemon.rows("hang").at(0).status, Status::timed_out);
  EXPECT_EQ(daemon.rows("missing").at(0).reason, Reason::cannot_start);
  EXPECT_EQ(daemon.rows("fine").at(0).status, Status::succeeded);
  for (const char* job : {"code", "signal", "hang", "missing", "fine"})
    EXPECT_EQ(daemon.rows(job).at(0).trigger, Trigger::manual);
}

TEST(Serve, GivesTheChildAFixedEnvironmentAndItsFacts) {
  BallotDaemon daemon;
  daemon.job(
      "env",
      "command = [\"/usr/bin/env\"]\nenv = { COLOUR = \"blue\" }\ntimezone = \"Europe/Paris\"\nworking_dir = \"/\"");
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  const Ran ran = daemon.ballot({"trigger", "env", "--wait"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const std::string run = ran.out.substr(0, ran.out.find('\n'));
  const std::string out = daemon.ballot({"output", run}).out;
  for (const std::string& line :
       {std::string("COLOUR=blue"), std::string("TZ=Europe/Paris"), std::string("PATH=/usr/local/bin:/usr/bin:/bin"),
        std::string("LANG=C.UTF-8"), std::string("SHELL=/bin/sh"), std::string("BALLOT_JOB=env"),
        std::string("BALLOT_GROUP=default"), std::string("BALLOT_NODE=n1"), "BALLOT_RUN_ID=" + run,
        std::string("BALLOT_ATTEMPT=1"), std::string("BALLOT_TRIGGER=manual"), std::string("BALLOT_EPOCH=1"),
        std::string("BALLOT_FENCE=1"), "BALLOT_IDEMPOTENCY_KEY=env@" + run})
    EXPECT_NE(("\n" + out).find("\n" + line + "\n"), std::string::npos) << line << " is not in\n" << out;
}

TEST(Serve, TakesUpEditsOfItsFilesWithoutBeingAsked) {
  BallotDaemon daemon;
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("serves")) << daemon.log;
  daemon.job("tick", "schedule = \"* * * * * *\"\nshell = \"echo old\"");
  ASSERT_TRUE(daemon.wait_for("succeeded", 2)) << daemon.log;
  daemon.job("tick", "schedule = \"* * * * * *\"\nshell = \"exit 9\"");
  ASSERT_TRUE(daemon.wait_for("failed: exit_code", 2)) << daemon.log;
  daemon.job("tick", "schedule = \"* * * * * *\"\nshell = 5");
  ASSERT_TRUE(daemon.wait_for("tick.toml:3:")) << daemon.log;
  ASSERT_TRUE(daemon.wait_for("failed: exit_code", 2)) << "the last good version stays in force";
  daemon.remove("tick");
  EXPECT_EQ(daemon.stop(), 0);
}

TEST(Serve, SaysThatItHasReadAFileOfWhichOnlyACommentHasChanged) {
  BallotDaemon daemon;
  const std::string keys = "schedule = \"0 0 29 2 *\"\ncommand = [\"/bin/true\"]\n";
  daemon.job("leap", keys);
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  daemon.job("leap", keys + "# once in four years");
  ASSERT_TRUE(daemon.wait_for("job files read again")) << daemon.log;
  const std::string line = daemon.log.substr(daemon.log.find("job files read again"));
  EXPECT_NE(line.find("why=\"files changed\" jobs=1 added=0 changed=0 removed=0 errors=0"), std::string::npos) << line;
  daemon.job("leap", keys + "# once in four years");  // written again, and the same
  daemon.job("other", keys);
  ASSERT_TRUE(daemon.wait_for("added=1")) << daemon.log;
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = daemon.log.find("job files read again", at)) != std::string::npos; ++at) ++lines;
  EXPECT_EQ(lines, 2u) << "nothing is said of a file that says the same: " << daemon.log;
  EXPECT_EQ(daemon.stop(), 0);
}

TEST(Serve, ReportsABrokenFileAndRunsEveryOtherJob) {
  BallotDaemon daemon;
  daemon.job("good", "schedule = \"* * * * * *\"\ncommand = [\"/bin/true\"]");
  daemon.job("bad", "schedule = \"61 * * * *\"\ncommand = [\"/bin/true\"]");
  daemon.file("worse", "[job.worse\n");
  daemon.start();
  EXPECT_TRUE(daemon.wait_for("bad.toml:2:")) << daemon.log;
  EXPECT_TRUE(daemon.wait_for("worse.toml:1:")) << daemon.log;
  EXPECT_TRUE(daemon.wait_for("succeeded", 2)) << daemon.log;
  EXPECT_EQ(daemon.ballot({"check"}).code, 78);
}

TEST(Serve, ASecondDaemonInTheSameFolderIsRefusedWithTheReason) {
  BallotDaemon daemon;
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("serves")) << daemon.log;
  const Ran second = daemon.ballot({"serve"});
  EXPECT_EQ(second.code, 1);
  EXPECT_NE(second.err.find("ballot.sock"), std::string::npos) << second.err;
}

// S29 local
TEST(Serve, ASecondDaemonOfTheSameNodeIsRefusedNamingTheOther) {
  BallotDaemon first, second;
  first.start();
  ASSERT_TRUE(first.wait_for("session open")) << first.log;
  second.configure("[local]\npath = \"" + (first.folder / "state/local") + "\"\n");
  second.start();
  EXPECT_TRUE(second.wait_for("pid " + std::to_string(first.pid()))) << second.log;
  EXPECT_EQ(second.wait(), 1);
}

TEST(Serve, AWrongConfigurationIsExit78WithTheLine) {
  BallotDaemon daemon;
  daemon.configure("[coordination]\nbackend = \"sundial\"\n");
  const Ran unknown = daemon.ballot({"serve"});
  EXPECT_EQ(unknown.code, 78);
  EXPECT_NE(unknown.err.find("sundial"), std::string::npos) << unknown.err;
  daemon.configure("[local]\ncolour = \"blue\"\n");
  const Ran table = daemon.ballot({"serve"});
  EXPECT_EQ(table.code, 78);
  EXPECT_NE(table.err.find("ballot.toml:6:"), std::string::npos) << table.err;
}

// S15 local
TEST(Serve, APluginThatCannotBeTrustedIsRefusedWithTheReason) {
  BallotDaemon daemon;
  const std::string folder = daemon.folder / "plugins";
  std::filesystem::create_directory(folder);
  daemon.configure("plugin_dir = \"" + folder + "\"\n");
  EXPECT_EQ(daemon.ballot({"serve"}).code, 78);
  daemon.folder.write("plugins/local.so", "this is no shared object");
  const Ran garbage = daemon.ballot({"serve"});
  EXPECT_EQ(garbage.code, 78);
  EXPECT_NE(garbage.err.find("local.so"), std::string::npos) << garbage.err;
  ::chmod((daemon.folder / "plugins/local.so").c_str(), 0666);
  const Ran writable = daemon.ballot({"serve"});
  EXPECT_EQ(writable.code, 78);
  EXPECT_NE(writable.err.find("written to by others"), std::string::npos) << writable.err;
}

TEST(Serve, DryRunLaunchesNothing) {
  BallotDaemon daemon;
  daemon.job("tick", "schedule = \"* * * * * *\"\nshell = \"touch " + (daemon.folder / "ran") + "\"");
  daemon.start({"--dry-run"});
  ASSERT_TRUE(daemon.wait_for("skipped: dry_run")) << daemon.log;
  EXPECT_EQ(daemon.stop(), 0);
  EXPECT_FALSE(std::filesystem::exists(daemon.folder / "ran"));
  const std::vector<Row> rows = daemon.rows("tick");
  ASSERT_GE(rows.size(), 1u);
  EXPECT_EQ(unaccounted(rows, "tick", plan("* * * * * *"), rows.front().slot, rows.back().slot), "");
}

TEST(Jobs, ShowsGroupLeaderNextSlotAndState) {
  BallotDaemon daemon;
  daemon.job("nightly", "schedule = \"0 2 * * *\"\ngroup = \"night\"\ncommand = [\"/bin/true\"]");
  daemon.job("off", "schedule = \"0 2 * * *\"\nenabled = false\ncommand = [\"/bin/true\"]");
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads", 2)) << daemon.log;
  const Ran ran = daemon.ballot({"jobs", "--format", "csv"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("nightly,night,n1,"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("off,default,n1,,,disabled"), std::string::npos) << ran.out;
  EXPECT_EQ(daemon.ballot({"jobs", "nigthly"}).code, 3);
}

TEST(Trigger, OfAnUnknownJobIsExit3AndWithoutADaemonExit69) {
  BallotDaemon daemon;
  EXPECT_EQ(daemon.ballot({"trigger", "nothing"}).code, 69);
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("serves")) << daemon.log;
  EXPECT_EQ(daemon.ballot({"trigger", "nothing"}).code, 3);
}

TEST(Trigger, WhileTheJobRunsIsRefusedByOverlap) {
  BallotDaemon daemon;
  daemon.job("long", "command = [\"/bin/sleep\", \"600\"]");
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  EXPECT_EQ(daemon.ballot({"trigger", "long"}).code, 0);
  const Ran second = daemon.ballot({"trigger", "long"});
  EXPECT_EQ(second.code, 1);
  EXPECT_NE(second.err.find("overlap"), std::string::npos) << second.err;
  EXPECT_TRUE(find(daemon.rows("long"), Status::skipped));
}

TEST(Why, NamesTheRuleThatApplied) {
  BallotDaemon daemon;
  daemon.job("fails", "shell = \"exit 7\"");
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  daemon.ballot({"trigger", "fails", "--wait"});
  const Ran ran = daemon.ballot({"why", "fails"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out.find("fails "), 0u) << ran.out;
  EXPECT_NE(ran.out.find("failed: exit_code"), std::string::npos) << ran.out;
}

TEST(Output, KeepsHeadAndTailOfAFlood) {
  BallotDaemon daemon;
  daemon.job("flood",
             "shell = \"echo begin; yes | head -c 5000000 | tr -d '\\\\n'; echo end\"\noutput_limit = \"1KiB\"");
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  const Ran ran = daemon.ballot({"trigger", "flood", "--wait"});
  ASSERT_EQ(ran.code, 0) << ran.err << daemon.log;
  const std::string out = daemon.ballot({"output", ran.out.substr(0, 36)}).out;
  EXPECT_EQ(out.find("begin\n"), 0u);
  EXPECT_EQ(out.substr(out.size() - 4), "end\n");
  EXPECT_NE(out.find("bytes left out]"), std::string::npos);
  EXPECT_LT(out.size(), 1200u);
}

}  // namespace
}  // namespace ballot::testing
