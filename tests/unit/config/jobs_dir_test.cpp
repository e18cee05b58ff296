#include "config/jobs_dir.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "diagnostics_text.hpp"
#include "support/temp_folder.hpp"

namespace ballot::config {
namespace {

std::string job(const std::string& name, const std::string& shell = "true") {
  return "[job." + name + "]\nshell = \"" + shell + "\"\n";
}

class JobsDirTest : public ::testing::Test {
 protected:
  void write(std::string_view name, std::string_view text) const { folder_.write(name, text); }
  std::string path(std::string_view name) const { return folder_ / name; }

  /// "x=true y=..." of the jobs in force: their names and what they run.
  std::string in_force(const JobsDir& jobs) const {
    std::string text;
    for (const auto& definition : jobs.set().definitions)
      text += (text.empty() ? "" : " ") + definition->job.name + '=' + definition->job.command->back();
    return text;
  }
  std::string in_force() const { return in_force(jobs_); }
  std::string findings() const { return text_of(jobs_.set().diagnostics); }

  /// "+added ~changed -removed".
  static std::string text_of_changes(const Changes& changes) {
    std::string text;
    for (const auto& each : changes.added) text += '+' + each->job.name;
    for (const auto& each : changes.changed) text += '~' + each->job.name;
    for (const auto& each : changes.removed) text += '-' + each->job.name;
    return text;
  }
  std::string reload() { return text_of_changes(jobs_.reload()); }

