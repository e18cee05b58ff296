// What people ask of two daemons of one host, through either of them: the store carries it to whoever does it, and it
// survives the death of the leader. The commands are the real ones.
#include <gtest/gtest.h>

#include "storage/database.hpp"
#include "support/process/fleet.hpp"
#include "support/process/process_facts.hpp"

namespace ballot::testing {
namespace {

constexpr const char* leads = "leads   ";  // and not "leads no more"

class Requests : public ::testing::Test {
 protected:
  Requests() {
    fleet.job("tick", "schedule = \"* * * * * *\"\nmisfire = \"all\"\n" + fleet.oracle.command());
    fleet.job("beat", "schedule = \"* * * * * *\"\n" + fleet.oracle.command());
    fleet.job("long", fleet.oracle.command({"--wait"}));
    fleet.job("finish", "on_leadership_lost = \"finish\"\n" + fleet.oracle.command({"--wait"}));
    fleet.start();
  }
  ~Requests() override {
    if (HasFailure()) std::cout << fleet.logs();
  }

  /// Of a job triggered through `node`, once its process has started.
  RunId triggered(const std::string& node, const std::string& job) {
    const Ran ran = fleet[node].ballot({"trigger", job});
    EXPECT_EQ(ran.code, 0) << ran.err;
    const auto run = RunId::parse(ran.out.substr(0, 36));
    EXPECT_TRUE(run.has_value()) << ran.out;
    EXPECT_TRUE(fleet.oracle.wait_until([&](const Reports& all) {
      return std::any_of(all.begin(), all.end(), [&](const Report& report) { return report.run == *run; });
    })) << job;
    return *run;
  }
  void done(const std::string& node, const std::vector<std::string>& command) {
    const Ran ran = fleet[node].ballot(command);
    EXPECT_EQ(ran.code, 0) << command[0] << ": " << ran.err;
  }
  bool starts_after(const std::string& job, const Instant& instant, const std::string& node = "") {
    return fleet.oracle.wait_until([&](const Reports& all) {
      return std::any_of(all.begin(), all.end(), [&](const Report& report) {
        return report.job == job && report.started.boot > instant.boot && (node.empty() || report.node == node);
      });
    });
  }
  bool beats_after(const Instant& instant, int count) {
    return fleet.oracle.wait_until([&](const Reports& all) {
      return std::count_if(all.begin(), all.end(), [&](const Report& report) {
               return report.job == "beat" && report.started.boot > instant.boot;
             }) >= count;
    });
  }
  std::string status_of_run(const std::string& node, const RunId& run) {
    for (const Row& row : fleet[node].rows())
      if (row.run == run) return std::string(to_string(row.status)) + ": " + std::string(to_string(row.reason));
    return "no row";
  }
  /// A column of `ballot jobs` by way of `node`.
  std::string of_job(const std::string& node, const std::string& job, const std::string& field) {
    const std::string text = fleet[node].ballot({"jobs", job, "--format", "json"}).out;
    const std::string key = "\"" + field + "\":\"";
    const std::size_t at = text.find(key);
    return at == std::string::npos ? ""
                                   : text.substr(at + key.size(), text.find('"', at + key.size()) - at - key.size());
  }
  /// Of `ballot show` by way of `node`.
  std::string state_line(const std::string& node, const std::string& job) {
    const std::string text = fleet[node].ballot({"show", job}).out;
    const std::size_t at = text.find("\nstate ");
    return at == std::string::npos ? "" : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
  }
  void kill(const std::string& node) {
    fleet[node].kill();
    ASSERT_TRUE(fleet["n2"].wait_for(leads)) << fleet["n2"].log;
  }
  void expect_kept() { EXPECT_EQ(check(fleet.evidence()), Findings{}); }

  /// What is asked of a run through a node that has nothing of it.
  void expect_sent_to(const std::string& other, const std::string& node, const RunId& run, const std::string& job) {
    const std::string answer = "run " + run.text() + " of job " + job + " is executed by node " + other +
                               ": its history and its output are there";
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"output", run.text()}, {"why", run.text()}, {"history", "--run", run.text()}}) {
      const Ran ran = fleet[node].ballot(command);
      EXPECT_EQ(ran.code, 3) << command[0] << ": " << ran.out << ran.err;
      EXPECT_NE(ran.err.find(answer), std::string::npos) << command[0] << ": " << ran.out << ran.err;
    }
  }

  Fleet fleet{{"n1", "n2"}};
};

