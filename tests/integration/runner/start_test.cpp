#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cerrno>
#include <fstream>
#include <sstream>

#include "integration/runner/runner_process.hpp"

namespace ballot::runner {
namespace {

void expect_cannot_start(RunnerProcess& runner, const Start& start, std::string_view stage, int error) {
  runner.send(start);
  const CannotStart answer = runner.wait<CannotStart>(start.id);
  EXPECT_EQ(answer.stage, stage);
  EXPECT_EQ(answer.error, error);
}

TEST(Start, ReportsTheExactExitCode) {
  RunnerProcess runner;
  for (const int code : {0, 1, 2, 77, 126, 127, 255}) {
    const Ended ended = runner.run(shell("exit " + std::to_string(code)));
    EXPECT_EQ(ended.exit_code, code);
    EXPECT_EQ(ended.signal, std::nullopt);
    EXPECT_EQ(ended.reason, Reason::none);
    EXPECT_EQ(ended.leftover, Leftover::none);
  }
}

TEST(Start, ReportsTheSignalThatEndedTheChild) {
  RunnerProcess runner;
  for (const int signal : {SIGTERM, SIGSEGV, SIGKILL}) {
    const Ended ended = runner.run(shell("kill -" + std::to_string(signal) + " $$"));
    EXPECT_EQ(ended.signal, signal);
    EXPECT_EQ(ended.exit_code, std::nullopt);
    EXPECT_EQ(ended.reason, Reason::none);
  }
}

TEST(Start, ReportsWhenTheChildStartedAndEnded) {
  RunnerProcess runner;
  const auto before = std::chrono::system_clock::now();
  const Ended ended = runner.run(shell("read line < /dev/null; exit 0"));
  const auto after = std::chrono::system_clock::now();
  EXPECT_GE(ended.started_at, std::chrono::floor<Millis>(before));
  EXPECT_LE(ended.started_at, ended.ended_at);
  EXPECT_LE(ended.ended_at, after);
  EXPECT_LE(ended.duration, after - before + Millis(2));
}

TEST(Start, SaysWhichStepFailedAndWhy) {
  RunnerProcess runner;
  const std::string& folder = runner.folder();
  std::ofstream(folder + "/plain") << "#!/bin/sh\n";
  std::ofstream(folder + "/no-header") << "exit 0\n";
  ::chmod((folder + "/no-header").c_str(), 0755);
  expect_cannot_start(runner, command({"/no/such/program"}), "exec", ENOENT);
  expect_cannot_start(runner, command({"no-such-program"}), "exec", ENOENT);
  expect_cannot_start(runner, command({folder + "/plain"}), "exec", EACCES);
  expect_cannot_start(runner, command({folder + "/no-header"}), "exec", ENOEXEC);
  expect_cannot_start(runner, command({folder}), "exec", EACCES);
  expect_cannot_start(runner, command({""}), "exec", ENOENT);
  expect_cannot_start(runner, command({}), "exec", EINVAL);
  expect_cannot_start(runner, command({"true", std::string(200'000, 'x')}), "exec", E2BIG);
  Start start = command({"true"});
  start.working_dir = folder + "/gone";
  expect_cannot_start(runner, start, "chdir", ENOENT);
  start.working_dir = folder + "/plain";
  expect_cannot_start(runner, start, "chdir", ENOTDIR);
  EXPECT_EQ(runner.run(command({"true"})).exit_code, 0);
  EXPECT_TRUE(runner.children().empty());
}

TEST(Start, SaysThatAProgramIsOpenForWriting) {
  RunnerProcess runner;
  const std::string path = runner.folder() + "/busy";
  std::ofstream(path) << "#!/bin/sh\nexit 5\n";
  ::chmod(path.c_str(), 0755);
  const UniqueFd writer(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  expect_cannot_start(runner, command({path}), "exec", ETXTBSY);
}

TEST(Start, GivesExactlyTheEnvironmentItWasGiven) {
  RunnerProcess runner;
  Start start = command({"/usr/bin/env"});
  start.environment = {"B=2", "A=one = 1", "EMPTY=", "PATH=/nowhere"};
  EXPECT_EQ(printed(runner.run(start)), "B=2\nA=one = 1\nEMPTY=\nPATH=/nowhere\n");
  start = command({"/usr/bin/env"});
  start.environment = {};
  EXPECT_EQ(printed(runner.run(start)), "");
}

TEST(Start, PassesArgumentsByteForByte) {
  RunnerProcess runner;
  Start start = command({"printf", "[%s]", "", " a b ", "$HOME", "%d\\n", "\xff\n'\""});
  EXPECT_EQ(printed(runner.run(start)), "[][ a b ][$HOME][%d\\n][\xff\n'\"]");
}

TEST(Start, LooksTheProgramUpInTheChildsPath) {
  RunnerProcess runner;
  const std::string& folder = runner.folder();
  for (const auto& [name, mode] : {std::pair("a", 0644), std::pair("b", 0755)}) {
    ::mkdir((folder + "/" + name).c_str(), 0755);
    const std::string path = folder + "/" + name + "/prog";
    std::ofstream(path) << "#!/bin/sh\necho " << name << "\n";
    ::chmod(path.c_str(), static_cast<mode_t>(mode));
  }
  Start start = command({"prog"});
  start.environment = {"PATH=/nowhere:/etc/passwd:" + folder + "/a:" + folder + "/b"};
  EXPECT_EQ(printed(runner.run(start)), "b\n");
  start = command({"prog"});
  start.environment = {"PATH=/nowhere:" + folder + "/a"};
  expect_cannot_start(runner, start, "exec", EACCES);
  start = command({"prog"});
  start.environment = {"PATH=/nowhere:"};
  start.working_dir = folder + "/b";
  EXPECT_EQ(printed(runner.run(start)), "b\n");
  start = command({"true"});
  start.environment = {};
  EXPECT_EQ(runner.run(start).exit_code, 0);
}

TEST(Start, SetsWorkingDirUmaskAndNice) {
  RunnerProcess runner;
  Start start = shell("pwd; umask; nice");
  start.working_dir = "/usr/share";
  start.umask = 027;
  start.nice = 7;
  EXPECT_EQ(printed(runner.run(start)), "/usr/share\n0027\n7\n");
  start = shell("pwd");
  start.working_dir = "";
  EXPECT_EQ(printed(runner.run(start)), "/\n");
}

TEST(Start, GivesTheChildAProcessGroupAndNothingToInherit) {
  RunnerProcess runner;
  std::istringstream text(
      printed(runner.run(shell("echo $$; cut -d' ' -f5,6,7 /proc/self/stat; ls /proc/$$/fd; ulimit -n"))));
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  rlimit own{};
  ::getrlimit(RLIMIT_NOFILE, &own);
  ASSERT_EQ(words.size(), 8u);
  EXPECT_EQ(words[1], words[0]) << "its process group";
  EXPECT_EQ(words[2], std::to_string(::getsid(runner.pid()))) << "its session, which nobody leads";
  EXPECT_EQ(words[3], "0") << "its terminal";
  EXPECT_EQ(std::vector(words.begin() + 4, words.begin() + 7), std::vector<std::string>({"0", "1", "2"}));
  EXPECT_EQ(words[7], std::to_string(own.rlim_cur)) << "its open files";
}

TEST(Start, GivesTheChildCleanSignals) {
  RunnerProcess runner;
  const std::string none = "\t0000000000000000\n";
  EXPECT_EQ(printed(runner.run(command({"grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"}))),
            "SigBlk:" + none + "SigIgn:" + none);
}

TEST(Start, GivesStandardInputAndNothingElseToRead) {
  RunnerProcess runner;
  Start start = command({"cat"});
  start.standard_input = "first\nsecond without an end";
  EXPECT_EQ(printed(runner.run(start)), start.standard_input);
  EXPECT_EQ(printed(runner.run(command({"cat"}))), "");
  start = command({"wc", "-c"});
  start.standard_input = std::string(3'000'000, 'x');
  EXPECT_EQ(printed(runner.run(start)), "3000000\n");
}

TEST(Start, RefusesPastItsLaunchNotAfterAndExecutesNothing) {
  RunnerProcess runner;
  const std::string mark = runner.folder() + "/mark";
  Start start = command({"touch", mark});
  start.launch_not_after = steady() - Millis(5);
  runner.send(start);
  runner.wait<Refused>(start.id);
  EXPECT_NE(::access(mark.c_str(), F_OK), 0);
  EXPECT_TRUE(runner.children().empty());
  start.launch_not_after = steady() + std::chrono::seconds(30);
  EXPECT_EQ(runner.run(start).exit_code, 0) << "the same attempt may be permitted anew";
  EXPECT_EQ(::access(mark.c_str(), F_OK), 0);
}

TEST(Start, DoesNotStartAnAttemptTwice) {
  RunnerProcess runner;
  const Start start = shell("echo once; exit 3");
  const Ended first = runner.run(start);
  runner.send(start);
  const Started again = runner.wait<Started>(start.id);
  EXPECT_EQ(again.started_at, first.started_at);
  const Ended second = runner.wait<Ended>(start.id);
  EXPECT_EQ(second.exit_code, 3);
  EXPECT_EQ(second.ended_at, first.ended_at);
}

Start as_user(Start start, const char* name) {
  const passwd* user = ::getpwnam(name);
  start.set_identity = true;
  start.uid = user->pw_uid;
  start.gid = user->pw_gid;
  start.groups = {user->pw_gid, 4, 24};
  return start;
}

TEST(Identity, IsTakenWithGroupsBeforeExec) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  RunnerProcess runner;
  const passwd* nobody = ::getpwnam("nobody");
  const std::string uid = std::to_string(nobody->pw_uid), gid = std::to_string(nobody->pw_gid);
  const Ended ended =
      runner.run(as_user(shell("id -u; id -g; for g in $(id -G); do echo $g; done | sort -n | tr '\\n' ' '; echo; "
                               "grep -E '^[UG]id' /proc/self/status | tr '\\t' ' '; grep CapEff /proc/self/status"),
                         "nobody"));
  EXPECT_EQ(printed(ended), uid + "\n" + gid + "\n4 24 " + gid + " \nUid: " + uid + " " + uid + " " + uid + " " + uid +
                                "\nGid: " + gid + " " + gid + " " + gid + " " + gid + "\nCapEff:\t0000000000000000\n");
}

TEST(Identity, DecidesWhatTheChildMayEnterAndExecute) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  RunnerProcess runner;
  const std::string secret = runner.folder() + "/secret";
  ::mkdir(secret.c_str(), 0700);
  Start start = as_user(command({"true"}), "nobody");
  start.working_dir = secret;
  expect_cannot_start(runner, start, "chdir", EACCES);
  std::ofstream(secret + "/prog") << "#!/bin/sh\n";
  ::chmod((secret + "/prog").c_str(), 0755);
  expect_cannot_start(runner, as_user(command({secret + "/prog"}), "nobody"), "exec", EACCES);
}

TEST(Identity, OfSomebodyElseCannotBeTakenWithoutRoot) {
  RunnerOptions options;
  if (::geteuid() == 0) options.user = ::getpwnam("nobody")->pw_uid;
  RunnerProcess runner(options);
  expect_cannot_start(runner, as_user(command({"true"}), "daemon"), "setgroups", EPERM);
  Start start = command({"true"});
  start.nice = std::min(::getpriority(PRIO_PROCESS, 0) - 5, -1);  // 0 would leave it as it is
  expect_cannot_start(runner, start, "setpriority", EACCES);
  EXPECT_EQ(printed(runner.run(shell("exec echo fine"))), "fine\n");
}

}  // namespace
}  // namespace ballot::runner
