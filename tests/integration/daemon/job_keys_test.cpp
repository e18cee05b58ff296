// Keys of a job file that only the child can tell of: from the file, through the daemon and its runner, to the process.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

#include "support/process/ballot_daemon.hpp"
#include "support/process/process_facts.hpp"

namespace ballot::testing {
namespace {

struct KeyOfAJob : ::testing::Test {
  ~KeyOfAJob() override {
    if (HasFailure()) std::cout << daemon.log;
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
  }
  void lead() {
    daemon.start();
    ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  }
  /// What the job prints in a run by hand.
  std::string printed(const std::string& job) {
    EXPECT_EQ(daemon.ballot({"trigger", job, "--wait"}).code, 0);
    return daemon.ballot({"output", job}).out;
  }
  /// The same, of one key: as the file says, and by default.
  void expect(const std::string& key, const std::string& script, const std::string& said,
              const std::string& by_default) {
    daemon.job("with", key + "\nshell = \"" + script + "\"");
    daemon.job("without", "shell = \"" + script + "\"");
    lead();
    EXPECT_EQ(printed("with"), said);
    EXPECT_EQ(printed("without"), by_default);
  }
  /// The process whose id a job has written to `name`; it is ended with the test.
  pid_t left_behind(const std::string& name) {
    EXPECT_TRUE(wait_until([&] { return text_of(daemon.folder / name).ends_with("\n"); }));
    const pid_t pid = std::atoi(text_of(daemon.folder / name).c_str());
    if (pid <= 0) throw std::runtime_error("no process was left behind");  // and 0 would name those of the test
    left.push_back(pid);
    return pid;
  }
  static bool is_gone(pid_t pid) {
    return wait_until([&] { return state_of(pid) == '-' || state_of(pid) == 'Z'; });
  }
  /// A job that leaves a process behind, which writes to the job's output and to `wrote`, each 50 ms.
  std::string leaves(const std::string& more, const std::string& then) {
    return more + "\nshell = '''(trap 'echo PIPE > " + (daemon.folder / "pipe") +
           "' PIPE; while :; do echo on; date >> " + (daemon.folder / "wrote") + "; sleep 0.05; done) & echo $! > " +
           (daemon.folder / "pid") + "; echo begun; " + then + "'''";
  }
  bool goes_on(pid_t pid) {
    const auto size = [&] { return std::filesystem::file_size(daemon.folder / "wrote"); };
    const auto before = size();
    return wait_until([&] { return size() > before; }) && state_of(pid) != '-' && state_of(pid) != 'Z';
  }
  Row row(const std::string& job) {
    const std::vector<Row> rows = daemon.rows(job);
    return rows.empty() ? Row{} : rows.back();
  }

