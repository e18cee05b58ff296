// The disk of the embedded backend's registers is full or read-only: every launch stops, and no slot goes unaccounted.
#include <filesystem>
#include <fstream>

#include "integration/daemon/faulty_daemon.hpp"
#include "support/process/small_disk.hpp"

namespace ballot::testing {
namespace {

constexpr const char* root_only = "only root can mount a small disk";

/// How often a job ran, by its own word.
std::size_t lines_of(const std::string& path) {
  const std::string text = text_of(path);
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// Its registers lie on the disk; the slots of `tick` are too late after 2 s.
struct RegistersOn {
  /// Without `size` there is no room to set any aside for the log.
  explicit RegistersOn(const std::string& timeout, const std::string& size = "1m")
      : disk(daemon.folder / "disk", size) {
    daemon.configure("[coordination]\nsession_timeout = \"" + timeout + "\"\n[local]\npath = \"" +
                     (daemon.folder / "disk") + "\"\n");
    daemon.job("tick", "schedule = \"* * * * * *\"\nstart_deadline = \"2s\"\nshell = \"echo $BALLOT_SLOT >> " +
                           (daemon.folder / "starts") + "\"");
  }
  void expect_each_start_once() {
    daemon.expect_accounted("tick");
    std::size_t ran = 0;
    for (const Row& row : daemon.rows("tick")) ran += row.status == Status::succeeded ? 1 : 0;
    EXPECT_EQ(lines_of(daemon.folder / "starts"), ran);
  }

  FaultyDaemon daemon;
  SmallDisk disk;
};

TEST(RegisterFaults, AReadOnlyDiskIsNamedAndHoldsNoStopUp) {
  RegistersOn on("2s", "16m");
  if (!on.disk.mounted()) GTEST_SKIP() << root_only;
  on.daemon.lead();
  EXPECT_EQ(on.daemon.stop(), 0);
  ASSERT_TRUE(on.disk.make_read_only(true));
  on.daemon.start();
  ASSERT_TRUE(on.daemon.wait_for("Read-only file system")) << on.daemon.log;
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(on.daemon.stop(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(4));
  EXPECT_EQ(on.daemon.log.find(" lost"), std::string::npos) << on.daemon.log;
}

TEST(RegisterFaults, AFullDiskStopsEveryLaunchAndSlotsPassedAreUnclaimed) {
  RegistersOn on("30s");
  if (!on.disk.mounted()) GTEST_SKIP() << root_only;
  on.daemon.lead();
  ASSERT_TRUE(on.daemon.wait_for("succeeded", 2)) << on.daemon.log;
  on.disk.fill();
  ASSERT_TRUE(on.daemon.wait_for("there is no space for")) << on.daemon.log;
  const std::size_t before = lines_of(on.daemon.folder / "starts");
  ASSERT_TRUE(on.daemon.wait_for("the store refused a write", 3)) << on.daemon.log;
  EXPECT_EQ(lines_of(on.daemon.folder / "starts"), before);
  on.disk.make_room();
  ASSERT_TRUE(on.daemon.wait_for("missed: unclaimed")) << on.daemon.log;
  ASSERT_TRUE(on.daemon.wait_for("succeeded", 2)) << on.daemon.log;
  EXPECT_EQ(on.daemon.stop(), 0);
  on.expect_each_start_once();
}

TEST(RegisterFaults, AFullDiskIsNoMatterWhereTheRegistersDoNotGrow) {
  RegistersOn on("30s", "16m");
  if (!on.disk.mounted()) GTEST_SKIP() << root_only;
  on.daemon.lead();
  ASSERT_TRUE(on.daemon.wait_for("succeeded", 2)) << on.daemon.log;
  on.disk.fill();
  EXPECT_TRUE(on.daemon.wait_for("succeeded", 3)) << on.daemon.log;
  EXPECT_EQ(on.daemon.log.find("refused"), std::string::npos) << on.daemon.log;
}

TEST(RegisterFaults, AFullDiskThatOutlastsTheTermKillsNoRunAndLosesNoSlot) {
  RegistersOn on("2s");
  if (!on.disk.mounted()) GTEST_SKIP() << root_only;
  on.daemon.job("long", "command = [\"sleep\", \"9\"]");
  on.daemon.lead();
  ASSERT_EQ(on.daemon.ballot({"trigger", "long"}).code, 0);
  ASSERT_TRUE(on.daemon.wait_for("succeeded", 2)) << on.daemon.log;
  on.disk.fill();
  ASSERT_TRUE(on.daemon.wait_for("the store refused a write", 3)) << on.daemon.log;
  EXPECT_FALSE(on.daemon.wait_for("deadline has passed", 1, std::chrono::seconds(5))) << on.daemon.log;
  EXPECT_EQ(on.daemon.log.find("renewal failed"), std::string::npos) << on.daemon.log;
  on.disk.make_room();
  ASSERT_TRUE(on.daemon.wait_for("succeeded", 2)) << on.daemon.log;
  EXPECT_TRUE(wait_until([&] {
    const std::vector<Row> rows = on.daemon.rows("long");
    return rows.size() == 1 && rows[0].status == Status::succeeded;
  })) << on.daemon.log;
  EXPECT_EQ(on.daemon.stop(), 0);
  on.expect_each_start_once();
}

TEST(RegisterFaults, AtItsLimitOfFileSizesTheDaemonLivesAndAfterwardsEverythingIsWritten) {
  FaultyDaemon daemon;
  daemon.job("tick", "schedule = \"* * * * * *\"\ncommand = [\"/bin/true\"]");
  daemon.job("job", "command = [\"/bin/true\"]");
  daemon.lead();
  ASSERT_TRUE(daemon.wait_for("succeeded", 2)) << daemon.log;
  {
    const Limited little(daemon.pid(), RLIMIT_FSIZE, 8192);  // enough for its log
    ASSERT_TRUE(daemon.wait_for("no session: cannot use")) << daemon.log;
    EXPECT_NE(state_of(daemon.pid()), 'Z') << "SIGXFSZ";
  }
  ASSERT_TRUE(daemon.wait_for("succeeded", 2)) << daemon.log;
  EXPECT_TRUE(wait_until([&] { return daemon.trigger("job").status == Status::succeeded; })) << daemon.log;
  daemon.expect_well("job");
  EXPECT_EQ(daemon.stop(), 0);
  daemon.expect_accounted("tick");
}

}  // namespace
}  // namespace ballot::testing
