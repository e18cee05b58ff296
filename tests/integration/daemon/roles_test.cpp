// Who may ask a daemon for what, by the groups of the user who runs a command; and the ledger, which commands read
// through the daemon where one runs.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "app/command.hpp"
#include "io/control_client.hpp"
#include "io/role.hpp"
#include "support/process/ballot_daemon.hpp"
#include "support/process/process_facts.hpp"
#include "support/process/run_as.hpp"
#include "support/roles_page.hpp"

namespace ballot::testing {
namespace {

bool answer_says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Groups that every Debian and every Fedora has.
constexpr const char* operators = "games";
constexpr const char* viewers = "users";

struct OfRoles : ::testing::Test {
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
    ::chmod(daemon.folder.path().c_str(), 0755);
    daemon.configure("[control]\noperators = \"" + std::string(operators) + "\"\nviewers = \"" + viewers + "\"");
    daemon.job("hello", "command = [\"/bin/echo\", \"hello\"]");
    daemon.start();
    ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
    ASSERT_EQ(daemon.ballot({"trigger", "hello", "--wait"}).code, 0);
  }
  Ran as(const User& user, std::vector<std::string> words) const {
    words.insert(words.begin(), BALLOT_PROGRAM);
    words.insert(words.end(), {"--config", daemon.folder / "ballot.toml"});
    return run_as(user, words);
  }
  const User viewer{.groups = {group_id(viewers)}}, operator_{.groups = {group_id(operators)}}, stranger{};
  BallotDaemon daemon;
};

using Words = std::vector<std::string>;

TEST_F(OfRoles, AViewerReadsAllThatTheDaemonShowsThoughTheLedgersFileIsNotForItsUser) {
  for (const Words& words :
       {Words{"jobs"}, {"status"}, {"show", "hello"}, {"history"}, {"why", "hello"}, {"output", "hello"}, {"audit"}}) {
    const Ran ran = as(viewer, words);
    EXPECT_EQ(ran.code, 0) << words[0] << ": " << ran.out << ran.err;
  }
  EXPECT_EQ(as(viewer, {"output", "hello"}).out, "hello\n");
  EXPECT_TRUE(answer_says(as(viewer, {"history"}).out, "succeeded"));
}

TEST_F(OfRoles, WhoLacksARoleIsToldWhichAndWhichGroupHasIt) {
  const std::string takes = ": this takes the role ",
                    lacks = ", which this user does not have here: be root or the daemon's user";
  for (const Words& words : {Words{"jobs"}, {"history"}, {"why", "hello"}, {"output", "hello"}, {"audit"}}) {
    const Ran ran = as(stranger, words);
    EXPECT_EQ(ran.code, 1) << words[0];
    EXPECT_TRUE(answer_says(
        ran.err, "ballot " + words[0] + takes + "viewer" + lacks + ", or in the group " + operators + " or " + viewers))
        << ran.err;
  }
  const Ran triggered = as(viewer, {"trigger", "hello"});
  EXPECT_EQ(triggered.code, 1);
  EXPECT_TRUE(answer_says(triggered.err, takes + "operator" + lacks + ", or in the group " + operators))
      << triggered.err;
  const Ran repaired = as(operator_, {"repair", "hello"});
  EXPECT_EQ(repaired.code, 1);
  EXPECT_TRUE(answer_says(repaired.err, takes + "admin" + lacks)) << repaired.err;
}

TEST_F(OfRoles, WhoHasNoRoleIsToldTheOneThatTheCommandTakesAndNotOneOfWhatItAsksBefore) {
  for (const Words& words : {Words{"trigger", "hello"}, {"pause", "hello"}, {"resume", "hello"}, {"kill", "000000"}}) {
    const Ran ran = as(stranger, words);
    EXPECT_EQ(ran.code, 1) << words[0];
    EXPECT_TRUE(answer_says(ran.err, "ballot " + words[0] + ": this takes the role operator")) << ran.err;
  }
  for (const Words& words : {Words{"status"}, {"nodes"}}) {
    const Ran ran = as(stranger, words);
    EXPECT_EQ(ran.code, 3) << "unknown, as monitoring has it";
    EXPECT_TRUE(answer_says(ran.err, "ballot " + words[0] + ": this takes the role viewer")) << ran.err;
  }
}

/// What is asked of the daemon; of a command that is not here the table cannot be made.
const std::map<std::string, Words> questions = {
    {"jobs", {"jobs"}},
    {"show", {"show", "hello"}},
    {"status", {"status"}},
    {"nodes", {"nodes"}},
    {"next", {"next"}},
    {"history", {"history"}},
    {"slow", {"slow"}},
    {"output", {"output", "hello"}},
    {"why", {"why", "hello"}},
    {"audit", {"audit"}},
    {"trigger", {"trigger", "hello"}},
    {"kill", {"kill", "000000"}},
    {"pause", {"pause", "hello"}},
    {"resume", {"resume", "hello"}},
    {"backfill", {"backfill", "hello", "--stop"}},
    {"election", {"election", "evict", "no-such-group"}},
    {"forget", {"forget", "000000"}},
    {"repair", {"repair", "hello"}},
};

/// Between backquotes, on the page's line about those that ask no daemon.
std::set<std::string> commands_that_ask_nobody() {
  const std::string line = *roles_lines_of_page(BALLOT_DOCS, "- These commands ask no daemon").begin();
  std::set<std::string> commands;
  const std::regex word("`([a-z]+)");
  for (std::sregex_iterator at(line.begin(), line.end(), word), end; at != end; ++at) commands.insert((*at)[1]);
  return commands;
}

TEST_F(OfRoles, EachCommandIsRefusedOrAllowedAsThePageSays) {
  std::set<std::string> rows;
  const std::set<std::string> others = commands_that_ask_nobody();
  for (const app::Command& command : app::commands()) {
    const auto found = questions.find(std::string(command.name));
    EXPECT_NE(found == questions.end(), !others.contains(std::string(command.name)) || command.name == "election")
        << command.name << ": the page has it among those that ask a daemon, or among the others";
    if (found == questions.end()) continue;
    std::array<bool, 4> allowed{};
    for (std::size_t role = 0; role < allowed.size(); ++role) {
      const User root{.uid = 0, .gid = 0};
      const Ran ran = as(std::array{stranger, viewer, operator_, root}[role], found->second);
      allowed[role] = !answer_says(ran.err, ": this takes the role ");
      if (!allowed[role]) {
        EXPECT_NE(ran.code, 0) << command.name << ": " << ran.err;
      }
      EXPECT_FALSE(answer_says(ran.err, "denied") || answer_says(ran.err, "does not know")) << ran.err;
    }
    const std::string evict = command.name == "election" ? " evict" : "";
    rows.insert(roles_row("ballot " + std::string(command.name) + evict, allowed));
  }
  EXPECT_EQ(roles_lines_of_page(BALLOT_DOCS, "| `ballot "), rows) << how_to_mend(rows);
}

TEST_F(OfRoles, EachWordOfATableIsOneThatTheDaemonAnswers) {
  for (const io::RequestWord& one : io::known_words()) {
    if (one.word == "metrics") continue;  // of the API alone
    io::Message question;
    question.set("do", std::string(one.word)).set("form", std::string("shown"));
    auto client = io::ControlClient::ask(daemon.folder / "run/ballot.sock", question);
    ASSERT_TRUE(client) << client.error().what;
    const auto answer = client->next(Millis(5000));
    EXPECT_TRUE(answer || !answer_says(answer.error().what, "does not know how")) << one.word;
  }
}

TEST_F(OfRoles, AnOperatorBeginsAndPausesRuns) {
  EXPECT_EQ(as(operator_, {"trigger", "hello", "--follow"}).out, "hello\n");
  EXPECT_EQ(as(operator_, {"pause", "hello"}).code, 0);
  EXPECT_EQ(as(operator_, {"resume", "hello"}).code, 0);
  EXPECT_TRUE(wait_until([&] { return as(operator_, {"kill", "hello"}).code == 3; })) << "both runs are closed soon";
}

TEST_F(OfRoles, WithoutADaemonTheFileIsReadByWhoMayAndOpenRowsAreExplained) {
  daemon.job("long", "command = [\"/bin/sleep\", \"60\"]");
  ASSERT_TRUE(daemon.wait_for("job files read again")) << daemon.log;
  ASSERT_EQ(daemon.ballot({"trigger", "long"}).code, 0);
  ASSERT_EQ(daemon.ballot({"history", "--limit", "1"}).code, 0);
  EXPECT_TRUE(daemon.ballot({"history"}).err.empty());
  daemon.kill();
  const Ran root = daemon.ballot({"history"});
  EXPECT_EQ(root.code, 0);
  EXPECT_EQ(root.err,
            "ballot history: no daemon answers: rows that are queued, claimed or running show what was known when it "
            "ended\n");
  const Ran other = as(viewer, {"history"});
  EXPECT_EQ(other.code, 1);
  EXPECT_TRUE(answer_says(other.err, "Without a daemon, only root and its user may read ")) << other.err;
}

}  // namespace
}  // namespace ballot::testing
