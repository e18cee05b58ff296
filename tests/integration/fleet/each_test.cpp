// Jobs that run on each node, with real daemons.
#include <gtest/gtest.h>

#include <iostream>

#include "support/process/fleet.hpp"

namespace ballot::testing {
namespace {

using std::chrono::seconds;

constexpr Millis each_timeout{4000};

class Each : public ::testing::Test {
 protected:
  ~Each() override {
    if (HasFailure()) std::cout << fleet.logs();
  }
  bool wait_for_starts(const std::string& node, std::size_t count) {
    const Instant now = Instant::now();
    return fleet.oracle.wait_until([&](const Reports& all) {
      return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const Report& report) {
               return report.node == node && report.started.boot > now.boot;
             })) >= count;
    });
  }
  static std::size_t starts_after(const Instant& since, const Reports& all) {
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [&](const Report& report) { return report.started.boot > since.boot; }));
  }
  Fleet fleet{{"n1", "n2", "n3"}, "", each_timeout};
};

TEST_F(Each, NodeRunsItsOwnSlotsOnceCatchesThemUpAndRunsNoneOfAnother) {
  fleet.job("tick", "run_on = \"each\"\nschedule = \"* * * * * *\"\nmisfire = \"all\"\n" +
                        fleet.oracle.command({"--for", "50ms"}));
  for (const char* node : {"n1", "n2", "n3"}) fleet[node].start();
  for (const char* node : {"n1", "n2", "n3"}) ASSERT_TRUE(fleet[node].wait_for("group=default@" + std::string(node)));
  ASSERT_TRUE(wait_for_starts("n2", 2));
  fleet["n2"].kill();
  fleet["n2"].end_runner();
  ASSERT_TRUE(wait_for_starts("n1", 6));
  fleet["n2"].start();
  ASSERT_TRUE(wait_for_starts("n2", 9));
  ASSERT_TRUE(wait_for_starts("n3", 1));
  for (const char* node : {"n1", "n2", "n3"}) EXPECT_EQ(fleet[node].stop(), 0);
  const Reports reports = fleet.oracle.reports();
  for (const std::string node : {"n1", "n2", "n3"}) {
    const std::string job = "tick@" + node;
    std::map<WallTime, int> rows, starts;
    for (const Row& row : read_ledger(node, fleet[node].folder / "state/history.db").rows) {
      EXPECT_EQ(row.job, job);
      EXPECT_EQ(row.group, "default@" + node);
      const auto last = row.slot_until.value_or(row.slot);
      for (WallTime slot = row.slot; slot <= last; slot += seconds(1)) rows[slot] += 1;
    }
    for (const Report& report : reports)
      if (report.job == job) {
        EXPECT_EQ(report.node, node);
        starts[report.slot] += 1;
      }
    ASSERT_FALSE(rows.empty());
    EXPECT_EQ(rows.rbegin()->first - rows.begin()->first, seconds(rows.size() - 1))
        << node << ": no slot without a row";
    for (const auto& [slot, count] : rows) EXPECT_EQ(count, 1) << node;
    for (const auto& [slot, count] : starts) EXPECT_EQ(count, 1) << node;
    EXPECT_GE(starts.size() + 4, rows.size()) << node << ": what it missed it has caught up";
  }
}

TEST_F(Each, PauseOfAllHoldsForANodeThatComesLater) {
  // A run that goes on when the pause begins is in nobody's way.
  fleet.job("tick", "run_on = \"each\"\nconcurrency = \"queue\"\nschedule = \"* * * * * *\"\n" +
                        fleet.oracle.command({"--for", "50ms"}));
  for (const char* node : {"n1", "n2"}) fleet[node].start();
  for (const char* node : {"n1", "n2"}) ASSERT_TRUE(wait_for_starts(node, 1));
  const Ran paused = fleet["n1"].ballot({"pause", "tick"});
  ASSERT_EQ(paused.code, 0) << paused.err;
  EXPECT_EQ(paused.out, "paused: tick@n1 tick@n2, and other nodes when they come\n");
  const Instant since = Instant::now();
  fleet["n3"].start();
  ASSERT_TRUE(fleet["n3"].wait_for("group=default@n3"));
  const Ran triggered = fleet["n2"].ballot({"trigger", "tick", "--all"});
  EXPECT_EQ(triggered.code, 0) << triggered.err;
  EXPECT_EQ(std::count(triggered.out.begin(), triggered.out.end(), '\n'), 3) << triggered.out;
  ASSERT_TRUE(fleet.oracle.wait_until([&](const Reports& all) { return starts_after(since, all) >= 3; }));
  ASSERT_TRUE(fleet["n3"].wait_for("succeeded"));
  EXPECT_EQ(starts_after(since, fleet.oracle.reports()), 3u) << "what was triggered, and nothing else";
  EXPECT_EQ(fleet["n3"].ballot({"resume", "tick"}).code, 0);
  for (const char* node : {"n1", "n2", "n3"}) EXPECT_TRUE(wait_for_starts(node, 1)) << node;
}

}  // namespace
}  // namespace ballot::testing
