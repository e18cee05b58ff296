// Failpoints: each action, at the time that the rule names. What ends a process is tried in one of its own.
#include "base/failpoint.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <string>

namespace ballot {
namespace {

/// Which of the first eight passes fail, as `.` and `x`.
std::string passes(const char* rules) {
  set_failpoints(rules);
  std::string seen;
  for (int i = 0; i < 8; ++i) seen += BALLOT_FAILS("here") ? 'x' : '.';
  set_failpoints("");
  return seen;
}

TEST(Failpoint, FailsAtTheTimesThatItsRuleNames) {
  EXPECT_EQ(passes(""), "........");
  EXPECT_EQ(passes("here=fail(EIO)"), "xxxxxxxx");
  EXPECT_EQ(passes("here=fail(EIO)@1"), "x.......");
  EXPECT_EQ(passes("here=fail(EIO)@3-5"), "..xxx...");
  EXPECT_EQ(passes("here=fail(EIO)@6-"), ".....xxx");
  EXPECT_EQ(passes("here=fail(EIO)@2;here=fail(EIO)@7"), ".x....x.");
  EXPECT_EQ(passes("there=fail(EIO);here=fail(EIO)@8"), ".......x") << "others count for themselves";
}

TEST(Failpoint, SetsErrnoByNameOrNumberAndOnlyWhereItFails) {
  set_failpoints("here=fail(ENOSPC)@1;here=fail(110)@2");
  EXPECT_TRUE(BALLOT_FAILS("here"));
  EXPECT_EQ(errno, ENOSPC);
  EXPECT_TRUE(BALLOT_FAILS("here"));
  EXPECT_EQ(errno, 110);
  errno = ENOENT;
  EXPECT_FALSE(BALLOT_FAILS("here"));
  EXPECT_EQ(errno, ENOENT);
  set_failpoints("");
}

/// The wait status of a process that passes the point twice under these rules, and then exits with 0.
int status_of(const std::string& rules, const std::function<void(pid_t)>& meanwhile = {}) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::close(STDERR_FILENO);
    ::setenv("BALLOT_FAILPOINTS", rules.c_str(), 1);
    set_failpoints(rules);
    BALLOT_FAILPOINT("here");
    BALLOT_FAILPOINT("here");
    ::_exit(0);
  }
  if (meanwhile) meanwhile(pid);
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  return status;
}

TEST(Failpoint, KillsAndExits) {
  EXPECT_EQ(status_of("here=kill@3"), 0);
  EXPECT_EQ(WTERMSIG(status_of("here=kill@2")), SIGKILL);
  EXPECT_EQ(WEXITSTATUS(status_of("here=exit(42)")), 42);
}

TEST(Failpoint, StopsUntilItIsContinued) {
  const int status = status_of("here=stop@2", [](pid_t pid) {
    int stopped = 0;
    EXPECT_EQ(::waitpid(pid, &stopped, WUNTRACED), pid);
    EXPECT_TRUE(WIFSTOPPED(stopped));
    ::kill(pid, SIGCONT);
  });
  EXPECT_EQ(status, 0);
}

TEST(Failpoint, RefusesWhatItCannotRead) {
  for (const char* rules : {"here", "=kill", "here=", "here=fail", "here=fail(E)", "here=fail(EIO", "here=die",
                            "here=kill(1)", "here=kill@", "here=kill@0", "here=kill@x", "here=kill@3-2", "here=exit()"})
    EXPECT_EQ(WEXITSTATUS(status_of(rules)), 2) << rules;
}

}  // namespace
}  // namespace ballot
