// What people and hooks see of a store's words: its facts and warnings, who is unfit to lead, what it adds for hooks,
// and the tables of groups that it is told of. On a backend whose store is in memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "support/process/candidate.hpp"
#include "unit/app/ballot_program.hpp"

namespace ballot::app {
namespace {

using testing::CandidateProcess;
using testing::contains;
using testing::ElectionFolder;
using testing::Ran;

struct StoreWords : ::testing::Test {
  static std::string config(const std::string& more) {
    return "plugin_dir = \"" BALLOT_MEMORY_PLUGINS "\"\n[coordination]\nbackend = \"memory\"\nnamespace = \"n\"\n" +
           more;
  }
  Ran ballot(std::vector<std::string> arguments) const {
    arguments.insert(std::find(arguments.begin(), arguments.end(), "--"), {"--config", folder->config()});
    return testing::ballot(std::move(arguments));
  }
  void configure(const std::string& more) { folder.emplace(config(more)); }
  void SetUp() override { configure(""); }

  std::optional<ElectionFolder> folder;
};

TEST_F(StoreWords, StandAboveTheListOfElectionsAndItsWarningsOnStandardError) {
  configure("[memory]\nwarning = \"a server lags by 7\"\n");
  const Ran list = ballot({"election", "list"});
  EXPECT_EQ(list.code, 0) << list.err;
  EXPECT_TRUE(list.out.starts_with("backend: memory\ncapability: fenced: ")) << list.out;
  EXPECT_TRUE(contains(list.out, "\nservers: 1\n\nGROUP")) << list.out;
  EXPECT_EQ(list.err, "warning: a server lags by 7\n");
  const Ran rows = ballot({"election", "list", "--format", "csv"});
  EXPECT_TRUE(rows.out.starts_with("group,leader,")) << rows.out;
  EXPECT_EQ(rows.err, list.err);
}

TEST_F(StoreWords, AreAListOfTheirOwnForPrograms) {
  configure("[memory]\nwarning = \"a server lags by 7\"\ncapability = \"sealed\"\n");
  const Ran list = ballot({"election", "list", "--store", "--format", "json"});
  for (const char* row : {R"({"kind":"fact","name":"backend","value":"memory"})", R"("value":"sealed: the store does)",
                          R"({"kind":"fact","name":"servers","value":"1"})",
                          R"({"kind":"warning","name":null,"value":"a server lags by 7"})"})
    EXPECT_TRUE(contains(list.out, row)) << list.out;
  EXPECT_FALSE(contains(list.out, "\"db\"")) << "no elections";
}

TEST_F(StoreWords, AreInWhatInfoShowsOfAnElection) {
  configure("[memory]\nwarning = \"a server lags by 7\"\ncapability = \"sealed\"\n");
  const Ran info = ballot({"info", "db", "--format", "json"});
  for (const char* part : {R"("capability":"sealed")", R"("store":[{"name":"servers","value":"1"}])",
                           R"("warnings":["a server lags by 7"])", R"("leader":{"node":"n1")"})
    EXPECT_TRUE(contains(info.out, part)) << info.out << info.err;
}

TEST_F(StoreWords, OfANodeThatIsUnfitAreInWhatInfoShowsOfThatElection) {
  const Ran info = ballot({"info", "db", "--format", "json"});
  const std::string unfit =
      R"("unfit":[{"node":"n2","reason":"check 'db' is critical","since":"2026-01-01T00:00:00.000Z"}])";
  EXPECT_TRUE(contains(info.out, unfit)) << info.out << info.err;
}

TEST_F(StoreWords, OfANodeThatIsUnfitShowAnElectionThatHasNotBeenYet) {
  const Ran info = ballot({"info", "web", "--format", "json"});
  EXPECT_TRUE(contains(info.out, R"("group":"web")")) << info.out;
  EXPECT_TRUE(contains(info.out, R"("epoch":0,"leader":null,"all_candidates":[],"unfit":[{"node":"n2")")) << info.out;
  const Ran all = ballot({"info", "--format", "json"});
  EXPECT_TRUE(contains(all.out, R"("group":"db")") && contains(all.out, R"("group":"web")")) << all.out;
  EXPECT_EQ(ballot({"info", "nobody", "--format", "json"}).out, "{}\n");
}

TEST_F(StoreWords, KeepACandidateThatIsUnfitFromLeading) {
  configure("[memory]\nunfit = \"maintenance\"\n");
  const Ran ran = ballot({"run", "once", "--group", "g", "--max-wait", "300ms", "--", "/bin/echo", "ran"});
  EXPECT_EQ(ran.code, 75) << ran.err;
  EXPECT_TRUE(contains(ran.err, "not fit to lead: maintenance")) << ran.err;
  EXPECT_FALSE(contains(ran.err, "child started")) << ran.err;
}

TEST_F(StoreWords, OfAGroupsTableCountForThatGroup) {
  configure("[group.g.memory]\nunfit = \"its check is critical\"\n");
  const std::vector<std::string> rest{"--max-wait", "300ms", "--on-child-success", "exit", "--", "/bin/true"};
  const auto once = [&](const std::string& group) {
    std::vector<std::string> all{"run", "once", "--group", group};
    all.insert(all.end(), rest.begin(), rest.end());
    return ballot(std::move(all));
  };
  EXPECT_EQ(once("h").code, 0);
  const Ran unfit = once("g");
  EXPECT_EQ(unfit.code, 75);
  EXPECT_TRUE(contains(unfit.err, "not fit to lead: its check is critical")) << unfit.err;
}

struct HooksOfAStore : StoreWords {
  HooksOfAStore() { configure("session_timeout = \"2s\"\n"); }
  void SetUp() override {}

