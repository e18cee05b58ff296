// Disks that are full, read-only or lie: a history that cannot be written stops no job and loses no row. On any
// backend.
#include <filesystem>
#include <fstream>

#include "integration/daemon/faulty_daemon.hpp"
#include "support/process/small_disk.hpp"

namespace ballot::testing {
namespace {

constexpr const char* tick = "schedule = \"* * * * * *\"\ncommand = [\"/bin/true\"]";
constexpr const char* needs_root = "only root can mount a small disk";

/// A daemon whose history lies on the disk.
struct HistoryOn {
  explicit HistoryOn(const std::string& size) : disk(daemon.folder / "disk", size) {
    daemon.history = daemon.folder / "disk/history.db";
    daemon.configure("[history]\npath = \"" + daemon.history + "\"\n");
    daemon.job("tick", tick);
    daemon.job("job", "shell = \"exit 5\"");
  }

  /// Runs that end while the history cannot be written; none may wait for it.
  void run(int count) {
    for (int i = 0; i < count; ++i) {
      const Ran ran = daemon.run("job");
      EXPECT_EQ(ran.code, 5) << "run " << i << ": " << ran.err;
      if (!ran.out.empty()) runs.push_back(ran.out.substr(0, 36));
    }
  }
  void expect_all_recorded() {
    ASSERT_TRUE(daemon.wait_for("the ledger is well again")) << daemon.log;
    const std::vector<Row> rows = daemon.rows("job");
    EXPECT_EQ(rows.size(), runs.size());
    for (const Row& row : rows) EXPECT_EQ(status_of(row), "failed: exit_code");
    daemon.expect_accounted("tick");
  }

  FaultyDaemon daemon;
  SmallDisk disk;
  std::vector<std::string> runs;
};

// S17 local zookeeper
TEST(HistoryFaults, AFullDiskWithRoomForTheSpoolStopsNoJobAndLosesNoRow) {
  HistoryOn on("32m");
  if (!on.disk.mounted()) GTEST_SKIP() << needs_root;
  on.daemon.lead();
  on.run(2);
  on.disk.fill();
  on.run(20);
  ASSERT_TRUE(on.daemon.wait_for("the ledger is degraded")) << on.daemon.log;
  EXPECT_NE(on.daemon.log.find("free space on its disk"), std::string::npos) << on.daemon.log;
  on.disk.make_room();
  on.expect_all_recorded();
}

TEST(HistoryFaults, AFullDiskWithoutRoomForTheSpoolStopsNoJobAndLosesNoRow) {
  HistoryOn on("4m");
  if (!on.disk.mounted()) GTEST_SKIP() << needs_root;
  on.daemon.failpoints("io.ledger_patience=fail(EAGAIN)");
  on.daemon.lead();
  on.run(2);
  on.disk.fill();
  on.run(20);  // more than a register has room for
  EXPECT_NE(on.daemon.log.find("the ledger is degraded"), std::string::npos) << on.daemon.log;
  ASSERT_TRUE(on.daemon.wait_for("the ledger stores nothing")) << on.daemon.log;
  on.disk.make_room();
  on.expect_all_recorded();
}

TEST(HistoryFaults, ADaemonThatCanStoreNothingEndsAllTheSameAndSaysWhatIsLost) {
  HistoryOn on("4m");
  if (!on.disk.mounted()) GTEST_SKIP() << needs_root;
  on.daemon.failpoints("io.ledger_patience=fail(EAGAIN)");
  on.daemon.lead();
  EXPECT_NE(on.daemon.log.find("cannot keep 16 MiB of its disk"), std::string::npos) << on.daemon.log;
  on.disk.fill();
  on.run(2);
  EXPECT_EQ(on.daemon.stop(), 1);
  EXPECT_NE(on.daemon.log.find("records of the ledger are lost"), std::string::npos) << on.daemon.log;
}

TEST(HistoryFaults, ADaemonWhoseDiskIsReadOnlyStopsAtOnce) {
  HistoryOn on("32m");
  if (!on.disk.mounted()) GTEST_SKIP() << needs_root;
  on.daemon.lead();
  EXPECT_EQ(on.daemon.stop(), 0);
  ASSERT_TRUE(on.disk.make_read_only(true));
  on.daemon.lead();
  on.run(1);
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(on.daemon.stop(), 1);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(4)) << "ledger_patience is 10 s";
  EXPECT_EQ(on.daemon.log.find(" 0 records"), std::string::npos) << on.daemon.log;
  EXPECT_NE(on.daemon.log.find("of the ledger are lost"), std::string::npos) << on.daemon.log;
}

TEST(HistoryFaults, WhatWasSpooledOutlivesTheDaemon) {
  HistoryOn on("32m");
  if (!on.disk.mounted()) GTEST_SKIP() << needs_root;
  on.daemon.lead();
  on.run(1);  // its row is there, and so is the spool's room on the disk
  on.disk.fill();
  on.run(3);
  ASSERT_TRUE(on.daemon.wait_for("the ledger is degraded")) << on.daemon.log;
  on.daemon.ballot({"history", "--limit", "1"});  // flushed: into the spool
  ASSERT_TRUE(on.daemon.wait_for("succeeded", 2)) << on.daemon.log;
  on.daemon.kill();
  on.disk.make_room();
  on.daemon.lead();
  on.run(1);
  EXPECT_EQ(on.daemon.rows("job").size(), 5u);
  on.daemon.expect_accounted("tick");
}

// S17 local zookeeper
TEST(HistoryFaults, AReadOnlyDiskStopsNoJobAndLosesNoRow) {
  HistoryOn on("32m");
  if (!on.disk.mounted()) GTEST_SKIP() << needs_root;
  on.daemon.lead();
  on.run(1);
  EXPECT_EQ(on.daemon.stop(), 0);
  ASSERT_TRUE(on.disk.make_read_only(true));
  on.daemon.lead();
  on.run(3);
  EXPECT_NE(on.daemon.log.find("the ledger is degraded"), std::string::npos) << on.daemon.log;
  ASSERT_TRUE(on.disk.make_read_only(false));
  on.expect_all_recorded();
}

/// Overwrites it with bytes that mean nothing.
void spoil(const std::string& path) {
  const auto size = std::filesystem::file_size(path);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file << std::string(size, '?');
}

std::size_t set_aside(const FaultyDaemon& daemon) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(daemon.folder / "state")) {
    const std::string name = entry.path().filename();
    if (name.starts_with("history.db.corrupt-") && name.ends_with("Z")) ++count;  // and not its -wal and -shm
  }
  return count;
}

