#include "io/runner_client.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

#include "base/unique_fd.hpp"
#include "support/temp_folder.hpp"
#include "unit/io/fake_runner.hpp"
#include "unit/io/loop_until.hpp"

namespace ballot::io {
namespace {

using runner::AttemptId;
using std::chrono::seconds;
using testing::FakeRunner;
using testing::run_until;

SteadyTime steady() {
  timespec t{};
  ::clock_gettime(CLOCK_BOOTTIME, &t);
  return SteadyTime(seconds(t.tv_sec));
}

runner::Start shell(std::uint8_t number, const std::string& script) {
  runner::Start start;
  start.id.run.bytes[0] = number;
  start.argv = {"/bin/sh", "-c", script};
  start.output_limit = 4096;
  start.launch_not_after = steady() + std::chrono::minutes(1);
  start.terminate = false;
  return start;
}

struct RunnerClientTest : ::testing::Test {
  ~RunnerClientTest() override {
    client.reset();
    if (runner_pid > 0 && runner_pid != ::getpid()) ::kill(runner_pid, SIGTERM);  // else a stand-in in this process
  }

  RunnerSettings settings() const { return {folder / "runner.sock", BALLOT_RUNNER}; }
  RunnerHandlers handlers() {
    return {[this](std::vector<runner::FromRunner> said) {
              for (runner::FromRunner& message : said) {
                if (const auto* hello = std::get_if<runner::Hello>(&message))
                  runner_pid = static_cast<pid_t>(hello->pid);
                messages.push_back(std::move(message));
              }
            },
            [this](const std::string& text) { downs.push_back(text); },
            [this](Millis silence) { silences.push_back(silence); }};
  }
  /// A client whose runner has said Ready.
  void connect() {
    messages.clear();
    client.emplace(loop, settings(), handlers());
    const auto started = client->start();
    ASSERT_TRUE(started) << started.error().what;
    ASSERT_TRUE(run_until(loop, [&] { return find<runner::Ready>(); }));
  }
  template <class T>
  const T* find(const std::optional<AttemptId>& id = {}) const {
    for (const runner::FromRunner& message : messages) {
      const T* found = std::get_if<T>(&message);
      if constexpr (requires { found->id; }) {
        if (found && (!id || found->id == *id)) return found;
      } else if (found) {
        return found;
      }
    }
    return nullptr;
  }
  const runner::Ended* ended(const AttemptId& id) {
    EXPECT_TRUE(run_until(loop, [&] { return find<runner::Ended>(id) != nullptr; }));
    return find<runner::Ended>(id);
  }

  TempFolder folder;
  boost::asio::io_context loop;
  std::vector<runner::FromRunner> messages;
  std::vector<std::string> downs;
  std::vector<Millis> silences;
  pid_t runner_pid = 0;
  std::optional<RunnerClient> client;
};

TEST_F(RunnerClientTest, StartsARunnerWhereNoneIs) {
  connect();
  EXPECT_NE(runner_pid, ::getpid());
  EXPECT_EQ(find<runner::Hello>()->protocol, runner::protocol);
  client->send(shell(1, "echo hello; exit 3"));
  const auto* end = ended(shell(1, "").id);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit_code, 3);
  EXPECT_EQ(end->output.head + end->output.tail, "hello\n");
  EXPECT_TRUE(downs.empty());
}

TEST_F(RunnerClientTest, MakesASocketThatNobodyElseCanOpen) {
  connect();
  struct stat what {};
  ASSERT_EQ(::stat(settings().socket_path.c_str(), &what), 0);
  EXPECT_EQ(what.st_mode & 0777, 0600u);
}

TEST_F(RunnerClientTest, GivesTheRunnerNothingOfThisProcess) {
  ASSERT_EQ(::setenv("SECRET_OF_THE_DAEMON", "1", 1), 0);
  const UniqueFd leaky(::open(folder.write("leak", "").c_str(), O_RDONLY));  // without CLOEXEC
  connect();
  const std::string proc = "/proc/" + std::to_string(runner_pid);
  std::ifstream environment(proc + "/environ");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(environment), {}), "");
  EXPECT_NE(::getsid(runner_pid), ::getsid(0));
  for (const auto& entry : std::filesystem::directory_iterator(proc + "/fd"))
    EXPECT_NE(std::filesystem::read_symlink(entry.path()), folder / "leak");
}

TEST_F(RunnerClientTest, TakesUpTheRunnerThatIsThereWithItsRunsAndEnds) {
  connect();
  const pid_t first = runner_pid;
  client->send(shell(1, "exec sleep 600"));
  client->send(shell(2, "exit 7"));
  ended(shell(2, "").id);
  ASSERT_TRUE(run_until(loop, [&] { return find<runner::Started>(shell(1, "").id) != nullptr; }));
  const std::int64_t child = find<runner::Started>(shell(1, "").id)->pid;
  client.reset();
  connect();
  EXPECT_EQ(runner_pid, first);
  EXPECT_EQ(find<runner::Ended>(shell(2, "").id)->exit_code, 7);
  ASSERT_TRUE(find<runner::Running>(shell(1, "").id));
  EXPECT_EQ(find<runner::Running>(shell(1, "").id)->pid, child);
}

