#include <signal.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>

#include "integration/runner/runner_process.hpp"

namespace ballot::runner {
namespace {

using std::chrono::seconds;

TEST(Kill, SendsItsSignalAndReportsTheReason) {
  RunnerProcess runner;
  const Start start = ready(runner, shell("echo ready; exec sleep 600"));
  runner.send(Kill{start.id, Reason::replaced, SIGTERM, seconds(10)});
  const Ended ended = runner.wait<Ended>(start.id);
  EXPECT_EQ(ended.signal, SIGTERM);
  EXPECT_EQ(ended.reason, Reason::replaced);
}

TEST(Kill, ReportsTheExitCodeOfAChildThatEndsItself) {
  RunnerProcess runner;
  const Start start = ready(runner, shell("trap 'exit 42' USR1; echo ready; while :; do :; done"));
  runner.send(Kill{start.id, Reason::operator_, SIGUSR1, seconds(10)});
  const Ended ended = runner.wait<Ended>(start.id);
  EXPECT_EQ(ended.exit_code, 42);
  EXPECT_EQ(ended.reason, Reason::operator_);
}

TEST(Kill, EndsAChildThatIgnoresItsSignalAfterTheGrace) {
  RunnerProcess runner;
  const Start start = ready(runner, shell("trap '' TERM; echo ready; while :; do sleep 600; done"));
  const SteadyTime before = steady();
  runner.send(Kill{start.id, Reason::shutdown, SIGTERM, Millis(300)});
  const Ended ended = runner.wait<Ended>(start.id);
  EXPECT_EQ(ended.signal, SIGKILL);
  EXPECT_EQ(ended.reason, Reason::shutdown);
  EXPECT_GE(steady() - before, Millis(300));
  EXPECT_LT(steady() - before, seconds(5));
}

TEST(Kill, GivenTwiceOnlyShortens) {
  RunnerProcess runner;
  const Start start = ready(runner, shell("trap '' TERM; echo ready; while :; do sleep 600; done"));
  runner.send(Kill{start.id, Reason::replaced, SIGTERM, seconds(1)});
  runner.send(Kill{start.id, Reason::operator_, SIGTERM, seconds(600)});
  Ended ended = runner.wait<Ended>(start.id);
  EXPECT_EQ(ended.reason, Reason::replaced) << "the first one given";
  EXPECT_EQ(ended.signal, SIGKILL);
  const Start other = ready(runner, shell("trap '' TERM; echo ready; while :; do sleep 600; done"));
  runner.send(Kill{other.id, Reason::shutdown, SIGTERM, seconds(600)});
  runner.send(Kill{other.id, Reason::operator_, SIGTERM, Millis(0)});
  ended = runner.wait<Ended>(other.id);
  EXPECT_EQ(ended.reason, Reason::shutdown);
  EXPECT_EQ(ended.signal, SIGKILL);
}

TEST(Kill, TakesAGraceWithoutEndForWhatItIs) {
  RunnerProcess runner;
  Start start = shell("trap 'exit 42' TERM; echo ready; while :; do :; done");
  start.deadline = start.kill_grace = Millis::max();
  start = ready(runner, start);
  runner.send(Kill{start.id, Reason::operator_, SIGTERM, Millis::max()});
  EXPECT_EQ(runner.wait<Ended>(start.id).exit_code, 42);
}

TEST(Kill, ReachesTheWholeGroup) {
  RunnerProcess runner;
  const Start start = shell("sleep 600 & echo $!; sleep 600 & echo $!; echo ready; wait");
  Start streamed = start;
  streamed.stream_output = true;
  runner.send(streamed);
  const std::string pids = runner.wait_printed(start.id, "ready\n");
  runner.send(Kill{start.id, Reason::operator_, SIGTERM, seconds(10)});
  runner.wait<Ended>(start.id);
  EXPECT_FALSE(process_exists(std::atoi(pids.c_str())));
  EXPECT_FALSE(process_exists(std::atoi(pids.c_str() + pids.find('\n') + 1)));
  EXPECT_TRUE(runner.children().empty());
}

TEST(Kill, LeavesTheGraceToAGrandchildThatUsesIt) {
  RunnerProcess runner;
  const std::string fifo = runner.folder() + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const Start start = ready(runner, shell("(trap 'read line < " + fifo + "; echo cleaned > " + runner.folder() +
                                          "/mark; exit' TERM; exec >&- 2>&-; sleep 600 & echo; : > " + fifo +
                                          "; wait) & read line < " + fifo + "; echo ready; exec sleep 600"));
  runner.send(Kill{start.id, Reason::operator_, SIGTERM, seconds(15)});
  ASSERT_EQ(std::system(("echo go > " + fifo).c_str()), 0);
  const Ended ended = runner.wait<Ended>(start.id);
  EXPECT_EQ(ended.signal, SIGTERM);
  std::string line;
  std::getline(std::ifstream(runner.folder() + "/mark"), line);
  EXPECT_EQ(line, "cleaned");
}

TEST(Kill, EndsAStoppedChild) {
  RunnerProcess runner;
  const Start start = ready(runner, shell("trap 'exit 8' TERM; echo ready; kill -STOP $$; sleep 600"));
  runner.send(Kill{start.id, Reason::operator_, SIGTERM, seconds(15)});
  EXPECT_TRUE(runner.wait<Ended>(start.id).exit_code == 8);
}

TEST(Kill, OfARunThatIsNotKnownIsNothing) {
  RunnerProcess runner;
  runner.send(Kill{command({}).id, Reason::operator_, SIGTERM, seconds(1)});
  runner.send(Ack{command({}).id});
  EXPECT_EQ(runner.run(command({"true"})).exit_code, 0);
}

TEST(Kill, OvertakesNoStartThatItFollows) {
  RunnerProcess runner;
  std::string frames;
  std::vector<AttemptId> ids;
  for (int i = 0; i < 50; ++i) {
    const Start start = command({"sleep", "600"});
    ids.push_back(start.id);
    frames += encode(ToRunner(start));
  }
  for (const AttemptId& id : ids) frames += encode(ToRunner(Kill{id, Reason::operator_, SIGTERM, seconds(10)}));
  runner.send_bytes(frames);
  for (const AttemptId& id : ids) {
    EXPECT_GT(runner.wait<Started>(id).pid, 0);
    EXPECT_EQ(runner.wait<Ended>(id).reason, Reason::operator_);
  }
}

/// A tracer keeps a process that has ended from being reaped by its parent.
TEST(Kill, SaysUnkillableWhereNothingHelpsAndReapsLater) {
  RunnerProcess runner;
  const Start start = command({"sleep", "600"});
  runner.send(start);
  const auto pid = static_cast<pid_t>(runner.wait<Started>(start.id).pid);
  if (::ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) != 0) GTEST_SKIP() << "may not trace";
  runner.send(Kill{start.id, Reason::operator_, SIGTERM, Millis(0)});
  const Ended ended = runner.wait<Ended>(start.id);
  EXPECT_EQ(ended.leftover, Leftover::unkillable);
  EXPECT_EQ(ended.signal, SIGKILL);
  EXPECT_EQ(ended.reason, Reason::operator_);
  EXPECT_FALSE(runner.children().empty());
  ASSERT_EQ(::waitpid(pid, nullptr, __WALL), pid);  // passes it on to the runner
  EXPECT_EQ(runner.run(command({"true"})).exit_code, 0);
  EXPECT_TRUE(runner.children().empty());
}

}  // namespace
}  // namespace ballot::runner
