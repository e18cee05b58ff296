#include "support/judge/stall_watch.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/judge/report.hpp"
#include "support/temp_folder.hpp"

namespace ballot::testing {
namespace {

using namespace std::chrono_literals;

TEST(StallWatch, NotesThatItsProcessWasStopped) {
  const TempFolder folder;
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const StallWatch watch(folder / "stalls");
    const auto end = Instant::now().boot + 10s;
    bool is_noted = ::write(pipe[1], "r", 1) != 1;
    for (; !is_noted && Instant::now().boot < end; ::usleep(1000))
      for (const Stall& one : watch.stalls()) is_noted = is_noted || one.until - one.from >= 400ms;
    ::_exit(is_noted ? 0 : 1);
  }
  char ready = 0;
  ASSERT_EQ(::read(pipe[0], &ready, 1), 1);
  ::kill(child, SIGSTOP);
  for (const auto end = Instant::now().boot + 500ms; Instant::now().boot < end;) ::usleep(1000);
  ::kill(child, SIGCONT);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  for (const int end : pipe) ::close(end);
}

}  // namespace
}  // namespace ballot::testing
