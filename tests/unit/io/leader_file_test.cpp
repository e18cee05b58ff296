// Whatever lies where a leader's file should lie is looked at without being waited for, and believed only where nobody
// else could have put it there.
#include "io/leader_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/temp_folder.hpp"

namespace ballot::io {
namespace {

using namespace std::chrono_literals;

struct LeaderFiles : ::testing::Test {
  TempFolder folder;
  const std::string path = folder / "leader";
  const SteadyTime now{1h};

  void write() const {
    const auto written = write_leader_file(path, {"db", "a", 7, "boot", now + 5s, WallTime{}, WallTime{}});
    ASSERT_TRUE(written) << written.error().what;
  }
  Result<LeaderFile> check() const { return check_leader_file(path, "db", now, "boot"); }
  Errc wrong() const {
    const auto read = check();
    EXPECT_FALSE(read);
    return read ? Errc::invalid : read.error().code;
  }
};

TEST_F(LeaderFiles, OneThatIsOurOwnIsBelievedUntilItsDeadline) {
  write();
  const auto read = check();
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->epoch, 7u);
  EXPECT_FALSE(check_leader_file(path, "db", now + 5s, "boot"));
}

TEST_F(LeaderFiles, OneIsReadableForAllWhateverTheUmask) {
  const mode_t before = ::umask(077);
  write();
  ::umask(before);
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0644u);
}

TEST_F(LeaderFiles, OneOfAnotherUserIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  write();
  ASSERT_EQ(::chown(path.c_str(), 65534, 65534), 0);
  EXPECT_EQ(wrong(), Errc::refused);
}

TEST_F(LeaderFiles, OneOfItsFoldersOwnerIsBelieved) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  const std::string own = folder / "own";
  std::filesystem::create_directory(own);
  ASSERT_TRUE(write_leader_file(own + "/leader", {"db", "a", 7, "boot", now + 5s, WallTime{}, WallTime{}}));
  ASSERT_EQ(::chown(own.c_str(), 65534, 65534), 0);
  ASSERT_EQ(::chown((own + "/leader").c_str(), 65534, 65534), 0);
  EXPECT_TRUE(check_leader_file(own + "/leader", "db", now, "boot"));
}

TEST_F(LeaderFiles, OneThatOthersMayWriteIsRefused) {
  write();
  ASSERT_EQ(::chmod(path.c_str(), 0666), 0);
  EXPECT_EQ(wrong(), Errc::refused);
}

TEST_F(LeaderFiles, APipeIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo(path.c_str(), 0644), 0);
  EXPECT_EQ(wrong(), Errc::corrupt);
}

TEST_F(LeaderFiles, ALinkIsNotFollowed) {
  ASSERT_EQ(::symlink("/dev/zero", path.c_str()), 0);
  EXPECT_EQ(wrong(), Errc::refused);
}

TEST_F(LeaderFiles, AFileThatIsTooLargeIsNotReadWhole) {
  write();
  std::ofstream(path, std::ios::app) << std::string(20'000, ' ');
  EXPECT_EQ(wrong(), Errc::corrupt);
}

TEST_F(LeaderFiles, AFolderIsNone) {
  std::filesystem::create_directory(path);
  EXPECT_EQ(wrong(), Errc::corrupt);
}

}  // namespace
}  // namespace ballot::io