  TempFolder folder_;
  JobsDir jobs_{folder_.path(), {.backends = {{"far", nullptr}}}};
};

TEST_F(JobsDirTest, TakesUpZonesThatAnUpdateHasReplaced) {
  std::filesystem::create_directory(path("zones"));
  const auto install = [&](const char* rules) {
    std::filesystem::copy_file(std::string("/usr/share/zoneinfo/") + rules, path("zones/new"));
    std::filesystem::rename(path("zones/new"), path("zones/Moved"));
  };
  ::setenv("TZDIR", path("zones").c_str(), 1);
  install("Asia/Tokyo");
  write("a.toml", "[job.a]\nschedule = \"0 0 * * *\"\ntimezone = \"Moved\"\ncommand = [\"/bin/true\"]\n" + job("b"));
  write("c.toml", "[job.c]\nschedule = \"CRON_TZ=Moved 0 0 * * *\"\ncommand = [\"/bin/true\"]\n");
  EXPECT_EQ(reload(), "+a+b+c");
  EXPECT_EQ(reload(), "");
  install("Asia/Kolkata");
  EXPECT_EQ(reload(), "~a~c");
  EXPECT_EQ(reload(), "");
  ::unsetenv("TZDIR");
}

TEST_F(JobsDirTest, LoadsAllFilesWithAJobFilesName) {
  write("b.toml", job("b"));
  write("a.toml", job("a2") + job("a1"));
  for (const char* name : {"a.toml~", ".a.toml.swp", "a.toml.dpkg-old", "README", "a.toml.bak", "#a.toml#"})
    write(name, "not toml");
  EXPECT_EQ(reload(), "+a1+a2+b");
  EXPECT_EQ(in_force(), "a1=true a2=true b=true");
  EXPECT_EQ(findings(), "");
}

TEST_F(JobsDirTest, TextsOfTheProgramCountBeforeAnyFile) {
  write("a.toml", job("a") + job("b"));
  EXPECT_EQ(reload(), "+a+b");
  const auto put = jobs_.put("job a of the program", job("a", "false"));
  ASSERT_TRUE(put);
  EXPECT_EQ(text_of_changes(*put), "~a");
  EXPECT_EQ(in_force(), "a=false b=true");
  EXPECT_FALSE(jobs_.place_of("a")) << "no file defines it";
  EXPECT_EQ(jobs_.place_of("b")->position.line, 3);
  EXPECT_NE(findings().find("is already defined at job a of the program:1"), std::string::npos) << findings();
  EXPECT_EQ(reload(), "") << "they are no files, and stay";
  const auto dropped = jobs_.drop("job a of the program");
  ASSERT_TRUE(dropped);
  EXPECT_EQ(text_of_changes(*dropped), "~a");
  EXPECT_EQ(in_force(), "a=true b=true");
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(jobs_.drop("job a of the program").error().code, Errc::not_found);
}

TEST_F(JobsDirTest, ATextThatIsWrongChangesNothing) {
  ASSERT_TRUE(jobs_.put("x", job("a")));
  const auto refused = jobs_.put("x", "[job.a]\nshell = 1\nretrys = 2\n");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::invalid);
  EXPECT_NE(refused.error().what.find("x:2:9: error: 'shell' must be"), std::string::npos) << refused.error().what;
  EXPECT_NE(refused.error().what.find("'retrys'"), std::string::npos) << refused.error().what;
  EXPECT_EQ(in_force(), "a=true");
  EXPECT_EQ(reload(), "");
  EXPECT_FALSE(jobs_.put("y", "not toml"));
  EXPECT_EQ(jobs_.drop("y").error().code, Errc::not_found);
}

TEST_F(JobsDirTest, NeedsNoFolderForTexts) {
  JobsDir jobs("", {});
  EXPECT_TRUE(jobs.reload().empty());
  ASSERT_TRUE(jobs.put("x", job("a")));
  EXPECT_TRUE(jobs.reload().empty());
  EXPECT_EQ(in_force(jobs), "a=true");
  EXPECT_EQ(text_of(jobs.set().diagnostics), "");
}

/// `groups` is the group file that this process sees from now on.
bool replace_group_file(const std::string& groups) {
  return ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount(groups.c_str(), "/etc/group", nullptr, MS_BIND, nullptr) == 0;
}

TEST_F(JobsDirTest, LooksUsersUpAgainSoThatAGroupThatWasTakenAwayIsNotUsed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can have a group file of its own";
  const std::string before = folder_.write("before", "root:x:0:\nnogroup:x:65534:\nsecret:x:4711:nobody\n");
  const std::string after = folder_.write("after", "root:x:0:\nnogroup:x:65534:\nsecret:x:4711:\n");
  write("a.toml", job("a") + "user = \"nobody\"\n");
  write("b.toml", job("b"));
  const pid_t child = ::fork();  // of its own, as the file is
  if (child == 0) {
    const auto groups = [&] { return (*jobs_.set().definitions.begin())->job.identity->groups; };
    if (!replace_group_file(before) || reload() != "+a+b" || groups().size() != 2) ::_exit(1);
    if (!replace_group_file(after)) ::_exit(2);
    if (reload() != "~a" || groups() != std::vector<std::uint32_t>{65534}) ::_exit(3);
    ::_exit(reload().empty() ? 0 : 4);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(JobsDirTest, SaysWhenItCouldNotReadForWantOfDescriptorsAndKeepsWhatIsInForce) {
  write("a.toml", job("a"));
  reload();
  EXPECT_FALSE(jobs_.unread());
  write("a.toml", job("a", "false"));
  write("b.toml", job("b"));
  const std::vector<std::string> names{"a.toml", "b.toml"};
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const UniqueFd next(::dup(0));
  for (const int room : {0, 1}) {  // for the folder and its files
    const rlimit few{static_cast<rlim_t>(next.get() + 1 + room), before.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
    const Changes by_name = jobs_.reload(names), by_all = jobs_.reload();
    ::setrlimit(RLIMIT_NOFILE, &before);
    EXPECT_EQ(text_of_changes(by_name) + text_of_changes(by_all), "");
    EXPECT_TRUE(jobs_.unread());
    EXPECT_NE(findings().find("Too many open files"), std::string::npos) << findings();
    EXPECT_EQ(in_force(), "a=true");
  }
  EXPECT_EQ(reload(), "+b~a");
  EXPECT_FALSE(jobs_.unread());
  EXPECT_EQ(findings(), "");
}

TEST_F(JobsDirTest, TellsWhatAReloadChanged) {
  write("a.toml", job("a") + job("b"));
  write("c.toml", job("c"));
  reload();
  write("a.toml", job("a", "new") + job("b") + job("d"));
  folder_.remove("c.toml");
  EXPECT_EQ(reload(), "+d~a-c");
  EXPECT_EQ(in_force(), "a=new b=true d=true");
  EXPECT_EQ(reload(), "");
}

TEST_F(JobsDirTest, KeepsTheSameObjectForADefinitionThatSaysTheSame) {
  write("a.toml", job("a"));
  reload();
  const auto before = *jobs_.set().definitions.find("a");
  write("a.toml", "# a comment\n" + job("a"));
  EXPECT_TRUE(jobs_.reload().empty());
  EXPECT_EQ(*jobs_.set().definitions.find("a"), before);
}

TEST_F(JobsDirTest, CountsFilesOfWhichOnlyTheTextHasChanged) {
  write("a.toml", job("a"));
  write("b.toml", job("b"));
  EXPECT_EQ(jobs_.reload().rewritten, 0u);
  EXPECT_EQ(jobs_.reload().rewritten, 0u);
  write("a.toml", "# why\n" + job("a"));
  const Changes changes = jobs_.reload();
  EXPECT_EQ(changes.rewritten, 1u);
  EXPECT_TRUE(changes.empty());
  EXPECT_EQ(jobs_.reload().rewritten, 0u);
}

TEST_F(JobsDirTest, KeepsTheLastGoodVersionOfTheWholeFile) {
  write("a.toml", job("a") + job("b"));
  write("z.toml", job("z"));
  reload();
  write("a.toml", job("a", "new") + "[job.b]\nshel = \"x\"\n");
  EXPECT_EQ(reload(), "");
  EXPECT_EQ(in_force(), "a=true b=true z=true");
  EXPECT_TRUE(findings().starts_with(path("a.toml") + ":3:6: error: job 'b' has nothing to run")) << findings();
  EXPECT_EQ(reload(), "");
  EXPECT_EQ(in_force(), "a=true b=true z=true");
  write("a.toml", job("a", "mended"));
  EXPECT_EQ(reload(), "~a-b");
  EXPECT_EQ(findings(), "");
}

TEST_F(JobsDirTest, DefinesNothingFromAFileThatNeverWasGood) {
  write("a.toml", job("good") + "[job.bad]\n");
  write("b.toml", job("b"));
  EXPECT_EQ(reload(), "+b");
  EXPECT_NE(findings(), "");
  folder_.remove("a.toml");
  EXPECT_TRUE(jobs_.reload().diagnostics);
  EXPECT_EQ(findings(), "");
}

TEST_F(JobsDirTest, SaysWhyAFileIsRefusedAndForgetsABrokenOneThatIsRemoved) {
  write("a.toml", "\n" + job("a"));
  reload();
  EXPECT_EQ(jobs_.refusal_of("a"), "");
  write("a.toml", "broken");
  reload();
  EXPECT_TRUE(jobs_.refusal_of("a").starts_with(path("a.toml") + ":1:")) << jobs_.refusal_of("a");
  EXPECT_EQ(jobs_.place_of("a")->position.line, 2) << "of the last good version";
  folder_.remove("a.toml");
  EXPECT_EQ(reload(), "-a");
  EXPECT_EQ(findings(), "");
}

TEST_F(JobsDirTest, GivesANameToTheFirstFileInByteOrder) {
  write("b.toml", job("x", "b"));
  write("a.toml", job("x", "a"));
  write("c.toml", "\n" + job("x", "c") + job("y"));
  EXPECT_EQ(reload(), "+x+y");
  EXPECT_EQ(in_force(), "x=a y=true");
  EXPECT_EQ(findings(), path("b.toml") + ":1:6: error: job 'x' is already defined at " + path("a.toml") +
                            ":1, and counts there; rename this one\n" + path("c.toml") +
                            ":2:6: error: job 'x' is already defined at " + path("a.toml") +
                            ":1, and counts there; rename this one\n");
}

TEST_F(JobsDirTest, GivesANameToTheFirstFileOnReloadToo) {
  write("b.toml", job("x", "b"));
  reload();
  write("a.toml", job("x", "a"));
  EXPECT_EQ(reload(), "~x");
  EXPECT_EQ(in_force(), "x=a");
  EXPECT_TRUE(findings().starts_with(path("b.toml") + ":1:6: error: job 'x'")) << findings();
  folder_.remove("a.toml");
  EXPECT_EQ(reload(), "~x");
  EXPECT_EQ(in_force(), "x=b");
  EXPECT_EQ(findings(), "");
}

TEST_F(JobsDirTest, MovesAJobFromFileToFileWithoutAChange) {
  write("b.toml", job("x"));
  reload();
  folder_.remove("b.toml");
  write("a.toml", job("x"));
  EXPECT_TRUE(jobs_.reload().empty());
}

TEST_F(JobsDirTest, KeepsANameWithTheLastGoodVersionOfTheFirstFile) {
  write("a.toml", job("x", "a"));
  write("b.toml", job("x", "b"));
  reload();
  write("a.toml", "broken");
  EXPECT_EQ(reload(), "");
  EXPECT_EQ(in_force(), "x=a");
}

TEST_F(JobsDirTest, ReadsOnlyTheNamedFiles) {
  write("a.toml", job("a"));
  write("b.toml", job("b"));
  reload();
  write("a.toml", job("a", "new"));
  write("b.toml", job("b", "new"));
  write("c.toml", job("c"));
  const std::string names[] = {"b.toml", "c.toml", "none.toml", "b.toml~", "../a.toml"};
  EXPECT_EQ(text_of_changes(jobs_.reload(names)), "+c~b");
  EXPECT_EQ(in_force(), "a=true b=new c=true");
  folder_.remove("c.toml");
  EXPECT_EQ(text_of_changes(jobs_.reload(names)), "-c");
  EXPECT_EQ(reload(), "~a");
}

TEST_F(JobsDirTest, SeesAFileThatChangesWithItsSizeAndMomentUnchanged) {
  for (const char* shell : {"1", "2", "3", "4"}) {
    write("a.toml", job("a", shell));
    reload();
    EXPECT_EQ(in_force(), std::string("a=") + shell);
  }
}

TEST_F(JobsDirTest, FindsWhatIsNoRegularFile) {
  write("good.toml", job("good"));
  std::filesystem::create_directory(path("directory.toml"));
  std::filesystem::create_symlink("none", path("dangling.toml"));
  ASSERT_EQ(::mkfifo(path("fifo.toml").c_str(), 0644), 0);
  const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path("socket.toml").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(reload(), "+good");
  EXPECT_EQ(findings(), path("dangling.toml") + ":1:1: error: this is a link, and there is no 'none' in " +
                            folder_.path() + "; mend the link or remove it\n" + path("directory.toml") +
                            ":1:1: error: this is no regular file; remove it or rename it\n" + path("fifo.toml") +
                            ":1:1: error: this is no regular file; remove it or rename it\n" + path("socket.toml") +
                            ":1:1: error: this is no regular file; remove it or rename it\n");
}

TEST_F(JobsDirTest, KeepsTheLastGoodVersionOfAFileThatBecomesALinkToNothing) {
  write("a.toml", job("a"));
  reload();
  folder_.remove("a.toml");
  std::filesystem::create_symlink("none", path("a.toml"));
  EXPECT_EQ(reload(), "");
  EXPECT_EQ(in_force(), "a=true");
  EXPECT_TRUE(findings().starts_with(path("a.toml") + ":1:1: error: this is a link"));
}

TEST_F(JobsDirTest, RefusesAFileThatOthersMayWrite) {
  write("a.toml", job("a"));
  write("b.toml", job("b"));
  ASSERT_EQ(::chmod(path("a.toml").c_str(), 0646), 0);
  EXPECT_EQ(reload(), "+b");
  EXPECT_EQ(
      findings(),
      path("a.toml") + ":1:1: error: the file is writable by others (mode 0646); take that away with chmod go-w\n");
  ASSERT_EQ(::chmod(path("a.toml").c_str(), 0644), 0);
  EXPECT_EQ(reload(), "+a");
  ASSERT_EQ(::chmod(path("a.toml").c_str(), 0664), 0);
  EXPECT_EQ(reload(), "");
  EXPECT_EQ(in_force(), "a=true b=true");
  EXPECT_NE(findings(), "");
}

/// As root with a file given away; else with a daemon that is somebody else: either way a stranger's file is refused.
TEST_F(JobsDirTest, RefusesWhatBelongsToSomebodyElse) {
  write("a.toml", job("a"));
  JobSettings settings;
  if (::geteuid() == 0)
    ASSERT_EQ(::chown(path("a.toml").c_str(), 12'345, 12'345), 0);
  else
    settings.daemon = ::geteuid() + 1;
  JobsDir jobs(folder_.path(), settings);
  jobs.reload();
  ASSERT_EQ(jobs.set().diagnostics.size(), 1u);
  EXPECT_NE(jobs.set().diagnostics[0].message.find("belongs to user "), std::string::npos);
  EXPECT_EQ(jobs.set().diagnostics[0].line, 1);
  EXPECT_EQ(in_force(jobs), "");
}

TEST_F(JobsDirTest, LeavesAllAsItWasWhereTheFolderIsNotToBeTrusted) {
  write("a.toml", job("a"));
  reload();
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0777), 0);
  write("a.toml", job("a", "evil"));
  write("b.toml", job("b"));
  EXPECT_EQ(reload(), "");
  const std::string names[] = {"b.toml"};
  EXPECT_EQ(text_of_changes(jobs_.reload(names)), "");
  EXPECT_EQ(in_force(), "a=true");
  EXPECT_EQ(findings(), folder_.path() + ":1:1: error: " + folder_.path() +
                            " is writable by others (mode 0777); take that away with chmod go-w\n");
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0755), 0);
  EXPECT_EQ(reload(), "+b~a");
  EXPECT_EQ(findings(), "");
}

