// Children that flood, never end a line, or leave their output to others: the memory of the runner and of the daemon
// stays bounded, and the run ends with the child.
#include "integration/daemon/faulty_daemon.hpp"
#include "support/process/peak_memory.hpp"

namespace ballot::testing {
namespace {

constexpr std::int64_t runner_bound_kib = 8 * 1024 + kept_freed_kib, daemon_bound_kib = 24 * 1024 + kept_freed_kib;

/// Runs `script` beside a job every second; how much memory it cost, and that nothing else was delayed.
class Flood {
 public:
  /// `tick`: the keys of a job beside it.
  explicit Flood(const std::string& keys, const std::string& tick = "") {
    if (!tick.empty()) daemon.job("tick", tick);
    daemon.job("flood", keys);
    daemon.job("small", "shell = \"exit 4\"");
    daemon.lead();
    EXPECT_EQ(daemon.run("small").code, 4);
    runner_before_ = peak_kib_of(daemon.runner());
    daemon_before_ = peak_kib_of(daemon.pid());
  }

  /// To its end, the log read meanwhile, or not.
  Row run() {
    Running asks({BALLOT_PROGRAM, "trigger", "flood", "--wait", "--config", daemon.folder / "ballot.toml"});
    const std::string id = asks.line();
    EXPECT_TRUE(daemon.wait_for("run=" + id + " exit_code=0", 1, std::chrono::seconds(120))) << "it does not end";
    EXPECT_EQ(asks.wait(), 0);
    const std::vector<Row> rows = daemon.rows("flood");
    return rows.empty() ? Row{} : rows.back();
  }
  void expect_bounded() {
    EXPECT_LT(peak_kib_of(daemon.runner()) - runner_before_, runner_bound_kib);
    EXPECT_LT(peak_kib_of(daemon.pid()) - daemon_before_, daemon_bound_kib);
    EXPECT_EQ(daemon.run("small").code, 4);
  }

  FaultyDaemon daemon;

 private:
  std::int64_t runner_before_ = 0, daemon_before_ = 0;
};

// S19 local zookeeper
TEST(Floods, OfAHundredMegabytesCostNoMemory) {
  Flood flood("shell = \"head -c 100000000 /dev/zero | tr '\\\\\\\\0' 'a\\\\n'\"");
  const Row row = flood.run();
  EXPECT_EQ(status_of(row), "succeeded");
  EXPECT_EQ(row.output_bytes, 100'000'000);
  flood.expect_bounded();
}

TEST(Floods, ThatAreLoggedAndNeverEndALineCostNoMemory) {
  Flood flood("shell = \"head -c 20000000 /dev/zero | tr '\\\\\\\\0' x\"\nlog_output = true");
  const Row row = flood.run();
  EXPECT_EQ(status_of(row), "succeeded");
  EXPECT_EQ(row.output_bytes, 20'000'000);
  flood.expect_bounded();
}

TEST(Floods, OfEmptyLinesThatAreLoggedCostNoMemory) {
  Flood flood("shell = \"yes '' | head -c 200000\"\nlog_output = true");
  const Row row = flood.run();
  EXPECT_EQ(row.output_bytes, 200'000);
  flood.expect_bounded();
}

TEST(Floods, ThatGoOnWhileAnotherJobRunsHoldUpNobody) {
  Flood flood("shell = \"exec yes\"\nkill_grace = \"1s\"", "schedule = \"* * * * * *\"\ncommand = [\"/bin/true\"]");
  flood.daemon.ballot({"trigger", "flood"});
  ASSERT_TRUE(flood.daemon.wait_for("succeeded", 2)) << flood.daemon.log;
  flood.expect_bounded();
  flood.daemon.expect_accounted("tick");
}

// S19 local zookeeper
TEST(Floods, OfAGrandchildThatHoldsTheOutputEndWithTheChild) {
  Flood flood("shell = \"sleep 600 & echo $!\"");
  const auto before = std::chrono::steady_clock::now();
  const Row row = flood.run();
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(4)) << "2 s of reading on";
  EXPECT_LT(row.duration.value_or(Millis::max()), Millis(1900)) << "it ended when the child did";
  EXPECT_EQ(status_of(row), "succeeded");
  const pid_t grandchild = std::atoi(flood.daemon.ballot({"output", row.run->text()}).out.c_str());
  EXPECT_GT(grandchild, 0);
  EXPECT_TRUE(wait_until([&] { return state_of(grandchild) == '-' || state_of(grandchild) == 'Z'; }));
  EXPECT_EQ(row.leftover, Leftover::none);
}

}  // namespace
}  // namespace ballot::testing
