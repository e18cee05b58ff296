// Nodes of two builds that lead after each other: what one has written of its runs, requests and policies, the other
// reads. The checker accounts for every slot, over the ledgers of both.
#include "integration/two_builds/builds.hpp"
#include "support/process/process_facts.hpp"

namespace ballot::testing {
namespace {

using std::chrono::seconds;

class LeaderOfTheOtherBuild : public TwoBuilds {
 protected:
  LeaderOfTheOtherBuild() : TwoBuilds({"n1", "n2"}) {
    install("n2", GetParam().to);
    add_jobs();
  }

  void add_jobs() {
    const std::string brief = every_second() + fleet.oracle.command({"--for", "50ms"});
    fleet.job("brief", brief + "misfire = \"all\"\n");
    fleet.job("latest", brief);
    fleet.job("paused", brief);
    fleet.job("long", every_second() + fleet.oracle.command({"--for", "1500ms"}));
    fleet.job("queued",
              every_second() + "concurrency = \"queue\"\nqueue_limit = 2\n" + fleet.oracle.command({"--for", "300ms"}));
    fleet.job("replaced", every_second() + "concurrency = \"replace\"\n" + fleet.oracle.command({"--for", "1500ms"}));
    fleet.job("retried", "schedule = \"*/2 * * * * *\"\nretries = 1\nretry_delay = \"100ms\"\n" +
                             fleet.oracle.command({"--exit", "3"}));
    fleet.job("always", every_second() + "guarantee = \"at-least-once\"\n" + fleet.oracle.command({"--for", "700ms"}));
    fleet.job("finish", "on_leadership_lost = \"finish\"\n" + fleet.oracle.command({"--wait"}));
    fleet.job("tool", fleet.oracle.command());
  }

  std::ptrdiff_t starts_after(const std::string& job, const Instant& after) const {
    const Reports all = fleet.oracle.reports(job);
    return std::count_if(all.begin(), all.end(), [&](const Report& r) { return r.started.boot > after.boot; });
  }

  /// Whoever leads does what people ask of the other one.
  void ask(const std::string& node) {
    const Ran ran = fleet[node].ballot({"trigger", "tool", "--wait"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(fleet[node].ballot({"pause", "paused"}).code, 0);
  }
};

TEST_P(LeaderOfTheOtherBuild, IsSucceededAndSucceedsWithEverySlotAccountedFor) {
  BallotDaemon &one = fleet["n1"], &two = fleet["n2"];
  fleet.start();
  ask("n2");
  ASSERT_EQ(two.ballot({"trigger", "finish"}).code, 0);
  ASSERT_TRUE(starts("finish", "n1"));
  one.kill();
  const Instant killed = Instant::now();
  ASSERT_TRUE(starts("brief", "n2", killed));
  EXPECT_NE(two.ballot({"trigger", "finish"}).code, 0) << "its run goes on in the other build's runner";
  EXPECT_EQ(starts_after("paused", killed), 0) << "what was paused stays paused";
  fleet.oracle.end("finish", 7);
  one.start();
  ASSERT_TRUE(one.wait_for("session open")) << one.log;
  ASSERT_TRUE(wait_until([&] {
    return two.ballot({"trigger", "finish"}).code == 0;
  })) << "the run of the term before is closed";
  ASSERT_TRUE(starts("finish", "n2", killed));
  fleet.oracle.end("finish", 0);
  EXPECT_EQ(one.ballot({"resume", "paused"}).code, 0);
  ASSERT_TRUE(starts("paused", "n2", killed));
  ask("n1");
  catch_up();
  const Instant stopped = Instant::now();
  ASSERT_EQ(two.stop(), 0);
  ASSERT_TRUE(starts("brief", "n1", stopped)) << "and back";
  two.start();
  ASSERT_TRUE(two.wait_for("session open")) << two.log;
  ask("n2");
  EXPECT_EQ(starts_after("paused", stopped), 0);
  EXPECT_EQ(two.ballot({"resume", "paused"}).code, 0);
  ASSERT_TRUE(starts("paused", "n1", stopped));
  catch_up();
  const Evidence evidence = fleet.evidence();
  EXPECT_EQ(check(evidence), Findings{});
  const MergedLedger merged(evidence.ledgers);
  const Reports finished = fleet.oracle.reports("finish");
  ASSERT_EQ(finished.size(), 2u);
  EXPECT_EQ(merged.last(finished[0].run).row.exit_code, 7);
  EXPECT_EQ(merged.last(finished[1].run).row.exit_code, 0);
}

INSTANTIATE_TEST_SUITE_P(On, LeaderOfTheOtherBuild, ::testing::Values(upgrade, downgrade), name_of);

class RollingChange : public TwoBuilds {
 protected:
  RollingChange() : TwoBuilds({"n1", "n2", "n3"}) {}

  void change(const std::string& node, const std::string& program, bool killed) {
    BallotDaemon& daemon = fleet[node];
    if (killed)
      daemon.kill();
    else
      ASSERT_EQ(daemon.stop(), 0);
    install(node, program);
    daemon.start();
    ASSERT_TRUE(daemon.wait_for("session open")) << daemon.log;
    catch_up();
  }
};

TEST_P(RollingChange, OfAFleetAndBackLosesNoSlot) {
  fleet.job("brief", every_second() + "misfire = \"all\"\n" + fleet.oracle.command({"--for", "50ms"}));
  fleet.job("long", every_second() + fleet.oracle.command({"--for", "1500ms"}));
  fleet.start();
  bool killed = false;
  for (const char* node : {"n1", "n2", "n3"}) change(node, GetParam().to, killed = !killed);
  change("n1", GetParam().from, false);
  EXPECT_EQ(check(fleet.evidence()), Findings{});
}

INSTANTIATE_TEST_SUITE_P(On, RollingChange, ::testing::Values(upgrade, downgrade), name_of);

}  // namespace
}  // namespace ballot::testing