TEST_F(JobsDirTest, LeavesAllAsItWasWhereTheFolderIsGone) {
  std::filesystem::create_directory(path("jobs.d"));
  write("jobs.d/a.toml", job("a"));
  JobsDir jobs(path("jobs.d"), {});
  jobs.reload();
  std::filesystem::remove_all(path("jobs.d"));
  jobs.reload();
  EXPECT_EQ(in_force(jobs), "a=true");
  EXPECT_EQ(text_of(jobs.set().diagnostics),
            path("jobs.d") + ":1:1: error: no such folder; create it, or set jobs_dir\n");
}

TEST_F(JobsDirTest, FindsFilesThatAreTooLarge) {
  write("a.toml", job("a"));
  write("large.toml", std::string(1024 * 1024 + 1, '#'));
  write("line.toml", std::string(1024 * 1024, '#'));
  EXPECT_EQ(reload(), "+a");
  EXPECT_EQ(findings(), path("large.toml") + ":1:1: error: the file is larger than 1 MiB\n" + path("line.toml") +
                            ":1:65537: error: the line is longer than 64 KiB; break it, or use a multi-line string\n");
}

TEST_F(JobsDirTest, TakesAFileOfOneMiB) {
  std::string text = job("a");
  while (text.size() + 64 <= 1024 * 1024) text += "#" + std::string(62, '-') + "\n";
  write("a.toml", text + std::string(1024 * 1024 - text.size(), '\n'));
  EXPECT_EQ(reload(), "+a") << findings();
}

