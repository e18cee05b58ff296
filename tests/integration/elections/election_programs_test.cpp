// `ballot election run`, `election file` and `info`, as other programs use them.
#include <gtest/gtest.h>

#include "support/process/candidate.hpp"

namespace ballot::testing {
namespace {

using namespace std::chrono_literals;

struct ElectionPrograms : ::testing::Test {
  ElectionFolder folder{"[coordination]\nsession_timeout = \"2s\"\n"};
  const std::string path = folder.folder / "leader";

  Ran ballot(Arguments arguments) const {
    arguments.insert(arguments.begin(), BALLOT_PROGRAM);
    arguments.insert(arguments.end(), {"--config", folder.config()});
    return run_program(std::move(arguments));
  }
  std::string say(const std::string& word) const { return "echo " + word + " $$ >> " + (folder.folder / "said"); }
  /// Reports its signals, until TERM.
  std::string listener(const std::string& more = "") const {
    return "trap '" + say("WON") + "' USR1; trap '" + say("LOST") + "' USR2; trap '" + say("TERM") +
           "; exit 5' TERM; " + more + say("READY") + "; while :; do sleep 0.05; done";
  }
  static Arguments run(const std::string& candidate, const std::string& script, const Arguments& flags = {}) {
    Arguments all{"election", "run", "db", "--candidate-id", candidate};
    all.insert(all.end(), flags.begin(), flags.end());
    all.insert(all.end(), {"--", "/bin/sh", "-c", script});
    return all;
  }
  Arguments file(const std::string& candidate) const {
    return {"election", "file", path, "db", "--candidate-id", candidate, "--log-level", "debug"};
  }
  int check() const { return ballot({"election", "file", path, "db", "--check"}).code; }
};

TEST_F(ElectionPrograms, RunSignalsItsChildThatItHasWonAndLost) {
  CandidateProcess a(folder, run("a", listener()));
  ASSERT_TRUE(folder.wait_until_said("WON"));
  EXPECT_EQ(ballot({"election", "evict", "db", "--force"}).code, 0);
  ASSERT_TRUE(folder.wait_until_said("LOST"));
  ASSERT_TRUE(folder.wait_until_said("WON", 2)) << "it is the only one";
  EXPECT_EQ(a.stop(SIGTERM), 5);
  EXPECT_EQ(folder.said("TERM").size(), 1u);
}

TEST_F(ElectionPrograms, RunTellsItsChildTheEpochOfEachTermInAFileThatIsThereWhileItLeads) {
  const std::string told = "echo EPOCH $(cat $BALLOT_EPOCH_FILE 2>&1) >> " + (folder.folder / "said");
  CandidateProcess a(folder, run("a", "trap '" + told + "' USR1; trap '" + told + "' USR2; trap 'exit 5' TERM; " +
                                          say("READY") + "; while :; do sleep 0.05; done"));
  ASSERT_TRUE(folder.wait_until_said("EPOCH 1"));
  EXPECT_EQ(ballot({"election", "evict", "db", "--force"}).code, 0);
  ASSERT_TRUE(folder.wait_until_said("EPOCH", 3)) << "lost, and won again";
  const auto epochs = folder.said("EPOCH");
  EXPECT_NE(epochs[1].find("No such file"), std::string::npos) << epochs[1];
  EXPECT_EQ(epochs[2], "EPOCH 2");
  EXPECT_EQ(a.stop(SIGTERM), 5);
  for (const auto& entry : std::filesystem::directory_iterator(folder.folder / "run"))
    EXPECT_EQ(entry.path().filename().string().find("epoch"), std::string::npos) << entry.path();
}

TEST_F(ElectionPrograms, RunSignalsNoChildThatWouldDieOfIt) {
  const std::string deaf = say("READY") + "; while ! test -e " + (folder.folder / "listen") +
                           "; do sleep 0.05; done; trap '" + say("WON") + "' USR1; while :; do sleep 0.05; done";
  CandidateProcess a(folder, run("a", deaf));
  ASSERT_TRUE(a.wait_for("leads"));
  ASSERT_TRUE(folder.wait_until_said("READY"));
  EXPECT_EQ(ballot({"election", "evict", "db", "--force"}).code, 0) << "the loss is no reason to die either";
  ASSERT_TRUE(a.wait_for("leads", 3)) << "leads, leads no more, leads";
  folder.folder.write("listen", "");
  ASSERT_TRUE(folder.wait_until_said("WON"));
  EXPECT_EQ(a.stop(SIGTERM), 143);
}

TEST_F(ElectionPrograms, RunLeavesWhereItIsAskedToAndStaysOutForAWhile) {
  CandidateProcess a(folder, run("a", listener()));
  ASSERT_TRUE(folder.wait_until_said("WON"));
  CandidateProcess b(folder, run("b", listener()));
  ASSERT_TRUE(folder.wait_until_said("READY", 2));
  EXPECT_EQ(ballot({"election", "evict", "db"}).code, 0) << "there is no daemon to ask";
  ASSERT_TRUE(folder.wait_until_said("LOST"));
  ASSERT_TRUE(folder.wait_until_said("WON", 2));
  EXPECT_NE(field(folder.said("WON")[1], 1), field(folder.said("WON")[0], 1));
  EXPECT_NE(ballot({"info", "db"}).out.find("node: \"b\""), std::string::npos);
  EXPECT_EQ(ballot({"info", "db"}).out.find("node: \"a\""), std::string::npos) << "it takes no part for 3 T";
  EXPECT_EQ(ballot({"election", "evict", "nobody"}).code, 3);
}

TEST_F(ElectionPrograms, RunStartsItsChildAsAFollower) {
  CandidateProcess a(folder, run("a", listener()));
  ASSERT_TRUE(folder.wait_until_said("WON"));
  CandidateProcess b(folder, run("b", listener()));
  ASSERT_TRUE(folder.wait_until_said("READY", 2));
  EXPECT_EQ(folder.said("WON").size(), 1u);
  EXPECT_EQ(a.stop(SIGTERM), 5);
  ASSERT_TRUE(folder.wait_until_said("WON", 2));
  EXPECT_EQ(b.stop(SIGTERM), 5);
}

TEST_F(ElectionPrograms, RunTakesOtherSignals) {
  CandidateProcess a(
      folder, run("a", "trap '" + say("ALARM") + "; exit 0' ALRM; while :; do sleep 0.05; done", {"--won", "SIGALRM"}));
  EXPECT_EQ(a.wait(), 0);
  EXPECT_EQ(folder.said("ALARM").size(), 1u);
  EXPECT_EQ(ballot({"election", "run", "db", "--won", "KILL"}).code, 2);
}

TEST_F(ElectionPrograms, RunEndsItsChildOnLosingWhereItIsAskedTo) {
  const std::string stubborn = "trap '" + say("INT") + "' INT; trap '" + say("TERM") + "' TERM; trap '" + say("WON") +
                               "' USR1; while :; do sleep 0.05; done";
  CandidateProcess a(folder, run("a", stubborn, {"--terminate", "--kill-grace", "2s"}));
  ASSERT_TRUE(folder.wait_until_said("WON"));
  EXPECT_EQ(ballot({"election", "evict", "db", "--force"}).code, 0);
  EXPECT_EQ(a.wait(), 137);
  EXPECT_EQ(folder.said("INT").size(), 1u);
  EXPECT_EQ(folder.said("TERM").size(), 1u);
}

TEST_F(ElectionPrograms, RunSignalsALossByTheDeadlineWhereItIsStopped) {
  CandidateProcess a(folder, run("a", listener()));
  ASSERT_TRUE(folder.wait_until_said("WON"));
  a.send(SIGSTOP);
  const auto before = std::chrono::steady_clock::now();
  ASSERT_TRUE(folder.wait_until_said("LOST"));
  EXPECT_LT(std::chrono::steady_clock::now() - before, 2s);
  EXPECT_FALSE(std::filesystem::exists(folder.folder / "run/epoch-db.a"));
  a.send(SIGCONT);
  ASSERT_TRUE(folder.wait_until_said("WON", 2));
  EXPECT_EQ(a.stop(SIGTERM), 5);
  EXPECT_EQ(folder.said("LOST").size(), 1u) << "once";
}

TEST_F(ElectionPrograms, FileExistsWhileItsCandidateLeads) {
  EXPECT_EQ(check(), 1);
  CandidateProcess a(folder, file("a"));
  ASSERT_TRUE(wait_until([&] { return check() == 0; }));
  CandidateProcess b(folder, file("b"));
  ASSERT_TRUE(b.wait_for("campaigns"));
  EXPECT_EQ(ballot({"election", "file", path, "other", "--check"}).code, 1) << "it is another group's";
  const std::string first = text_of(path);
  ASSERT_TRUE(wait_until([&] { return text_of(path) != first; })) << "it is kept fresh";
  EXPECT_NE(first.find("\"node\":\"a\""), std::string::npos);
  EXPECT_EQ(a.stop(SIGTERM), 0);
  ASSERT_TRUE(wait_until([&] { return text_of(path).find("\"node\":\"b\"") != std::string::npos; }));
  EXPECT_EQ(b.stop(SIGTERM), 0);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(ElectionPrograms, FileIsVoidBeforeThatOfTheNextLeaderExists) {
  const std::string second = folder.folder / "second";
  CandidateProcess a(folder, file("a"));
  ASSERT_TRUE(wait_until([&] { return check() == 0; }));
  CandidateProcess b(folder, {"election", "file", second, "db", "--candidate-id", "b", "--log-level", "debug"});
  ASSERT_TRUE(b.wait_for("campaigns"));
  a.stop(SIGKILL);
  ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(second); }));
  EXPECT_EQ(check(), 1) << text_of(path);
}

