// A real daemon reports what happened: hooks, mail, pings, the hooks and the state file of a group.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "support/process/fleet.hpp"
#include "support/process/process_facts.hpp"
#include "support/servers/http_server.hpp"

namespace ballot::testing {
namespace {

std::string hook(const std::string& key, const std::string& script) {
  return key + " = [\"/bin/sh\", \"-c\", '''" + script + "''']\n";
}

struct Notifications : ::testing::Test {
  ~Notifications() override {
    if (HasFailure()) std::cout << daemon.log;
  }
  void lead() {
    daemon.start();
    ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  }
  /// A file of the test's once `part` is in it; what is in it then.
  std::string text_with(const std::string& name, const std::string& part) {
    EXPECT_TRUE(wait_until([&] { return text_of(daemon.folder / name).find(part) != std::string::npos; }))
        << name << " has: " << text_of(daemon.folder / name);
    return text_of(daemon.folder / name);
  }
  std::string at(const std::string& name) const { return daemon.folder / name; }
  static bool has_line(const std::string& text, const std::string& line) {
    return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
  }

  BallotDaemon daemon;
};

struct Hooks : Notifications {};

TEST_F(Hooks, OfAFailedRunGetWhatBecameOfItAndRunAsItsUser) {
  const bool root = ::geteuid() == 0;
  const TempFolder open;
  ::chmod(open.path().c_str(), 0777);
  daemon.job("job", "shell = \"exit 7\"\n" + std::string(root ? "user = \"nobody\"\nworking_dir = \"/\"\n" : "") +
                        hook("on_failure", "{ env; echo USER_IS=$(id -un); echo END; } > " + open / "reported"));
  lead();
  const Ran ran = daemon.ballot({"trigger", "job", "--wait"});
  EXPECT_EQ(ran.code, 7);
  ASSERT_TRUE(wait_until([&] { return text_of(open / "reported").ends_with("END\n"); }));
  const std::string reported = text_of(open / "reported");
  for (const std::string line : {"BALLOT_STATUS=failed", "BALLOT_REASON=exit_code", "BALLOT_EXIT_CODE=7",
                                 "BALLOT_JOB=job", "BALLOT_NODE=n1", "BALLOT_TRIGGER=manual"})
    EXPECT_TRUE(has_line(reported, line)) << line << " is not in: " << reported;
  EXPECT_TRUE(has_line(reported, "BALLOT_RUN_ID=" + ran.out.substr(0, 36))) << reported;
  EXPECT_TRUE(has_line(reported, root ? "USER_IS=nobody" : "BALLOT_ATTEMPT=1")) << reported;
}

TEST_F(Hooks, OfARecoveryRunOnceAfterFailuresAlsoWhereTheDaemonWasAnotherOne) {
  daemon.job("job", "shell = \"test -e " + at("good") + "\"\n" + hook("on_failure", "echo bad >> " + at("reported")) +
                        hook("on_recovery", "echo well $BALLOT_STATUS >> " + at("reported")));
  lead();
  daemon.ballot({"trigger", "job", "--wait"});
  text_with("reported", "bad\n");
  ASSERT_EQ(daemon.stop(), 0);
  daemon.folder.write("good", "");
  lead();
  EXPECT_EQ(daemon.ballot({"trigger", "job", "--wait"}).code, 0);
  text_with("reported", "well succeeded\n");
  EXPECT_EQ(daemon.ballot({"trigger", "job", "--wait"}).code, 0);
  ASSERT_EQ(daemon.stop(), 0) << "a stop waits for what is to be sent";
  EXPECT_EQ(text_of(at("reported")), "bad\nwell succeeded\n");
}

TEST_F(Hooks, OfMissedSlotsGetOnceHowManyTheyAre) {
  daemon.job("job", "schedule = \"* * * * * *\"\nmisfire = \"skip\"\ncommand = [\"/bin/true\"]\n" +
                        hook("on_missed", "env >> " + at("reported")));
  lead();
  ASSERT_TRUE(daemon.wait_for("succeeded"));
  daemon.kill();
  const auto from = std::chrono::steady_clock::now();
  ASSERT_TRUE(wait_until([&] { return std::chrono::steady_clock::now() - from > std::chrono::seconds(4); }));
  lead();
  const std::string reported = text_with("reported", "BALLOT_SLOTS=");
  EXPECT_TRUE(has_line(reported, "BALLOT_STATUS=missed")) << reported;
  EXPECT_NE(reported.find("BALLOT_SLOT_UNTIL="), std::string::npos) << reported;
  EXPECT_EQ(reported.find("BALLOT_RUN_ID="), std::string::npos) << reported;
  ASSERT_EQ(daemon.stop(), 0) << "a stop waits for what is to be sent";
  const std::string all = text_of(at("reported"));
  std::int64_t said = 0, missed = 0;
  for (std::size_t i = all.find("BALLOT_STATUS=missed"); i != std::string::npos; i = all.find("BALLOT_STATUS=", i + 1))
    ++said;
  for (std::size_t i = all.find("BALLOT_SLOTS="); i != std::string::npos; i = all.find("BALLOT_SLOTS=", i + 1))
    said += std::stoll(all.substr(i + 13)) - 1;  // of one it is not said
  for (const Row& row : daemon.rows("job"))
    if (row.status == Status::missed) missed += row.slots;
  EXPECT_GE(missed, 3);
  EXPECT_EQ(said, missed) << all;
}

TEST_F(Hooks, ThatHangAreEndedAndHoldUpNothing) {
  daemon.job("hangs", "schedule = \"* * * * * *\"\nshell = \"exit 1\"\nhook_timeout = \"1s\"\n" +
                          hook("on_failure", "sleep 600"));
  daemon.job("other", "shell = \"exit 1\"\n" + hook("on_failure", "echo reported >> " + at("reported")));
  lead();
  ASSERT_TRUE(daemon.wait_for("failed: exit_code", 5));
  daemon.ballot({"trigger", "other", "--wait"});
  text_with("reported", "reported\n");
  EXPECT_TRUE(daemon.wait_for("on_failure took too long and was killed")) << daemon.log;
  EXPECT_EQ(daemon.stop(), 0);
}

TEST_F(Hooks, ThatHangHoldUpAStopOnlyUntilTheSecondSignal) {
  daemon.job("job", "shell = \"exit 1\"\n" + hook("on_failure", "echo on > " + at("reported") + "; exec sleep 600"));
  lead();
  daemon.ballot({"trigger", "job", "--wait"});
  text_with("reported", "on\n");
  daemon.send(SIGTERM);
  ASSERT_TRUE(daemon.wait_for("leads no more"));
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(daemon.stop(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(5));
  EXPECT_NE(daemon.log.find("stopping before all hooks, mails and pings have ended"), std::string::npos) << daemon.log;
}

TEST_F(Hooks, ThatFailAreLoggedWithWhatTheySaid) {
  daemon.job("job", "shell = \"exit 1\"\n" + hook("on_failure", "echo no route to the pager; exit 3"));
  lead();
  daemon.ballot({"trigger", "job", "--wait"});
  ASSERT_TRUE(daemon.wait_for("on_failure failed")) << daemon.log;
  const std::string line = daemon.log.substr(daemon.log.find("on_failure failed"));
  EXPECT_NE(line.find("exit_code=3"), std::string::npos) << line;
  EXPECT_NE(line.find("no route to the pager"), std::string::npos) << line;
}

struct Pings : Notifications {
  HttpServer server;
};

TEST_F(Pings, ReportTheStartAndTheEndOfEachRunInOrder) {
  daemon.job("job", "shell = \"test -e " + at("good") + "\"\nping_url = \"" + server.url("/uuid") + "\"");
  lead();
  const std::string bad = daemon.ballot({"trigger", "job", "--wait"}).out.substr(0, 36);
  ASSERT_TRUE(server.wait_for(2));
  daemon.folder.write("good", "");
  const std::string good = daemon.ballot({"trigger", "job", "--wait"}).out.substr(0, 36);
  ASSERT_TRUE(server.wait_for(4));
  EXPECT_EQ(server.asked(), (std::vector<std::string>{"GET /uuid/start?rid=" + bad, "GET /uuid/fail?rid=" + bad,
                                                      "GET /uuid/start?rid=" + good, "GET /uuid?rid=" + good}));
}

TEST_F(Pings, ThatNobodyAnswersDelayNoRunAndAreLogged) {
  server.answer(404);
  daemon.job("job", "shell = \"exit 0\"\nping_url = \"" + server.url("/uuid") + "\"");
  lead();
  EXPECT_EQ(daemon.ballot({"trigger", "job", "--wait"}).code, 0);
  EXPECT_EQ(daemon.ballot({"trigger", "job", "--wait"}).code, 0) << "the next one waits for no ping";
  EXPECT_TRUE(daemon.wait_for("ping failed")) << daemon.log;
  EXPECT_GE(server.asked().size(), 1u);
  EXPECT_NE(daemon.log.find("it answers HTTP 404"), std::string::npos);
  EXPECT_EQ(daemon.log.find("/uuid"), std::string::npos) << "the URL may be a secret";
}

#ifdef BALLOT_FAILPOINTS  // where sendmail can be another program
struct Mails : Notifications {
  Mails() {
    // Mails of several jobs may be sent at one time: a file of its own for each.
    const std::string program =
        daemon.folder.write("sendmail", "#!/bin/sh\nnew=" + at("new") + ".$$\necho \"$*\" > " + at("args") +
                                            "\ncat > $new\ncp $new $new.to\n" + "mv $new.to " + at("mail") +
                                            ".$(sed -n 's/^To: //p' $new)\nmv $new " + at("mail") + "\n");
    ::chmod(program.c_str(), 0755);
    daemon.environment = {"BALLOT_TEST_SENDMAIL=" + program};
  }
};

TEST_F(Mails, ReportAFailureInCronsMannerWithTheOutput) {
  daemon.job("job", "shell = \"echo disk full; exit 3\"\nmail_to = \"ops@example.org\"");
  lead();
  const std::string run = daemon.ballot({"trigger", "job", "--wait"}).out.substr(0, 36);
  const std::string mail = text_with("mail", "disk full\n");
  EXPECT_EQ(text_of(at("args")), "-i -t\n");
  EXPECT_TRUE(has_line(mail, "To: ops@example.org")) << mail;
  EXPECT_NE(mail.find("@n1> job: failed: exit_code 3\n"), std::string::npos) << mail;
  EXPECT_TRUE(has_line(mail, "X-Cron-Env: <BALLOT_RUN_ID=" + run + ">")) << mail;
  EXPECT_TRUE(mail.ends_with("\n\ndisk full\n")) << mail;
}

/// What each kind of end is to be reported by: runs of `keys` by hand.
struct End {
  const char* job;
  std::string keys;
  int failures, mails;             // hooks `on_failure`, mails with `mail_on = "always"`
  std::vector<std::string> pings;  // of the end
};

struct Ends : Notifications {
  Ends() {
    const std::string program = daemon.folder.write(
        "sendmail", "#!/bin/sh\nsed -n 's/^Subject: .*@n1> \\([a-z]*\\): .*/\\1/p' >> " + at("mails") + "\n");
    ::chmod(program.c_str(), 0755);
    daemon.environment = {"BALLOT_TEST_SENDMAIL=" + program};
    daemon.configure("[runner]\non_stop = \"kill\"");
    for (const End& end : ends)
      daemon.job(end.job, end.keys +
                              "\nkill_grace = \"100ms\"\nmail_to = \"ops\"\nmail_on = \"always\"\nping_url = \"" +
                              server.url("/" + std::string(end.job)) + "\"\n" +
                              hook("on_failure", "echo $BALLOT_JOB >> " + at("failures")));
  }
  int lines_of(const std::string& file, const std::string& job) {
    std::istringstream text(text_of(at(file)));
    int count = 0;
    for (std::string line; std::getline(text, line);) count += line == job;
    return count;
  }
  std::vector<std::string> end_pings(const std::string& job) {
    std::vector<std::string> ends;
    const std::string begin = "GET /" + job;
    for (const std::string& line : server.asked()) {
      const std::string rest = line.substr(0, line.find('?'));
      if (rest == begin || rest == begin + "/fail") ends.push_back(rest.substr(begin.size()));
    }
    return ends;
  }
  void trigger(const std::string& job) {
    ASSERT_EQ(daemon.ballot({"trigger", job}).code, 0);
    ASSERT_TRUE(wait_until([&] {
      const auto rows = daemon.rows(job);
      return !rows.empty() && rows.back().status == Status::running;
    }));
  }

  const std::vector<End> ends{
      {"good", "shell = \"exit 0\"", 0, 1, {""}},
      {"bad", "shell = \"exit 7\"", 1, 1, {"/fail"}},
      {"signal", "shell = \"kill -9 $$\"", 1, 1, {"/fail"}},
      {"cannot", "command = [\"/no/such/program\"]", 1, 1, {"/fail"}},
      {"late", "shell = \"exec sleep 600\"\ndeadline = \"200ms\"", 1, 1, {"/fail"}},
      {"retried", "shell = \"exit 1\"\nretries = 2\nretry_delay = \"0s\"", 1, 1, {"/fail"}},
      {"killed", "shell = \"exec sleep 600\"", 0, 1, {}},
      {"replaced", "shell = \"exec sleep 600\"\nconcurrency = \"replace\"", 0, 2, {}},
      {"lost", "shell = \"exec sleep 600\"", 1, 1, {"/fail"}},
      {"stopped", "shell = \"exec sleep 600\"", 0, 1, {}},
  };
  HttpServer server;
};

TEST_F(Ends, OfEachKindAreReportedByHookMailAndPingExactlyOnce) {
  lead();
  for (const char* job : {"good", "bad", "signal", "cannot", "late", "retried"})
    daemon.ballot({"trigger", job, "--wait"});
  trigger("killed");
  EXPECT_EQ(daemon.ballot({"kill", "killed"}).code, 0);
  trigger("replaced");
  ASSERT_EQ(daemon.ballot({"trigger", "replaced"}).code, 0);
  ASSERT_TRUE(wait_until([&] {
    const auto rows = daemon.rows("replaced");
    return rows.size() == 2 && rows[0].status == Status::killed && rows[1].status == Status::running;
  }));
  EXPECT_EQ(daemon.ballot({"kill", daemon.rows("replaced")[1].run->text()}).code, 0);
  // What the runner has of other runs goes with it.
  const auto is_told = [&](const End& end) {
    return lines_of("failures", end.job) >= end.failures && lines_of("mails", end.job) >= end.mails &&
           end_pings(end.job).size() >= end.pings.size();
  };
  const auto all_told_until = [&](std::size_t last) {
    return wait_until(
        [&] { return std::all_of(ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(last), is_told); });
  };
  EXPECT_TRUE(all_told_until(ends.size() - 2)) << "those before `lost`";
  trigger("lost");
  ASSERT_EQ(::kill(listener_at(daemon.folder / "run/runner.sock"), SIGKILL), 0);
  ASSERT_TRUE(daemon.wait_for("lost: runner_died")) << daemon.log;
  EXPECT_TRUE(all_told_until(ends.size() - 1));
  trigger("stopped");
  ASSERT_EQ(daemon.stop(), 0) << "a stop waits for what is to be sent";
  for (const End& end : ends) {
    EXPECT_EQ(lines_of("failures", end.job), end.failures) << end.job;
    EXPECT_EQ(lines_of("mails", end.job), end.mails) << end.job;
    EXPECT_EQ(end_pings(end.job), end.pings) << end.job;
  }
}

TEST_F(Mails, OfARunThatCouldNotStartSayWhy) {
  daemon.job("job", "command = [\"/no/such/program\"]\nmail_to = \"ops\"");
  lead();
  daemon.ballot({"trigger", "job", "--wait"});
  EXPECT_TRUE(
      text_with("mail", "Subject: ").ends_with("cannot start: exec /no/such/program: No such file or directory]\n"))
      << text_of(at("mail"));
}

TEST_F(Mails, ComeOfWhatMailOnNames) {
  daemon.job("failure", "shell = \"echo some\"\nmail_to = \"failure\"");
  daemon.job("output", "shell = \"echo some\"\nmail_to = \"output\"\nmail_on = \"output\"");
  daemon.job("silent", "shell = \"exit 0\"\nmail_to = \"silent\"\nmail_on = \"output\"");
  daemon.job("always", "shell = \"exit 0\"\nmail_to = \"always\"\nmail_on = \"always\"");
  lead();
  for (const char* job : {"failure", "output", "silent", "always"}) daemon.ballot({"trigger", job, "--wait"});
  EXPECT_TRUE(has_line(text_with("mail.output", "To: output\n"), "some"));
  EXPECT_TRUE(text_with("mail.always", "To: always\n").ends_with("[ballot: the run printed nothing]\n"));
  ASSERT_EQ(daemon.stop(), 0) << "a stop waits for what is to be sent";
  EXPECT_EQ(text_of(at("mail.failure")), "") << "it did not fail";
  EXPECT_EQ(text_of(at("mail.silent")), "") << "it printed nothing";
}

TEST_F(Mails, ThatCannotBeSentAreLogged) {
  daemon.environment = {"BALLOT_TEST_SENDMAIL=/no/such/sendmail"};
  daemon.job("job", "shell = \"exit 3\"\nmail_to = \"ops\"");
  lead();
  daemon.ballot({"trigger", "job", "--wait"});
  EXPECT_TRUE(daemon.wait_for("mail cannot be started")) << daemon.log;
}
#endif

struct GroupHooks : ::testing::Test {
  ~GroupHooks() override {
    if (HasFailure()) std::cout << fleet.logs();
  }
  std::string keys() const {
    const std::string report =
        "echo $BALLOT_NODE $BALLOT_ROLE of $BALLOT_GROUP leader=$BALLOT_LEADER >> " + folder / "reported";
    return "[group.default]\n" + hook("on_promote", report) + hook("on_demote", report) + "state_file = \"" +
           (folder / "leads") + "\"\n";
  }
  bool reported(const std::string& line) {
    return wait_until([&] { return text_of(folder / "reported").find(line + "\n") != std::string::npos; });
  }
  /// What `ballot election file --check` says of the state file.
  int check() { return fleet["n1"].ballot({"election", "file", folder / "leads", "default", "--check"}).code; }
  bool file_names(const std::string& node) {
    return wait_until([&] { return text_of(folder / "leads").find("\"node\":\"" + node + "\"") != std::string::npos; });
  }

  const TempFolder folder;
  Fleet fleet{{"n1", "n2"}, keys()};
};

TEST_F(GroupHooks, AndTheStateFileFollowTheTermToItsCleanEnd) {
  fleet.start();
  EXPECT_TRUE(reported("n1 leader of default leader=n1"));
  EXPECT_TRUE(file_names("n1"));
  EXPECT_EQ(check(), 0);
  ASSERT_EQ(fleet["n2"].stop(), 0);
  ASSERT_EQ(fleet["n1"].stop(), 0);
  EXPECT_EQ(text_of(folder / "reported"), "n1 leader of default leader=n1\nn1 follower of default leader=\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "leads"));
}

TEST_F(GroupHooks, OfALeaderThatDiedAreNotRunAndItsFileIsVoid) {
  fleet.start();
  ASSERT_TRUE(reported("n1 leader of default leader=n1"));
  ASSERT_TRUE(file_names("n1"));
  ASSERT_EQ(fleet["n2"].stop(), 0);
  fleet["n1"].kill();
  EXPECT_TRUE(std::filesystem::exists(folder / "leads"));
  EXPECT_TRUE(wait_until([&] { return check() == 1; })) << "its lease has run out";
  EXPECT_EQ(text_of(folder / "reported"), "n1 leader of default leader=n1\n");
}

TEST_F(GroupHooks, OfALeaderThatWasStoppedReportThatItsTermIsOver) {
  fleet.start();
  ASSERT_TRUE(reported("n1 leader of default leader=n1"));
  ASSERT_TRUE(file_names("n1"));
  fleet["n1"].send(SIGSTOP);
  EXPECT_TRUE(wait_until([&] { return check() == 1; })) << "its lease has run out";
  fleet["n1"].send(SIGCONT);
  EXPECT_TRUE(reported("n1 follower of default leader="));
  EXPECT_TRUE(wait_until([&] { return check() == 0; })) << "somebody leads again";
}

TEST_F(GroupHooks, OfADryRunDoNothing) {
  fleet["n1"].start({"--dry-run"});
  ASSERT_TRUE(fleet["n1"].wait_for("leads"));
  ASSERT_EQ(fleet["n1"].stop(), 0);
  EXPECT_FALSE(std::filesystem::exists(folder / "reported"));
  EXPECT_FALSE(std::filesystem::exists(folder / "leads"));
}

}  // namespace
}  // namespace ballot::testing
