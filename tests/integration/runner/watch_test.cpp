// Those that watch a runner, and what it starts when its daemon is gone.
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cstdlib>
#include <set>

#include "integration/runner/runner_process.hpp"

namespace ballot::runner {
namespace {

/// What a watcher receives up to Ready.
struct Inventory {
  std::set<AttemptId> running, ended;
  Ready ready;
};

Inventory inventory_of(RunnerProcess& runner) {
  Inventory all;
  while (const auto message = runner.next()) {
    if (const auto* running = std::get_if<Running>(&*message)) all.running.insert(running->id);
    if (const auto* ended = std::get_if<Ended>(&*message)) all.ended.insert(ended->id);
    if (const auto* ready = std::get_if<Ready>(&*message)) {
      all.ready = *ready;
      return all;
    }
  }
  ADD_FAILURE() << "the runner closed the connection";
  return all;
}

void send_all(const UniqueFd& connection, const ToRunner& message) {
  const std::string bytes = encode(message);
  ASSERT_EQ(::send(connection.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
}

TEST(RunnerWatched, SendsItsInventoryAndThenEndsAsTheyHappen) {
  RunnerProcess runner;
  const std::string fifo = runner.folder() + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const Start over = shell("echo kept; exit 2"), live = shell("read l < " + fifo + "; exit 3");
  runner.run(over);
  runner.send(live);
  runner.wait<Started>(live.id);
  const UniqueFd daemon = runner.take_connection();
  runner.role = Watch{};
  runner.connect();
  const Inventory all = inventory_of(runner);
  EXPECT_EQ(all.running, std::set{live.id});
  EXPECT_EQ(all.ended, std::set{over.id});
  EXPECT_TRUE(all.ready.commanded);
  EXPECT_EQ(all.ready.owner, "test");
  ASSERT_EQ(std::system((": > " + fifo).c_str()), 0);
  const Ended ended = runner.wait<Ended>(live.id);
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_EQ(ended.output.head, "") << "outputs are the daemon's";
}

TEST(RunnerWatched, ShowsWhatARunHasPrintedSoFar) {
  RunnerProcess runner;
  const std::string fifo = runner.folder() + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const Start live = shell("echo begun; read l < " + fifo + "; echo over");
  runner.send(live);
  runner.wait<Started>(live.id);
  UniqueFd daemon = runner.take_connection();
  runner.role = ShowOutput{live.id, 2};
  Shown shown;
  while (shown.total == 0) {
    runner.connect();
    shown = runner.wait<Shown>(live.id);
  }
  EXPECT_TRUE(shown.known && !shown.ended);
  EXPECT_EQ(shown.bytes, "gun\n");
  EXPECT_EQ(shown.begin, 2);
  ASSERT_EQ(std::system((": > " + fifo).c_str()), 0);
  for (; !shown.ended; shown = runner.wait<Shown>(live.id)) runner.send(ShowOutput{live.id, 6});
  EXPECT_EQ(shown.bytes, "over\n");
  EXPECT_EQ(shown.total, 11);
  runner.send(ShowOutput{Start{}.id, 0});
  EXPECT_FALSE(runner.wait<Shown>(Start{}.id).known) << "it has no such run";
  runner.adopt_connection(std::move(daemon));
  EXPECT_EQ(runner.wait<Ended>(live.id).exit_code, 0) << "the daemon's are the ends";
}

TEST(RunnerWatched, DropsAReaderThatCommands) {
  RunnerProcess runner;
  const Start kept = shell("exec sleep 600");
  runner.send(kept);
  runner.wait<Started>(kept.id);
  UniqueFd daemon = runner.take_connection();
  runner.role = ShowOutput{kept.id, 0};
  runner.connect();
  EXPECT_EQ(runner.wait<Shown>(kept.id).total, 0);
  runner.send(Kill{kept.id, Reason::operator_, 9, Millis(0)});
  while (runner.next()) continue;
  runner.adopt_connection(std::move(daemon));
  EXPECT_FALSE(runner.next_if_there()) << "nothing was killed";
}

TEST(RunnerWatched, LeavesTheDaemonItsCommandAndItsEnds) {
  RunnerProcess runner;
  UniqueFd daemon = runner.take_connection();
  runner.role = Watch{};
  std::vector<UniqueFd> watchers;
  for (int i = 0; i < 3; ++i) {
    runner.connect();
    inventory_of(runner);
    watchers.push_back(runner.take_connection());
  }
  const Start start = shell("exit 4");
  send_all(daemon, start);
  runner.adopt_connection(std::move(daemon));
  EXPECT_EQ(runner.wait<Ended>(start.id).exit_code, 4);
  for (UniqueFd& watcher : watchers) {
    runner.adopt_connection(std::move(watcher));
    EXPECT_EQ(runner.wait<Ended>(start.id).exit_code, 4);
  }
}

TEST(RunnerWatched, DropsAWatcherThatCommands) {
  RunnerProcess runner;
  const Start kept = shell("exec sleep 600");
  runner.send(kept);
  runner.wait<Started>(kept.id);
  UniqueFd daemon = runner.take_connection();
  runner.role = Watch{};
  runner.connect();
  inventory_of(runner);
  runner.send(Kill{kept.id, Reason::operator_, 9, Millis(0)});
  while (runner.next()) continue;
  runner.adopt_connection(std::move(daemon));
  EXPECT_EQ(runner.run(shell("exit 0")).exit_code, 0);
  EXPECT_FALSE(runner.next_if_there()) << "nothing was killed";
}

TEST(RunnerWatched, AnswersOnlyOnceTheDeadDaemonsLastWordsAreDone) {
  RunnerProcess runner;
  std::set<AttemptId> wanted;
  for (int i = 0; i < 200; ++i) {
    Start start = shell("exec sleep 600");
    start.standard_input = std::string(20'000, 'x');
    wanted.insert(start.id);
    runner.send(start);
  }
  runner.disconnect();
  runner.role = Watch{};
  runner.connect();
  const Inventory all = inventory_of(runner);
  EXPECT_EQ(all.running, wanted);
  EXPECT_FALSE(all.ready.commanded);
}

/// A runner with a program to be started when its daemon is gone, which writes a line to a pipe each time.
class RunnerAlone : public ::testing::Test {
 protected:
  RunnerAlone() {
    EXPECT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    pipe.reset(::open(fifo.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
    lock.reset(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  }
  /// `exits`: what it ends with.
  Successor successor(const std::string& exits = "0", SteadyTime not_before = {}) const {
    return {{"/bin/sh", "-c", "echo resign > " + fifo + "; exit " + exits}, {"PATH=/bin"}, lock_path, not_before};
  }
  /// Starts within `patience`, as milliseconds since the call; -1: none.
  std::int64_t next_start(Millis patience = Millis(20'000)) const {
    const SteadyTime since = steady();
    pollfd waiting{pipe.get(), POLLIN, 0};
    char line[7];
    if (::poll(&waiting, 1, static_cast<int>(patience.count())) != 1) return -1;
    return ::read(pipe.get(), line, sizeof line) == sizeof line ? (steady() - since).count() : -1;
  }
  /// A run that goes on until let_go().
  Start waiting_run() {
    EXPECT_EQ(::mkfifo((runner.folder() + "/waiting").c_str(), 0600), 0);
    const Start start = shell("read l < " + runner.folder() + "/waiting");
    runner.send(start);
    runner.wait<Started>(start.id);
    return start;
  }
  void let_go() const { EXPECT_EQ(std::system((": > " + runner.folder() + "/waiting").c_str()), 0); }

  RunnerProcess runner;
  const std::string fifo = runner.folder() + "/resigned", lock_path = runner.folder() + "/lock";
  UniqueFd pipe, lock;
};

TEST_F(RunnerAlone, ResignsASecondLaterAndAtEachLaterEnd) {
  waiting_run();
  runner.send(successor());
  runner.disconnect();
  const std::int64_t first = next_start();
  EXPECT_GE(first, 900);
  EXPECT_LT(first, 3000);
  EXPECT_EQ(next_start(Millis(300)), -1) << "once";
  let_go();
  EXPECT_GE(next_start(), 0);
}

/// What children of other users have no copy of, its own child needs.
TEST_F(RunnerAlone, ResignsAlsoAfterARunOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root: a run under another user";
  Start start = command({"true"});
  start.set_identity = true;
  start.uid = start.gid = 65534;
  EXPECT_EQ(runner.run(start).exit_code, 0);
  runner.send(successor());
  runner.disconnect();
  EXPECT_GE(next_start(Millis(5'000)), 900);
}

TEST_F(RunnerAlone, ResignsAtTheEndOfARunOnceAnotherHasResigned) {
  waiting_run();
  runner.send(successor());
  runner.disconnect();
  runner.role = Watch{true};
  runner.connect();
  inventory_of(runner);
  runner.disconnect();
  let_go();
  const std::int64_t first = next_start();
  EXPECT_GE(first, 0);
  EXPECT_LT(first, 800);
}

TEST_F(RunnerAlone, ResignsNotForADaemonThatIsBack) {
  runner.send(successor());
  runner.disconnect();
  runner.connect();
  EXPECT_EQ(next_start(Millis(1500)), -1);
}

TEST_F(RunnerAlone, ResignsNotWhileTheLockIsHeld) {
  ASSERT_EQ(::flock(lock.get(), LOCK_EX), 0);
  runner.send(successor());
  runner.disconnect();
  EXPECT_EQ(next_start(Millis(1600)), -1);
  ASSERT_EQ(::flock(lock.get(), LOCK_UN), 0);
  EXPECT_GE(next_start(), 0);
}

TEST_F(RunnerAlone, ResignsAgainWhereTheStoreWasAway) {
  runner.send(successor("69"));
  runner.disconnect();
  EXPECT_GE(next_start(), 900);
  EXPECT_GE(next_start(), 900) << "after a pause";
}

TEST_F(RunnerAlone, ResignsNeverAfterACleanStop) {
  waiting_run();
  runner.send(successor());
  runner.send(Leave{});
  runner.disconnect();
  EXPECT_EQ(next_start(Millis(1300)), -1);
  let_go();
  runner.wait_gone();
  EXPECT_EQ(next_start(Millis(0)), -1);
}

TEST_F(RunnerAlone, ResignsNotBeforeTheDeadlineThatItWasLeftWith) {
  waiting_run();
  runner.send(successor("0", steady() + Millis(2000)));
  runner.disconnect();
  let_go();
  EXPECT_GE(next_start(), 1500);
}

}  // namespace
}  // namespace ballot::runner
