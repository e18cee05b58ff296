// `ballot resign --session FILE`, as the unit's ExecStopPost= calls it.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/process/ballot_daemon.hpp"
#include "support/process/process_facts.hpp"

namespace ballot::testing {
namespace {

using namespace std::chrono_literals;

struct Resign : ::testing::Test {
  BallotDaemon first{"n1"}, second{"n2"};
  const std::string session = first.folder / "run/session";
  static constexpr const char* every_second = "schedule = \"* * * * * *\"\n";

  void SetUp() override {
    const std::string shared = "[local]\npath = \"" + (first.folder / "store") + "\"\n";
    first.configure(shared + "[runner]\non_stop = \"leave\"\n");
    second.configure(shared);
  }
  Ran resign() const { return first.ballot({"resign", "--session", session}); }
  bool has_session() const { return std::filesystem::exists(session); }
  std::string info() const { return first.ballot({"info", "default", "--format", "json"}).out; }
  /// A run of n1 that goes on until let_go(); n1 is dead then.
  void leave_a_run(const std::string& more, const std::string& then) {
    const std::string mark = first.folder / "mark", end = first.folder / "end";
    first.job("long", every_second + more + "command = [\"/bin/sh\", \"-c\", \"echo > " + mark + "; until test -e " +
                          end + "; do sleep 0.02; done; " + then + "\"]");
    first.start();
    ASSERT_TRUE(first.wait_for("started"));
    ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(mark); }));
    first.kill();
  }
  void let_go() const { first.folder.write("end", ""); }
};

TEST_F(Resign, FindsTheHandleOfTheSessionForThisUserAlone) {
  first.start();
  ASSERT_TRUE(first.wait_for("session open"));
  struct stat found {};
  ASSERT_EQ(::stat(session.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
}

TEST_F(Resign, DoesNothingWhereThereIsNoSession) { EXPECT_EQ(resign().code, 0); }

TEST_F(Resign, DoesNothingBeforeTheDeadlineAfterAStopThatLeavesEverything) {
  first.start();
  ASSERT_TRUE(first.wait_for("session open"));
  EXPECT_EQ(first.stop(), 0);
  const std::string left = text_of(session);
  const Ran ran = resign();
  EXPECT_EQ(ran.code, 0);
  EXPECT_NE(ran.err.find("may come back"), std::string::npos) << ran.err;
  EXPECT_EQ(text_of(session), left);
}

TEST_F(Resign, DoesNothingAfterACleanStop) {
  second.start();
  ASSERT_TRUE(second.wait_for("session open"));
  EXPECT_EQ(second.stop(), 0);
  EXPECT_FALSE(std::filesystem::exists(second.folder / "run/session"));
}

TEST_F(Resign, DoesNothingForADaemonThatLives) {
  first.job("tick", every_second + std::string("command = [\"/bin/true\"]"));
  first.start();
  ASSERT_TRUE(first.wait_for("succeeded"));
  const Ran ran = resign();
  EXPECT_EQ(ran.code, 0);
  EXPECT_NE(ran.err.find("in use"), std::string::npos) << ran.err;
  EXPECT_TRUE(first.wait_for("succeeded", 2));
}

TEST_F(Resign, SaysThatItIsToBeTriedAgainWhereTheStoreIsAway) {
  first.start();
  ASSERT_TRUE(first.wait_for("session open"));
  first.kill();
  std::filesystem::rename(first.folder / "store", first.folder / "elsewhere");
  EXPECT_EQ(resign().code, 69);
  EXPECT_TRUE(has_session());
}

TEST_F(Resign, EndsTheTermsOfACrashedDaemon) {
  first.job("tick", "schedule = \"* * * * * *\"\ncommand = [\"/bin/true\"]");
  first.start();
  ASSERT_TRUE(first.wait_for("succeeded"));
  first.kill();
  EXPECT_TRUE(has_session());
  const Ran ran = resign();
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_FALSE(has_session());
  const Ran info = first.ballot({"info", "default", "--format", "json"});
  EXPECT_EQ(info.out.find("\"leads\""), std::string::npos);
}

TEST_F(Resign, LeavesTheGroupOfARunThatGoesOnAsItIsUntilItHasEnded) {
  leave_a_run("", "true");
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(resign().code, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 1500ms) << "it waits for nothing";
  EXPECT_TRUE(has_session()) << "a daemon that comes back goes on with it";
  let_go();
  EXPECT_TRUE(wait_until([&] { return !has_session(); })) << "the runner resigns when the run has ended";
}

/// The runner goes before the next daemon comes, so that nobody else knows.
TEST_F(Resign, PublishesHowTheRunsOfTheDeadDaemonHaveEnded) {
  leave_a_run("", "exit 7");
  let_go();
  ASSERT_TRUE(wait_until([&] { return !has_session(); }));
  second.job("long", "command = [\"/bin/true\"]\nschedule = \"0 0 1 1 *\"\n");
  first.end_runner();
  second.start();
  ASSERT_TRUE(second.wait_for("failed: exit_code", 1, 4s)) << second.log;
}

TEST_F(Resign, PublishesTheEndOfARunThatOutlivesTheSession) {
  leave_a_run("on_leadership_lost = \"finish\"\n", "exit 7");
  EXPECT_EQ(resign().code, 0);
  EXPECT_TRUE(has_session()) << "a run goes on";
  let_go();
  ASSERT_TRUE(wait_until([&] { return !has_session(); }));
  second.job("long", "command = [\"/bin/true\"]\nschedule = \"0 0 1 1 *\"\n");
  first.end_runner();
  second.start();
  ASSERT_TRUE(second.wait_for("failed: exit_code", 1, 4s)) << second.log;
}

#ifdef BALLOT_FAILPOINTS
TEST_F(Resign, PublishesThatAClaimNeverReachedTheRunner) {
  first.environment = {"BALLOT_FAILPOINTS=io.launch=kill@1"};
  first.job("tick", every_second + std::string("command = [\"/bin/true\"]\n"));
  first.start();
  first.wait();
  ASSERT_TRUE(wait_until([&] { return !has_session(); })) << "its runner resigns for it";
  first.end_runner();
  second.job("tick", "command = [\"/bin/true\"]\nschedule = \"0 0 1 1 *\"\n");
  second.start();
  ASSERT_TRUE(second.wait_for("lost: node_died", 1, 4s)) << second.log;
}
#endif

TEST_F(Resign, IsStartedByTheRunnerWhereNoSupervisorIs) {
  first.job("tick", every_second + std::string("command = [\"/bin/true\"]\n"));
  first.start();
  ASSERT_TRUE(first.wait_for("succeeded"));
  first.kill();
  const auto killed = std::chrono::steady_clock::now();
  ASSERT_TRUE(wait_until([&] { return !has_session(); }));
  EXPECT_GE(std::chrono::steady_clock::now() - killed, 900ms) << "a daemon may be back within a second";
}

/// The daemon's lock is not its children's.
TEST_F(Resign, IsNotKeptFromItsWorkByARunOfTheDeadDaemon) {
  leave_a_run("", "true");
  const Ran ran = resign();
  EXPECT_EQ(ran.err.find("in use"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace ballot::testing
