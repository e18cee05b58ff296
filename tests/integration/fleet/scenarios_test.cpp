// Scenarios of docs/testing.md that are the same on any backend: a host that is lost with its runs, outcomes that come
// after their term, and everything at random. BALLOT_CHAOS=N: so many random deeds.
#include <gtest/gtest.h>

#include <thread>

#include "base/random.hpp"
#include "support/process/fleet.hpp"
#include "support/process/process_facts.hpp"

namespace ballot::testing {
namespace {

using std::chrono::seconds;

class Scenario : public ::testing::Test {
 protected:
  explicit Scenario(const std::vector<std::string>& nodes = {"n1", "n2"}) : fleet(nodes) {}
  ~Scenario() override {
    if (HasFailure()) std::cout << fleet.logs();
  }

  static std::string every_second() { return "schedule = \"* * * * * *\"\n"; }
  std::string brief() { return every_second() + "misfire = \"all\"\n" + fleet.oracle.command({"--for", "50ms"}); }
  /// A START of the job on the node after that.
  bool starts(const std::string& job, const std::string& node, const Instant& after = {}) {
    return fleet.oracle.wait_until([&](const Reports& all) {
      return std::any_of(all.begin(), all.end(), [&](const Report& report) {
        return report.job == job && report.node == node && report.started.boot > after.boot;
      });
    });
  }
  /// Until a slot that is due from now on is run, and all before it are settled.
  void catch_up() {
    const WallTime now = Instant::now().wall + seconds(2);
    EXPECT_TRUE(fleet.oracle.wait_until([&](const Reports& all) {
      return std::any_of(all.begin(), all.end(),
                         [&](const Report& r) { return r.job == "brief" && r.slot > now && r.on_time(); });
    })) << "nobody catches up";
  }
  Row row(const std::string& node, const std::string& job, int attempt = 1) {
    for (const Row& one : fleet[node].rows(job))
      if (one.attempt == attempt) return one;
    return {};
  }
  bool becomes(const std::string& node, const std::string& job, Status status, int attempt = 1) {
    return wait_until([&] { return row(node, job, attempt).status == status; });
  }
  /// The daemon, its runner and all its runs, as if their host lost its power.
  void lose_host(const std::string& node) {
    const pid_t runner = listener_at(fleet[node].folder / "run/runner.sock");
    ASSERT_GT(runner, 0);
    fleet[node].send(SIGSTOP);  // so that nobody knows of the one's end before the other's
    ASSERT_EQ(::kill(runner, SIGKILL), 0);
    fleet[node].kill();
  }

  Fleet fleet;
};

// S3 local zookeeper
TEST_F(Scenario, ALostHostsRunIsNotRepeatedButWhereItIsAtLeastOnceWithAHigherFence) {
  fleet.job("brief", brief());
  fleet.job("once", fleet.oracle.command({"--wait"}));
  fleet.job("again", "guarantee = \"at-least-once\"\n" + fleet.oracle.command({"--wait"}));
  fleet.start();
  for (const char* job : {"once", "again"}) {
    ASSERT_EQ(fleet["n1"].ballot({"trigger", job}).code, 0);
    ASSERT_TRUE(starts(job, "n1"));
  }
  lose_host("n1");
  ASSERT_TRUE(starts("again", "n2"));
  ASSERT_TRUE(becomes("n2", "once", Status::lost));
  EXPECT_EQ(row("n2", "once").reason, Reason::node_died);
  fleet.oracle.end("again", 0);
  ASSERT_TRUE(becomes("n2", "again", Status::succeeded, 2));
  catch_up();
  EXPECT_EQ(check(fleet.evidence()), Findings{});
  EXPECT_EQ(fleet.oracle.reports("once").size(), 1u);
  const Reports again = fleet.oracle.reports("again");
  ASSERT_EQ(again.size(), 2u);
  EXPECT_EQ(again[1].run, again[0].run);
  EXPECT_EQ(again[1].attempt, 2);
  EXPECT_GT(again[1].fence, again[0].fence);
}

// S32 local zookeeper
TEST_F(Scenario, AnOutcomeThatComesAfterItsTermClosesTheRunAndItsJobGoesOn) {
  fleet.job("brief", brief());
  fleet.job("finish", every_second() + "on_leadership_lost = \"finish\"\n" + fleet.oracle.command({"--wait"}));
  fleet.start();
  ASSERT_TRUE(starts("finish", "n1"));
  ASSERT_EQ(fleet["n2"].ballot({"election", "evict", "default"}).code, 0);
  const Instant evicted = Instant::now();
  ASSERT_TRUE(starts("brief", "n2", evicted));
  EXPECT_EQ(fleet.oracle.reports("finish").size(), 1u) << "it counts as running";
  fleet.oracle.end("finish", 7);
  ASSERT_TRUE(starts("finish", "n2", evicted));
  fleet.oracle.end("finish", 0);
  catch_up();
  const Row old = row("n1", "finish");
  EXPECT_EQ(old.status, Status::failed);
  EXPECT_EQ(old.exit_code, 7);
  fleet["n2"].ballot({"pause", "finish"});
  fleet.oracle.end("finish", 0);
  EXPECT_EQ(check(fleet.evidence()), Findings{});
}

class AllAtOnce : public Scenario {
 protected:
  AllAtOnce() : Scenario({"n1", "n2", "n3"}) {}

  static int deeds() {
    const char* asked = std::getenv("BALLOT_CHAOS");
    return asked ? std::max(1, std::atoi(asked)) : 8;
  }
  /// Something happens to a node; what it ends with happens before the next.
  void disturb(const std::string& node) {
    BallotDaemon& daemon = fleet[node];
    const Millis span(300 + static_cast<int>(random.below(1500)));
    switch (random.below(4)) {
      case 0: {
        daemon.kill();
        std::this_thread::sleep_for(span);
        return daemon.start();
      }
      case 1: {
        daemon.send(SIGSTOP);
        std::this_thread::sleep_for(2 * span);
        return daemon.send(SIGCONT);
      }
      case 2: {
        lose_host(node);
        std::this_thread::sleep_for(span);
        return daemon.start();
      }
      default: daemon.ballot({"election", "evict", "default"});
    }
  }

  Random random{24};
};

// S24 local zookeeper
TEST_F(AllAtOnce, RandomKillsAndFreezesBreakNoPromise) {
  fleet.job("brief", brief());
  fleet.job("latest", every_second() + fleet.oracle.command({"--for", "700ms"}));
  fleet.job("always", every_second() + "guarantee = \"at-least-once\"\nkill_grace = \"200ms\"\n" +
                          fleet.oracle.command({"--for", "300ms"}));
  fleet.job("finish", "schedule = \"*/2 * * * * *\"\non_leadership_lost = \"finish\"\nlost_after = \"2s\"\n" +
                          fleet.oracle.command({"--for", "1200ms"}));
  fleet.start();
  for (int i = 0; i < deeds(); ++i) disturb("n" + std::to_string(1 + random.below(3)));
  catch_up();
  const Evidence evidence = fleet.evidence();
  EXPECT_EQ(check(evidence), Findings{});
  EXPECT_GE(evidence.until - evidence.from, seconds(5)) << "there is something to judge";
}

}  // namespace
}  // namespace ballot::testing
