// The repository's own jobs.d: checked, and run.
#include <gtest/gtest.h>

#include <filesystem>

#include "support/process/ballot_daemon.hpp"

namespace ballot::testing {
namespace {

TEST(Examples, HaveNothingWrong) {
  const Ran ran = run_program({BALLOT_PROGRAM, "check", BALLOT_EXAMPLES});
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_NE(ran.out.find(" 0 errors, 0 warnings"), std::string::npos) << ran.out;
}

TEST(Examples, Run) {
  BallotDaemon daemon;
  for (const auto& entry : std::filesystem::directory_iterator(BALLOT_EXAMPLES))
    daemon.file(entry.path().stem(), text_of(entry.path()));
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads", 3)) << daemon.log;
  EXPECT_TRUE(daemon.wait_for("still here: slot", 2)) << daemon.log;
  const Ran ran = daemon.ballot({"trigger", "reindex", "--wait"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(daemon.ballot({"output", ran.out.substr(0, 36)}).out, "all tables\n");
  for (const char* job : {"nightly-backup", "weekly-report", "after-boot"})
    EXPECT_EQ(daemon.ballot({"trigger", job, "--wait"}).code, 0) << job;
  EXPECT_EQ(daemon.ballot({"trigger", "hangs", "--wait"}).code, 128 + SIGKILL);
}

}  // namespace
}  // namespace ballot::testing
