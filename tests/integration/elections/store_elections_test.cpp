// `ballot election evict`, `run` and `file`, and what `info` and `list` show, on a real server of each kind of store.
#include <boost/json.hpp>
#include <set>

#include "integration/elections/store_elections.hpp"
#include "support/process/terminal.hpp"

namespace ballot::testing {
namespace {

struct EvictOnAStore : ElectionsOnAStore {
  AtTerminal evict_at_terminal(const std::string& answer) const {
    return run_at_terminal({BALLOT_PROGRAM, "election", "evict", "default", "--config", folder.config()}, "[y/N]",
                           answer);
  }
};

TEST_P(EvictOnAStore, ALeaderThatIsAskedEndsItsChildAndStaysOutForThreeTimeouts) {
  CandidateProcess a(folder, candidate("a", until_ended()));
  ASSERT_TRUE(folder.wait_until_said("START"));
  CandidateProcess b(folder, candidate("b", until_ended()));
  ASSERT_TRUE(campaigns(b));
  const Millis asked = wall_now();
  const Ran evicted = ballot({"election", "evict", "default"});
  EXPECT_EQ(evicted.code, 0) << evicted.err;
  EXPECT_EQ(evicted.err.find("[y/N]"), std::string::npos) << "there is no terminal to ask at";
  EXPECT_TRUE(is_gone(pid_of(start_of(0))));
  ASSERT_TRUE(folder.wait_until_said("START", 2));
  report("from the request to the next child", since(asked, start_of(1)));
  EXPECT_EQ(field(start_of(1), 3), "b");
  EXPECT_EQ(a.count("cause=evicted"), 1u);
  EXPECT_EQ(candidates(), "b");
  ASSERT_TRUE(campaigns(a, 2));
  EXPECT_GE(wall_now() - asked, 6s) << "3 T";
  ASSERT_TRUE(wait_until([&] { return candidates() == "ab"; }));
  EXPECT_EQ(folder.said("START").size(), 2u) << "it queues behind";
  expect_no_overlap();
}

TEST_P(EvictOnAStore, ALeaderThatIsAloneIsBackAtOnce) {
  CandidateProcess a(folder, candidate("a", until_ended()));
  ASSERT_TRUE(folder.wait_until_said("START"));
  const Millis asked = wall_now();
  EXPECT_EQ(ballot({"election", "evict", "default"}).code, 0);
  ASSERT_TRUE(folder.wait_until_said("START", 2));
  report("from the request to the same one's next child", since(asked, start_of(1)));
  EXPECT_LT(since(asked, start_of(1)), 6s) << "before 3 T are over";
  EXPECT_GT(std::stoull(field(start_of(1), 4)), std::stoull(field(start_of(0), 4)));
}

TEST_P(EvictOnAStore, ByForceNobodyIsAskedAndTheLeaderIsDeposedAtOnce) {
  CandidateProcess a(folder, candidate("a", until_ended()));
  ASSERT_TRUE(folder.wait_until_said("START"));
  CandidateProcess b(folder, candidate("b", until_ended()));
  ASSERT_TRUE(wait_until([&] { return candidates() == "ab"; }));
  EXPECT_EQ(ballot({"election", "evict", "default", "--force"}).code, 0);
  ASSERT_TRUE(folder.wait_until_said("START", 2));
  EXPECT_EQ(field(start_of(1), 3), "b");
  ASSERT_TRUE(a.wait_for("cause=evicted"));
  EXPECT_TRUE(wait_until([&] { return is_gone(pid_of(start_of(0))); }));
  EXPECT_EQ(ballot({"election", "evict", "nobody", "--force"}).code, 3);
  EXPECT_EQ(ballot({"election", "evict", "nobody"}).code, 3);
  expect_no_overlap();
}

TEST_P(EvictOnAStore, OnATerminalItIsConfirmedFirst) {
  CandidateProcess a(folder, candidate("a", until_ended()));
  ASSERT_TRUE(folder.wait_until_said("START"));
  const AtTerminal no = evict_at_terminal("n\n");
  EXPECT_EQ(no.code, 1);
  EXPECT_NE(no.shown.find("Evict the leader of group default? [y/N]"), std::string::npos) << no.shown;
  EXPECT_EQ(a.count("asked to leave"), 0u);
  const AtTerminal yes = evict_at_terminal("y\n");
  EXPECT_EQ(yes.code, 0) << yes.shown;
  EXPECT_EQ(a.count("asked to leave"), 1u);
}

struct ProgramsOnAStore : ElectionsOnAStore {
  std::string say(const std::string& word) const {
    return "echo " + word + " $$ $(date +%s%3N) >> " + (folder.folder / "said");
  }
  Arguments run(const std::string& name, Arguments flags = {}) const {
    const std::string script = "trap '" + say("WON") + "' USR1; trap '" + say("LOST") + "' USR2; trap 'exit 5' TERM; " +
                               say("READY") + "; while :; do sleep 0.02; done";
    Arguments all{"election", "run", "default", "--candidate-id", name};
    all.insert(all.end(), flags.begin(), flags.end());
    all.insert(all.end(), {"--", "/bin/sh", "-c", script});
    return all;
  }
  Arguments file(const std::string& name) const {
    return {"election", "file", path(name), "default", "--candidate-id", name, "--log-level", "debug"};
  }
  std::string path(const std::string& name) const { return folder.folder / ("leader-" + name); }
  bool valid(const std::string& name) const {
    return ballot({"election", "file", path(name), "default", "--check"}).code == 0;
  }
};

TEST_P(ProgramsOnAStore, RunSignalsItsChildALossByTheDeadlineWhereItIsCutOff) {
  TcpRelay relay(place.port());
  CandidateProcess a(folder, run("a", place.through(relay)));
  ASSERT_TRUE(folder.wait_until_said("WON"));
  CandidateProcess b(folder, run("b"));
  ASSERT_TRUE(folder.wait_until_said("READY", 2));
  relay.cut();
  const Millis cut = wall_now();
  ASSERT_TRUE(folder.wait_until_said("LOST"));
  EXPECT_LE(since(cut, folder.said("LOST").front()), 2s - margin);
  ASSERT_TRUE(folder.wait_until_said("WON", 2));
  EXPECT_GE(time_of(folder.said("WON")[1]), time_of(folder.said("LOST").front()));
  EXPECT_NE(pid_of(folder.said("WON")[1]), pid_of(folder.said("WON")[0]));
  relay.heal();
  EXPECT_EQ(b.stop(SIGTERM), 5);
  ASSERT_TRUE(folder.wait_until_said("WON", 3));
  EXPECT_EQ(a.stop(SIGTERM), 5);
  EXPECT_EQ(folder.said("LOST").size(), 1u) << "once";
}

TEST_P(ProgramsOnAStore, RunHandsOverWithinASecond) {
  CandidateProcess a(folder, run("a"));
  ASSERT_TRUE(folder.wait_until_said("WON"));
  CandidateProcess b(folder, run("b"));
  ASSERT_TRUE(wait_until([&] { return candidates() == "ab"; }));
  const Millis asked = wall_now();
  EXPECT_EQ(a.stop(SIGTERM), 5);
  ASSERT_TRUE(folder.wait_until_said("WON", 2));
  report("from TERM to the next one's signal", since(asked, folder.said("WON")[1]));
  EXPECT_LE(since(asked, folder.said("WON")[1]), 1s);
}

TEST_P(ProgramsOnAStore, AFileIsVoidBeforeThatOfTheNextLeaderExists) {
  CandidateProcess a(folder, file("a"));
  ASSERT_TRUE(wait_until([&] { return valid("a"); }));
  CandidateProcess b(folder, file("b"));
  ASSERT_TRUE(campaigns(b));
  a.stop(SIGKILL);
  ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(path("b")); }));
  EXPECT_FALSE(valid("a")) << text_of(path("a"));
  EXPECT_TRUE(wait_until([&] { return valid("b"); }));
  EXPECT_EQ(b.stop(SIGTERM), 0);
  EXPECT_FALSE(std::filesystem::exists(path("b")));
}

