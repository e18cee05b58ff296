// Two daemons of one host, one of them leading, that stop and come back. The checker judges what the processes reported
// and what the ledgers say of it. What happens to those that are let down is tests/chaos/.
#include <gtest/gtest.h>

#include <iostream>

#include "support/process/fleet.hpp"

namespace ballot::testing {
namespace {

using std::chrono::seconds;

constexpr const char* every_second = "schedule = \"* * * * * *\"\n";

/// The middle one and the longest.
void print(const std::string& what, std::vector<Millis> times) {
  ASSERT_FALSE(times.empty());
  std::sort(times.begin(), times.end());
  std::cout << what << ": p50 " << times[times.size() / 2].count() << " ms, max " << times.back().count() << " ms, of "
            << times.size() << "\n";
}

class Failover : public ::testing::Test {
 protected:
  Failover() {
    const std::string brief = every_second + fleet.oracle.command({"--for", "50ms"});
    fleet.job("latest", brief);
    fleet.job("all", brief + "misfire = \"all\"\n");
    fleet.job("none", brief + "misfire = \"skip\"\n");
    fleet.job("long", every_second + fleet.oracle.command({"--for", "1500ms"}));
  }
  ~Failover() override {
    if (HasFailure()) std::cout << fleet.logs();
  }

  const std::string& other(const std::string& node) const { return node == "n1" ? n2 : n1; }

  /// The first START on a node after an instant, of any job or of one.
  std::optional<Report> first_start(const std::string& node, const Instant& after, const std::string& job = "") {
    std::optional<Report> found;
    fleet.oracle.wait_until([&](const Reports& all) {
      for (const Report& report : all)
        if (!found && report.node == node && report.started.boot > after.boot && (job.empty() || report.job == job))
          found = report;
      return found.has_value();
    });
    return found;
  }

  /// Until the job that catches everything up is on time again.
  void catch_up() {
    const WallTime now = Instant::now().wall;
    EXPECT_TRUE(fleet.oracle.wait_until([&](const Reports& all) {
      return std::any_of(all.begin(), all.end(), [&](const Report& report) {
        return report.job == "all" && report.trigger == Trigger::schedule && report.slot > now;
      });
    }));
  }

  Evidence judge() {
    catch_up();
    Evidence evidence = fleet.evidence();
    EXPECT_GE(evidence.until - evidence.from, seconds(1)) << "there is something to judge";
    EXPECT_EQ(check(evidence), Findings{});
    EXPECT_EQ(fleet.oracle.unread(), std::vector<std::string>{});
    return evidence;
  }

  const std::string n1 = "n1", n2 = "n2";
  Fleet fleet{{n1, n2}};
};

/// From an instant to the next term that began.
Millis until_elected(const Evidence& evidence, const Instant& from) {
  WallTime elected = WallTime::max();
  for (const NodeLedger& ledger : evidence.ledgers)
    for (const TermRow& term : ledger.terms)
      if (term.elected_at >= from.wall) elected = std::min(elected, term.elected_at);
  return elected - from.wall;
}

TEST_F(Failover, AStandbyThatStopsAndComesBackChangesNothing) {
  fleet.start();
  ASSERT_EQ(fleet[n2].stop(), 0);
  ASSERT_TRUE(first_start(n1, Instant::now()));
  fleet[n2].start();
  ASSERT_TRUE(fleet[n2].wait_for("session open"));
  ASSERT_TRUE(first_start(n1, Instant::now()));
  catch_up();
  catch_up();  // or there may be nothing yet that is old enough to be judged
  for (const Report& report : fleet.oracle.reports()) EXPECT_EQ(report.node, n1);
  judge();
}

TEST_F(Failover, ALeaderThatIsStoppedHandsOver) {
  fleet.start();
  std::string leader = n1;
  std::vector<Instant> stops;
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(first_start(leader, Instant::now(), "long"));
    EXPECT_EQ(fleet[leader].stop(), 0);
    stops.push_back(Instant::now());
    ASSERT_TRUE(first_start(other(leader), stops.back()));
    fleet[leader].start();
    ASSERT_TRUE(fleet[leader].wait_for("session open"));
    leader = other(leader);
  }
  const Evidence evidence = judge();
  std::vector<Millis> times;
  for (const NodeLedger& ledger : evidence.ledgers)
    for (const TermRow& term : ledger.terms)
      if (term.ended_at && *term.ended_at < stops.back().wall)
        times.push_back(until_elected(evidence, {.boot = {}, .wall = *term.ended_at}));
  print("hand-over, clean stop: end of the term to elected", times);
}

}  // namespace
}  // namespace ballot::testing
