// A scenario of docs/developers/testing.md that is the same on any backend: outcomes that come after their term.
#include <gtest/gtest.h>

#include "support/process/fleet.hpp"

namespace ballot::testing {
namespace {

using std::chrono::seconds;

class Scenario : public ::testing::Test {
 protected:
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
  Fleet fleet{{"n1", "n2"}};
};

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

}  // namespace
}  // namespace ballot::testing
