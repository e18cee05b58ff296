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

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
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
  /// The store refuses writes, and slots pass meanwhile.
  bool wait_for_refusals() {
    if (!daemon.wait_for("the store refused a write")) return false;
    const WallTime refused = BallotDaemon::wall_now();
    return wait_until([&] { return BallotDaemon::wall_now() > refused + std::chrono::seconds(3); });
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
  ASSERT_TRUE(on.wait_for_refusals()) << on.daemon.log;
  EXPECT_EQ(lines_of(on.daemon.folder / "starts"), before);
  on.disk.make_room();
  ASSERT_TRUE(on.daemon.wait_for("missed: unclaimed")) << on.daemon.log;
  ASSERT_TRUE(on.daemon.wait_for("succeeded", 2)) << on.daemon.log;
  EXPECT_EQ(on.daemon.stop(), 0);
  on.expect_each_start_once();
}

TEST(RegisterFaults, AFullDiskOfTheStoreAloneIsWhatStatusAndWhySay) {
  RegistersOn on("30s");
  if (!on.disk.mounted()) GTEST_SKIP() << root_only;
  FaultyDaemon& daemon = on.daemon;
  daemon.lead();
  ASSERT_TRUE(daemon.wait_for("succeeded", 2)) << daemon.log;
  EXPECT_EQ(daemon.ballot({"status"}).code, 0);
  on.disk.fill();
  ASSERT_TRUE(on.wait_for_refusals()) << daemon.log;
  const std::string refusal = "the store refuses writes: there is no space for " + (daemon.folder / "disk");
  const Ran status = daemon.ballot({"status"});
  EXPECT_EQ(status.code, 1) << status.out;
  EXPECT_NE(status.out.find("degraded    backend: " + refusal), std::string::npos) << status.out;
  EXPECT_EQ(status.out.find("ledger:"), std::string::npos) << status.out;
  const Ran nodes = daemon.ballot({"nodes"});
  EXPECT_EQ(nodes.code, 1) << nodes.out;
  EXPECT_NE(nodes.out.find(refusal), std::string::npos) << nodes.out;
  const Ran why = daemon.ballot({"why", "tick"});
  EXPECT_NE(why.out.find("starts nothing: the store refuses writes"), std::string::npos) << why.out << why.err;
  daemon.read_log();
  EXPECT_EQ(count_of(daemon.log, "the store refused a write"), 1u) << daemon.log;
  on.disk.make_room();
  ASSERT_TRUE(daemon.wait_for("the store takes writes again")) << daemon.log;
  EXPECT_TRUE(wait_until([&] { return daemon.ballot({"status"}).code == 0; })) << daemon.ballot({"status"}).out;
  EXPECT_EQ(daemon.stop(), 0);
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
  ASSERT_TRUE(on.wait_for_refusals()) << on.daemon.log;
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
