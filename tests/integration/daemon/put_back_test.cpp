// The store of `local` is put back between the end of a daemon and the next start: the ledger knows better.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "support/process/ballot_daemon.hpp"

namespace ballot::testing {
namespace {

namespace fs = std::filesystem;

struct PutBack : ::testing::Test {
  BallotDaemon daemon;
  const std::string registers = daemon.folder / "state/local/ballot/registers.db", log = registers + "-wal";

  PutBack() {
    daemon.job("tick", "schedule = \"* * * * * *\"\nshell = \"echo $BALLOT_SLOT $BALLOT_FENCE >> " + starts() + "\"");
  }
  std::string starts() const { return daemon.folder / "starts"; }
  void run(int times) {
    daemon.start();
    ASSERT_TRUE(daemon.wait_for("succeeded", times)) << daemon.log;
  }
  void kill() {
    daemon.kill();
    daemon.end_runner();
  }
  /// As it is on the disk, without its log.
  void save() { fs::copy_file(registers, daemon.folder / "older"); }
  void put_back() {
    fs::remove(log);
    fs::remove(registers + "-shm");
    fs::copy_file(daemon.folder / "older", registers, fs::copy_options::overwrite_existing);
  }
  /// Slots pass: so many are run of a job of another group, which is new and so not halted.
  void run_beside_it(int slots) {
    daemon.job("witness", "group = \"apart\"\nschedule = \"* * * * * *\"\ncommand = [\"/bin/true\"]");
    EXPECT_TRUE(daemon.wait_for("job=witness", 2 * slots)) << daemon.log;  // each starts and succeeds
    daemon.remove("witness");
  }
  void expect_halted_until_it_is_repaired(bool jobs_are_known = true) {
    daemon.start();
    ASSERT_TRUE(daemon.wait_for("group halted: the store has gone back")) << daemon.log;
    const std::string before = text_of(starts());
    const Ran status = daemon.ballot({"status"});
    EXPECT_EQ(status.code, 1);
    EXPECT_NE(status.out.find("halted: group default: the store has gone back"), std::string::npos) << status.out;
    EXPECT_EQ(status.out.find("halted: job"), std::string::npos) << "the group has said it: " << status.out;
    run_beside_it(2);
    EXPECT_EQ(text_of(starts()), before) << "nothing is launched";
    const Ran repair = daemon.ballot({"repair", "--group", "default"});
    EXPECT_EQ(repair.code, 0) << repair.out << repair.err;
    ASSERT_TRUE(daemon.wait_for("succeeded", 3)) << daemon.log;  // one may be of the other job
    EXPECT_EQ(daemon.stop(), 0);
    std::set<std::string> slots, fences;
    std::istringstream lines(text_of(starts()));
    for (std::string slot, fence; lines >> slot >> fence;) {
      EXPECT_TRUE(slots.insert(slot).second) << slot << " was started twice";
      EXPECT_TRUE(fences.insert(fence).second) << fence << " was given twice";
    }
    EXPECT_GT(slots.size(), 5u);
    const Ran missed = daemon.ballot({"history", "--reason", "halted"});
    // A store that was emptied has no register that says since when its jobs are due.
    if (jobs_are_known) {
      EXPECT_NE(missed.out.find("halted"), std::string::npos) << "the slots of the halt have rows: " << missed.out;
    }
  }
};

// S33 local
TEST_F(PutBack, WithHalfOfItsLogCutAfterAKillItHaltsTheGroup) {
  run(6);
  kill();
  fs::resize_file(log, fs::file_size(log) / 2);
  expect_halted_until_it_is_repaired();
}

TEST_F(PutBack, FromAnOlderCopyWithoutItsLogItHaltsTheGroupAfterACleanStop) {
  run(2);
  EXPECT_EQ(daemon.stop(), 0);
  save();
  run(4);
  EXPECT_EQ(daemon.stop(), 0);
  put_back();
  expect_halted_until_it_is_repaired();
}

TEST_F(PutBack, FromAnOlderCopyItHaltsTheGroupAfterAKill) {
  run(2);
  EXPECT_EQ(daemon.stop(), 0);
  save();
  run(4);
  kill();
  put_back();
  expect_halted_until_it_is_repaired();
}

TEST_F(PutBack, EmptiedOnPurposeItHaltsTheGroup) {
  run(6);
  EXPECT_EQ(daemon.stop(), 0);
  fs::remove_all(daemon.folder / "state/local");
  expect_halted_until_it_is_repaired(false);
}

}  // namespace
}  // namespace ballot::testing