TEST_F(JobsDirTest, GathersGroupsOfTheConfigAndOfAllFiles) {
  Group config_group;
  config_group.name = "config";
  JobsDir jobs(folder_.path(), {}, {"/etc/ballot/ballot.toml", {{config_group, {7, 8}}}});
  EXPECT_EQ(jobs.set().groups.size(), 1u);
  write("a.toml", "[group.a]\n[group.same]\n");
  write("b.toml", "[group.same]\n[group.config]\nmax_running = 1\n");
  EXPECT_TRUE(jobs.reload().groups);
  EXPECT_EQ(jobs.set().groups.size(), 3u);
  EXPECT_EQ(jobs.set().groups.at("config"), config_group);
  EXPECT_EQ(text_of(jobs.set().diagnostics),
            path("b.toml") +
                ":2:8: error: group 'config' is already defined, and differently, at /etc/ballot/ballot.toml:7, "
                "and counts there; make them alike or keep one\n");
  folder_.remove("a.toml");
  EXPECT_TRUE(jobs.reload().groups);
  EXPECT_EQ(jobs.set().groups.size(), 2u);
  EXPECT_FALSE(jobs.reload().groups);
}

TEST_F(JobsDirTest, KeepsWarningsOfFilesInForce) {
  JobsDir jobs(folder_.path(), {.longest_kill_grace = Millis(500)});
  write("a.toml", job("a") + "kill_grace = \"1s\"\n");
  jobs.reload();
  EXPECT_EQ(text_of(jobs.set().diagnostics),
            path("a.toml") +
                ":3:14: warning: 'kill_grace' is longer than the 500ms that there is when leadership is "
                "lost; a longer session_timeout gives more\n");
  EXPECT_FALSE(jobs.reload().diagnostics);
  EXPECT_EQ(in_force(jobs), "a=true");
}

}  // namespace
}  // namespace ballot::config
