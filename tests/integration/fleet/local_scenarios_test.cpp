// Scenarios of docs/testing.md whose fault is the embedded backend's own: registers that were restored from a backup,
// and commits that land but are reported to have failed.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <set>
#include <thread>

#include "base/wall_text.hpp"
#include "integration/fleet/restored_store.hpp"
#include "storage/database.hpp"
#include "support/process/process_facts.hpp"

namespace ballot::testing {
namespace {

using std::chrono::seconds;

class OnLocal : public ::testing::Test {
 protected:
  OnLocal() {
    fleet.job("brief", "schedule = \"* * * * * *\"\nmisfire = \"all\"\n" + fleet.oracle.command({"--for", "50ms"}));
  }
  ~OnLocal() override {
    if (HasFailure()) std::cout << fleet.logs();
  }

  std::string registers() const { return fleet.folder / "shared/ballot/registers.db"; }
  void run_on_registers(const std::string& sql) const {
    storage::Database db(registers(), storage::Open::write);
    db.wait_for_locks(seconds(5));
    db.run(sql.c_str());
  }
  /// So many slots that are due from now on.
  bool starts(int count) {
    const WallTime now = Instant::now().wall;
    return fleet.oracle.wait_until([&](const Reports& all) {
      return std::count_if(all.begin(), all.end(), [&](const Report& r) { return r.slot > now && r.on_time(); }) >=
             count;
    });
  }

  /// Whether a commit has been reported to have failed then or later.
  static bool lost_since(const std::string& file, WallTime time) {
    struct stat last {};
    if (::stat(file.c_str(), &last) != 0 || last.st_size == 0) return false;
    return seconds(last.st_mtim.tv_sec) + std::chrono::nanoseconds(last.st_mtim.tv_nsec) >= time.time_since_epoch();
  }

  Fleet fleet{{"n1"}};
};

// S11 local
TEST_F(OnLocal, RegistersThatWereRestoredFromABackupHaltTheirLeader) {
  fleet.start();
  ASSERT_TRUE(starts(1));
  const std::string backup = fleet.folder / "backup.db";
  run_on_registers("VACUUM INTO '" + backup + "'");
  ASSERT_TRUE(starts(3));
  fleet.fault();
  fleet.halted("default");
  run_on_registers(
      "ATTACH '" + backup +
      "' AS old; BEGIN IMMEDIATE; DELETE FROM register; INSERT INTO register SELECT * "
      "FROM old.register; DELETE FROM term; INSERT INTO term SELECT * FROM old.term; UPDATE store SET revision = "
      "(SELECT revision FROM old.store); COMMIT");
  expect_halted_until_it_is_repaired(fleet, fleet["n1"]);
  fleet.healed();
  ASSERT_TRUE(starts(3));
  EXPECT_EQ(check(fleet.evidence()), Findings{});
}

// S7 local
TEST_F(OnLocal, CommitsThatAreReportedToHaveFailedRunNoSlotTwiceAndLoseNone) {
  BallotDaemon& daemon = fleet["n1"];
  const std::string lost = fleet.folder / "lost";
  daemon.environment = {"LD_PRELOAD=" BALLOT_LOST_SYNC_LIBRARY, "BALLOT_LOST_SYNC=" + lost};
  fleet.start();
  ASSERT_TRUE(starts(1));
  for (const bool killed : {false, true, false, true}) {
    // From before a slot is due until its claim is reported to have failed.
    const WallTime due = std::chrono::ceil<seconds>(Instant::now().wall + Millis(100));
    std::this_thread::sleep_until(due - Millis(100));
    fleet.fault();
    fleet.folder.write("lost", "");
    ASSERT_TRUE(wait_until([&] { return lost_since(lost, due); })) << daemon.log;
    if (killed) daemon.kill();
    std::filesystem::remove(lost);
    fleet.healed();
    if (killed) daemon.start();
    ASSERT_TRUE(starts(1)) << daemon.log;
  }
  daemon.read_log();
  ASSERT_TRUE(starts(3));
  const Evidence evidence = fleet.evidence();
  EXPECT_EQ(check(evidence), Findings{});
  // Claims landed that were reported to have failed: their runs were not started, and each has its row.
  const std::vector<Row>& rows = evidence.ledgers[0].rows;
  EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [](const Row& row) {
    return row.run && (row.reason == Reason::stale || row.status == Status::lost);
  })) << daemon.log;
  std::multiset<WallTime> slots;
  for (const Report& report : evidence.reports) slots.insert(report.slot);
  for (const WallTime slot : slots) EXPECT_EQ(slots.count(slot), 1u) << format_slot(slot);
}

}  // namespace
}  // namespace ballot::testing