TEST_F(Requests, AboutARunOfAnotherNodeNameThatNodeAsTheStoreShowsIt) {
  const RunId run = triggered("n1", "long");
  expect_sent_to("n1", "n2", run, "long");
  EXPECT_EQ(fleet["n2"].stop(), 0);
  expect_sent_to("n1", "n2", run, "long");  // no daemon answers
  fleet.oracle.end("long", 0);
}

TEST_F(Requests, AKillAskedOfAStandByEndsTheRunAndItsRowSaysWho) {
  const RunId run = triggered("n2", "long");
  done("n2", {"kill", run.text()});
  EXPECT_EQ(status_of_run("n1", run), "killed: operator");
  EXPECT_EQ(fleet["n2"].ballot({"kill", run.text()}).code, 3) << "it has ended";
  expect_kept();
}

TEST_F(Requests, OnceAPauseIsAcknowledgedNothingStartsAndAResumeAccountsForWhatItPassed) {
  ASSERT_TRUE(starts_after("tick", Instant::now()));
  done("n2", {"pause", "tick"});
  const Instant paused = Instant::now();
  EXPECT_EQ(of_job("n1", "tick", "state"), "paused");
  EXPECT_EQ(of_job("n2", "tick", "state"), "paused") << "also by way of who does not lead it";
  EXPECT_EQ(of_job("n1", "tick", "next_slot") + of_job("n2", "tick", "next_slot"), "") << "none of it is to come";
  const std::string shown = fleet["n2"].ballot({"show", "tick"}).out;
  EXPECT_NE(shown.find("\nstate       paused since "), std::string::npos) << shown;
  EXPECT_EQ(of_job("n2", "beat", "state"), "active");
  ASSERT_TRUE(beats_after(paused, 2)) << "slots are passed";
  kill("n1");
  EXPECT_EQ(of_job("n2", "tick", "state"), "paused") << "a pause survives the leader";
  const Ran by_hand = fleet["n2"].ballot({"trigger", "tick", "--wait"});
  EXPECT_EQ(by_hand.code, 0) << "what is triggered by hand starts: " << by_hand.err;
  for (const Report& report : fleet.oracle.reports("tick")) {
    const bool later = report.started.boot > paused.boot;
    EXPECT_TRUE(!later || report.trigger == Trigger::manual) << report.text();
  }
  done("n2", {"resume", "tick"});
  EXPECT_TRUE(starts_after("tick", Instant::now()));
  bool passed = false;
  for (const Row& row : fleet["n2"].rows("tick")) passed = passed || row.reason == Reason::paused;
  EXPECT_TRUE(passed) << "slots passed are skipped: paused";
  expect_kept();
}

TEST_F(Requests, AGroupIsPausedAndResumedAsAWhole) {
  done("n2", {"pause", "--group", "default"});
  const Instant paused = Instant::now();
  EXPECT_EQ(of_job("n1", "tick", "state"), "paused");
  done("n1", {"pause", "tick"});
  const std::string state = state_line("n1", "tick");
  EXPECT_NE(state.find(", and with its group since "), std::string::npos) << state;
  EXPECT_EQ(state_line("n2", "tick"), state) << "who does not lead it says the same";
  const Ran resumed = fleet["n2"].ballot({"resume", "tick"});
  EXPECT_NE(resumed.out.find("its group default is since "), std::string::npos) << resumed.out << resumed.err;
  kill("n1");
  EXPECT_EQ(of_job("n2", "tick", "state"), "paused");
  for (const Report& report : fleet.oracle.reports("tick"))
    EXPECT_LE(report.started.boot, paused.boot) << report.text();
  done("n2", {"resume", "--group", "default"});
  EXPECT_TRUE(starts_after("tick", Instant::now(), "n2"));
  expect_kept();
}

// S31 local
TEST_F(Requests, ATriggerUnderWayIsDoneByTheNextLeader) {
  done("n1", {"pause", "tick"});
  fleet["n1"].send(SIGSTOP);  // it leads, and does nothing
  Running trigger({BALLOT_PROGRAM, "trigger", "long", "--config", fleet["n2"].folder / "ballot.toml"});
  kill("n1");
  const auto run = RunId::parse(trigger.line().substr(0, 36));
  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(trigger.wait(), 0);
  EXPECT_TRUE(fleet.oracle.wait_until([&](const Reports& all) {
    return std::any_of(all.begin(), all.end(), [&](const Report& r) { return r.run == *run && r.node == "n2"; });
  }));
  done("n2", {"resume", "tick"});
  done("n2", {"kill", run->text()});
  expect_kept();
}

