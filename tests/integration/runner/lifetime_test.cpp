#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "integration/runner/runner_process.hpp"

namespace ballot::runner {
namespace {

using std::chrono::seconds;

TEST(Runner, IsIdleAfterATimerThatWasForNothing) {
  RunnerProcess runner({.linger = Millis(100)});  // over while a daemon is connected
  runner.run(shell("sleep 0.2"));
  const Millis before = runner.processor_time();
  runner.run(shell("sleep 0.5"));
  EXPECT_LT(runner.processor_time() - before, Millis(100));
}

TEST(Runner, KeepsRunsAndEndsForADaemonThatComesBack) {
  RunnerProcess runner;
  const std::string fifo = runner.folder() + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const Start acked = shell("exit 1"), unacked = shell("echo kept; exit 2"),
              late = shell("read l < " + fifo + "; exit 3"), running = shell("exec sleep 600");
  runner.run(acked);
  runner.send(Ack{acked.id});
  runner.run(unacked);
  runner.send(running);
  runner.send(late);
  const Started before = runner.wait<Started>(running.id);
  const Started ending = runner.wait<Started>(late.id);
  runner.disconnect();
  ASSERT_EQ(std::system((": > " + fifo).c_str()), 0);
  wait_process_gone(static_cast<pid_t>(ending.pid));

  runner.connect();
  std::map<AttemptId, Ended> ends;
  std::map<AttemptId, Running> runs;
  while (true) {
    const auto message = runner.next();
    ASSERT_TRUE(message);
    if (std::holds_alternative<Ready>(*message)) break;
    if (const auto* ended = std::get_if<Ended>(&*message)) ends[ended->id] = *ended;
    if (const auto* found = std::get_if<Running>(&*message)) runs[found->id] = *found;
  }
  if (!ends.contains(late.id)) ends[late.id] = runner.wait<Ended>(late.id);
  EXPECT_EQ(ends.size(), 2u);
  EXPECT_EQ(ends[unacked.id].exit_code, 2);
  EXPECT_EQ(ends[unacked.id].output.head, "kept\n");
  EXPECT_EQ(ends[late.id].exit_code, 3);
  EXPECT_TRUE(runs.contains(running.id));
  EXPECT_EQ(runs[running.id].pid, before.pid);
  EXPECT_EQ(runs[running.id].started_at, before.started_at);
}

/// Once the runner is there again, at most 20 s later.
bool listens_anew(const RunnerProcess& runner) {
  const SteadyTime limit = steady() + seconds(20);
  while (!std::filesystem::exists(runner.socket_path()) && steady() < limit) std::this_thread::yield();
  struct stat file {};
  return ::stat(runner.socket_path().c_str(), &file) == 0 && (file.st_mode & 07777) == 0600;
}

TEST(Runner, IsFoundAgainWithItsRunsWhereTheFileOfItsSocketIsRemoved) {
  RunnerProcess runner;
  const Start running = shell("exec sleep 600");
  runner.send(running);
  const Started started = runner.wait<Started>(running.id);
  const pid_t pid = runner.pid();
  enum class Removed { before_its_daemon_goes, after_its_daemon_has_gone, beside_its_daemon };
  for (const Removed when :
       {Removed::before_its_daemon_goes, Removed::after_its_daemon_has_gone, Removed::beside_its_daemon}) {
    if (when == Removed::after_its_daemon_has_gone) runner.disconnect();
    ASSERT_TRUE(std::filesystem::remove(runner.socket_path()));
    if (when == Removed::before_its_daemon_goes) runner.disconnect();
    if (when == Removed::beside_its_daemon) {
      for (const SteadyTime limit = steady() + seconds(20);
           !std::filesystem::exists(runner.socket_path()) && steady() < limit;) {
        runner.send(Ping{});
        runner.wait<Pong>();
      }
    }
    ASSERT_TRUE(listens_anew(runner)) << static_cast<int>(when);
    runner.connect();
    EXPECT_EQ(runner.pid(), pid);
    EXPECT_EQ(runner.wait<Running>(running.id).pid, started.pid);
  }
}

TEST(Runner, LeavesAloneWhatLiesInPlaceOfItsSocket) {
  RunnerProcess runner({.linger = Millis(1500)});
  ASSERT_TRUE(std::filesystem::remove(runner.socket_path()));
  ASSERT_TRUE(std::ofstream(runner.socket_path()) << "another one's");
  runner.disconnect();
  runner.wait_gone();
  EXPECT_TRUE(std::filesystem::is_regular_file(runner.socket_path()));
}

TEST(Runner, ForgetsWhatIsAcknowledged) {
  RunnerProcess runner;
  const Start start = command({"true"});
  runner.run(start);
  runner.send(Ack{start.id});
  runner.disconnect();
  runner.connect();
  const auto message = runner.next();
  ASSERT_TRUE(message);
  EXPECT_TRUE(std::holds_alternative<Ready>(*message));
}

TEST(Runner, StartsWhatWasSentBeforeTheDaemonWent) {
  RunnerProcess runner;
  const Start start = shell("exit 5");
  runner.send(start);
  runner.disconnect();
  runner.connect();
  EXPECT_EQ(runner.wait<Ended>(start.id).exit_code, 5);
}

TEST(Runner, ReadsAllThatADeadDaemonSentBeforeTheNextOne) {
  RunnerProcess runner;
  std::vector<AttemptId> ids;
  std::string frames;
  for (int i = 0; i < 60; ++i) {
    Start start = command({"wc", "-c"});
    start.standard_input = std::string(i == 0 ? 2'000'000 : 10'000, 'x');
    ids.push_back(start.id);
    frames += encode(ToRunner(start));
  }
  runner.send_bytes(frames);
  runner.disconnect();
  runner.connect();
  for (const AttemptId& id : ids) EXPECT_EQ(runner.wait<Ended>(id).exit_code, 0);
}

TEST(Runner, LetsANewerConnectionTakeThePlaceOfTheOlder) {
  RunnerProcess runner;
  const Start start = shell("exec sleep 600");
  runner.send(start);
  runner.wait<Started>(start.id);
  const UniqueFd older = runner.take_connection();
  runner.connect();
  EXPECT_EQ(runner.wait<Running>(start.id).job, "job");
  EXPECT_EQ(runner.run(command({"true"})).exit_code, 0);
  char byte = 0;
  while (::recv(older.get(), &byte, 1, 0) > 0) continue;
  EXPECT_EQ(::recv(older.get(), &byte, 1, 0), 0) << "the older one is closed";
}

TEST(Runner, ClosesOnWhatItCannotReadAndKeepsItsRuns) {
  RunnerProcess runner;
  const Start start = shell("exec sleep 600");
  runner.send(start);
  runner.wait<Started>(start.id);
  runner.send_bytes(std::string("\x01\x00\x00\x00\xee", 5));
  while (runner.next()) continue;
  runner.connect();
  EXPECT_EQ(runner.wait<Running>(start.id).job, "job");
}

TEST(Runner, RefusesAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  RunnerProcess runner;
  const pid_t stranger = ::fork();
  if (stranger == 0) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    runner.socket_path().copy(address.sun_path, sizeof address.sun_path - 1);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    char byte = 0;
    if (::setresuid(65534, 65534, 65534) != 0) ::_exit(2);
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) ::_exit(3);
    ::_exit(::recv(fd, &byte, 1, 0) == 0 ? 0 : 4);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(stranger, &status, 0), stranger);
  EXPECT_EQ(status, 0) << "the connection is closed before a byte";
  EXPECT_EQ(runner.run(command({"true"})).exit_code, 0) << "and ours is not";
}

TEST(Runner, LeavesOnceItsRunsHaveEndedAndAreReported) {
  RunnerProcess runner;
  const std::string fifo = runner.folder() + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const Start start = shell("read l < " + fifo + "; exit 3");
  runner.send(start);
  runner.send(Leave{});
  runner.wait<Started>(start.id);
  ASSERT_EQ(std::system((": > " + fifo).c_str()), 0);
  EXPECT_EQ(runner.wait<Ended>(start.id).exit_code, 3);
  EXPECT_FALSE(runner.next().has_value());
  runner.wait_gone();
}

TEST(Runner, LeavesAlsoWhenTheDaemonSaysItAndIsGone) {
  RunnerProcess runner;
  runner.run(command({"true"}));
  runner.send(Leave{});
  runner.disconnect();
  runner.wait_gone();
}

TEST(Runner, StaysWhenADaemonComesBackAfterLeave) {
  RunnerProcess runner;
  const Start start = shell("exec sleep 600");
  runner.send(start);
  runner.wait<Started>(start.id);
  runner.send(Leave{});
  runner.disconnect();
  runner.connect();
  runner.wait<Ready>();
  runner.send(Kill{start.id, Reason::operator_, SIGTERM, seconds(10)});
  runner.wait<Ended>(start.id);
  EXPECT_EQ(runner.run(command({"true"})).exit_code, 0);
}

TEST(Runner, GoesWhenItHasBeenAloneForAWhileWithNothingToKeep) {
  RunnerProcess runner({.linger = Millis(150), .user = {}});
  const Start start = command({"true"});
  runner.run(start);
  runner.send(Ack{start.id});
  const SteadyTime before = steady();
  runner.disconnect();
  runner.wait_gone();
  EXPECT_GE(steady() - before, Millis(150));
}

TEST(Runner, StaysAloneWithAnEndThatIsNotAcknowledged) {
  RunnerProcess runner({.linger = Millis(50), .user = {}});
  const Start kept = shell("exit 3"), timer = command({"sleep", "0.5"});
  runner.run(kept);
  runner.send(timer);
  const Started started = runner.wait<Started>(timer.id);
  runner.disconnect();
  wait_process_gone(static_cast<pid_t>(started.pid));
  runner.connect();
  EXPECT_EQ(runner.wait<Ended>(kept.id).exit_code, 3);
}

TEST(Runner, EndsItsRunsAndItselfOnTerm) {
  RunnerProcess runner;
  const Start soft = shell("exec sleep 600");
  Start hard = shell("trap '' TERM; echo ready; while :; do sleep 600; done");
  hard.stream_output = true;
  runner.send(soft);
  runner.send(hard);
  runner.wait<Started>(soft.id);
  runner.wait_printed(hard.id, "ready\n");
  const SteadyTime before = steady();
  ASSERT_EQ(::kill(runner.pid(), SIGTERM), 0);
  const Ended first = runner.wait<Ended>(soft.id), second = runner.wait<Ended>(hard.id);
  EXPECT_EQ(first.reason, Reason::shutdown);
  EXPECT_EQ(first.signal, SIGTERM);
  EXPECT_EQ(second.reason, Reason::shutdown);
  EXPECT_EQ(second.signal, SIGKILL);
  EXPECT_GE(steady() - before, Millis(1900));
  runner.wait_gone();
}

TEST(Runner, ThatIsKilledTakesItsChildrenAlong) {
  RunnerProcess runner;
  runner.connect();
  for (int i = 0; i < 3; ++i) {
    const Start start = command({"sleep", "600"});
    runner.send(start);
    runner.wait<Started>(start.id);
  }
  const auto children = runner.children();
  ASSERT_EQ(children.size(), 3u);
  ASSERT_EQ(::kill(runner.pid(), SIGKILL), 0);
  for (const pid_t child : children) wait_process_gone(child);
}

TEST(Runner, IsDeafToTheTerminal) {
  RunnerProcess runner;
  EXPECT_NE(::getsid(runner.pid()), ::getsid(0));
  EXPECT_NE(::getsid(runner.pid()), runner.pid());
  for (const int signal : {SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGTSTP})
    ASSERT_EQ(::kill(runner.pid(), signal), 0);
  EXPECT_EQ(runner.run(command({"true"})).exit_code, 0);
}

TEST(Runner, ReapsOrphansAndLeaksNoDescriptorOverManyRuns) {
  RunnerProcess runner;
  runner.run(command({"true"}));
  const std::size_t before = runner.descriptors();
  std::string frames;
  std::map<AttemptId, int> wanted;
  for (int i = 0; i < 500; ++i) {
    const Start start =
        i % 5 == 0 ? shell("(:) & exit " + std::to_string(i % 250)) : shell("exit " + std::to_string(i % 250));
    wanted[start.id] = i % 250;
    frames += encode(ToRunner(start));
  }
  runner.send_bytes(frames);
  for (const auto& [id, code] : wanted) {
    EXPECT_EQ(runner.wait<Ended>(id).exit_code, code);
    runner.send(Ack{id});
  }
  EXPECT_TRUE(runner.children().empty());
  EXPECT_EQ(runner.descriptors(), before);
}

TEST(Runner, SaysSoWhenDescriptorsRunOut) {
  std::vector<AttemptId> ids;
  RunnerProcess runner;
  rlimit files{};
  ASSERT_EQ(::prlimit(runner.pid(), RLIMIT_NOFILE, nullptr, &files), 0);
  files.rlim_cur = 28;  // a start takes two, until its child has exec'd
  ASSERT_EQ(::prlimit(runner.pid(), RLIMIT_NOFILE, &files, nullptr), 0);
  for (int i = 0; i < 30; ++i) {
    const Start start = command({"sleep", "600"});
    ids.push_back(start.id);
    runner.send(start);
  }
  int started = 0;
  for (std::size_t answers = 0; answers < ids.size();) {
    const auto message = runner.next();
    ASSERT_TRUE(message);
    if (std::holds_alternative<Started>(*message)) ++started, ++answers;
    if (const auto* failed = std::get_if<CannotStart>(&*message)) {
      EXPECT_EQ(failed->error, EMFILE) << failed->stage;
      ++answers;
    }
  }
  EXPECT_GT(started, 5);
  EXPECT_LT(started, 28);
  for (const AttemptId& id : ids) runner.send(Kill{id, Reason::operator_, SIGTERM, seconds(5)});
  for (int i = 0; i < started; ++i) EXPECT_EQ(runner.wait<Ended>().signal, SIGTERM);
  EXPECT_EQ(runner.run(command({"true"})).exit_code, 0);
}

}  // namespace
}  // namespace ballot::runner