TEST_F(RunnerClientTest, SendsAllThatItHoldsWhenItIsDestroyed) {
  connect();
  for (std::uint8_t i = 1; i <= 50; ++i) client->send(shell(i, "exit 1"));
  client.reset();
  connect();
  for (std::uint8_t i = 1; i <= 50; ++i) EXPECT_EQ(ended(shell(i, "").id)->exit_code, 1);
}

TEST_F(RunnerClientTest, SendsACrowdOfStartsBeforeTheTurnOfTheLoopEnds) {
  connect();
  const std::string fifo = folder / "started";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const UniqueFd started(::open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  client->send(shell(1, "echo > " + fifo));
  client->send(shell(2, "true " + std::string(64 * 1024, 'x')));
  pollfd waiting{started.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&waiting, 1, 30'000), 1) << "the first has not begun, as the loop has not turned";
  EXPECT_TRUE(ended(shell(2, "").id));
}

TEST_F(RunnerClientTest, SendsWhatTheSocketDoesNotTakeAtOnce) {
  connect();
  for (std::uint8_t i = 1; i <= 20; ++i) {
    runner::Start start = shell(i, "wc -c");
    start.standard_input = std::string(500'000, 'x');
    client->send(start);
  }
  for (std::uint8_t i = 1; i <= 20; ++i) EXPECT_EQ(ended(shell(i, "").id)->output.head, "500000\n");
}

TEST_F(RunnerClientTest, TellsThatTheRunnerDiedAndStartsAnother) {
  connect();
  const pid_t first = runner_pid;
  ASSERT_EQ(::kill(first, SIGKILL), 0);
  ASSERT_TRUE(run_until(loop, [&] { return !downs.empty(); }));
  messages.clear();
  client->send(shell(1, "exit 1"));
  const auto started = client->start();
  ASSERT_TRUE(started) << started.error().what;
  ASSERT_TRUE(run_until(loop, [&] { return find<runner::Ready>(); }));
  EXPECT_NE(runner_pid, first);
  client->send(shell(2, "exit 2"));
  EXPECT_EQ(ended(shell(2, "").id)->exit_code, 2);
  EXPECT_FALSE(find<runner::Ended>(shell(1, "").id)) << "what is sent to nobody is dropped";
  EXPECT_EQ(downs.size(), 1u);
}

TEST_F(RunnerClientTest, MayBeStartedAgainFromOnDown) {
  int restarts = 0;
  client.emplace(loop, settings(), RunnerHandlers{handlers().on_messages, [&](const std::string&) {
                                                    messages.clear();
                                                    restarts += client->start() ? 1 : 100;
                                                  }});
  ASSERT_TRUE(client->start());
  ASSERT_TRUE(run_until(loop, [&] { return find<runner::Ready>(); }));
  ::kill(runner_pid, SIGKILL);
  ASSERT_TRUE(run_until(loop, [&] { return restarts == 1 && find<runner::Ready>(); }));
}

TEST_F(RunnerClientTest, MayBeDestroyedFromItsHandlers) {
  client.emplace(loop, settings(),
                 RunnerHandlers{[&](const std::vector<runner::FromRunner>& said) {
                                  runner_pid = static_cast<pid_t>(std::get<runner::Hello>(said.front()).pid);
                                  client.reset();
                                },
                                [&](const std::string& text) { downs.push_back(text); }});
  ASSERT_TRUE(client->start());
  ASSERT_TRUE(run_until(loop, [&] { return !client; }));
  loop.restart();
  loop.run();
  EXPECT_TRUE(downs.empty());
}

TEST_F(RunnerClientTest, SaysWhyARunnerCannotBeStarted) {
  const auto fails = [&](const RunnerSettings& with, Errc code, std::string_view part) {
    RunnerClient other(loop, with, handlers());
    const auto started = other.start();
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().code, code);
    EXPECT_NE(started.error().what.find(part), std::string::npos) << started.error().what;
  };
  fails({folder / "runner.sock", folder / "missing"}, Errc::io, folder / "missing");
  fails({folder / "runner.sock", "/bin/false"}, Errc::io, "/bin/false");
  fails({folder / "runner.sock", "/bin/true"}, Errc::io, "/bin/true");
  fails({folder / "gone/runner.sock", BALLOT_RUNNER}, Errc::io, "gone/runner.sock");
  fails({folder / std::string(200, 'x'), BALLOT_RUNNER}, Errc::invalid, "107");
  folder.write("plain", "");
  fails({folder / "plain", BALLOT_RUNNER}, Errc::refused, "plain");
  EXPECT_TRUE(std::filesystem::exists(folder / "plain"));
}

TEST_F(RunnerClientTest, TellsOfARunnerThatDoesNotAnswerAndLosesNothingOfWhatItWasTold) {
  connect();
  const auto start = shell(1, "exit 3");
  const SteadyTime before = steady();
  ::kill(runner_pid, SIGSTOP);
  client->send(start);
  EXPECT_TRUE(run_until(loop, [&] { return silences.size() == 2; }));
  EXPECT_EQ(silences, (std::vector<Millis>{seconds(2), Millis(2500)}));
  EXPECT_GE(steady() - before, seconds(2));
  EXPECT_TRUE(downs.empty());
  ::kill(runner_pid, SIGCONT);
  EXPECT_TRUE(run_until(loop, [&] { return ended(start.id); }));
  EXPECT_EQ(silences.back(), Millis(0));
  EXPECT_FALSE(find<runner::Pong>()) << "that is between the client and the runner";
}

TEST_F(RunnerClientTest, DoesNotTakeItsOwnStandstillForTheRunners) {
  connect();
  const auto until = std::chrono::steady_clock::now() + seconds(4);
  while (std::chrono::steady_clock::now() < until) ::poll(nullptr, 0, 100);  // the loop does not turn
  const auto start = shell(1, "exit 3");
  client->send(start);
  EXPECT_TRUE(run_until(loop, [&] { return ended(start.id); }));
  EXPECT_TRUE(silences.empty());
}

TEST_F(RunnerClientTest, RefusesARunnerOfAnotherProtocolAndStartsNoneBesideIt) {
  FakeRunner other(settings().socket_path);
  client.emplace(loop, settings(), handlers());
  ASSERT_TRUE(client->start());
  other.accept();
  other.say(runner::Hello{runner::protocol + 1, 4711});
  ASSERT_TRUE(run_until(loop, [&] { return !downs.empty(); }));
  EXPECT_NE(downs.front().find("process 4711"), std::string::npos) << downs.front();
  EXPECT_TRUE(messages.empty());
  const auto again = client->start();
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Errc::refused);
  EXPECT_EQ(again.error().what, downs.front());
}

TEST_F(RunnerClientTest, ReportsWhatItCannotRead) {
  FakeRunner other(settings().socket_path);
  client.emplace(loop, settings(), handlers());
  ASSERT_TRUE(client->start());
  other.accept();
  other.say(runner::Hello{runner::protocol, ::getpid()});
  other.write(std::string(8, '\xff'));
  ASSERT_TRUE(run_until(loop, [&] { return !downs.empty(); }));
  EXPECT_NE(downs.front().find("cannot read"), std::string::npos) << downs.front();
}

/// A stand-in whose process lives: this one.
struct LinkTest : RunnerClientTest {
  void greet() {
    fake->accept();
    fake->say(runner::Hello{runner::protocol, ::getpid()});
    fake->say(runner::Ready{true, ""});
    ASSERT_TRUE(run_until(loop, [&] { return find<runner::Ready>(); }));
    messages.clear();
  }
  void begin() {
    client.emplace(loop, settings(), handlers());
    ASSERT_TRUE(client->start());
    greet();
  }
  std::optional<FakeRunner> fake{std::in_place, settings().socket_path};
};

TEST_F(LinkTest, ThatBreaksIsTakenUpAndTheRunnerIsKnownToBeTheSame) {
  begin();
  EXPECT_FALSE(client->is_same_runner()) << "there was none before";
  fake->hang_up();
  ASSERT_TRUE(run_until(loop, [&] { return downs.size() == 1; }));
  ASSERT_TRUE(client->start());
  greet();
  EXPECT_TRUE(client->is_same_runner());
}

TEST_F(LinkTest, OfARunnerThatLivesAndCannotBeReachedIsNoReasonToStartAnother) {
  begin();
  std::filesystem::remove(settings().socket_path);
  fake->hang_up();
  ASSERT_TRUE(run_until(loop, [&] { return downs.size() == 1; }));
  const auto started = client->start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Errc::unavailable);
  EXPECT_NE(started.error().what.find(settings().socket_path), std::string::npos) << started.error().what;
}

TEST_F(LinkTest, EndsWithAFrameThatTheRunnerCannotSendInItsState) {
  begin();
  fake->say(runner::Ready{true, ""});
  ASSERT_TRUE(run_until(loop, [&] { return downs.size() == 1; }));
  EXPECT_NE(downs[0].find("the runner cannot say this now: Ready"), std::string::npos) << downs[0];
  EXPECT_FALSE(find<runner::Ready>()) << "it is not acted on";
}

}  // namespace
}  // namespace ballot::io