TEST_F(ElectionPrograms, FileIsCheckedWithoutABackend) {
  CandidateProcess a(folder, file("a"));
  ASSERT_TRUE(wait_until([&] { return check() == 0; }));
  const Arguments elsewhere{BALLOT_PROGRAM, "election", "file", path, "db", "--check", "--backend", "none"};
  EXPECT_TRUE(wait_until([&] { return run_program(elsewhere).code == 0; }));
  a.stop(SIGKILL);  // or it would write it again
  folder.folder.write("leader", "something else");
  EXPECT_EQ(check(), 1);
}

TEST_F(ElectionPrograms, InfoShowsLeaderAndCandidatesWithTheirNotes) {
  CandidateProcess a(folder, file("a"));
  ASSERT_TRUE(wait_until([&] { return check() == 0; }));
  CandidateProcess b(folder, file("b"));
  ASSERT_TRUE(b.wait_for("campaigns"));
  ASSERT_TRUE(wait_until([&] { return ballot({"info", "db"}).out.find("node: \"b\"") != std::string::npos; }));
  const Ran yaml = ballot({"info", "db"}), json = ballot({"info", "db", "--format", "json"});
  EXPECT_EQ(yaml.code, 0);
  for (const char* note :
       {"is leader", "last heartbeat ", "this candidate id claimed leadership", "proposal node created "}) {
    EXPECT_NE(yaml.out.find(note), std::string::npos) << note;
    EXPECT_NE(json.out.find(note), std::string::npos) << note;
  }
  for (const char* name : {"group", "backend", "epoch", "leader", "node", "id", "host", "pid", "proposalTime",
                           "proposalNode", "sessionTimeout", "lastSeenTime", "notes", "allCandidates"})
    EXPECT_NE(yaml.out.find(std::string(name) + ":"), std::string::npos) << name;
  for (const char* name : {"epoch", "leader", "proposal_time", "proposal_node", "session_timeout", "last_seen_time",
                           "notes", "all_candidates"})
    EXPECT_NE(json.out.find("\"" + std::string(name) + "\":"), std::string::npos) << name;
  EXPECT_EQ(a.count("leads no more"), 0u) << "nobody is disturbed";
}

TEST_F(ElectionPrograms, InfoOfAGroupThatNeverWasIsEmpty) {
  CandidateProcess a(folder, file("a"));
  ASSERT_TRUE(wait_until([&] { return check() == 0; }));
  const Ran json = ballot({"info", "nobody", "--format", "json"});
  EXPECT_EQ(json.code, 0);
  EXPECT_EQ(json.out, "{}\n");
  EXPECT_EQ(ballot({"info", "nobody"}).out, "{}\n");
}

}  // namespace
}  // namespace ballot::testing
