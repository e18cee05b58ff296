// ballot import crontab, as a shell runs it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "unit/app/ballot_program.hpp"

namespace ballot::app {
namespace {

using testing::ballot;
using testing::contains;
using testing::Ran;
using testing::text_of;

struct ImportCommand : ::testing::Test {
  ImportCommand() { std::filesystem::create_directory(folder / "jobs.d"); }

  TempFolder folder;
  std::string jobs = folder / "jobs.d";
};

Ran import(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"import", "crontab"});
  return ballot(std::move(arguments), {"BALLOT_TEST_SENDMAIL=/bin/true"});
}

/// Whatever the zone of the machine.
Ran import_in_utc(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--timezone", "UTC"});
  return import(std::move(arguments));
}

TEST_F(ImportCommand, PrintsAJobFileThatCheckTakes) {
  const std::string first = folder.write("first", "MAILTO=ops\n0 2 * * 1-5 /opt/backup\n"),
                    second = folder.write("second", "@reboot /opt/warm %x%y\n");
  const Ran ran = import({first, second, "--user", "root", "--timezone", "Europe/Paris"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_TRUE(contains(ran.out, "[job.root-backup]\nschedule           = \"0 2 * * 1-5\"\n")) << ran.out;
  const Ran checked = ballot({"check", folder.write("out.toml", ran.out)});
  EXPECT_EQ(checked.out, "2 jobs, 0 errors, 0 warnings\n");
}

TEST_F(ImportCommand, SaysOnceThatNothingIsMailedWhereThereIsNoSendmail) {
  const std::string crontab =
      folder.write("tab", "0 2 * * * /opt/a\n0 3 * * * /opt/b\nMAILTO=\"\"\n0 4 * * * /opt/c\n");
  const std::vector<std::string> command{"import", "crontab", crontab, "--user", "root", "--timezone", "UTC"};
  const Ran ran = ballot(command, {"BALLOT_TEST_SENDMAIL=/no/sendmail"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err,
            "ballot import: 2 jobs mail what is printed (mail_to), and '/no/sendmail' is not there: a node without it "
            "mails nothing; `ballot output` shows what a run has printed\n");
  const std::string silent = folder.write("silent", "MAILTO=\"\"\n0 4 * * * /opt/c\n");
  EXPECT_EQ(ballot({"import", "crontab", silent, "--user", "root", "--timezone", "UTC"},
                   {"BALLOT_TEST_SENDMAIL=/no/sendmail"})
                .err,
            "");
}

TEST_F(ImportCommand, MakesJobsOfEachNode) {
  const std::string crontab = folder.write("tab", "0 2 * * * /opt/rotate\n");
  const Ran ran = import_in_utc({crontab, "--user", "root", "--run-on", "each"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(contains(ran.out, "\nrun_on             = \"each\"\n")) << ran.out;
  EXPECT_EQ(ballot({"check", folder.write("out.toml", ran.out)}).out, "1 job, 0 errors, 0 warnings\n");
  EXPECT_FALSE(contains(import_in_utc({crontab, "--user", "root"}).out, "run_on"));
  const Ran wrong = import_in_utc({crontab, "--run-on", "all"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_TRUE(contains(wrong.err, "leader")) << wrong.err;
}

TEST_F(ImportCommand, WritesAFileForEachCrontabOnce) {
  const std::string a = folder.write("a", "@daily root x\n"), b = folder.write("_b c.tab", "@daily root x\n"),
                    none = folder.write("none", "# nothing\n");
  ASSERT_EQ(::chmod(a.c_str(), 0600), 0);
  const Ran ran = import_in_utc({"--system", a, b, none, "--to", jobs});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, jobs + "/a.toml: 1 job\n" + jobs + "/crontab-_b-c.tab.toml: 1 job\n" + jobs +
                         "/none.toml: no jobs, not written\n");
  EXPECT_EQ(std::filesystem::status(jobs + "/a.toml").permissions(), std::filesystem::perms(0600));
  EXPECT_EQ(ballot({"check", jobs}).out, "2 jobs, 0 errors, 0 warnings\n");

  const Ran again = import_in_utc({"--system", a, b, none, "--to", jobs});
  EXPECT_EQ(again.code, 0);
  EXPECT_TRUE(again.out.starts_with(jobs + "/a.toml: 1 job, as it was\n")) << again.out;
}

TEST_F(ImportCommand, LeavesAFileThatDiffers) {
  const std::string a = folder.write("a", "@daily root x\n");
  folder.write("jobs.d/a.toml", "# by hand\n");
  const Ran ran = import_in_utc({"--system", a, "--to", jobs});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.err, "ballot import: " + jobs +
                         "/a.toml is there, and differs: it stays as it is; move it away, or name another folder\n");
  EXPECT_EQ(text_of(jobs + "/a.toml"), "# by hand\n");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(jobs), {}), 1);
}

TEST_F(ImportCommand, NamesAFolderThatIsNotThere) {
  const std::string crontab = folder.write("tab", "@daily root x\n"), none = folder / "none";
  const Ran ran = import_in_utc({crontab, "--system", "--to", none});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.err, "ballot import: cannot write " + none + "/tab.toml: there is no folder " + none + "\n");
}

TEST_F(ImportCommand, FollowsNothingThatLiesAtItsTarget) {
  const std::string a = folder.write("a", "@daily root x\n"), target = jobs + "/a.toml";
  const auto refused = [&](const std::string& why) {
    const Ran ran = import_in_utc({"--system", a, "--to", jobs});
    EXPECT_EQ(ran.code, 1) << why;
    EXPECT_TRUE(contains(ran.err, "ballot import: " + target + why)) << ran.err;
    std::filesystem::remove(target);
  };
  ASSERT_EQ(::mkfifo(target.c_str(), 0600), 0);
  refused(" is no regular file: remove it, or put a regular file in its place");
  std::filesystem::create_symlink("/dev/zero", target);
  refused(" is a link: remove it, or put a regular file in its place");
  std::filesystem::create_symlink(folder / "nowhere", target);
  refused(" is a link: remove it, or put a regular file in its place");
  std::filesystem::create_directory(target);
  refused(" is no regular file: remove it, or put a regular file in its place");
}

TEST_F(ImportCommand, WritesSeveralFilesOfALargeCrontab) {
  std::string text;
  for (int i = 0; i < 3'000; ++i)
    text += "@daily root /bin/x" + std::to_string(i) + " # " + std::string(100, 'y') + "\n";
  const std::string tab = folder.write("tab", text);
  const Ran ran = import_in_utc({"--system", tab, "--to", jobs});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(ran.out.starts_with(jobs + "/tab.toml: ")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "\n" + jobs + "/tab-2.toml: ")) << ran.out;
  EXPECT_EQ(ballot({"check", jobs + "/tab.toml", jobs + "/tab-2.toml"}).out.substr(0, 23), "3000 jobs, 0 errors, 0 ");
  const Ran printed = import_in_utc({"--system", tab});
  EXPECT_EQ(printed.code, 78);
  EXPECT_EQ(printed.out, "");
  EXPECT_TRUE(
      contains(printed.err, "its jobs take 2 job files, as one has at most 1 MiB; name a folder for them with --to"))
      << printed.err;
}

TEST_F(ImportCommand, SaysWhichLinesItRefusesAndWritesTheOthers) {
  const std::string tab = folder.write("tab", "99 * * * * x\n@daily y\n@daily z");
  const Ran ran = import_in_utc({tab, "--user", "root"});
  EXPECT_EQ(ran.code, 78);
  EXPECT_TRUE(contains(ran.out, "[job.root-y]\n")) << ran.out;
  EXPECT_TRUE(ran.err.starts_with(tab + ":1:1: error: '99' is no value of cron's; minute is 0 to 59")) << ran.err;
  EXPECT_TRUE(contains(ran.err, tab + ":3:9: error: no newline ends the last line")) << ran.err;
}

TEST_F(ImportCommand, RefusesACrontabThatCronWouldNotTrust) {
  const std::string tab = folder.write("tab", "@daily root x\n");
  ASSERT_EQ(::chmod(tab.c_str(), 0664), 0);
  const Ran ran = import_in_utc({"--system", tab, "--to", jobs});
  EXPECT_EQ(ran.code, 78);
  EXPECT_EQ(ran.err, "ballot import: " + tab +
                         ": the file is writable by others (mode 0664); take that away with chmod go-w; cron ignores "
                         "such a crontab. Look at its lines before you change that\n");
  EXPECT_TRUE(std::filesystem::is_empty(jobs)) << ran.out;
}

TEST_F(ImportCommand, SaysHowItReadsACrontabThatNobodyNames) {
  const std::string tab = folder.write("tab", "@daily y\n");
  const Ran ran = import_in_utc({tab});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(contains(ran.err, "tab: read as the crontab of ")) << ran.err;
  EXPECT_TRUE(contains(ran.err, ", who runs this; --user NAME or --system says otherwise\n")) << ran.err;
}

TEST_F(ImportCommand, GoesByTheMachinesZone) {
  std::error_code none;
  const std::string link = std::filesystem::read_symlink("/etc/localtime", none);
  const std::size_t at = link.find("/zoneinfo/");
  if (at == std::string::npos) GTEST_SKIP() << "/etc/localtime is no link to a zone";
  const Ran ran = import({folder.write("tab", "@daily y\n"), "--user", "root"});
  EXPECT_TRUE(contains(ran.out, "timezone           = \"" + link.substr(at + 10) + "\"\n")) << ran.out << ran.err;
}

TEST_F(ImportCommand, RefusesWhatMakesNoSense) {
  const std::string tab = folder.write("tab", "@daily y\n");
  std::filesystem::create_directory(folder / "other");
  const std::string same = folder.write("other/tab", "@daily y\n");
  EXPECT_EQ(import({}).code, 2);
  EXPECT_EQ(ballot({"import", tab}).code, 2);
  EXPECT_TRUE(
      contains(import_in_utc({tab, "--system", "--user", "root"}).err, "--system and --user exclude each other"));
  EXPECT_TRUE(
      contains(import_in_utc({tab, "--user", "no-such"}).err, "--user: there is no user 'no-such' on this node"));
  EXPECT_TRUE(contains(import({tab, "--user", "root", "--timezone", "Europe/Pariss"}).err, "--timezone: "));
  const Ran clash = import_in_utc({tab, same, "--user", "root", "--to", jobs});
  EXPECT_EQ(clash.code, 2);
  EXPECT_TRUE(contains(clash.err, " would both become tab.toml; import one of them into another folder")) << clash.err;
  const Ran none = import_in_utc({folder / "none", folder / "other", "--user", "root"});
  EXPECT_EQ(none.code, 78);
  EXPECT_EQ(none.err, "ballot import: " + folder / "none" + ": no such file\nballot import: " + folder / "other" +
                          ": this is a folder; name its files\n");
}

}  // namespace
}  // namespace ballot::app