// S18 local zookeeper
TEST(HistoryFaults, ACorruptFileIsSetAsideAtTheStartAndANewOneBegun) {
  FaultyDaemon daemon;
  daemon.job("job", "command = [\"/bin/true\"]");
  daemon.lead();
  EXPECT_EQ(status_of(daemon.trigger("job")), "succeeded");
  EXPECT_EQ(daemon.stop(), 0);
  spoil(daemon.history);
  daemon.lead();
  EXPECT_EQ(status_of(daemon.trigger("job")), "succeeded");
  EXPECT_EQ(daemon.rows("job").size(), 1u) << "the new one's";
  EXPECT_EQ(set_aside(daemon), 1u);
  EXPECT_NE(daemon.log.find("it is set aside as"), std::string::npos) << daemon.log;
}

// S18 local zookeeper
TEST(HistoryFaults, AFileThatIsSpoiledWhileTheDaemonRunsStopsNoJobAndIsSetAside) {
  FaultyDaemon daemon;
  daemon.job("job", "shell = \"seq 1 9000\"");
  daemon.lead();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(daemon.run("job").code, 0);
  EXPECT_EQ(daemon.stop(), 0) << daemon.log;
  daemon.lead();
  spoil(daemon.history);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(daemon.run("job").code, 0);
  ASSERT_TRUE(daemon.wait_for("it is set aside as")) << daemon.log;
  EXPECT_EQ(set_aside(daemon), 1u);
  EXPECT_EQ(status_of(daemon.trigger("job")), "succeeded");
}

TEST(HistoryFaults, AMovedFileIsLeftAndANewOneBegun) {
  FaultyDaemon daemon;
  daemon.job("job", "command = [\"/bin/true\"]");
  daemon.lead();
  EXPECT_EQ(status_of(daemon.trigger("job")), "succeeded");
  std::filesystem::remove(daemon.history);
  EXPECT_EQ(status_of(daemon.trigger("job")), "succeeded");
  EXPECT_TRUE(daemon.wait_for("was moved or deleted while in use")) << daemon.log;
}

TEST(HistoryFaults, EachWriteAndOpeningThatFailsIsMadeUpFor) {
  for (const char* rules :
       {"storage.open=fail(EMFILE)@1;storage.spool_open=fail(EMFILE)@1",
        "storage.write=fail(ENOSPC)@2;storage.spool_write=fail(ENOSPC)@1;storage.spool_sync=fail(EIO)@1",
        "storage.write=fail(EIO)@2;storage.spool_clear=fail(EIO)@1"}) {
    SCOPED_TRACE(rules);
    FaultyDaemon daemon;
    daemon.failpoints(rules);
    daemon.job("job", "shell = \"exit 5\"");
    daemon.lead();
    for (int i = 0; i < 5; ++i) EXPECT_EQ(daemon.run("job").code, 5);
    ASSERT_TRUE(daemon.wait_for("the ledger is well again")) << daemon.log;
    EXPECT_NE(daemon.log.find("the ledger is degraded"), std::string::npos);
    EXPECT_EQ(daemon.rows("job").size(), 5u);
    for (const Row& row : daemon.rows("job")) EXPECT_EQ(status_of(row), "failed: exit_code");
  }
}

}  // namespace
}  // namespace ballot::testing
