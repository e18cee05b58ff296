// `ballot run once` as a shell or a unit runs it: policies, exit codes, signals, and a child that never outlives its
// lease, whatever becomes of `ballot`.
#include <gtest/gtest.h>

#include "support/process/candidate.hpp"
#include "support/process/terminal.hpp"

namespace ballot::testing {
namespace {

using namespace std::chrono_literals;

struct RunOnce : ::testing::Test {
  ElectionFolder folder{"[coordination]\nsession_timeout = \"2s\"\n"};

  /// To its end, with the child's code.
  int code_of(Arguments command) const {
    CandidateProcess one(folder,
                         once("a", {"--on-child-success", "exit", "--on-child-error", "exit"}, std::move(command)));
    return one.wait();
  }
  pid_t child() const { return pid_of(folder.said("START").back()); }
};

TEST_F(RunOnce, ExitsWithTheCodeOfItsChild) {
  EXPECT_EQ(code_of(shell("exit 0")), 0);
  EXPECT_EQ(code_of(shell("exit 4")), 4);
  EXPECT_EQ(code_of(shell("kill -KILL $$")), 137);
  EXPECT_EQ(code_of({"/no/such/program"}), 127);
  EXPECT_EQ(code_of({"no-such-program"}), 127);
  EXPECT_EQ(code_of({"/etc/passwd"}), 126);
}

TEST(RunOnceAsAnybody, SaysWhyAndEndsWhereItsFolderCannotBeMade) {
  const ElectionFolder folder{"[local]\npath = \"/etc/passwd/local\"\n"};
  CandidateProcess one(folder, once("a", {}, shell("true")));
  EXPECT_EQ(one.wait(), 78);
  EXPECT_EQ(one.count("cannot make the folder /etc/passwd/local/ballot: Not a directory"), 1u) << one.log();
}

TEST_F(RunOnce, IgnoresAnErrorWhereItIsAskedTo) {
  CandidateProcess one(folder, once("a", {"--on-child-error", "ignore"}, shell("exit 4")));
  EXPECT_EQ(one.wait(), 0);
  EXPECT_EQ(one.count("exit code 4"), 1u);
}

TEST_F(RunOnce, BesideOneOfAnotherGroupMayBearItsName) {
  const Arguments stays = shell("echo START $$ >> " + (folder.folder / "said") + "; exec sleep 600");
  CandidateProcess one(folder, once("a", {"--group", "one"}, stays));
  ASSERT_TRUE(folder.wait_until_said("START")) << one.log();
  CandidateProcess two(folder, once("a", {"--group", "two"}, stays));
  EXPECT_TRUE(folder.wait_until_said("START", 2)) << two.log();
  CandidateProcess rival(folder, once("a", {"--group", "one"}, stays));
  EXPECT_TRUE(rival.wait_for("is in use by")) << "of one group there is one: " << rival.log();
  EXPECT_EQ(folder.said("START").size(), 2u);
}

TEST_F(RunOnce, RunsAgainInTheSameTerm) {
  const std::string script = folder.saying("test $(grep -c START " + (folder.folder / "said") + ") -lt 3 || exit 9");
  CandidateProcess one(folder, once("a", {"--on-child-success", "rerun", "--on-child-error", "exit"}, shell(script)));
  EXPECT_EQ(one.wait(), 9);
  const auto starts = folder.said("START");
  ASSERT_EQ(starts.size(), 3u);
  EXPECT_EQ(field(starts[0], 4), field(starts[2], 4)) << "the epoch";
}

TEST_F(RunOnce, RunsAgainTenThousandTimesAndNeverStalls) {
  const std::string runs = folder.folder.write("runs", "");
  const auto have_run = [&](std::uintmax_t count) {
    return wait_until([&] { return std::filesystem::file_size(runs) >= count; }, 120s);
  };
  CandidateProcess one(
      folder, once("a", {"--on-child-success", "rerun", "--log-level", "error"}, shell("printf . >> " + runs)));
  ASSERT_TRUE(have_run(100));
  const std::size_t descriptors = descriptors_of(one.pid());
  EXPECT_TRUE(have_run(10'000));
  EXPECT_LE(descriptors_of(one.pid()), descriptors + 10) << "a few more while a child starts";
  EXPECT_TRUE(one.stops_between_runs(SIGTERM));
}

TEST_F(RunOnce, WaitsASecondBeforeItRunsAgainWhatFailed) {
  const std::string script = folder.saying("test $(grep -c START " + (folder.folder / "said") + ") -ge 2 || exit 9");
  CandidateProcess one(folder, once("a", {"--on-child-success", "exit", "--on-child-error", "rerun"}, shell(script)));
  EXPECT_EQ(one.wait(), 0);
  const auto starts = folder.said("START");
  ASSERT_EQ(starts.size(), 2u);
  EXPECT_GE(time_of(starts[1]) - time_of(starts[0]), 1000);
}

TEST_F(RunOnce, HandsOverToTheOtherAfterEachRun) {
  CandidateProcess a(folder, once("a", {}, shell(folder.saying("sleep 0.1"))));
  CandidateProcess b(folder, once("b", {}, shell(folder.saying("sleep 0.1"))));
  ASSERT_TRUE(folder.wait_until_said("END", 10));
  a.stop(SIGTERM);
  b.stop(SIGTERM);
  const auto starts = folder.said("START");
  std::size_t handovers = 0;
  for (std::size_t i = 1; i < 10; ++i) handovers += field(starts[i], 3) != field(starts[i - 1], 3);
  EXPECT_GE(handovers, 7u) << "but for the first ones, before the other had come";
  EXPECT_EQ(a.count("election failed") + b.count("election failed"), 0u) << "a race that is lost is no failure";
}

TEST_F(RunOnce, GivesUpWhereItDoesNotLeadInTime) {
  CandidateProcess a(folder, once("a", {}, shell(folder.saying("sleep 30"))));
  ASSERT_TRUE(folder.wait_until_said("START"));
  CandidateProcess b(folder, once("b", {"--max-wait", "300ms"}, shell(folder.saying("true"))));
  EXPECT_EQ(b.wait(), 75);
  EXPECT_EQ(folder.said("START").size(), 1u);
  a.stop(SIGTERM);
}

TEST_F(RunOnce, PassesSignalsOnAndEndsWithItsChild) {
  for (const auto& [signal, name] : {std::pair{SIGTERM, "TERM"}, {SIGINT, "INT"}, {SIGHUP, "HUP"}, {SIGQUIT, "QUIT"}}) {
    const std::string script =
        std::string("trap 'echo HEARD ") + name + " >> " + (folder.folder / "said") + "; exit 3' " + name + "; ";
    CandidateProcess one(folder, once("a", {}, shell(script + folder.saying("sleep 30 & wait"))));
    ASSERT_TRUE(folder.wait_until_said("START", 1)) << name;
    EXPECT_EQ(one.stop(signal), 3) << name;
    EXPECT_EQ(folder.said("HEARD " + std::string(name)).size(), 1u);
    folder.folder.write("said", "");
  }
}

TEST_F(RunOnce, KillsAChildThatDoesNotEndWithinItsGrace) {
  CandidateProcess one(folder, once("a", {"--kill-grace", "300ms"},
                                    shell("trap '' TERM; " + folder.saying("while :; do sleep 1; done"))));
  ASSERT_TRUE(folder.wait_until_said("START"));
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(one.stop(SIGTERM), 137);
  const auto took = std::chrono::steady_clock::now() - before;
  EXPECT_GE(took, 290ms);
  EXPECT_LT(took, 5s);
  EXPECT_TRUE(is_gone(child()));
}

TEST_F(RunOnce, GivesItsChildItsWholeGraceWhileItKeepsItsLease) {
  const std::string script = "trap 'sleep 3; exit 6' TERM; " + folder.saying("while :; do sleep 0.05; done");
  CandidateProcess one(folder, once("a", {"--kill-grace", "20s"}, shell(script)));
  ASSERT_TRUE(folder.wait_until_said("START"));
  EXPECT_EQ(one.stop(SIGTERM), 6) << "T is 2 s";
  EXPECT_EQ(one.count("leads no more"), 1u);
}

TEST_F(RunOnce, EndsItsChildByTheDeadlineWhereItsTermIsEndedByForce) {
  const std::string stubborn = "trap '' TERM; " + folder.saying("while :; do sleep 0.05; done");
  CandidateProcess a(folder, once("a", {"--kill-grace", "20s"}, shell(stubborn)));
  ASSERT_TRUE(folder.wait_until_said("START"));
  CandidateProcess b(folder, once("b", {"--log-level", "debug"}, shell(folder.saying("sleep 30"))));
  ASSERT_TRUE(b.wait_for("campaigns"));
  EXPECT_EQ(run_program({BALLOT_PROGRAM, "election", "evict", "default", "--force", "--config", folder.config()}).code,
            0);
  ASSERT_TRUE(folder.wait_until_said("START", 2));
  EXPECT_EQ(folder.said("OVERLAP").size(), 0u);
  EXPECT_EQ(field(folder.said("START")[1], 3), "b");
}

TEST_F(RunOnce, GoesOnWhereItGetsASignalThatMeansNothing) {
  CandidateProcess a(folder, once("a", {"--log-level", "debug"}, shell(folder.saying("sleep 30"))));
  ASSERT_TRUE(folder.wait_until_said("START"));
  a.send(SIGUSR1);
  ASSERT_TRUE(a.wait_for("SIGUSR1 means nothing here"));
  EXPECT_EQ(a.stop(SIGTERM), 143);
  EXPECT_EQ(a.count("child started"), 1u);
}

TEST_F(RunOnce, EndsAtOnceWhileItFollows) {
  CandidateProcess a(folder, once("a", {}, shell(folder.saying("sleep 30"))));
  ASSERT_TRUE(folder.wait_until_said("START"));
  CandidateProcess b(folder, once("b", {"--log-level", "debug"}, shell(folder.saying("true"))));
  ASSERT_TRUE(b.wait_for("campaigns"));
  EXPECT_EQ(b.stop(SIGTERM), 143);
  EXPECT_EQ(folder.said("START").size(), 1u);
}

TEST_F(RunOnce, ResignsOnItsWayOutSoThatTheNextOneStartsAtOnce) {
  CandidateProcess a(folder, once("a", {}, shell(folder.saying("sleep 30"))));
  ASSERT_TRUE(folder.wait_until_said("START"));
  CandidateProcess b(folder, once("b", {"--log-level", "debug"}, shell(folder.saying("sleep 30"))));
  ASSERT_TRUE(b.wait_for("campaigns"));
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(a.stop(SIGTERM), 143);
  ASSERT_TRUE(folder.wait_until_said("START", 2));
  EXPECT_LT(std::chrono::steady_clock::now() - before, 1s);
}

TEST_F(RunOnce, EndsItsChildWhereItIsAskedToLeave) {
  CandidateProcess a(folder, once("a", {}, shell(folder.saying("sleep 30"))));
  ASSERT_TRUE(folder.wait_until_said("START"));
  CandidateProcess b(folder, once("b", {"--log-level", "debug"}, shell(folder.saying("sleep 30"))));
  ASSERT_TRUE(b.wait_for("campaigns"));
  EXPECT_EQ(run_program({BALLOT_PROGRAM, "election", "evict", "default", "--config", folder.config()}).code, 0);
  ASSERT_TRUE(folder.wait_until_said("START", 2));
  EXPECT_EQ(field(folder.said("START")[1], 3), "b");
  EXPECT_EQ(a.count("asked to leave"), 1u);
}

TEST_F(RunOnce, EndsItsChildWhereItIsKilledAndTheNextOneWaitsForThat) {
  CandidateProcess a(folder, once("a", {"--kill-grace", "500ms"},
                                  shell("trap '' TERM; " + folder.saying("while :; do sleep 0.05; done"))));
  ASSERT_TRUE(folder.wait_until_said("START"));
  const pid_t first = child();
  CandidateProcess b(folder, once("b", {"--log-level", "debug"},
                                  shell("test -e /proc/" + std::to_string(first) + " && echo OVERLAP >> " +
                                        (folder.folder / "said") + "; " + folder.saying("sleep 30"))));
  ASSERT_TRUE(b.wait_for("campaigns"));
  EXPECT_EQ(a.stop(SIGKILL), 137);
  ASSERT_TRUE(b.wait_for("leads"));
  ASSERT_TRUE(folder.wait_until_said("START", 2));
  EXPECT_TRUE(is_gone(first));
  EXPECT_EQ(folder.said("OVERLAP").size(), 0u);
}

TEST_F(RunOnce, LeavesItsChildThePipesWhereItIsKilledSoThatItEndsAsItWants) {
  const std::string said = folder.folder / "said";
  CandidateProcess a(folder, once("a", {},
                                  shell("trap 'echo ending; echo ending >&2; echo ENDED >> " + said +
                                        "; exit 0' TERM; echo START >> " + said +
                                        "; while :; do echo on; echo on >&2; sleep 0.01; done")));
  ASSERT_TRUE(folder.wait_until_said("START"));
  EXPECT_EQ(a.stop(SIGKILL), 137);
  EXPECT_TRUE(folder.wait_until_said("ENDED"));
}

TEST_F(RunOnce, DoesNotHoldUpTheEndOfAChildThatFillsItsPipesWhereItIsKilled) {
  const std::string said = folder.folder / "said";
  CandidateProcess a(folder, once("a", {},
                                  shell("trap 'head -c 1000000 /dev/zero; echo ENDED >> " + said +
                                        "; exit 0' TERM; echo START >> " + said + "; while :; do sleep 0.01; done")));
  ASSERT_TRUE(folder.wait_until_said("START"));
  EXPECT_EQ(a.stop(SIGKILL), 137);
  EXPECT_TRUE(folder.wait_until_said("ENDED")) << "somebody reads them";
}

TEST_F(RunOnce, EndsItsChildByTheDeadlineWhereItIsStopped) {
  CandidateProcess a(folder, once("a", {}, shell("trap '' TERM; " + folder.saying("while :; do sleep 0.05; done"))));
  ASSERT_TRUE(folder.wait_until_said("START"));
  const pid_t first = child();
  a.send(SIGSTOP);
  const auto before = std::chrono::steady_clock::now();
  ASSERT_TRUE(wait_until([&] { return is_gone(first); }));
  EXPECT_LT(std::chrono::steady_clock::now() - before, 2s) << "T";
  EXPECT_EQ(state_of(a.pid()), 'T');
  a.send(SIGCONT);
  ASSERT_TRUE(a.wait_for("leads no more")) << a.log();
  ASSERT_TRUE(a.wait_for("the term was over")) << a.log();
  EXPECT_EQ(a.stop(SIGTERM) & 128, 128);
}

TEST_F(RunOnce, EndsWhereItsGuardIsKilledAndTheChildWithIt) {
  CandidateProcess a(folder, once("a", {}, shell(folder.saying("sleep 30 & wait"))));
  ASSERT_TRUE(folder.wait_until_said("START"));
  const pid_t first = child();
  ::kill(a.guard(), SIGKILL);
  EXPECT_NE(a.wait(), 0);
  EXPECT_TRUE(is_gone(first));
  EXPECT_EQ(a.count("signal 9"), 1u);
}

TEST_F(RunOnce, LeavesNoGrandchildBehind) {
  CandidateProcess one(folder, once("a", {"--on-child-success", "exit"},
                                    shell("sleep 1000 & echo GRANDCHILD $! >> " + (folder.folder / "said"))));
  EXPECT_EQ(one.wait(), 0);
  ASSERT_EQ(folder.said("GRANDCHILD").size(), 1u);
  const pid_t grandchild = std::stoi(field(folder.said("GRANDCHILD").front(), 1));
  EXPECT_TRUE(wait_until([&] { return is_gone(grandchild); }));
}

TEST_F(RunOnce, GivesItsChildTheArgumentsByteForByte) {
  const Arguments odd{"/usr/bin/printf", "%s|", "a  b", "", "--", "-x", "[1,2]", "{}", "a,b", "\n", "%%"};
  Arguments arguments = once("a", {"--on-child-success", "exit", "--wrap-child-logs", "false"}, odd);
  CandidateProcess one(folder, arguments);
  EXPECT_EQ(one.wait(), 0);
  EXPECT_EQ(one.out(), "a  b||--|-x|[1,2]|{}|a,b|\n|%%|");
}

TEST_F(RunOnce, GivesItsChildItsNameAndTerm) {
  CandidateProcess one(folder,
                       once("a", {"--group", "nightly", "--on-child-success", "exit", "--wrap-child-logs", "false"},
                            shell("echo $BALLOT_NODE $BALLOT_GROUP $BALLOT_EPOCH ${#BALLOT_RUN_ID} $KEPT")),
                       {"KEPT=kept"});
  EXPECT_EQ(one.wait(), 0);
  EXPECT_EQ(one.out(), "a nightly 1 36 kept\n");
}

TEST_F(RunOnce, LogsWhatItsChildPrints) {
  const std::string script =
      "echo to out; echo to err >&2; head -c 1000000 /dev/zero | tr '\\0' x; echo; printf 'a\\000b\\n'; printf 'no "
      "end'";
  CandidateProcess one(folder, once("a", {"--on-child-success", "exit", "--log-format", "json"}, shell(script)));
  EXPECT_EQ(one.wait(), 0);
  EXPECT_EQ(one.out(), "") << "logs go to standard error";
  const auto line_with = [&](const std::string& text) {
    std::istringstream lines(one.log());
    for (std::string line; std::getline(lines, line);)
      if (line.find("\"msg\":\"" + text) != std::string::npos) return line;
    return std::string();
  };
  const std::string out = line_with("to out"), err = line_with("to err");
  EXPECT_NE(out.find("\"level\":\"info\""), std::string::npos);
  EXPECT_NE(err.find("\"level\":\"error\""), std::string::npos);
  for (const std::string& line : {out, err})
    for (const char* key : {"\"candidate\":\"a\"", "\"group\":\"default\"", "\"run\":\""})
      EXPECT_NE(line.find(key), std::string::npos) << line;
  EXPECT_NE(line_with("a\\u0000b"), "");
  EXPECT_NE(line_with("no end"), "");
  const std::string all = one.log();
  EXPECT_EQ(std::count(all.begin(), all.end(), 'x') >= 1'000'000, true);
  EXPECT_GE(one.count("\"continues\":\"true\""), 15u) << "a long line comes in pieces that say so";
}

TEST_F(RunOnce, HandsItsOwnDescriptorsOver) {
  CandidateProcess one(folder,
                       once("a", {"--on-child-success", "exit", "--wrap-child-logs=false", "--log-level", "fatal"},
                            shell("readlink /proc/self/fd/1; echo err >&2")));
  EXPECT_EQ(one.wait(), 0);
  EXPECT_NE(one.out().find("/out"), std::string::npos) << "the file itself, no pipe: " << one.out();
  EXPECT_EQ(one.log(), "err\n");
}

TEST_F(RunOnce, HandsItsTerminalOver) {
  const AtTerminal ran = run_at_terminal(
      {BALLOT_PROGRAM, "run", "once", "--config", folder.config(), "--on-child-success", "exit", "--wrap-child-logs",
       "false", "--log-level", "fatal", "--", "/bin/sh", "-c", "test -t 1 && test -t 2 && echo at a terminal"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.shown, "at a terminal\r\n");
}

TEST_F(RunOnce, DoesNotWaitForAGrandchildThatHoldsItsOutput) {
  CandidateProcess one(folder, once("a", {"--on-child-success", "exit"}, shell("setsid sleep 20 & echo done")));
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(one.wait(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 10s);
  EXPECT_EQ(one.count("done"), 1u);
}

TEST_F(RunOnce, DoesNotLogWhatIsInTheArguments) {
  CandidateProcess one(folder, once("a", {"--on-child-success", "exit"}, {"/bin/true", "secret-word"}));
  EXPECT_EQ(one.wait(), 0);
  EXPECT_EQ(one.count("secret-word"), 0u);
}

TEST_F(RunOnce, RefusesASecondCandidateOfItsName) {
  CandidateProcess a(folder, once("a", {}, shell(folder.saying("sleep 30"))));
  ASSERT_TRUE(folder.wait_until_said("START"));
  CandidateProcess b(folder, once("a", {}, shell(folder.saying("true"))));
  EXPECT_EQ(b.wait(), 1);
  EXPECT_EQ(b.count("--candidate-id"), 1u);
  EXPECT_EQ(folder.said("START").size(), 1u);
}

struct RunOnceWithoutABackend : RunOnce {
  LockedStore store{folder};
};

TEST_F(RunOnceWithoutABackend, ExitsWhereItIsAskedTo) {
  CandidateProcess one(folder, once("a", {"--on-election-failure", "exit"}, shell(folder.saying("true"))));
  EXPECT_EQ(one.wait(), 75);
  EXPECT_EQ(folder.said("START").size(), 0u);
}

TEST_F(RunOnceWithoutABackend, RunsAnywayAndSaysSo) {
  CandidateProcess one(
      folder,
      once("a", {"--on-election-failure", "run-anyway", "--on-child-success", "exit", "--wrap-child-logs", "false"},
           shell("echo ${BALLOT_EPOCH-none} $BALLOT_UNCLAIMED")));
  EXPECT_EQ(one.wait(), 0);
  EXPECT_EQ(one.out(), "none 1\n");
  EXPECT_EQ(one.count("unelected"), 1u);
}

TEST_F(RunOnceWithoutABackend, GoesOnToTheNextRunAfterOneThatWasNotElected) {
  CandidateProcess one(folder, once("a", {"--on-election-failure", "run-anyway"}, shell(folder.saying("true"))));
  ASSERT_TRUE(folder.wait_until_said("END", 2));
  EXPECT_TRUE(one.stops_between_runs(SIGTERM));
}

TEST_F(RunOnceWithoutABackend, LeadsOnceTheBackendIsBack) {
  CandidateProcess one(folder, once("a", {"--on-child-success", "exit"}, shell(folder.saying("true"))));
  ASSERT_TRUE(one.wait_for("election failed"));
  store.let_go();
  EXPECT_EQ(one.wait(), 0);
  EXPECT_EQ(one.count("the backend is back"), 1u);
}

struct RunUsage : RunOnce {
  Ran run(Arguments arguments, Arguments environment = {}) const {
    arguments.insert(arguments.begin(), {BALLOT_PROGRAM, "run"});
    return run_program(std::move(arguments), std::move(environment));
  }
};

TEST_F(RunUsage, NamesWhatIsWrongAndStartsNothing) {
  const Ran policy = run({"once", "--on-child-error", "explode", "--", "/bin/true"});
  EXPECT_EQ(policy.code, 2);
  EXPECT_NE(policy.err.find("--on-child-error"), std::string::npos);
  EXPECT_NE(policy.err.find("reelect"), std::string::npos);
  EXPECT_EQ(run({"once"}).code, 2) << "no command";
  EXPECT_EQ(run({"cron", "--", "/bin/true"}).code, 2) << "no schedule";
  const Ran schedule = run({"cron", "--schedule", "61 * * * *", "--", "/bin/true"});
  EXPECT_EQ(schedule.code, 2);
  EXPECT_NE(schedule.err.find("minute is 0 to 59"), std::string::npos);
  EXPECT_EQ(run({"cron", "--schedule", "0 0 31 2 *", "--", "/bin/true"}).code, 2) << "it can never fire";
  const Ran zone = run({"cron", "--schedule", "0 0 * * *", "--timezone", "Europe/Pari", "--", "/bin/true"});
  EXPECT_EQ(zone.code, 2);
  EXPECT_NE(zone.err.find("--timezone: unknown time zone"), std::string::npos) << zone.err;
}

TEST_F(RunOnce, EndsAfterASuccessUnlessToldOtherwise) {
  CandidateProcess one(folder, {"run", "once", "--candidate-id", "a", "--", "/bin/echo", "once"});
  EXPECT_EQ(one.wait(), 0);
  EXPECT_EQ(one.count("child ended"), 1u);
  EXPECT_EQ(one.count("campaigns"), 1u) << "a follower is not silent";
  const std::string log = one.log();
  EXPECT_LT(log.find("child started"), log.find(" once ")) << log;
}

TEST_F(RunUsage, KeepsItsStateWhereItIsTold) {
  const std::string elsewhere = folder.folder / "elsewhere";
  EXPECT_EQ(run({"once", "--config", folder.config(), "--state-dir", elsewhere, "--", "/bin/true"}).code, 0);
  EXPECT_TRUE(std::filesystem::exists(elsewhere + "/local"));
}

TEST_F(RunUsage, TakesVariablesInPlaceOfFlagsAndFlagsBeforeThem) {
  Arguments arguments = once("a", {"--on-child-error", "exit"}, shell("echo $BALLOT_NODE $BALLOT_GROUP; exit 4"));
  arguments.erase(arguments.begin() + 2, arguments.begin() + 4);
  CandidateProcess one(folder, arguments,
                       {"BALLOT_CANDIDATE_ID=from-variable", "BALLOT_ON_CHILD_ERROR=ignore",
                        "BALLOT_WRAP_CHILD_LOGS=false", "SCHEDULE=61 * * * *", "BALLOT_GROUP=reports"});
  EXPECT_EQ(one.wait(), 4);
  EXPECT_EQ(one.out(), "from-variable reports\n");
  for (const char* of_a_child : {"BALLOT_RUN_ID=x", "BALLOT_EPOCH_FILE=x"}) {
    CandidateProcess in_run(
        folder, arguments,
        {"BALLOT_CANDIDATE_ID=b", "BALLOT_WRAP_CHILD_LOGS=false", "BALLOT_GROUP=reports", of_a_child});
    EXPECT_EQ(in_run.wait(), 4);
    EXPECT_EQ(in_run.out(), "b default\n") << "what a child gets is never read back";
  }
  const Ran wrong = run({"once", "--", "/bin/true"}, {"BALLOT_ON_CHILD_ERROR=explode"});
  EXPECT_EQ(wrong.code, 2);
}

}  // namespace
}  // namespace ballot::testing