TEST_F(Requests, ForgetClosesTheRunOfADeadNodeAndItsJobGoesOn) {
  const RunId run = triggered("n1", "finish");
  EXPECT_EQ(fleet["n1"].ballot({"forget", run.text()}).code, 1) << "its own run is there to be killed";
  kill("n1");
  EXPECT_EQ(fleet["n2"].ballot({"trigger", "finish"}).code, 1) << "it counts as running";
  done("n2", {"forget", run.text()});
  EXPECT_EQ(status_of_run("n2", run), "lost: forgotten");
  const RunId next = triggered("n2", "finish");
  done("n2", {"kill", next.text()});
}

TEST_F(Requests, JobsNamesTheLeaderAlsoOnAStandBy) {
  EXPECT_EQ(of_job("n2", "tick", "leader"), "n1");
  EXPECT_EQ(fleet["n2"].ballot({"nodes"}).code, 0);
  kill("n1");
  EXPECT_EQ(of_job("n2", "tick", "leader"), "n2");
  const Ran nodes = fleet["n2"].ballot({"nodes", "--format", "csv"});
  EXPECT_EQ(nodes.out.find("\nn1,up,"), std::string::npos) << nodes.out << nodes.err;
}

TEST_F(Requests, StatusExitsByHowTheNodeIs) {
  const Ran leader = fleet["n1"].ballot({"status"}), stand_by = fleet["n2"].ballot({"status", "--format", "json"});
  EXPECT_EQ(leader.code, 0) << leader.out;
  EXPECT_NE(leader.out.find("default (epoch 1)"), std::string::npos) << leader.out;
  EXPECT_EQ(stand_by.code, 0) << stand_by.out;
  fleet["n1"].file("broken", "[job.broken\n");
  ASSERT_TRUE(fleet["n1"].wait_for("broken.toml"));
  EXPECT_EQ(fleet["n1"].ballot({"status"}).code, 1);
  kill("n1");
  EXPECT_EQ(fleet["n1"].ballot({"status"}).code, 3);
}

TEST_F(Requests, AnotherNodeSaysWhichFileOfANodeIsBrokenAtAReloadAndAtAStart) {
  const auto is_seen = [&](bool wanted) {
    return wait_until([&] {
      const std::string nodes = fleet["n2"].ballot({"nodes", "--format", "json"}).out;
      const bool is_broken = nodes.find("\"node\":\"n1\",\"reasons\":[\"config: 1 error") != std::string::npos &&
                             nodes.find("broken.toml:1:") != std::string::npos;
      return wanted ? is_broken : nodes.find("config:") == std::string::npos;
    });
  };
  fleet["n1"].file("broken", "[job.broken\n");
  EXPECT_TRUE(is_seen(true)) << fleet["n2"].ballot({"nodes"}).out;
  EXPECT_EQ(fleet["n2"].ballot({"nodes"}).code, 1);
  fleet["n1"].remove("broken");
  EXPECT_TRUE(is_seen(false)) << fleet["n2"].ballot({"nodes"}).out;
  EXPECT_EQ(fleet["n1"].stop(), 0);
  fleet["n1"].file("broken", "[job.broken\n");
  fleet["n1"].start();
  EXPECT_TRUE(is_seen(true)) << fleet["n2"].ballot({"nodes"}).out;
}

TEST_F(Requests, NodesWhoseJobFilesDifferShowDriftAndNameEachOther) {
  const auto says = [&](const std::string& node, int code, const std::string& text) {
    const Ran status = fleet[node].ballot({"status"});
    return status.code == code && status.out.find(text) != std::string::npos;
  };
  fleet["n2"].job("extra", "command = [\"/bin/true\"]");
  EXPECT_TRUE(
      wait_until([&] { return says("n1", 1, "drift: group default: this node's job files differ from those of n2"); }));
  EXPECT_TRUE(
      wait_until([&] { return says("n2", 1, "drift: group default: this node's job files differ from those of n1"); }));
  for (const char* node : {"n1", "n2"}) EXPECT_EQ(of_job(node, "tick", "state"), "drift");
  const Ran nodes = fleet["n2"].ballot({"nodes"});
  EXPECT_EQ(nodes.code, 1) << nodes.out << nodes.err;
  EXPECT_NE(nodes.out.find("differ from those of n2 (as far as is known: extra)"), std::string::npos) << nodes.out;
}

