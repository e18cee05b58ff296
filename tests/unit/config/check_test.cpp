#include "config/check.hpp"

#include <gtest/gtest.h>

#include "diagnostics_text.hpp"
#include "support/temp_folder.hpp"

namespace ballot::config {
namespace {

Checked check(std::vector<std::string> files) { return check_job_files(files, {}); }

TEST(Check, TakesFilesOfAnyNameModeAndPlace) {
  const TempFolder folder;
  folder.write("crontab.txt", "[job.x]\nshell = \"true\"\n");
  ASSERT_EQ(::chmod((folder / "crontab.txt").c_str(), 0666), 0);
  std::filesystem::create_symlink("crontab.txt", folder / "link");
  for (const char* name : {"crontab.txt", "link"}) {
    const Checked checked = check({folder / name});
    EXPECT_EQ(text_of(checked.diagnostics), "");
    EXPECT_EQ(checked.jobs, 1u);
  }
}

TEST(Check, SaysWhatCannotBeRead) {
  const TempFolder folder;
  std::filesystem::create_symlink("nothing", folder / "dangling");
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  folder.write("large", std::string(1024 * 1024 + 1, '\n'));
  EXPECT_EQ(text_of(check({folder / "none"}).diagnostics), folder / "none" + ":1:1: error: no such file\n");
  EXPECT_EQ(text_of(check({folder / "dangling"}).diagnostics), folder / "dangling" + ":1:1: error: no such file\n");
  for (const std::string& path : {folder.path(), folder / "fifo"})
    EXPECT_EQ(text_of(check({path}).diagnostics),
              path + ":1:1: error: this is no regular file; remove it or rename it\n");
  EXPECT_EQ(text_of(check({folder / "large"}).diagnostics),
            folder / "large" + ":1:1: error: the file is larger than 1 MiB\n");
}

TEST(Check, FindsNamesThatTheFilesDefineTwice) {
  const TempFolder folder;
  folder.write("a", "[job.x]\nshell = \"true\"\n[group.g]\n");
  folder.write("b", "[group.g]\n\n[job.x]\nshell = \"true\"\n");
  folder.write("c", "[group.g]\nmax_running = 1\n");
  const Checked checked = check({folder / "c", folder / "b", folder / "a"});
  ASSERT_EQ(checked.diagnostics.size(), 2u) << text_of(checked.diagnostics);
  EXPECT_EQ(checked.diagnostics[0].text(), folder / "b" + ":3:6: error: job 'x' is already defined at " + folder / "a" +
                                               ":1, and counts there; rename this one");
  EXPECT_NE(
      text_of(checked.diagnostics)
          .find(folder / "c" + ":1:8: error: group 'g' is already defined, and differently, at " + folder / "a" + ":3"),
      std::string::npos)
      << text_of(checked.diagnostics);
}

}  // namespace
}  // namespace ballot::config
