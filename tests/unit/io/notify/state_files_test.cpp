#include "io/notify/state_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "io/clocks.hpp"
#include "support/process/process_facts.hpp"
#include "support/temp_folder.hpp"

namespace ballot::io {
namespace {

using namespace std::chrono_literals;

struct StateFilesTest : ::testing::Test {
  std::unique_ptr<StateFiles> files(const std::string& node = "n1") {
    Group group;
    group.name = "db";
    group.state_file = path;
    auto made = std::make_unique<StateFiles>(node, [](Level, std::string_view, const LogFields&) {});
    made->define({group});
    return made;
  }
  Result<LeaderFile> read() const { return check_leader_file(path, "db", read_clocks().steady, boot_id()); }
  static SteadyTime later(Millis by = 30s) { return read_clocks().steady + by; }

  const TempFolder folder;
  const std::string path = folder / "leads";
};

TEST_F(StateFilesTest, StandWhileTheGroupIsLed) {
  auto some = files();
  some->set("db", 7, later());
  some->keep(later(40s));
  ASSERT_TRUE(testing::wait_until([this] { return static_cast<bool>(read()); }));
  EXPECT_EQ(read()->node, "n1");
  EXPECT_EQ(read()->epoch, 7u);
  some->remove("db");
  some.reset();  // all that was asked for is done
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(StateFilesTest, GoWithTheirDaemon) {
  files()->set("db", 7, later());
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(StateFilesTest, ThatAnEarlierDaemonLeftGo) {
  const Now now = read_clocks();
  ASSERT_TRUE(write_leader_file(path, {"db", "n1", 3, boot_id(), later(), now.wall, now.wall}));
  files().reset();
  EXPECT_FALSE(std::filesystem::exists(path)) << "its own";
  folder.write("leads", "something else");
  files().reset();
  EXPECT_FALSE(std::filesystem::exists(path)) << "void";
}

TEST_F(StateFilesTest, ThatAnotherNodeHoldsStay) {
  const Now now = read_clocks();
  ASSERT_TRUE(write_leader_file(path, {"db", "n2", 3, boot_id(), later(), now.wall, now.wall}));
  files().reset();
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_F(StateFilesTest, FollowNoLink) {
  const std::string victim = folder.write("victim", "precious");
  std::filesystem::create_symlink(victim, path);
  std::filesystem::create_symlink(victim, path + ".new");
  auto some = files();
  some->set("db", 7, later());
  ASSERT_TRUE(testing::wait_until([this] { return static_cast<bool>(read()); }));
  some.reset();
  std::ifstream file(victim);
  std::string text;
  std::getline(file, text);
  EXPECT_EQ(text, "precious");
  EXPECT_FALSE(std::filesystem::is_symlink(std::filesystem::symlink_status(path)));
}

}  // namespace
}  // namespace ballot::io