TEST_F(Requests, InfoAndElectionListShowLeaderAndCandidatesWithoutADaemon) {
  const Ran info = fleet["n2"].ballot({"info", "default", "--format", "json"});
  EXPECT_EQ(info.code, 0) << info.err;
  EXPECT_NE(info.out.find("\"is leader\""), std::string::npos) << info.out;
  const Ran list = fleet["n2"].ballot({"election", "list", "--format", "csv"});
  EXPECT_NE(list.out.find("default,n1,1,2,"), std::string::npos) << list.out;
  const Ran never = fleet["n2"].ballot({"info", "never", "--format", "json"});
  EXPECT_EQ(never.code, 0) << never.err;
  for (const char* node : {"n1", "n2"}) EXPECT_EQ(fleet[node].stop(), 0);
  const Ran after = fleet["n2"].ballot({"info", "default", "--format", "json"});
  EXPECT_EQ(after.code, 0) << "no daemon is needed: " << after.err;
}

TEST_F(Requests, AnEvictedLeaderHandsOverAndStaysOutForAWhile) {
  Running watch({BALLOT_PROGRAM, "election", "watch", "default", "--format", "csv", "--config",
                 fleet["n2"].folder / "ballot.toml"});
  EXPECT_NE(watch.line().find("leader"), std::string::npos);
  EXPECT_NE(watch.line().find(",default,n1,1,"), std::string::npos);
  done("n2", {"election", "evict", "default"});
  ASSERT_TRUE(fleet["n2"].wait_for(leads)) << fleet["n2"].log;
  std::string seen;
  while (seen.find(",default,n2,2,") == std::string::npos) {
    const std::string line = watch.line();
    ASSERT_NE(line, "") << seen;
    seen += line + "\n";
  }
  EXPECT_TRUE(starts_after("tick", Instant::now(), "n2"));
  done("n2", {"election", "evict", "default", "--force"});
  ASSERT_TRUE(fleet["n2"].wait_for(leads)) << "n1 is out for a while: " << fleet["n2"].log;
  expect_kept();
}

TEST_F(Requests, ARepairEndsTheHaltOfARegisterThatCannotBeRead) {
  ASSERT_TRUE(starts_after("tick", Instant::now()));
  for (const char* node : {"n1", "n2"}) EXPECT_EQ(fleet[node].stop(), 0);
  {
    storage::Database registers(fleet.folder / "shared/ballot/registers.db", storage::Open::write);
    registers.run("UPDATE register SET value = 'nonsense' WHERE name = 'j/tick'");
  }
  fleet["n1"].start();
  ASSERT_TRUE(fleet["n1"].wait_for(leads)) << fleet["n1"].log;
  ASSERT_TRUE(fleet["n1"].wait_for("halted")) << fleet["n1"].log;
  EXPECT_EQ(fleet["n1"].ballot({"status"}).code, 1);
  fleet["n2"].start();
  ASSERT_TRUE(fleet["n2"].wait_for("waits for n1")) << fleet["n2"].log;
  for (const char* node : {"n1", "n2"}) {  // the one that leads, and the one that does not
    EXPECT_EQ(of_job(node, "tick", "state"), "halted") << node;
    std::string why = fleet[node].ballot({"why", "tick"}).out;
    std::replace(why.begin(), why.end(), '\n', ' ');
    EXPECT_NE(why.find("The job is halted"), std::string::npos) << node << ": " << why;
    EXPECT_NE(why.find("is unreadable at line 1. Nothing of it is launched until `ballot repair tick`"),
              std::string::npos)
        << node << ": " << why;
  }
  const Instant repaired = Instant::now();
  done("n1", {"repair", "tick"});
  EXPECT_TRUE(starts_after("tick", repaired, "n1"));
  EXPECT_EQ(of_job("n1", "tick", "state"), "active");
  EXPECT_EQ(fleet["n1"].ballot({"status"}).code, 0);
}

}  // namespace
}  // namespace ballot::testing
