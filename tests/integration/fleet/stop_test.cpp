// A stop with `on_stop = "leave"` and runs under way: what ends, what goes on, who leads meanwhile. Two groups: `idle`
// has nothing running, `busy` has. The other stops are S14 of tests/chaos/.
#include <gtest/gtest.h>

#include "support/process/fleet.hpp"

namespace ballot::testing {
namespace {

using std::chrono::seconds;

class StopWith : public ::testing::Test {
 protected:
  ~StopWith() override {
    if (fleet && HasFailure()) std::cout << fleet->logs();
  }

  /// n1 leads both groups, and has a run each of `patient`, which waits until it is asked to end, and of `stubborn`,
  /// which also ignores TERM.
  void start(const std::string& on_stop, const std::vector<std::string>& nodes = {"n1", "n2"}) {
    fleet.emplace(nodes, "[runner]\non_stop = \"" + on_stop + "\"\n");
    const std::string busy = "group = \"busy\"\nkill_grace = \"500ms\"\n";
    fleet->job("tick", "group = \"idle\"\nschedule = \"* * * * * *\"\n" + fleet->oracle.command());
    fleet->job("patient", busy + fleet->oracle.command({"--wait"}));
    fleet->job("stubborn", busy + fleet->oracle.command({"--wait", "--ignore-term"}));
    fleet->start(2);
    for (const char* job : {"patient", "stubborn"}) {
      const Ran ran = node("n1").ballot({"trigger", job});
      ASSERT_EQ(ran.code, 0) << ran.err;
      triggered.push_back(*RunId::parse(ran.out.substr(0, 36)));
    }
    ASSERT_TRUE(fleet->oracle.wait_until([](const Reports& all) {
      return std::count_if(all.begin(), all.end(), [](const Report& r) { return r.job != "tick"; }) == 2;
    }));
  }

  BallotDaemon& node(const std::string& name) { return (*fleet)[name]; }

  bool wait_for_tick_on(const std::string& name, const Instant& after) {
    return fleet->oracle.wait_until([&](const Reports& all) {
      return std::any_of(all.begin(), all.end(), [&](const Report& r) {
        return r.job == "tick" && r.node == name && r.started.boot > after.boot;
      });
    });
  }
  Report report(const std::string& job) { return fleet->oracle.reports(job).at(0); }

  /// All is well, and the run of each of the two jobs has this one row.
  void judge(const std::map<std::string, std::pair<Status, Reason>>& wanted) {
    Evidence evidence = fleet->evidence();
    evidence.triggered = triggered;
    EXPECT_EQ(check(evidence), Findings{});
    for (const auto& [job, expected] : wanted) {
      EXPECT_EQ(fleet->oracle.reports(job).size(), 1u);
      int rows = 0;
      for (const NodeLedger& ledger : evidence.ledgers)
        for (const Row& row : ledger.rows) {
          if (row.job != job) continue;
          ++rows;
          EXPECT_EQ(row.status, expected.first) << job;
          EXPECT_EQ(row.reason, expected.second) << job;
        }
      EXPECT_EQ(rows, 1) << job;
    }
  }

  std::optional<Fleet> fleet;
  std::vector<RunId> triggered;
};

TEST_F(StopWith, LeaveKeepsRunsAndTermForTheNextStart) {
  start("leave", {"n1"});
  ASSERT_EQ(node("n1").stop(), 0);
  EXPECT_FALSE(report("patient").over());
  fleet->oracle.end("stubborn", 9);  // while nobody watches but the runner
  node("n1").start();
  ASSERT_TRUE(node("n1").wait_for("leads again, the same term", 2)) << node("n1").log;
  fleet->oracle.end("patient", 7);
  ASSERT_TRUE(node("n1").wait_for("exit_code=7"));
  judge({{"patient", {Status::failed, Reason::exit_code}}, {"stubborn", {Status::failed, Reason::exit_code}}});
}

TEST_F(StopWith, LeaveAndNoReturnEndsWhatIsLeftByTheDeadline) {
  start("leave");
  const Instant asked = Instant::now();
  ASSERT_EQ(node("n1").stop(), 0);
  ASSERT_TRUE(fleet->oracle.wait_until([](const Reports& all) {
    return std::all_of(all.begin(), all.end(), [](const Report& r) { return r.gone.has_value(); });
  }));
  for (const char* job : {"patient", "stubborn"})
    EXPECT_LE(report(job).gone->boot - asked.boot, fleet->timeout - fleet->margin + Millis(100)) << job;
  ASSERT_TRUE(wait_for_tick_on("n2", asked));
  ASSERT_TRUE(node("n2").wait_for("killed: leadership_lost", 2)) << "what the runner knows is not lost";
  EXPECT_EQ(check(fleet->evidence()), Findings{});
}

}  // namespace
}  // namespace ballot::testing
