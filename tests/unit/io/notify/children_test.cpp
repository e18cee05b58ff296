// Hooks by a real runner: what they get, how they are ended, how many at once, in what memory.
#include "io/notify/children.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <boost/asio/io_context.hpp>
#include <optional>

#include "io/runner_client.hpp"
#include "support/process/run_program.hpp"
#include "support/temp_folder.hpp"
#include "unit/io/loop_until.hpp"
#include "unit/io/notify/told.hpp"

namespace ballot::io {
namespace {

using namespace std::chrono_literals;
using testing::run_until;

struct ChildrenTest : ::testing::Test {
  ~ChildrenTest() override {
    client.reset();
    if (runner_pid > 0) ::kill(runner_pid, SIGTERM);
  }
  void SetUp() override {
    client.emplace(loop, RunnerSettings{folder / "runner.sock", BALLOT_RUNNER},
                   RunnerHandlers{[this](const std::vector<runner::FromRunner>& said) {
                                    for (const runner::FromRunner& message : said) take(message);
                                  },
                                  [this](const std::string&) {
                                    children.on_runner(RunnerLink::broken);
                                    if (restarts) {
                                      EXPECT_TRUE(client->start());
                                    }
                                  }});
    ASSERT_TRUE(client->start());
  }
  void take(const runner::FromRunner& message) {
    if (const auto* hello = std::get_if<runner::Hello>(&message)) runner_pid = static_cast<pid_t>(hello->pid);
    if (std::get_if<runner::Ready>(&message))
      children.on_runner(client->is_same_runner() ? RunnerLink::taken_up : RunnerLink::begun);
    started += std::holds_alternative<runner::Started>(message);
    children.takes(message);
  }
  Child child(const std::string& key, const std::string& script) {
    Child child;
    child.key = key;
    child.what = "on_failure";
    child.start.argv = {"/bin/sh", "-c", script};
    child.start.environment = {"BALLOT_STATUS=failed"};
    child.start.working_dir = folder.path();
    child.start.deadline = 10s;
    child.start.kill_grace = 100ms;
    child.on_ended = [this] { ++ended; };
    return child;
  }
  bool wait_for(int count) {
    return run_until(loop, [&] { return ended >= count; });
  }

  const TempFolder folder;
  boost::asio::io_context loop;
  std::optional<RunnerClient> client;
  pid_t runner_pid = 0;
  std::vector<std::string> lines;
  int started = 0, ended = 0;
  bool restarts = false;  // the link is taken up when it breaks
  Children children{{.at_once = 2, .at_once_a_key = 1, .waiting_a_key = 3},
                    [this](const runner::ToRunner& message) { client->send(message); },
                    [this](Level level, std::string_view text, const LogFields& fields) {
                      std::string line(text);
                      for (const auto& [key, value] : fields) line += " " + std::string(key) + "=" + value;
                      if (level >= Level::warn) lines.push_back(line);
                    }};
};

TEST_F(ChildrenTest, GetTheirOwnEnvironmentAndNoDescriptorOfOthers) {
  children.run(
      child("a", "/usr/bin/env > out; set -- /proc/$$/fd/*; echo $(($# - 1)) >> out"));  // without the folder's
  ASSERT_TRUE(wait_for(1));
  EXPECT_EQ(testing::text_of(folder / "out"), "BALLOT_STATUS=failed\nPWD=" + folder.path() + "\n3\n");
  EXPECT_EQ(lines, std::vector<std::string>{});
}

TEST_F(ChildrenTest, ThatTakeTooLongAreKilledWithAllTheirGroup) {
  Child hangs = child(
      "a",
      "trap '' TERM; echo $$ > pids; (trap '' TERM; echo $BASHPID > /dev/null; sleep 600) & echo $! >> pids; wait");
  hangs.start.deadline = 300ms;
  children.run(std::move(hangs));
  ASSERT_TRUE(wait_for(1));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0], "on_failure took too long and was killed signal=9");
  std::istringstream pids(testing::text_of(folder / "pids"));
  int count = 0;
  for (pid_t pid = 0; pids >> pid; ++count) EXPECT_NE(::kill(pid, 0), 0) << "still there: " << pid;
  EXPECT_EQ(count, 2);
}

TEST_F(ChildrenTest, ThatFailAreLoggedWithWhatTheySaid) {
  children.run(child("a", "echo no route; exit 7"));
  ASSERT_TRUE(wait_for(1));
  EXPECT_EQ(lines, std::vector<std::string>{"on_failure failed exit_code=7 output=no route"});
}

TEST_F(ChildrenTest, ThatCannotBeStartedAreLogged) {
  Child none = child("a", "");
  none.start.argv = {"/no/such/program"};
  children.run(std::move(none));
  ASSERT_TRUE(wait_for(1));
  EXPECT_EQ(lines,
            std::vector<std::string>{"on_failure cannot be started: exec /no/such/program: No such file or directory"});
}

TEST_F(ChildrenTest, ThatHangHoldUpNoOther) {
  Child hangs = child("hangs", "exec sleep 600");
  hangs.start.deadline = 1min;
  children.run(hangs);
  children.run(hangs);
  children.run(child("other", "exit 0"));
  ASSERT_TRUE(wait_for(1));
  EXPECT_EQ(children.open(), 2u);
  children.kill("hangs", 100ms);
}

TEST_F(ChildrenTest, OfWhichTooManyWaitAreLeftOutAndTheLogSaysSo) {
  for (int i = 0; i < 4; ++i) children.run(child("a", "exit 0"));  // nothing has begun: the runner has said nothing yet
  EXPECT_EQ(lines, std::vector<std::string>{"on_failure left out: too many are waiting"});
  ASSERT_TRUE(wait_for(4));
  EXPECT_TRUE(children.is_idle());
}

TEST_F(ChildrenTest, AreLostWithTheirRunner) {
  Child hangs = child("a", "exec sleep 600");
  children.run(hangs);
  ASSERT_TRUE(run_until(loop, [&] { return started > 0; }));
  restarts = true;
  ::kill(runner_pid, SIGKILL);
  ASSERT_TRUE(wait_for(1));
  EXPECT_EQ(lines, std::vector<std::string>{"on_failure is lost: its runner is gone"});
  EXPECT_TRUE(children.is_idle());
}

TEST_F(ChildrenTest, GoOnWhereTheirLinkIsTakenUpAndOneThatNeverArrivedIsStartedOnce) {
  restarts = true;
  children.run(child("a", "echo a >> ran; until [ -e go ]; do sleep 0.02; done"));
  ASSERT_TRUE(run_until(loop, [&] { return started > 0; }));
  boost::asio::io_context aside;
  bool in_place = false;
  RunnerClient usurper(aside, {folder / "runner.sock", BALLOT_RUNNER},
                       {[&](const std::vector<runner::FromRunner>& said) {
                          in_place |= std::holds_alternative<runner::Ready>(said.back());
                        },
                        [](const std::string&) {}});
  ASSERT_TRUE(usurper.start());
  ASSERT_TRUE(run_until(aside, [&] { return in_place; }));  // the runner reads the first link no more
  children.run(child("b", "echo b >> ran"));
  ASSERT_TRUE(wait_for(1));
  folder.write("go", "");
  ASSERT_TRUE(wait_for(2));
  EXPECT_EQ(lines, std::vector<std::string>{});
  EXPECT_EQ(testing::text_of(folder / "ran"), "a\nb\n");
}

}  // namespace
}  // namespace ballot::io
