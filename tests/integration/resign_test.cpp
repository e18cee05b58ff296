// `ballot resign --session FILE`, as the unit's ExecStopPost= calls it.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/ballot_daemon.hpp"
#include "support/process_facts.hpp"

namespace ballot::testing {
namespace {

using namespace std::chrono_literals;

struct Resign : ::testing::Test {
  BallotDaemon first{"n1"}, second{"n2"};
  const std::string session = first.folder / "run/session";

  void SetUp() override {
    const std::string shared = "[local]\npath = \"" + (first.folder / "store") + "\"\n";
    first.configure(shared + "[runner]\non_stop = \"leave\"\n");
    second.configure(shared);
  }
  Ran resign() const { return first.ballot({"resign", "--session", session}); }
  bool has_session() const { return std::filesystem::exists(session); }
};

TEST_F(Resign, FindsTheHandleOfTheSessionForThisUserAlone) {
  first.start();
  ASSERT_TRUE(first.wait_for("session open"));
  struct stat found {};
  ASSERT_EQ(::stat(session.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
}

TEST_F(Resign, DoesNothingWhereThereIsNoSession) { EXPECT_EQ(resign().code, 0); }

TEST_F(Resign, DoesNothingAfterAStopThatLeavesEverything) {
  first.start();
  ASSERT_TRUE(first.wait_for("session open"));
  EXPECT_EQ(first.stop(), 0);
  EXPECT_FALSE(has_session());
  EXPECT_EQ(resign().code, 0);
}

TEST_F(Resign, DoesNotResignForADaemonThatLives) {
  first.job("tick", "schedule = \"* * * * * *\"\ncommand = [\"/bin/true\"]");
  first.start();
  ASSERT_TRUE(first.wait_for("succeeded"));
  const Ran ran = resign();
  EXPECT_EQ(ran.code, 69);
  EXPECT_NE(ran.err.find("lives"), std::string::npos) << ran.err;
  EXPECT_TRUE(first.wait_for("succeeded", 2));
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

/// A `terminate` run that is open keeps its group until the runner has ended it.
TEST_F(Resign, WaitsForTheRunsThatEndWithTheirTerm) {
  const std::string mark = first.folder / "mark";
  first.job("long", "schedule = \"* * * * * *\"\ncommand = [\"/bin/sh\", \"-c\", \"echo > " + mark + "; sleep 2\"]");
  first.start();
  ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(mark); }));
  first.kill();
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(resign().code, 0);
  EXPECT_GE(std::chrono::steady_clock::now() - before, 500ms);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 8s);
}

}  // namespace
}  // namespace ballot::testing
