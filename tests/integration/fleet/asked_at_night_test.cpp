// What an operator asks one node of the others' jobs, while they live and when one is dead.
#include "integration/fleet/ask_the_fleet.hpp"

namespace ballot::testing {

/// Attempt 1 has failed on the leader, and attempt 2 waits: that all nodes live.
TEST_F(AskTheFleet, BetweenTwoAttemptsAnyNodeHasTheOutputOfTheOneThatHasBegun) {
  if (!BallotDaemon::backend) GTEST_SKIP() << "the embedded backend is one host's: there is no fleet to ask";
  configure("n1", one), configure("n2", two), configure("n3", three);
  fleet.job("again", "shell = \"echo cold; exit 3\"\nretries = 2\nretry_delay = \"10m\"");
  fleet.start();
  const RunId run = new_id();
  ASSERT_EQ(trigger(two, "again", run).status, 201);
  ASSERT_TRUE(wait_until([&] { return contains(by_api(two, "runs/" + run.text()), R"("status":"queued")"); }))
      << by_api(two, "runs/" + run.text());
  for (const std::string node : {"n1", "n2", "n3"}) {
    const Ran output = fleet[node].ballot({"output", "again"});
    EXPECT_EQ(output.code, 0) << node << ": " << output.err;
    EXPECT_EQ(output.out, "cold\n") << node;
    EXPECT_TRUE(contains(output.err, "failed: exit_code")) << node << ": " << output.err;
    EXPECT_EQ(fleet[node].ballot({"output", "again", "--attempt", "2"}).out, "") << node;
  }
  EXPECT_EQ(by_api(three, "runs/" + run.text() + "/output"), "cold\n");
  const Ran why = fleet["n3"].ballot({"why", "again"});
  std::string text = why.out;
  std::replace(text.begin(), text.end(), '\n', ' ');
  EXPECT_TRUE(contains(text, "It starts between 2")) << why.out << why.err;
  EXPECT_TRUE(contains(text, "With retries = 2, 2 attempts are left.")) << why.out << why.err;
  const Ran next = fleet["n3"].ballot({"next", "--format", "json"});
  EXPECT_TRUE(contains(next.err, "waits for attempt 2, which starts at 2")) << next.out << next.err;
  EXPECT_TRUE(contains(next.out, R"("attempt":2,"starts_at":"2)")) << next.out << next.err;
}

/// Of an instance on another node: as its node says while that lives, and as the store has it once it is dead.
TEST_F(AskTheFleet, AnInstanceThatIsPausedOnAnotherNodeIsSaidToBeSoByAll) {
  if (!BallotDaemon::backend) GTEST_SKIP() << "the embedded backend is one host's: there is no fleet to ask";
  configure("n1", one), configure("n2", two), configure("n3", three);
  fleet.job("trim", "run_on = \"each\"\nschedule = \"* * * * * *\"\nshell = \"true\"");
  fleet.job("hand", "shell = \"true\"");
  fleet.start();
  ASSERT_TRUE(wait_until([&] { return fleet["n2"].rows("trim@n2").size() > 2; }));
  BallotDaemon& asked = fleet["n3"];
  EXPECT_EQ(asked.ballot({"jobs", "trim@n2"}).code, 0);
  EXPECT_TRUE(contains(by_api(three, "jobs/trim@n2"), R"("state":"active")")) << by_api(three, "jobs/trim@n2");
  ASSERT_EQ(fleet["n2"].ballot({"pause", "trim@n2"}).code, 0);
  const auto expect_paused = [&](const std::string& when) {
    const Ran jobs = asked.ballot({"jobs", "trim@n2"}), show = asked.ballot({"show", "trim@n2"});
    EXPECT_EQ(jobs.code, 0) << when << jobs.err;
    EXPECT_TRUE(contains(jobs.out, "paused")) << when << jobs.out << jobs.err;
    EXPECT_TRUE(contains(show.out, "paused since")) << when << show.out << show.err;
    const Ran all = asked.ballot({"jobs", "trim", "--format", "csv"});
    EXPECT_TRUE(contains(all.out, ",paused,,,,,,,\ntrim@n3,default@n3,n3,")) << when << all.out << all.err;
    EXPECT_EQ(std::count(all.out.begin(), all.out.end(), '\n'), 4) << when << all.out << all.err;
    const std::string api = by_api(three, "jobs/trim@n2");
    EXPECT_TRUE(contains(api, R"("state":"paused")")) << when << api;
    EXPECT_TRUE(contains(api, R"("next_slot":null)")) << when << api;
    EXPECT_TRUE(contains(api, R"("paused_by":"n2 uid )")) << when << api;
    EXPECT_TRUE(contains(api, R"("of":"job","reason":null,"since":"2)")) << when << api;
    const Ran next = asked.ballot({"next", "--job", "trim@n2", "--format", "json"});
    EXPECT_TRUE(contains(next.out, R"({"job":"trim@n2","state":"paused","since":"2)")) << when << next.out << next.err;
    EXPECT_TRUE(contains(next.err, "job trim@n2 is paused since")) << when << next.err;
  };
  expect_paused("while it lives: ");
  const Ran of_node = asked.ballot({"jobs", "--node", "n2"});
  EXPECT_TRUE(contains(of_node.out, "trim@n2") && !contains(of_node.out, "trim@n3")) << of_node.out << of_node.err;
  EXPECT_TRUE(wait_until([&] {
    return contains(asked.ballot({"why", "trim@n2"}).out, "is paused since");
  })) << asked.ballot({"why", "trim@n2"}).out;
  EXPECT_FALSE(contains(by_api(three, "groups"), R"("paused":false,"state":"candidate")")) << by_api(three, "groups");
  const Ran nobody = asked.ballot({"trigger", "trim@n9"});
  EXPECT_EQ(nobody.code, 3) << nobody.err;
  EXPECT_EQ(asked.ballot({"why", "trim@n9"}).code, 3);

  fleet["n2"].kill();
  ASSERT_TRUE(wait_until([&] { return contains(asked.ballot({"nodes"}).out, "gone"); }));
  expect_paused("now that it is dead: ");
  const Ran why = asked.ballot({"why", "trim@n2"});
  EXPECT_TRUE(contains(why.out, "is paused since")) << why.out << why.err;
  const Ran status = asked.ballot({"status", "--format", "json"});
  EXPECT_TRUE(contains(status.out, R"("node":"n2","state":"gone")")) << status.out;
  EXPECT_TRUE(contains(by_api(three, "status"), R"("node":"n2","state":"gone")")) << by_api(three, "status");
  const std::string requests = by_api(three, "requests");
  EXPECT_TRUE(contains(requests, R"("evidence":"store")")) << requests;
  EXPECT_TRUE(contains(requests, R"("job":"trim@n2")")) << requests;
  const Ran triggered = asked.ballot({"trigger", "trim@n2", "--timeout", "1s"});
  EXPECT_TRUE(contains(triggered.err, "node n2 has not answered")) << triggered.err;
  const Ran all = asked.ballot({"trigger", "trim", "--all"});
  EXPECT_TRUE(contains(all.err, "trim@n2 is not triggered: node n2 has not answered")) << all.err;
  const Ran by_hand = asked.ballot({"why", "hand"});
  EXPECT_TRUE(contains(by_hand.out, "node n2 has not answered")) << by_hand.out << by_hand.err;
}

}  // namespace ballot::testing
