// A disk below the history whose syncs take seconds, as a failing one or one that others keep busy: jobs start in time,
// the daemon says so, and nothing is lost. The store lies on another disk.
#include <chrono>
#include <map>
#include <sstream>

#include "base/wall_text.hpp"
#include "integration/daemon/faulty_daemon.hpp"

namespace ballot::testing {
namespace {

using std::chrono::seconds;

constexpr Millis slow_sync{3000}, no_answer{600'000};

struct SlowDisk : ::testing::Test {
  SlowDisk() {
    daemon.environment = {"LD_PRELOAD=" BALLOT_SLOW_SYNC, "BALLOT_SLOW_SYNC=" + (daemon.folder / "slow"),
                          "BALLOT_SLOW_SYNC_OF=/history.db", "ASAN_OPTIONS=verify_asan_link_order=0"};
    daemon.job("tick", "schedule = \"* * * * * *\"\nshell = \"echo $BALLOT_SLOT >> " + starts + "\"");
  }
  void each_sync_takes(Millis time) { daemon.folder.write("slow", std::to_string(time.count())); }
  bool status_says(int code, const std::string& text) const {
    const Ran ran = daemon.ballot({"status"});
    return ran.code == code && ran.out.find(text) != std::string::npos;
  }
  void expect_each_slot_started_once() const {
    std::map<std::string, int> counts;
    std::istringstream lines(text_of(starts));
    for (std::string slot; lines >> slot;) ++counts[slot];
    EXPECT_FALSE(counts.empty());
    for (const auto& [slot, count] : counts) EXPECT_EQ(count, 1) << slot;
    std::size_t ran = 0;
    for (const Row& row : daemon.rows("tick")) ran += row.started_at.has_value() ? 1 : 0;
    EXPECT_EQ(ran, counts.size()) << "each start has its row";
  }

  FaultyDaemon daemon;
  const std::string starts = daemon.folder / "starts";
};

TEST_F(SlowDisk, DelaysNoStartIsSaidAndLosesNoRow) {
  daemon.lead();
  ASSERT_TRUE(daemon.wait_for("succeeded", 2)) << daemon.log;
  const WallTime slow_from = BallotDaemon::wall_now();
  each_sync_takes(slow_sync);
  EXPECT_TRUE(wait_until([&] {
    return status_says(1, "ledger: " + (daemon.folder / "state/history.db") + ": a write takes longer than 2s");
  })) << daemon.ballot({"status"}).out;
  ASSERT_TRUE(daemon.wait_for("the ledger is degraded")) << daemon.log;
  ASSERT_TRUE(daemon.wait_for("started", 3)) << daemon.log;
  each_sync_takes(Millis(0));
  EXPECT_TRUE(daemon.wait_for("the ledger is well again")) << daemon.log;
  EXPECT_TRUE(wait_until([&] { return status_says(0, "healthy"); })) << daemon.ballot({"status"}).out;
  EXPECT_EQ(daemon.log.find("the ledger is degraded"), daemon.log.rfind("the ledger is degraded"))
      << "a write that is not synced says nothing of the disk: " << daemon.log;
  const WallTime fast_from = BallotDaemon::wall_now();
  EXPECT_GE(fast_from - slow_from, seconds(4));
  daemon.expect_accounted("tick");
  int slots = 0;
  for (const Row& row : daemon.rows("tick")) {
    if (row.slot < slow_from || row.slot >= fast_from) continue;
    ++slots;
    EXPECT_EQ(status_of(row), "succeeded") << format_slot(row.slot);
    EXPECT_LT(row.started_at.value_or(WallTime::max()), row.slot + seconds(1)) << format_slot(row.slot);
  }
  EXPECT_GE(slots, 4);
  expect_each_slot_started_once();
}

TEST_F(SlowDisk, ADaemonThatIsKilledWhileItWaitsForItLosesNoRowAndStartsNothingTwice) {
  daemon.lead();
  ASSERT_TRUE(daemon.wait_for("succeeded", 2)) << daemon.log;
  each_sync_takes(no_answer);
  ASSERT_TRUE(daemon.wait_for("started", 4)) << daemon.log;
  EXPECT_TRUE(wait_until([&] { return status_says(1, "its disk is slow"); })) << daemon.ballot({"status"}).out;
  daemon.kill();
  each_sync_takes(Millis(0));
  daemon.lead();
  ASSERT_TRUE(daemon.wait_for("succeeded", 2)) << daemon.log;
  daemon.expect_accounted("tick");
  EXPECT_EQ(daemon.stop(), 0);
  expect_each_slot_started_once();
}

}  // namespace
}  // namespace ballot::testing
