// One node asked for what the fleet did: three real daemons with an API each, on a store that other hosts reach; one is
// killed, and comes back. A run of the tests asks on one of the stores, as the commit says (tests/run.sh); the long
// form on all.
#include <gtest/gtest.h>

#include <future>

#include "integration/fleet/ask_the_fleet.hpp"

namespace ballot::testing {
namespace {

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
  EXPECT_TRUE(contains(next.out, R"("job":"trim@n1","group":"default@n1","node":"n1","node_state":"gone")"))
      << next.out;
  const std::string becomes = "nobody else runs: while it is away these slots pass";
  for (const std::string& said : {next.out, next.err, by_api(two, "next?job=trim@n1&for_ms=5000")})
    EXPECT_TRUE(contains(said, becomes)) << said;
  const Ran show = fleet[node].ballot({"show", "trim@n1"});
  EXPECT_TRUE(contains(show.out, "state       not known: node n1 has not answered")) << show.out;
  EXPECT_TRUE(contains(show.out, " (store)")) << show.out;
  const Ran csv = fleet[node].ballot({"history", "--job", "trim@n1", "--format", "csv"});
  EXPECT_TRUE(contains(csv.out, ",store\n")) << csv.out << csv.err;
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
  for (const char* command : {"jobs", "show"}) {
    const Ran ran = fleet[node].ballot({command, "trim@n9"});
    EXPECT_EQ(ran.code, 3) << command << ": " << ran.out;
    EXPECT_TRUE(contains(ran.err, "no node n9 is in the fleet")) << command << ": " << ran.err;
  }
  const Ran of_dead = fleet[node].ballot({"jobs", "dusk", "--node", "n1"});
  EXPECT_TRUE(contains(of_dead.out, "(no answer)")) << of_dead.out << of_dead.err;
  // One that was paused while its node is dead, and one whose node has left.
  ASSERT_EQ(fleet[node].ballot({"pause", "trim"}).code, 0);
  const std::string paused = by_api(two, "jobs/trim@n1");
  EXPECT_TRUE(contains(paused, R"("state":"paused","state_evidence":"store")")) << paused;
  EXPECT_TRUE(contains(paused, R"("pauses":[{"by":"n2 )")) << paused;
  ASSERT_EQ(fleet[node].ballot({"resume", "trim"}).code, 0);
  ASSERT_EQ(fleet["n3"].stop(), 0);
  Ran left;  // the others know of it once they have read the store
  EXPECT_TRUE(wait_until([&] {
    left = fleet[node].ballot({"next", "--job", "trim@n3", "--for", "5s", "--format", "json"});
    return contains(left.out, R"("node":"n3","node_state":"gone")");
  })) << left.out
      << left.err;
  EXPECT_TRUE(contains(left.err, becomes)) << left.err;
}

/// Its job file is refused, and it has started since: it answers, and has no instance.
TEST_F(AskTheFleet, AnInstanceThatItsNodesFilesDoNotDefineIsShownAsThatNodeSays) {
  if (!BallotDaemon::backend) GTEST_SKIP() << "the embedded backend is one host's: there is no fleet to ask";
  configure("n1", one), configure("n2", two), configure("n3", three);
  fleet.job("tick", "schedule = \"* * * * * *\"\n" + fleet.oracle.command({"--for", "50ms"}));
  fleet.job("rotate", "run_on = \"each\"\nschedule = \"* * * * * *\"\n" + fleet.oracle.command({"--for", "50ms"}));
  fleet["n3"].folder.write("jobs.d/rotate.toml", "[job.rotate]\nschedul = \"* * * * * *\"\nshell = \"true\"\n");
  for (const char* node : {"n1", "n2", "n3"}) fleet[node].start();
  for (const char* node : {"n1", "n2"}) ASSERT_TRUE(fleet[node].wait_for("group=default@" + std::string(node)));
  ASSERT_TRUE(fleet["n3"].wait_for("session open"));
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  Ran jobs;
  do jobs = fleet["n1"].ballot({"jobs", "rotate", "--format", "csv"});
  while (!has(jobs.out, "rotate@n3,default@n3,,,,not defined there,,,,,,,\n") &&
         std::chrono::steady_clock::now() < until);
  EXPECT_TRUE(has(jobs.out, "rotate@n3,default@n3,,,,not defined there,,,,,,,\n")) << jobs.out << jobs.err;
  EXPECT_TRUE(has(jobs.out, ",active,,,,,,,\nrotate@n3")) << "n2's is: " << jobs.out;
  EXPECT_TRUE(has(jobs.err, "rotate@n3 is not defined there: config: 1 error in the job files")) << jobs.err;
  EXPECT_TRUE(has(jobs.err, "jobs.d/rotate.toml:2:")) << jobs.err;
  const Ran next = fleet["n1"].ballot({"next", "--node", "n3", "--job", "rotate", "--for", "1m"});
  EXPECT_FALSE(has(next.out, "rotate@n3")) << next.out;
  EXPECT_TRUE(has(next.err, "job rotate@n3 is not defined there: config: 1 error")) << next.err;
  const Ran shown = fleet["n1"].ballot({"show", "rotate@n3"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_TRUE(has(shown.out, "not defined there: config: 1 error")) << shown.out << shown.err;
  EXPECT_TRUE(has(shown.out, "next slots  none")) << shown.out;
  const Ran why = fleet["n1"].ballot({"why", "rotate@n3"});
  EXPECT_TRUE(has(why.out, "the job is not defined there (config: 1 error")) << why.out << why.err;
  const Ran there = fleet["n3"].ballot({"show", "rotate@n3"});
  EXPECT_EQ(there.code, 3);
  EXPECT_TRUE(has(there.err, "config: 1 error in the job files")) << there.err;
}

/// It was stopped by a signal: whoever asks waits for it once, and never again before it answers.
TEST_F(AskTheFleet, ANodeThatIsSilentCostsNothingAfterTheFirstQuestionAndIsBackOnceItAnswers) {
  if (!BallotDaemon::backend) GTEST_SKIP() << "the embedded backend is one host's: there is no fleet to ask";
  configure("n1", one), configure("n2", two), configure("n3", three);
  fleet.job("dusk", "shell = \"true\"");
  fleet.start();
  const auto names_n3 = [&] { return contains(by_api(two, "jobs?scope=fleet"), R"("node":"n3")"); };
  ASSERT_TRUE(wait_until([&] { return !names_n3(); }));
  fleet["n3"].send(SIGSTOP);
  ASSERT_TRUE(wait_until(names_n3)) << "it stops a moment after it is told to";
  const auto begin = std::chrono::steady_clock::now();
  auto slowest = std::chrono::steady_clock::duration::zero();
  while (std::chrono::steady_clock::now() - begin < std::chrono::seconds(12)) {
    const auto asked = std::chrono::steady_clock::now();
    EXPECT_TRUE(names_n3()) << "it is missing all the while";
    slowest = std::max(slowest, std::chrono::steady_clock::now() - asked);
  }
  EXPECT_LT(slowest, Millis(1500)) << "a question waits 2 s for a node";
  fleet["n3"].send(SIGCONT);
  EXPECT_TRUE(wait_until([&] { return !names_n3(); })) << by_api(two, "jobs?scope=fleet");
}

/// n2 and n3 were asked nothing before: n2 sees it leave, n3 is down meanwhile.
TEST_F(AskTheFleet, ANodeThatWasStoppedIsNamedByThoseThatWereAskedNothingBeforeAndByTheirNextDaemons) {
  if (!BallotDaemon::backend) GTEST_SKIP() << "the embedded backend is one host's: there is no fleet to ask";
  configure("n1", one), configure("n2", two), configure("n3", three);
  fleet.job("tick", "schedule = \"* * * * * *\"\n" + fleet.oracle.command({"--for", "10ms"}));
  fleet.start();
  ASSERT_TRUE(has_run("n1", 3));
  for (const std::string node : {"n2", "n3"})
    ASSERT_TRUE(wait_until([&] { return contains(text_of(fleet[node].folder / "state/nodes"), R"("n1")"); })) << node;
  EXPECT_EQ(fleet["n3"].stop(), 0);
  EXPECT_EQ(fleet["n1"].stop(), 0);
  ASSERT_TRUE(has_run("n2", 1));
  std::optional<Row> succeeded;
  for (const Row& row : fleet["n1"].rows("tick"))
    if (!succeeded && row.run && row.status == Status::succeeded)
      succeeded = row;  // of the last one the register tells
  ASSERT_TRUE(succeeded);
  expect_lacks_n1("n2", *succeeded);
  EXPECT_EQ(fleet["n2"].stop(), 0);
  for (const std::string node : {"n2", "n3"}) fleet[node].start();
  for (const std::string node : {"n2", "n3"}) {
    ASSERT_TRUE(fleet[node].wait_for("session open")) << fleet[node].log;
    expect_lacks_n1(node, *succeeded);
  }
  for (const Report& report : fleet.oracle.reports()) EXPECT_NE(report.trigger, Trigger::backfill) << report.text();
}

}  // namespace
}  // namespace ballot::testing
