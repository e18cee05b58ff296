#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "integration/runner/runner_process.hpp"
#include "support/process/process_facts.hpp"

namespace ballot::runner {
namespace {

using std::chrono::seconds;

/// Of sessions that have a deadline, far away.
class LedRunner : public RunnerProcess {
 public:
  LedRunner() {
    for (const std::uint64_t term_key : {7, 8}) send(Deadline{term_key, steady() + seconds(600), seconds(1)});
  }
};

Start of_term(Start start, std::uint64_t term_key, bool terminate) {
  start.term_key = term_key;
  start.terminate = terminate;
  return start;
}

TEST(AttemptDeadline, EndsTheRunAndSaysSo) {
  RunnerProcess runner;
  Start start = command({"sleep", "600"});
  start.deadline = Millis(200);
  const Ended ended = runner.run(start);
  EXPECT_EQ(ended.reason, Reason::deadline);
  EXPECT_EQ(ended.signal, SIGTERM);
  EXPECT_GE(ended.duration, Millis(200));
  EXPECT_LT(ended.duration, seconds(5));
}

TEST(AttemptDeadline, UsesTheRunsOwnSignalAndGrace) {
  RunnerProcess runner;
  Start start = shell("trap '' INT; while :; do sleep 600; done");
  start.deadline = Millis(300);
  start.kill_signal = SIGINT;
  start.kill_grace = Millis(300);
  const Ended ended = runner.run(start);
  EXPECT_EQ(ended.reason, Reason::deadline);
  EXPECT_EQ(ended.signal, SIGKILL);
  EXPECT_GE(ended.duration, Millis(600));
}

TEST(AttemptDeadline, IsNotTheReasonOfARunThatEndedBefore) {
  RunnerProcess runner;
  Start start = command({"true"});
  start.deadline = seconds(600);
  EXPECT_EQ(runner.run(start).reason, Reason::none);
}

TEST(SessionDeadline, EndsTheSessionsTerminateRunsAndNoOthers) {
  LedRunner runner;
  const Start dies = ready(runner, of_term(shell("echo ready; exec sleep 600"), 7, true));
  const Start finishes = ready(runner, of_term(shell("echo ready; exec sleep 600"), 7, false));
  const Start other = ready(runner, of_term(shell("echo ready; exec sleep 600"), 8, true));
  const SteadyTime deadline = steady() + Millis(900);
  runner.send(Deadline{7, deadline, Millis(500)});
  const Ended ended = runner.wait<Ended>();
  EXPECT_EQ(ended.id, dies.id);
  EXPECT_EQ(ended.reason, Reason::leadership_lost);
  EXPECT_EQ(ended.signal, SIGTERM);
  EXPECT_LT(steady(), deadline);
  runner.disconnect();
  runner.connect();
  EXPECT_EQ(runner.wait<Running>(finishes.id).job, "job");
  EXPECT_EQ(runner.wait<Running>(other.id).job, "job");
}

TEST(SessionDeadline, KillsBeforeItPassesWhatIgnoresItsSignal) {
  LedRunner runner;
  const Start start = ready(runner, of_term(shell("trap '' TERM; echo ready; while :; do sleep 600; done"), 7, true));
  const SteadyTime deadline = steady() + Millis(1000);
  runner.send(Deadline{7, deadline, Millis(600)});
  const Ended ended = runner.wait<Ended>(start.id);
  EXPECT_EQ(ended.signal, SIGKILL);
  EXPECT_EQ(ended.reason, Reason::leadership_lost);
  EXPECT_LT(steady(), deadline);
  EXPECT_GE(steady(), deadline - Millis(200));
}

TEST(SessionDeadline, SignalsEachRunItsOwnGraceBefore) {
  LedRunner runner;
  Start shorter = of_term(shell("echo ready; exec sleep 600"), 7, true);
  shorter.kill_grace = Millis(300);
  shorter = ready(runner, shorter);
  Start longer = of_term(shell("echo ready; exec sleep 600"), 7, true);
  longer.kill_grace = seconds(10);
  longer = ready(runner, longer);
  const SteadyTime deadline = steady() + Millis(1500);
  runner.send(Deadline{7, deadline, Millis(1200)});
  runner.wait<Ended>(longer.id);
  EXPECT_LT(steady(), deadline - Millis(300));
  EXPECT_EQ(runner.wait<Ended>(shorter.id).signal, SIGTERM);
  EXPECT_GE(steady(), deadline - Millis(300));
  EXPECT_LT(steady(), deadline);
}

/// A runner that is stopped from before its run ends by itself until after a signal is due.
struct AStoppedRunner : ::testing::Test {
  LedRunner runner;
  SteadyTime due = steady() + Millis(1500);