  BallotDaemon daemon;
  std::vector<pid_t> left;
};

TEST_F(KeyOfAJob, NoNewPrivsIsTheChilds) {
  expect("no_new_privs = true", "grep -o 'NoNewPrivs:.*' /proc/self/status | tr '\\\\t' ' '", "NoNewPrivs: 1\n",
         "NoNewPrivs: 0\n");
}

TEST_F(KeyOfAJob, UmaskIsTheChilds) { expect("umask = \"0137\"", "umask", "0137\n", "0022\n"); }

TEST_F(KeyOfAJob, NiceIsTheChilds) {
  // Root's runner sets 0 where the test itself has been given another one.
  const int own = ::geteuid() == 0 ? 0 : ::getpriority(PRIO_PROCESS, 0);
  expect("nice = 11", "nice", "11\n", std::to_string(own) + "\n");
}

TEST_F(KeyOfAJob, KillSignalIsWhatAKilledRunGetsFirst) {
  const std::string script =
      "shell = \"for s in INT TERM USR1; do trap \\\"echo got $s; exit 0\\\" $s; done; echo ready; while :; do sleep "
      "0.05; done\"";
  daemon.job("with", "kill_signal = \"USR1\"\n" + script);
  daemon.job("without", script);
  lead();
  for (const auto& [job, signal] : {std::pair("with", "USR1"), std::pair("without", "TERM")}) {
    ASSERT_EQ(daemon.ballot({"trigger", job}).code, 0);
    ASSERT_TRUE(wait_until([&] { return daemon.ballot({"output", job}).out == "ready\n"; }));
    EXPECT_EQ(daemon.ballot({"kill", job}).code, 0);
    const std::string out = daemon.ballot({"output", job}).out;  // the shell may name the signal that ended `sleep`
    EXPECT_TRUE(out.starts_with("ready\n") && out.ends_with(std::string("\ngot ") + signal + "\n")) << out;
    EXPECT_EQ(row(job).status, Status::killed);
  }
}

TEST_F(KeyOfAJob, WorkingDirThatIsNotThereIsNamed) {
  daemon.job("job", "working_dir = \"/no/such/folder\"\nshell = \"true\"");
  lead();
  daemon.ballot({"trigger", "job", "--wait"});
  EXPECT_NE(daemon.ballot({"output", "job"}).out.find("chdir /no/such/folder: No such file or directory"),
            std::string::npos);
}

TEST_F(KeyOfAJob, BackgroundKillEndsWhatTheCommandLeavesBehind) {
  daemon.job("job", leaves("", "exit 0"));
  lead();
  EXPECT_EQ(daemon.ballot({"trigger", "job", "--wait"}).code, 0);
  EXPECT_TRUE(is_gone(left_behind("pid")));
}

TEST_F(KeyOfAJob, BackgroundLeaveEndsTheRunWithItsCommandAndLeavesTheRestAlone) {
  daemon.job("job", leaves("background = \"leave\"", "exit 3"));
  lead();
  EXPECT_EQ(daemon.ballot({"trigger", "job", "--wait"}).code, 3);
  EXPECT_LT(row("job").duration.value_or(Millis::max()), Millis(1500)) << "nobody waits for the end of the output";
  const pid_t pid = left_behind("pid");
  EXPECT_TRUE(goes_on(pid));
  const Row ended = row("job");
  EXPECT_EQ(ended.status, Status::failed);
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_EQ(ended.leftover, Leftover::none);
  EXPECT_NE(daemon.ballot({"output", "job"}).out.find("begun\n"), std::string::npos);
  EXPECT_EQ(daemon.ballot({"trigger", "job", "--wait"}).code, 3) << "the next run begins beside it";
  left_behind("pid");
  EXPECT_EQ(daemon.stop(), 0);
  EXPECT_TRUE(goes_on(pid)) << "a stop does not end it";
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  EXPECT_TRUE(goes_on(pid));
  EXPECT_FALSE(std::filesystem::exists(daemon.folder / "pipe")) << "its output is read on";
}

TEST_F(KeyOfAJob, BackgroundLeaveDoesNotKeepARunFromBeingKilledAsAWhole) {
  daemon.job("killed", leaves("background = \"leave\"\nkill_grace = \"200ms\"", "exec sleep 600"));
  daemon.job("late",
             "background = \"leave\"\ndeadline = \"500ms\"\nkill_grace = \"200ms\"\nshell = \"sleep 600 & echo $! > " +
                 (daemon.folder / "late.pid") + "; exec sleep 600\"");
  lead();
  ASSERT_EQ(daemon.ballot({"trigger", "killed"}).code, 0);
  const pid_t pid = left_behind("pid");
  EXPECT_EQ(daemon.ballot({"kill", "killed"}).code, 0);
  EXPECT_TRUE(is_gone(pid));
  daemon.ballot({"trigger", "late", "--wait"});
  EXPECT_EQ(row("late").status, Status::timed_out);
  EXPECT_TRUE(is_gone(left_behind("late.pid")));
}

}  // namespace
}  // namespace ballot::testing
