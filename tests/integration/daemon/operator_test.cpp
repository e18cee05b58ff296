// What an operator types beside a daemon, and finds in its log.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "support/process/ballot_daemon.hpp"
#include "support/process/process_facts.hpp"

namespace ballot::testing {
namespace {

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Its job `held` goes on until release().
struct Operator : ::testing::Test {
  Operator() {
    if (::mkfifo(fifo.c_str(), 0600) != 0) throw std::runtime_error("no fifo");
    daemon.job("held", "shell = \"echo begun; read l < " + fifo + "; echo over\"\nconcurrency = \"queue\"");
    daemon.job("missing", "command = [\"/no/such/program\"]");
    daemon.start();
    if (!daemon.wait_for("leads")) throw std::runtime_error(daemon.log);
  }
  void release() const { std::ofstream(fifo) << "go\n"; }
  std::vector<std::string> command(std::vector<std::string> words) const {
    words.insert(words.begin(), BALLOT_PROGRAM);
    words.insert(words.end(), {"--config", daemon.folder / "ballot.toml"});
    return words;
  }

  BallotDaemon daemon;
  const std::string fifo = daemon.folder / "fifo";
};

TEST_F(Operator, FollowsTheOutputOfARunThatGoesOn) {
  const Ran triggered = daemon.ballot({"trigger", "held"});
  ASSERT_EQ(triggered.code, 0) << triggered.err;
  Running follower(command({"output", "held", "--follow"}));
  EXPECT_EQ(follower.line(), "begun");
  EXPECT_EQ(daemon.ballot({"output", "held"}).out, "begun\n") << "so far";
  release();
  EXPECT_EQ(follower.line(), "over");
  EXPECT_EQ(follower.wait(), 0) << "it ends with the run";
  EXPECT_EQ(daemon.ballot({"output", "held"}).out, "begun\nover\n");
}

TEST_F(Operator, TriggersAndFollows) {
  Running trigger(command({"trigger", "held", "--follow"}));
  EXPECT_EQ(trigger.line(), "begun");
  release();
  EXPECT_EQ(trigger.line(), "over");
  EXPECT_EQ(trigger.wait(), 0);
}

TEST_F(Operator, WaitsForARunOnlySoLong) {
  ASSERT_EQ(daemon.ballot({"trigger", "held"}).code, 0);
  const Ran waiting = daemon.ballot({"trigger", "held", "--wait", "--timeout", "1s"});
  EXPECT_EQ(waiting.code, 75);
  EXPECT_TRUE(says(waiting.err, "has not begun within 1s, and is withdrawn")) << waiting.err;
  EXPECT_TRUE(wait_until([&] {
    return daemon.ballot({"kill", "held"}).code == 0;
  })) << "once the one that is withdrawn is closed, the other is the only one";
  const Ran running = daemon.ballot({"trigger", "held", "--wait", "--timeout", "500ms"});
  EXPECT_EQ(running.code, 75);
  EXPECT_TRUE(says(running.err, "has not ended within 500ms, and goes on")) << running.err;
  EXPECT_TRUE(wait_until([&] { return daemon.ballot({"kill", "held"}).code == 0; }));
  EXPECT_TRUE(wait_until([&] { return daemon.ballot({"kill", "held"}).code == 3; })) << "nothing goes on";
}

/// Its last attempt has failed, and the run has not.
TEST_F(Operator, SeesAJobBetweenTwoAttemptsAsQueued) {
  daemon.job("flaky", "shell = \"exit 3\"\nretries = 1\nretry_delay = \"1h\"");
  ASSERT_TRUE(daemon.wait_for("added=1"));
  const Ran triggered = daemon.ballot({"trigger", "flaky"});
  ASSERT_EQ(triggered.code, 0) << triggered.err;
  EXPECT_TRUE(wait_until([&] {
    return says(daemon.ballot({"jobs", "flaky", "--format", "csv"}).out, ",queued,");
  })) << daemon.ballot({"jobs", "flaky", "--format", "csv"}).out;
  const Ran why = daemon.ballot({"why", "flaky"});
  EXPECT_TRUE(says(why.out, "failed: exit_code")) << why.out;
  EXPECT_TRUE(says(why.out, ", queued for attempt 2\n")) << why.out;
  EXPECT_FALSE(says(why.out, "It is the last of")) << why.out;
}

TEST_F(Operator, NamesAWholeRunIdAsSuch) {
  const std::string id = "01a2217e-0000-7000-8000-000000000000";
  for (const char* command : {"why", "output", "kill"}) {
    const Ran ran = daemon.ballot({command, id});
    EXPECT_EQ(ran.code, 3) << ran.err;
    EXPECT_TRUE(says(ran.err, "run " + id)) << ran.err;
    EXPECT_FALSE(says(ran.err, "ends with")) << ran.err;
  }
}

TEST_F(Operator, HearsWhyAProgramCannotStart) {
  const std::string cause = "cannot start: exec /no/such/program: No such file or directory";
  const Ran ran = daemon.ballot({"trigger", "missing", "--wait"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(says(ran.err, cause)) << ran.err;
  EXPECT_EQ(daemon.ballot({"output", "missing"}).out, "[ballot: " + cause + "]\n");
  EXPECT_TRUE(daemon.wait_for(cause)) << daemon.log;
}

TEST_F(Operator, SeesWhoPausedAJobSinceWhen) {
  ASSERT_EQ(daemon.ballot({"pause", "held"}).code, 0);
  EXPECT_TRUE(daemon.wait_for("request taken")) << daemon.log;
  const std::string shown = daemon.ballot({"show", "held"}).out;
  EXPECT_TRUE(says(shown, "\nstate       paused since 20")) << shown;
  EXPECT_TRUE(says(shown, ", by n1 uid " + std::to_string(::geteuid()) + "\n")) << shown;
  ASSERT_EQ(daemon.ballot({"resume", "held"}).code, 0);
  EXPECT_TRUE(says(daemon.ballot({"show", "held"}).out, "\nstate       active\n"));
  ASSERT_EQ(daemon.ballot({"pause", "--group", "default"}).code, 0);
  EXPECT_TRUE(says(daemon.ballot({"show", "held"}).out, "\nstate       paused with its group since 20"));
  daemon.job("held", "command = 5");
  ASSERT_TRUE(daemon.wait_for("job files read again")) << daemon.log;
  EXPECT_TRUE(says(daemon.log, " jobs=2 added=0 changed=0 removed=0 errors=1 warnings=0")) << daemon.log;
}

TEST_F(Operator, PausesForAWhileAndSaysWhy) {
  const Ran wrong = daemon.ballot({"pause", "held", "--for", "2h", "--until", "22:30"});
  EXPECT_EQ(wrong.code, 2) << wrong.err;
  EXPECT_TRUE(says(wrong.err, "either --for or --until says when the pause ends, not both")) << wrong.err;
  EXPECT_TRUE(says(daemon.ballot({"pause", "held", "--until", "2025-03-09"}).err, "is past"));
  EXPECT_TRUE(says(daemon.ballot({"pause", "held", "--reason", "two\nlines"}).err, "one line of plain text"));
  const Ran paused = daemon.ballot({"pause", "held", "--until", "2099-01-01", "--reason", "disks are changed"});
  ASSERT_EQ(paused.code, 0) << paused.err;
  const std::string terms = "until 2099-01-01T00:00:00.000Z: disks are changed";
  EXPECT_TRUE(says(paused.out, "job held is paused " + terms + "\n")) << paused.out;
  EXPECT_TRUE(says(daemon.ballot({"show", "held"}).out, ", " + terms + "\n"));
  EXPECT_TRUE(says(daemon.ballot({"jobs", "held"}).out, "until 2099-01-01T00:00:00Z"));
  EXPECT_TRUE(says(daemon.ballot({"status"}).out, "1 of those that it leads paused"));
  const Ran changed = daemon.ballot({"pause", "held", "--for", "2s"});
  ASSERT_EQ(changed.code, 0) << changed.err;
  EXPECT_TRUE(says(changed.out, "job held was paused already since 20")) << changed.out;
  EXPECT_TRUE(wait_until([&] { return says(daemon.ballot({"show", "held"}).out, "\nstate       active\n"); }));
  EXPECT_TRUE(daemon.wait_for("the pause is over: its end has come")) << daemon.log;
  EXPECT_TRUE(says(daemon.ballot({"history", "--requests", "--format", "json"}).out, "is paused " + terms));
}

TEST_F(Operator, SeesWhoTriggeredAndWhoKilledARun) {
  const std::string me = "n1 uid " + std::to_string(::geteuid());
  ASSERT_EQ(daemon.ballot({"trigger", "held"}).code, 0);
  ASSERT_TRUE(wait_until([&] { return daemon.ballot({"kill", "held"}).code == 0; }));
  ASSERT_TRUE(wait_until([&] { return says(daemon.ballot({"why", "held"}).out, "killed: operator"); }));
  const std::string why = daemon.ballot({"why", "held"}).out;
  EXPECT_TRUE(says(why, "Triggered by " + me + ".")) << why;
  std::string text = why;
  std::replace(text.begin(), text.end(), '\n', ' ');
  EXPECT_TRUE(says(text, "Killed by " + me + ".")) << why;
  const std::string history = daemon.ballot({"history", "--job", "held", "--format", "json"}).out;
  EXPECT_TRUE(says(history, "\"triggered_by\":\"" + me + "\",\"ended_by\":\"" + me + "\"")) << history;
}

TEST_F(Operator, SeesTimesInAJobsZoneAndInUtcAndTheSameIdEverywhere) {
  daemon.job("there", "schedule = \"* * * * * *\"\ntimezone = \"Asia/Kolkata\"\ncommand = [\"/bin/true\"]");
  ASSERT_TRUE(daemon.wait_for("succeeded")) << daemon.log;
  const std::string shown = daemon.ballot({"show", "there"}).out, why = daemon.ballot({"why", "there"}).out;
  EXPECT_TRUE(std::regex_search(shown, std::regex(R"(\nnext slots  20[^ ]*\+05:30 \(20[^ ]*Z\)\n)"))) << shown;
  std::smatch said;
  ASSERT_TRUE(
      std::regex_search(why, said, std::regex(R"(^there 20[^ ]*\+05:30 \(20[^ ]*Z\) [a-z]+ \(run ([0-9a-f]{12})\)\n)")))
      << why;
  EXPECT_TRUE(says(daemon.ballot({"history", "--job", "there"}).out, said[1]))
      << "what one prints is found in the other";
  EXPECT_TRUE(says(daemon.ballot({"jobs", "--local-time"}).out, "+05:30"));
  EXPECT_TRUE(says(daemon.ballot({"show", "there", "--local-time"}).out, "succeeded"));
}

TEST_F(Operator, SeesTheFleetAndWhatIsDueNext) {
  const Ran nodes = daemon.ballot({"nodes"});
  EXPECT_EQ(nodes.code, 0) << nodes.out << nodes.err;
  EXPECT_TRUE(std::regex_search(nodes.out, std::regex("\nn1 +healthy +20[^ ]*Z +default "))) << nodes.out;
  EXPECT_TRUE(says(daemon.ballot({"nodes", "--format", "json"}).out, "\"leads\":[\"default\"]"));
  daemon.job("there", "schedule = \"0 0 * * *\"\ntimezone = \"Asia/Kolkata\"\ncommand = [\"/bin/true\"]");
  ASSERT_TRUE(daemon.wait_for("job files read again")) << daemon.log;
  const Ran next = daemon.ballot({"next", "--for", "2d", "--format", "csv"});
  EXPECT_EQ(next.code, 0) << next.err;
  EXPECT_TRUE(std::regex_search(
      next.out, std::regex("^slot,job,group,node,node_state,after\n20[^ ]*T18:30:00Z,there,default,n1,,\n")))
      << next.out;
  const Ran unknown = daemon.ballot({"next", "--for", "2d", "--node", "n2", "--format", "json"});
  EXPECT_EQ(unknown.code, 3);
  EXPECT_NE(unknown.err.find("no node n2 is in the fleet"), std::string::npos) << unknown.err;
  EXPECT_EQ(daemon.ballot({"next", "--job", "nowhere"}).code, 3);
  EXPECT_EQ(daemon.ballot({"pause", "--group", "default"}).code, 0);
  EXPECT_EQ(daemon.ballot({"next", "--for", "2d", "--format", "json"}).out, "[]\n") << "it is paused";
  const Ran resumed = daemon.ballot({"resume", "there"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_TRUE(says(resumed.out, "its group default is since 20")) << resumed.out;
}

TEST_F(Operator, ReadsTheStatusByItsLines) {
  ASSERT_EQ(daemon.ballot({"trigger", "held"}).code, 0);
  const std::string status = daemon.ballot({"status"}).out;
  EXPECT_TRUE(says(status, "\njobs        2 in force, 1 run open\nleads       default (epoch ")) << status;
  release();
}

TEST_F(Operator, WaitsForARequestAsLongAsItsTimeout) {
  daemon.file("away",
              "[group.away]\ncandidates = [\"other\"]\n[job.far]\ngroup = \"away\"\ncommand = [\"/bin/true\"]\n");
  ASSERT_TRUE(daemon.wait_for("job files read again")) << daemon.log;
  const Ran ran = daemon.ballot({"pause", "far", "--timeout", "300ms"});
  EXPECT_EQ(ran.code, 75) << ran.err << ": nobody leads the group";
}

TEST(RunDir, IsTheFlagsWhereItIsGiven) {
  BallotDaemon daemon;
  daemon.start({"--run-dir", daemon.folder / "elsewhere"});
  EXPECT_TRUE(daemon.wait_for("serves")) << daemon.log;
  EXPECT_TRUE(std::filesystem::is_socket(daemon.folder / "elsewhere/ballot.sock"));
  EXPECT_EQ(daemon.stop(), 0);
}

TEST_F(Operator, FindsTheDaemonOutOfServiceWhileItStops) {
  daemon.job("often", "schedule = \"* * * * * *\"\ncommand = [\"/bin/true\"]");
  ASSERT_TRUE(daemon.wait_for("job files read again")) << daemon.log;
  ASSERT_EQ(daemon.ballot({"trigger", "held"}).code, 0);
  daemon.send(SIGTERM);
  ASSERT_TRUE(daemon.wait_for("stopping")) << daemon.log;
  const Ran status = daemon.ballot({"status"});
  EXPECT_EQ(status.code, 2) << status.out << status.err;
  EXPECT_TRUE(says(status.out, "stopping: nothing new is launched")) << status.out;
  std::string why;
  for (int i = 0; i < 200 && !says(why, "is not fit to: stopping: nothing new"); ++i) {
    why = daemon.ballot({"why", "often"}).out;
    std::replace(why.begin(), why.end(), '\n', ' ');
  }
  EXPECT_TRUE(says(why, "not recorded This node leads group default, and is not fit to: stopping: nothing new is"))
      << why;
  release();
}

}  // namespace
}  // namespace ballot::testing
