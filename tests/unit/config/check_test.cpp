#include "config/check.hpp"

#include <gtest/gtest.h>

#include <algorithm>

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

constexpr const char* refused =
    "[job.load]\nschedule = \"0 25 * * *\"\nshell = \"true\"\n"
    "[job.report]\nafter = [\"load\"]\nshell = \"true\"\n"
    "[job.clean]\nafter = [\"lod\"]\nshell = \"true\"\n";

TEST(Check, FindsWhatIsWrongWithAChainBesideOtherErrorsOfItsFile) {
  const TempFolder folder;
  const std::string file = folder.write("etl.toml", refused);
  const std::string text = text_of(check({file}).diagnostics);
  EXPECT_NE(text.find(":2:"), std::string::npos) << text;
  EXPECT_NE(text.find("no job file defines job 'lod'"), std::string::npos) << text;
  EXPECT_EQ(text.find("'load'"), std::string::npos) << "it is defined, though with an error: " << text;
  const std::vector<std::string> files{file};
  EXPECT_EQ(text_of(check_refused_chains(files, {}, folder.path())),
            file +
                ":8:10: error: no job file defines job 'lod', after which this one comes: none of its slots can "
                "begin\n");
}

TEST(Check, KeepsTheFirstHundredFindingsOfEachFileThoseOfChainsToo) {
  const TempFolder folder;
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "[job.j" + std::to_string(i) + "]\nafter = [\"none\"]\nshell = \"true\"\n";
  const std::vector<std::string> files{folder.write("a.toml", many), folder.write("b.toml", "[job.x]\nshell = 1\n")};
  const std::string text = text_of(check(files).diagnostics);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 102) << text;
  EXPECT_NE(text.find("a.toml:302:10: warning: 900 further findings are left out"), std::string::npos) << text;
  folder.write("a.toml", many + "[job.y]\nshell = 1\n");
  EXPECT_EQ(check_refused_chains(files, {}, folder.path()).size(), 101u);
}

TEST(Check, LooksForJobsAndCalendarsOfAFileBesideItAndInTheFolderOfTheConfiguration) {
  const TempFolder jobs, elsewhere;
  jobs.write("others.toml",
             "[job.load]\nschedule = \"0 2 * * *\"\nshell = \"true\"\n"
             "[calendar.free]\ndates = [\"12-25\"]\n");
  const char* const chained =
      "[job.report]\nafter = [\"load\"]\nshell = \"true\"\n"
      "[job.trim]\nschedule = \"0 3 * * *\"\nexcept = [\"free\"]\nshell = \"true\"\n";
  EXPECT_EQ(text_of(check({jobs.write("new.toml", chained)}).diagnostics), "");
  const std::vector<std::string> away{elsewhere.write("new.toml", chained)};
  EXPECT_EQ(text_of(check_job_files(away, {}, jobs.path()).diagnostics), "");
  const std::string alone = text_of(check(away).diagnostics);
  EXPECT_NE(alone.find("warning: no job file defines job 'load'"), std::string::npos) << alone;
}

}  // namespace
}  // namespace ballot::config