namespace json = boost::json;

struct InfoOnAStore : ElectionsOnAStore {
  json::value parsed(const Arguments& arguments) const {
    const Ran ran = ballot(arguments);
    EXPECT_EQ(ran.code, 0) << ran.err;
    json::error_code error;
    json::value value = json::parse(ran.out, error);
    EXPECT_FALSE(error) << ran.out;
    return value;
  }
  static std::set<std::string> names(const json::value& object) {
    std::set<std::string> all;
    for (const auto& [name, value] : object.as_object()) all.insert(std::string(name));
    return all;
  }
};

TEST_P(InfoOnAStore, HasTheSameNamesOnEveryBackend) {
  const CandidateProcess a(folder, candidate("a", until_ended()));
  ASSERT_TRUE(folder.wait_until_said("START"));
  const CandidateProcess b(folder, candidate("b", until_ended()));
  ASSERT_TRUE(wait_until([&] { return candidates() == "ab"; }));
  const json::value info = parsed({"info", "default", "--format", "json"});
  const std::set<std::string> of_election{"group",          "backend", "capability", "epoch",   "leader",
                                          "all_candidates", "unfit",   "store",      "warnings"};
  const std::set<std::string> of_candidate{
      "node",           "id",   "host", "pid", "version", "proposal_time", "proposal_node", "session_timeout",
      "last_seen_time", "notes"};
  EXPECT_EQ(names(info), of_election);
  EXPECT_EQ(info.at("backend").as_string(), GetParam().c_str());
  ASSERT_TRUE(info.at("leader").is_object());
  EXPECT_EQ(names(info.at("leader")), of_candidate);
  EXPECT_EQ(info.at("leader").at("node").as_string(), "a");
  EXPECT_EQ(info.at("leader").at("session_timeout").as_string(), "2s");
  ASSERT_EQ(info.at("all_candidates").as_array().size(), 2u);
  for (const json::value& one : info.at("all_candidates").as_array()) {
    EXPECT_EQ(names(one), of_candidate);
    EXPECT_TRUE(one.at("last_seen_time").is_string()) << "the store knows";
  }
  for (const json::value& fact : info.at("store").as_array())
    EXPECT_EQ(names(fact), (std::set<std::string>{"name", "value"}));
  EXPECT_TRUE(info.at("warnings").is_array());
  EXPECT_EQ(parsed({"info", "nobody", "--format", "json"}), json::object());
  const json::value list = parsed({"election", "list", "^def", "--format", "json"});
  ASSERT_EQ(list.as_array().size(), 1u);
  EXPECT_EQ(list.as_array()[0].at("leader").as_string(), "a");
  EXPECT_EQ(parsed({"election", "list", "^nob", "--format", "json"}), json::array());
}

BALLOT_ON_EACH_STORE(EvictOnAStore);
BALLOT_ON_EACH_STORE(ProgramsOnAStore);
BALLOT_ON_EACH_STORE(InfoOnAStore);

}  // namespace
}  // namespace ballot::testing