  void write_group(const std::string& table) const {
    const std::string said = folder->folder / "said";
    const std::string hook = "[\"/bin/sh\", \"-c\", \"echo $BALLOT_ROLE $COLOR >> " + said + "\"]";
    std::filesystem::create_directories(folder->folder / "jobs.d");
    folder->folder.write("jobs.d/g.toml",
                         "[group.g]\non_promote = " + hook + "\non_demote = " + hook + "\n[group.g.memory]\n" + table);
  }
  CandidateProcess serve() const {
    return CandidateProcess(*folder, {"serve", "--node", "n9", "--jobs-dir", folder->folder / "jobs.d"});
  }
};

TEST_F(HooksOfAStore, HaveWhatItAddsAndRunWhereAFileThatChangesMakesTheNodeUnfit) {
  write_group("color = \"blue\"\n");
  const CandidateProcess daemon = serve();
  ASSERT_TRUE(folder->wait_until_said("leader blue")) << daemon.log();
  write_group("color = \"blue\"\nunfit = \"its check is critical\"\n");
  ASSERT_TRUE(folder->wait_until_said("follower blue")) << daemon.log();
  EXPECT_TRUE(contains(daemon.log(), "not fit to lead: its check is critical")) << daemon.log();
  EXPECT_TRUE(contains(daemon.log(), "cause=unfit")) << daemon.log();
  write_group("color = \"green\"\n");
  ASSERT_TRUE(folder->wait_until_said("leader green")) << daemon.log();
}

TEST_F(HooksOfAStore, DoNotRunWhereTheTermIsLeftToARestart) {
  write_group("color = \"blue\"\n");
  CandidateProcess daemon = serve();
  ASSERT_TRUE(folder->wait_until_said("leader blue")) << daemon.log();
  daemon.send(SIGUSR1);
  EXPECT_EQ(daemon.stop(SIGUSR2), 0) << "it leaves";
  EXPECT_EQ(folder->said("follower").size(), 0u);
  EXPECT_FALSE(contains(daemon.log(), "leads no more")) << daemon.log();
}

TEST_F(HooksOfAStore, AreOfAServerThatSaysWhatItsStoreCanKeep) {
  configure("session_timeout = \"2s\"\n[memory]\ncapability = \"sealed\"\n");
  write_group("");
  const CandidateProcess daemon = serve();
  ASSERT_TRUE(folder->wait_until_said("leader")) << daemon.log();
  EXPECT_TRUE(contains(daemon.log(), "capability=sealed")) << daemon.log();
  EXPECT_TRUE(contains(daemon.log(), "the store does not know terms")) << daemon.log();
}

}  // namespace
}  // namespace ballot::app
