// One node asked for what the fleet did: three real daemons with an API each, on a store that other hosts reach; one is
// killed, and comes back. A run of the tests asks on one of the stores, as the commit says (tests/run.sh); the long
// form on all.
#include <gtest/gtest.h>

#include <future>
#include <iostream>
#include <random>
#include <regex>
#include <set>

#include "base/random.hpp"
#include "base/wall_text.hpp"
#include "support/process/fleet.hpp"
#include "support/process/process_facts.hpp"
#include "support/servers/reserved_port.hpp"
#include "support/servers/web_client.hpp"

namespace ballot::testing {
namespace {

constexpr const char* token = "a-token-of-this-test-that-is-long-enough-to-be-one";
constexpr const char* token_sha256 = "af27729467634524ae8515ccf686d2b4500895a58f23cc09709fab7bbd9923ac";
constexpr const char* operator_token = "a-token-of-an-operator-that-is-long-enough-to-be-one";
constexpr const char* operator_sha256 = "8ad5ccdb37c9e6452e9011f248946ed9e556d0b0e138162fea00b0b23159cede";

class AskTheFleet : public ::testing::Test {
 protected:
  ~AskTheFleet() override {
    if (HasFailure()) std::cout << fleet.logs();
  }
  void configure(const std::string& node, const ReservedPort& port) {
    BallotDaemon& daemon = fleet[node];
    for (const auto& [name, text] :
         {std::pair<std::string, std::string>(
              "tokens", std::string("fleet viewer ") + token_sha256 + "\nnight operator " + operator_sha256),
          {"token", token}}) {
      const std::string path = daemon.folder.write(name, text + "\n");
      std::filesystem::permissions(path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    }
    daemon.configure("[http]\nlisten = \"127.0.0.1:" + std::to_string(port.number()) + "\"\ntokens = \"" +
                     (daemon.folder / "tokens") + "\"\n[fleet]\ntoken_file = \"" + (daemon.folder / "token") + "\"\n");
  }
  /// Slots of `tick` as the JSON of a command names them, each as often as it is there.
  static std::multiset<std::string> slots_in(const std::string& json) {
    static const std::regex slot(R"re("slot":"([^"]*)")re");
    std::multiset<std::string> slots;
    for (auto at = std::sregex_iterator(json.begin(), json.end(), slot); at != std::sregex_iterator(); ++at)
      slots.insert((*at)[1]);
    return slots;
  }
  /// A schedule that is due then, and not again today.
  static std::string cron_of(WallTime at) {
    const std::chrono::hh_mm_ss time(at - std::chrono::floor<std::chrono::days>(at));
    return std::to_string(time.seconds().count()) + " " + std::to_string(time.minutes().count()) + " " +
           std::to_string(time.hours().count()) + " * * *";
  }
  static std::size_t count_of(const std::string& node, const Reports& all) {
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const Report& report) {
      return report.node == node && report.job == "tick" && report.ended;
    }));
  }
  std::size_t runs_of(const std::string& node) { return count_of(node, fleet.oracle.reports()); }
  bool has_run(const std::string& node, std::size_t count) {
    return fleet.oracle.wait_until([&](const Reports& all) { return count_of(node, all) >= count; });
  }

  /// Asks again until the command prints that, at most for a minute. What it printed last, and its errors.
  std::string asked_until(const std::string& node, const std::vector<std::string>& command, const std::string& text) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    Ran ran;
    do ran = fleet[node].ballot(command);
    while (ran.out != text && std::chrono::steady_clock::now() < until);
    return ran.out + (ran.out == text ? "" : ran.err);
  }

  Running follows(const std::string& node, const std::string& job) {
    return Running({BALLOT_PROGRAM, "output", job, "--follow", "--config", fleet[node].folder / "ballot.toml"});
  }

  static std::string jobs_by_api(const ReservedPort& port, const std::string& scope) {
    return WebClient(port.number())
        .ask("GET /api/v1/jobs?scope=" + scope, {std::string("Authorization: Bearer ") + token})
        .body;
  }

