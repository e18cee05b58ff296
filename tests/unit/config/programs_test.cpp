// Programs and folders of a root job that others may replace; arguments and windows of which nothing comes.
#include "config/programs.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "job_file_text.hpp"
#include "support/temp_folder.hpp"

namespace ballot::config {
namespace {

struct FoldersOfJobs : ::testing::Test {
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root: folders of others";
    ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
    std::filesystem::create_directory(folder / "home");
    std::filesystem::create_directory(folder / "home/work");
    ASSERT_EQ(::chown((folder / "home").c_str(), somebody, somebody), 0);
  }
  std::string warnings(const std::string& working_dir, std::uint32_t daemon = root) {
    return findings("[job.x]\nshell = \"pwd\"\nworking_dir = \"" + working_dir + "\"\n", daemon_of(daemon));
  }

  TempFolder folder;
};

TEST_F(FoldersOfJobs, ThatRunAsRootAreNobodyElsesToReplace) {
  const std::string own = folder / "own";
  std::filesystem::create_directory(own);
  EXPECT_EQ(warnings(own), "");
  EXPECT_EQ(warnings("/tmp"), "") << "in a sticky folder nobody replaces what is root's";
  EXPECT_EQ(warnings(folder / "missing"), "");
  EXPECT_EQ(warnings(folder / "home/work"),
            "x.toml:3:15: warning: root runs in a folder that others may replace: " + folder / "home" +
                " belongs to user 1000; it must belong to root or to the daemon's user\n");
  EXPECT_EQ(warnings(folder / "home/work", somebody), "") << "it is not root who runs there";
}

TEST_F(FoldersOfJobs, AreFollowedThroughLinks) {
  std::filesystem::create_directory_symlink("/etc", folder / "link");
  EXPECT_EQ(warnings(folder / "link"), "");
  ASSERT_EQ(::lchown((folder / "link").c_str(), somebody, somebody), 0);
  EXPECT_EQ(warnings(folder / "link"),
            "x.toml:3:15: warning: root runs in a folder that others may replace: " + folder / "link" +
                " belongs to user 1000; it must belong to root or to the daemon's user\n");
}

TEST_F(FoldersOfJobs, OfHooksHoldProgramsThatNobodyElseReplaces) {
  const std::string hook = folder.write("home/hook", "#!/bin/sh\n");
  for (const char* key : {"on_failure", "on_recovery", "on_missed"})
    EXPECT_NE(findings("[job.x]\nshell = \"true\"\n" + std::string(key) + " = [\"" + hook + "\"]\n", daemon_of(root))
                  .find("warning: root executes what others may replace: "),
              std::string::npos)
        << key;
  const std::string group = "[group.x]\non_demote = [\"" + hook + "\"]\n";
  EXPECT_EQ(findings(group, daemon_of(root)),
            "x.toml:1:8: warning: group 'x': root executes what others may replace: " + folder / "home" +
                " belongs to user 1000; it must belong to root or to the daemon's user\n");
  EXPECT_EQ(findings(group, daemon_of(somebody)), "");
}

constexpr std::size_t longest_value = 128 * 1024 - 1;

std::string with_text(const std::string& before, std::size_t size, const std::string& behind) {
  std::string text(size, 'x');
  for (std::size_t i = 999; i < size; i += 1'000) text[i] = '\n';  // a line has at most 64 KiB
  return findings("[job.x]\n" + before + text + behind + "\n");
}

TEST(Arguments, HaveAtMostWhatLinuxTakes) {
  EXPECT_EQ(with_text("shell = \"\"\"", longest_value, "\"\"\""), "");
  EXPECT_EQ(with_text("shell = \"\"\"", longest_value + 1, "\"\"\""),
            "x.toml:2:9: error: 'shell' has 131072 bytes, and Linux starts no program with an argument of more than "
            "131071; put the text into a file that the command reads\n");
  EXPECT_EQ(with_text("command = [\"/bin/echo\", \"\"\"", longest_value, "\"\"\"]"), "");
  EXPECT_NE(with_text("command = [\"/bin/echo\", \"\"\"", longest_value + 1, "\"\"\"]"), "");
  EXPECT_NE(with_text("shell = \"true\"\non_failure = [\"/bin/echo\", \"\"\"", longest_value + 1, "\"\"\"]"), "");
  EXPECT_EQ(with_text("shell = \"true\"\nenv.NAME = \"\"\"", longest_value - 5, "\"\"\""), "");
  EXPECT_EQ(with_text("shell = \"true\"\nenv.NAME = \"\"\"", longest_value - 4, "\"\"\""),
            "x.toml:3:12: error: 'NAME' has more than the 131071 bytes that Linux gives to a variable with its name\n");
  EXPECT_EQ(with_text("shell = \"true\"\nstdin = \"\"\"", longest_value + 1, "\"\"\""), "");
}

TEST(Windows, LieInTheYearsForWhichSlotsAreComputed) {
  const auto window = [](const std::string& keys) {
    return findings("[job.x]\nshell = \"true\"\nschedule = \"@daily\"\n" + keys + "\n");
  };
  EXPECT_EQ(window("not_before = 2399-12-31T00:00:00Z"), "");
  EXPECT_EQ(
      window("not_before = 2400-01-01T00:00:00Z"),
      "x.toml:4:14: error: 'not_before' is after the year 2399, the last one for which slots are computed: the job "
      "could never be due\n");
  EXPECT_EQ(window("not_after = 1799-12-31T00:00:00Z"),
            "x.toml:4:13: error: 'not_after' is before the year 1800, the first one for which slots are computed: the "
            "job could never be due\n");
  EXPECT_EQ(window("not_after = 2450-01-01T00:00:00Z"), "");
}

}  // namespace
}  // namespace ballot::config