  Ended go_on_after(Start start) {
    start = ready(runner, start);
    const auto child = static_cast<pid_t>(runner.wait<Started>(start.id).pid);
    if (start.deadline) due = steady() + *start.deadline;
    ::kill(runner.pid(), SIGSTOP);
    ::kill(child, SIGUSR1);
    EXPECT_TRUE(::ballot::testing::wait_until([&] { return !process_exists(child); }));
    EXPECT_LT(steady(), due) << "the machine is too busy to try this";
    while (steady() <= due) ::poll(nullptr, 0, 2);
    ::kill(runner.pid(), SIGCONT);
    return runner.wait<Ended>(start.id);
  }
  static Start until_asked(int code) {
    return shell("trap 'exit " + std::to_string(code) + "' USR1; echo ready; while :; do sleep 0.01; done");
  }
};

TEST_F(AStoppedRunner, GivesTheEndOfARunThatWasOverBeforeItsTermsSignal) {
  runner.send(Deadline{7, due, seconds(0)});
  const Ended ended = go_on_after(of_term(until_asked(0), 7, true));
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.reason, Reason::none);
}

TEST_F(AStoppedRunner, GivesTheEndOfARunThatWasOverBeforeItsOwnDeadline) {
  Start start = until_asked(3);
  start.deadline = Millis(1300);
  const Ended ended = go_on_after(start);
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_EQ(ended.reason, Reason::none);
}

TEST(SessionDeadline, IsNoMatterOfARunThatHasEndedBeforeItsSignalAndIsNotAcknowledged) {
  LedRunner runner;
  Start brief = of_term(shell("echo ready; exec sleep 0.6"), 7, true);
  brief.kill_grace = Millis(200);
  brief = ready(runner, brief);
  runner.send(Deadline{7, steady() + Millis(1500), Millis(1400)});  // arms the signal after 0.1 s, for 1.3 s
  runner.wait<Ended>(brief.id);
  const Start later = shell("exec sleep 1.5");
  runner.send(later);
  runner.wait<Ended>(later.id);
}

TEST(SessionDeadline, HoldsWithoutADaemon) {
  LedRunner runner;
  const Start dies = ready(runner, of_term(shell("trap '' TERM; echo ready; while :; do sleep 600; done"), 7, true));
  const Start goes_on = ready(runner, of_term(shell("echo ready; exec sleep 600"), 7, false));
  const SteadyTime deadline = steady() + Millis(600);
  const pid_t pid = runner.children().front();
  runner.send(Deadline{7, deadline, Millis(300)});
  runner.disconnect();
  wait_process_gone(pid);
  EXPECT_LT(steady(), deadline);
  runner.connect();
  EXPECT_EQ(runner.wait<Ended>(dies.id).reason, Reason::leadership_lost);
  EXPECT_EQ(runner.wait<Running>(goes_on.id).id, goes_on.id);
}

TEST(SessionDeadline, MovesWithTheLatestOneGiven) {
  LedRunner runner;
  const Start start = ready(runner, of_term(shell("echo ready; exec sleep 600"), 7, true));
  const SteadyTime first = steady() + Millis(700);
  runner.send(Deadline{7, first, Millis(300)});
  runner.send(Deadline{7, first + Millis(700), Millis(300)});
  EXPECT_EQ(runner.wait<Ended>(start.id).reason, Reason::leadership_lost);
  EXPECT_GE(steady(), first + Millis(400));
}

TEST(SessionDeadline, RefusesEveryStartPastIt) {
  LedRunner runner;
  runner.send(Deadline{7, steady() - Millis(1), Millis(0)});
  const std::string mark = runner.folder() + "/mark";
  for (const bool terminate : {true, false}) {
    const Start start = of_term(command({"touch", mark}), 7, terminate);
    runner.send(start);
    runner.wait<Refused>(start.id);
  }
  EXPECT_NE(::access(mark.c_str(), F_OK), 0);
  EXPECT_EQ(runner.run(of_term(command({"true"}), 8, true)).exit_code, 0);
}

TEST(SessionDeadline, IsNeededByEveryTerminateRun) {
  RunnerProcess runner;
  const std::string mark = runner.folder() + "/mark";
  const Start unbounded = of_term(command({"touch", mark}), 9, true);
  runner.send(unbounded);
  runner.wait<Refused>(unbounded.id);
  EXPECT_NE(::access(mark.c_str(), F_OK), 0);
  EXPECT_TRUE(runner.children().empty());
  EXPECT_EQ(runner.run(of_term(command({"true"}), 9, false)).exit_code, 0);
  runner.send(Deadline{9, steady() + seconds(600), seconds(1)});
  EXPECT_EQ(runner.run(unbounded).exit_code, 0) << "permitted anew, and bounded";
}

TEST(SessionDeadline, SignalsAtOnceWhatStartsWhenItIsDue) {
  LedRunner runner;
  runner.send(Deadline{7, steady() + seconds(5), seconds(5)});
  const Ended ended = runner.run(of_term(command({"sleep", "600"}), 7, true));
  EXPECT_EQ(ended.reason, Reason::leadership_lost);
  EXPECT_EQ(ended.signal, SIGTERM);
}

}  // namespace
}  // namespace ballot::runner