  static std::string by_api(const ReservedPort& port, const std::string& what) {
    return WebClient(port.number()).ask("GET /api/v1/" + what, {std::string("Authorization: Bearer ") + token}).body;
  }
  static bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
  /// When a node was last heard of, by JSON of a command or of the API: in an object that names the node.
  static std::string heard_in(const std::string& json, const std::string& node) {
    static const std::regex object(R"re(\{[^{}]*\})re"), heard(R"re("last_heard":"([^"]*)")re");
    for (auto at = std::sregex_iterator(json.begin(), json.end(), object); at != std::sregex_iterator(); ++at) {
      const std::string text = at->str();
      std::smatch found;
      const bool is_node = contains(text, R"("node":")" + node) || contains(text, R"("missing":")" + node);
      if (is_node && std::regex_search(text, found, heard)) return found[1];
    }
    return {};
  }

  static WebClient::Answer trigger(const ReservedPort& port, const std::string& job, const RunId& id) {
    return WebClient(port.number())
        .ask("PUT /api/v1/runs/" + id.text(), {std::string("Authorization: Bearer ") + operator_token},
             R"({"job":")" + job + R"("})");
  }
  static int status_of_run(const ReservedPort& port, const RunId& id) {
    return WebClient(port.number())
        .ask("GET /api/v1/runs/" + id.text(), {std::string("Authorization: Bearer ") + token})
        .status;
  }

  static RunId new_id() {
    static Random random(std::random_device{}());
    return random.run_id(WallTime(std::chrono::floor<Millis>(std::chrono::system_clock::now())));
  }
  /// A run of `hand` on n1, which is dead, is asked for again when the job's register has forgotten it.
  void expect_no_second_run(const RunId& run) {
    for (int i = 0; i < 9; ++i) {
      const RunId another = new_id();
      WebClient::Answer answer;
      EXPECT_TRUE(wait_until([&] { return (answer = trigger(three, "hand", another)).status < 300; })) << answer.body;
      EXPECT_TRUE(wait_until([&] { return status_of_run(three, another) == 200; }));
    }
    // The register may not show yet that the newer ones are closed: then it has the run still.
    const WebClient::Answer again = trigger(three, "hand", run);
    EXPECT_NE(again.body.find(again.status == 503 ? "not all ledgers have answered" : R"("created":false)"),
              std::string::npos)
        << again.status << " " << again.body;
    for (const std::string node : {"n2", "n3"})
      for (const Row& row : fleet[node].rows("hand")) EXPECT_NE(row.run, run);
  }

  /// Two nodes are asked for one run at once: both say that it is there, without waiting for each other's time to pass.
  void expect_one_run_of_two_askers() {
    const RunId chosen = Random(8).run_id(WallTime(std::chrono::floor<Millis>(std::chrono::system_clock::now())));
    const auto begin = std::chrono::steady_clock::now();
    auto elsewhere = std::async(std::launch::async, [&] { return trigger(three, "hand", chosen); });
    const WebClient::Answer answers[] = {trigger(two, "hand", chosen), elsewhere.get()};
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(25)) << "a request's time is 30 s";
    int made = 0;
    for (const WebClient::Answer& answer : answers) {
      EXPECT_TRUE(answer.status == 200 || answer.status == 201) << answer.status << " " << answer.body;
      made += answer.status == 201;
    }
    EXPECT_LE(made, 1);
    EXPECT_TRUE(wait_until([&] { return fleet["n1"].rows("hand").size() == 2; }));
  }

  /// What a node that lives says while n1 is dead.
  void expect_answers(const std::string& node, const std::string& leader) {
    const Ran history = fleet[node].ballot({"history", "--job", "long,tick", "--format", "json", "--limit", "1000"});
    EXPECT_EQ(history.code, 0) << history.err;
    EXPECT_NE(history.err.find("node n1 has not answered"), std::string::npos) << history.err;
    EXPECT_NE(history.out.find("{\"missing\":\"n1\",\"last_heard\":\"2"), std::string::npos) << history.out;
    EXPECT_NE(history.out.find("\"evidence\":\"store\""), std::string::npos)
        << node << " does not show what the register says of the run on n1:\n"
        << history.out;
    expect_each_once(history.out, [](const Report& report) { return report.node != "n1"; });
    const Ran why = fleet[node].ballot({"why", "long"});
    EXPECT_EQ(why.code, 0) << why.err;
    EXPECT_NE(why.out.find("claimed by node n1"), std::string::npos) << why.out;
    const Ran output = fleet[node].ballot({"output", "long"});
    EXPECT_EQ(output.code, 69) << output.out;
    EXPECT_NE(output.err.find("n1"), std::string::npos) << output.err;
    const Ran next = fleet[node].ballot({"next", "--for", "10s", "--job", "tick", "--format", "json"});
    EXPECT_EQ(next.code, 0) << next.err;
    const auto to_come = slots_in(next.out);
    EXPECT_GE(to_come.size(), 8U) << next.out << next.err;
    EXPECT_EQ(to_come.size(), std::set<std::string>(to_come.begin(), to_come.end()).size()) << next.out;
    EXPECT_NE(next.out.find("\"node\":\"" + leader + "\""), std::string::npos) << next.out;
    EXPECT_EQ(next.out.find("\"node\":\"n1\""), std::string::npos) << next.out;
  }
  /// How the run of `dawn` on n1 ended, which is dead.
  void expect_failed_by_the_store(const std::string& node) {
    const Ran why = fleet[node].ballot({"why", "dawn"});
    EXPECT_NE(why.out.find("failed: exit_code"), std::string::npos) << why.out << why.err;
    EXPECT_NE(why.out.find("(by the store's register; the node that ran it, n1, does not answer)"), std::string::npos)
        << why.out;
    const Ran failed = fleet[node].ballot({"history", "--status", "failed", "--format", "json"});
    EXPECT_NE(failed.out.find("\"job\":\"dawn\""), std::string::npos) << failed.out;
    EXPECT_NE(failed.out.find("\"evidence\":\"store\""), std::string::npos) << failed.out;
    const Ran jobs = fleet[node].ballot({"jobs", "dawn"});
    EXPECT_NE(jobs.out.find("failed: exit_code (store)"), std::string::npos) << jobs.out << jobs.err;
  }
  /// No slot of `tick` is there twice, and each is that such a node has executed a second ago or before.
  void expect_each_once(const std::string& json, const std::function<bool(const Report&)>& is_asked_for) {
    const auto slots = slots_in(json);
    EXPECT_EQ(slots.size(), std::set<std::string>(slots.begin(), slots.end()).size()) << "a slot is shown twice:\n"
                                                                                      << json;
    for (const Report& report : asked_before) {
      if (!(report.job == "tick" && report.ended && is_asked_for(report))) continue;
      EXPECT_TRUE(slots.contains(format_slot(report.slot))) << format_slot(report.slot) << " is missing:\n" << json;
    }
  }
  /// The token by which nodes ask each other is in files of its own alone.
  void expect_no_token() {
    EXPECT_EQ(fleet.logs().find(token), std::string::npos);
    for (const std::string node : {"n1", "n2", "n3"})
      for (const char* file : {"cmdline", "environ"})
        EXPECT_EQ(proc_text(fleet[node].pid(), file).find(token), std::string::npos) << node << " " << file;
  }

  Fleet fleet{{"n1", "n2", "n3"}};
  Reports asked_before;  // runs of which any answer has to know
  ReservedPort one, two, three;
};

/// They have read the registers when there was nothing in them. Another node leads soon, for the dead one's runner
/// resigns; whoever asks then has to know as much.
TEST_F(AskTheFleet, AsSoonAsTheLeaderIsDeadTheOthersKnowWhatTheStoreShowsOfItsRuns) {
  if (!BallotDaemon::backend) GTEST_SKIP() << "the embedded backend is one host's: there is no fleet to ask";
  configure("n1", one), configure("n2", two), configure("n3", three);
  fleet.job("tick", "schedule = \"* * * * * *\"\n" + fleet.oracle.command({"--for", "50ms"}));
  fleet.job("dawn", "shell = \"echo cold; exit 3\"");
  fleet.job("long", "shell = \"sleep 60\"\non_leadership_lost = \"finish\"\nkill_grace = \"1s\"");
  fleet.job("hand", fleet.oracle.command({"--for", "10ms"}));
  fleet.start();
  const RunId made_there = new_id();
  ASSERT_EQ(trigger(two, "hand", made_there).status, 201);
  ASSERT_EQ(fleet["n2"].ballot({"trigger", "dawn", "--wait"}).code, 3);
  ASSERT_EQ(fleet["n2"].ballot({"trigger", "long"}).code, 0);
  ASSERT_TRUE(has_run("n1", runs_of("n1") + 3)) << "the register is written within a second";
  fleet["n1"].kill();
  for (const std::string node : {"n2", "n3"}) {
    expect_failed_by_the_store(node);
    const Ran why = fleet[node].ballot({"why", "long"});
    EXPECT_NE(why.out.find("claimed by node n1"), std::string::npos) << why.out << why.err;
    const Ran of_one = fleet[node].ballot({"history", "--node", "n1", "--format", "json"});
    EXPECT_NE(of_one.out.find(R"("job":"dawn")"), std::string::npos) << of_one.out << of_one.err;
    EXPECT_NE(of_one.out.find(R"("job":"long")"), std::string::npos) << of_one.out << of_one.err;
  }
  expect_no_second_run(made_there);
}

TEST_F(AskTheFleet, AnyNodeAnswersForAllAndNamesTheOneThatIsDead) {
  if (!BallotDaemon::backend) GTEST_SKIP() << "the embedded backend is one host's: there is no fleet to ask";
  configure("n1", one), configure("n2", two), configure("n3", three);
  const std::string goes_on = "on_leadership_lost = \"finish\"\nkill_grace = \"1s\"";
  fleet.job("tick", "schedule = \"* * * * * *\"\nmisfire = \"all\"\n" + fleet.oracle.command({"--for", "50ms"}));
  fleet.job("hand", fleet.oracle.command({"--for", "50ms"}));
  fleet.job("long", "shell = \"echo begun; sleep 60\"\n" + goes_on);
  const std::string may_end = fleet.folder / "may-end";
  fleet.job("talk", "shell = \"echo begun; while [ ! -e " + may_end + " ]; do sleep 0.1; done; echo ended\"");
  fleet.start();
  ASSERT_TRUE(has_run("n1", 2));
  // The state of a job is its leader's to say, which is asked.
  EXPECT_NE(jobs_by_api(three, "node").find(R"("state":null)"), std::string::npos);
  EXPECT_TRUE(wait_until([&] {
    const std::string jobs = jobs_by_api(three, "fleet");
    return jobs.find(R"("job":"tick")") != std::string::npos && jobs.find(R"("state":null)") == std::string::npos;
  })) << jobs_by_api(three, "fleet");
  // A trigger is repeated at any node, and is known there.
  const RunId chosen = Random(7).run_id(WallTime(std::chrono::floor<Millis>(std::chrono::system_clock::now())));
  EXPECT_EQ(trigger(two, "hand", chosen).status, 201);
  EXPECT_TRUE(wait_until([&] { return status_of_run(three, chosen) == 200; }));
  const WebClient::Answer again = trigger(three, "hand", chosen);
  EXPECT_EQ(again.status, 200) << again.body;
  EXPECT_NE(again.body.find(R"("created":false)"), std::string::npos) << again.body;
  expect_one_run_of_two_askers();
  // While a run goes on elsewhere its output comes from there, as it comes.
  ASSERT_EQ(fleet["n2"].ballot({"trigger", "talk"}).code, 0);
  ASSERT_EQ(fleet["n2"].ballot({"trigger", "long"}).code, 0);
  ASSERT_EQ(asked_until("n3", {"output", "talk"}, "begun\n"), "begun\n");
  ASSERT_EQ(asked_until("n3", {"output", "long"}, "begun\n"), "begun\n");
  Running follower = follows("n3", "talk"), cut_off = follows("n2", "long");
  EXPECT_EQ(follower.line(), "begun");
  EXPECT_EQ(cut_off.line(), "begun");
  std::ofstream(may_end).close();
  EXPECT_EQ(follower.line(), "ended");
  EXPECT_EQ(follower.wait(), 0);

  // A run whose node is dead, and which has ended: the store knows how.
  const WallTime due(std::chrono::ceil<std::chrono::seconds>(std::chrono::system_clock::now()) +
                     std::chrono::seconds(3));
  fleet.job("dawn", "schedule = \"" + cron_of(due) + "\"\nshell = \"echo cold; exit 3\"");
  ASSERT_TRUE(wait_until([&] {
    const std::vector<Row> rows = fleet["n1"].rows("dawn");
    return !rows.empty() && rows.back().status == Status::failed;
  }));
  ASSERT_TRUE(has_run("n1", runs_of("n1") + 3)) << "the register is written within a second";

  fleet["n1"].kill();
  EXPECT_NE(cut_off.wait(), 0) << "nobody else has the rest";
  ASSERT_TRUE(fleet.oracle.wait_until(
      [](const Reports& all) { return !all.empty() && all.back().node != "n1" && all.back().ended; }));
  asked_before = fleet.oracle.reports();
  const std::string leader = asked_before.back().node, other = leader == "n2" ? "n3" : "n2";
  for (const std::string& node : {leader, other}) expect_answers(node, leader);
  EXPECT_EQ(fleet[other].ballot({"output", "dawn"}).code, 69);
  expect_failed_by_the_store(other);
  const std::string jobs = jobs_by_api(three, "fleet");
  EXPECT_NE(jobs.find(R"("missing":[{)"), std::string::npos) << jobs;
  EXPECT_NE(jobs.find(R"("scope":"fleet")"), std::string::npos) << jobs;

  fleet["n1"].start();
  ASSERT_TRUE(fleet["n1"].wait_for("session open"));
  const Ran history = fleet[other].ballot({"history", "--job", "tick", "--format", "json", "--limit", "1000"});
  EXPECT_EQ(history.err, "");
  expect_each_once(history.out, [](const Report&) { return true; });
  const Ran of_one = fleet[other].ballot({"history", "--job", "tick", "--node", "n1", "--format", "csv"});
  EXPECT_NE(of_one.out.find("n1"), std::string::npos) << of_one.out;
  EXPECT_EQ(asked_until(other, {"output", "long"}, "begun\n"), "begun\n");
  const Ran local = fleet[other].ballot({"output", "long", "--local"});
  EXPECT_NE(local.code, 0) << "its own ledger has nothing of it: " << local.out;
  expect_no_token();
}

/// All say the same of when it was last heard of, and what the files here and the store tell of its instances.
TEST_F(AskTheFleet, ANodeThatIsDeadWasLastHeardOfAtOneTimeAndItsInstancesAreShownByTheOthers) {
  if (!BallotDaemon::backend) GTEST_SKIP() << "the embedded backend is one host's: there is no fleet to ask";
  configure("n1", one), configure("n2", two), configure("n3", three);
  fleet.job("dusk", "shell = \"true\"");
  fleet.job("trim", "run_on = \"each\"\nschedule = \"* * * * * *\"\nshell = \"exit 3\"");
  fleet.start();
  ASSERT_TRUE(wait_until([&] { return fleet["n1"].rows("trim@n1").size() > 2; }));
  ASSERT_EQ(fleet["n2"].ballot({"pause", "dusk"}).code, 0);
  fleet["n1"].kill();
  const std::string node = "n2";
  ASSERT_TRUE(wait_until([&] { return contains(fleet[node].ballot({"nodes"}).out, "gone"); }));
  const std::string heard = heard_in(fleet[node].ballot({"nodes", "--format", "json"}).out, "n1");
  ASSERT_NE(heard, "");
  const std::vector<std::vector<std::string>> commands = {{"history", "--format", "json"},
                                                          {"jobs", "--format", "json"},
                                                          {"jobs", "trim@n1", "--format", "json"},
                                                          {"show", "trim@n1", "--format", "json"},
                                                          {"next", "--node", "n1", "--for", "5s", "--format", "json"},
                                                          {"why", "trim@n1", "--format", "json"}};
  for (const auto& command : commands) {
    const Ran ran = fleet[node].ballot(command);
    EXPECT_EQ(ran.code, 0) << command.front() << ": " << ran.err;
    EXPECT_EQ(heard_in(ran.out, "n1"), heard) << command.front() << ": " << ran.out;
    EXPECT_TRUE(contains(ran.err, heard.substr(0, heard.find('.')))) << command.front() << ": " << ran.err;
  }
  EXPECT_EQ(heard_in(by_api(two, "jobs/trim@n1"), "n1"), heard);
  // By the files here.
  const Ran next = fleet[node].ballot({"next", "--node", "n1", "--for", "5s", "--format", "json"});
  EXPECT_GE(slots_in(next.out).size(), 4U) << next.out << next.err;
  EXPECT_TRUE(contains(next.out, R"("job":"trim@n1","group":"default@n1","node":"n1")")) << next.out;
  const Ran show = fleet[node].ballot({"show", "trim@n1"});
  EXPECT_TRUE(contains(show.out, "state       not known: node n1 has not answered")) << show.out;
  // By the store.
  const Ran jobs = fleet[node].ballot({"jobs", "trim@n1"});
  EXPECT_TRUE(contains(jobs.out, " (store)")) << jobs.out << jobs.err;
  EXPECT_TRUE(contains(by_api(two, "jobs/trim@n1"), R"("evidence":"store")")) << by_api(two, "jobs/trim@n1");
  EXPECT_FALSE(contains(by_api(two, "jobs/trim@n1/slots"), R"("planned":[])")) << by_api(two, "jobs/trim@n1/slots");
  const Ran requests = fleet[node].ballot({"history", "--requests", "--format", "json"});
  EXPECT_TRUE(contains(requests.out, R"("kind":"pause","job":"dusk")")) << requests.out << requests.err;
  EXPECT_TRUE(contains(requests.out, R"("evidence":"store")")) << requests.out;
  // Of what is nobody's, nothing is said.
  EXPECT_TRUE(contains(by_api(two, "jobs/trim@n9"), R"("status":404)")) << by_api(two, "jobs/trim@n9");
  EXPECT_NE(fleet[node].ballot({"next", "--node", "n9"}).code, 0);
}

}  // namespace
}  // namespace ballot::testing
