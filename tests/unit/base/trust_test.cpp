#include "base/trust.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "support/temp_folder.hpp"

namespace ballot {
namespace {

constexpr std::uint32_t root = 0, daemon_user = 990, somebody = 1000;

struct stat status(std::uint32_t owner, mode_t mode) {
  struct stat info {};
  info.st_uid = owner;
  info.st_mode = S_IFREG | mode;
  return info;
}

TEST(Trust, IsForRootAndTheDaemonsUser) {
  EXPECT_FALSE(distrust(status(root, 0644), daemon_user));
  EXPECT_FALSE(distrust(status(daemon_user, 0600), daemon_user));
  const auto fault = distrust(status(somebody, 0644), daemon_user);
  ASSERT_TRUE(fault);
  EXPECT_TRUE(fault->starts_with("belongs to user 1000")) << *fault;
}

TEST(Trust, EndsWhereOthersMayWrite) {
  for (const mode_t mode : {0666, 0662, 0664, 0602, 0777, 01777}) {
    const auto fault = distrust(status(root, mode), daemon_user);
    ASSERT_TRUE(fault) << mode;
    EXPECT_TRUE(fault->starts_with("is writable by others (mode ")) << *fault;
  }
}

class TrustOfAFolder : public ::testing::Test {
 protected:
  TrustOfAFolder() { std::filesystem::create_directories(folder_ / "a/b"); }

  std::string fault(const std::string& path) { return distrust_folder(path, ::geteuid()).value_or("none"); }
  void set_mode(std::string_view name, mode_t mode) { ASSERT_EQ(::chmod((folder_ / name).c_str(), mode), 0); }

  TempFolder folder_;
};

TEST_F(TrustOfAFolder, LooksAtEveryFolderOnTheWay) {
  EXPECT_EQ(fault(folder_ / "a/b"), "none");
  set_mode("a", 0777);
  EXPECT_EQ(fault(folder_ / "a/b"),
            folder_ / "a" + " is writable by others (mode 0777); take that away with chmod go-w");
  set_mode("a", 0755);
  set_mode("a/b", 0775);
  EXPECT_EQ(fault(folder_ / "a/b"),
            folder_ / "a/b" + " is writable by others (mode 0775); take that away with chmod go-w");
}

TEST_F(TrustOfAFolder, TakesAStickyFolderOnTheWayButNotAtTheEnd) {
  set_mode("a", 01777);
  EXPECT_EQ(fault(folder_ / "a/b"), "none");
  EXPECT_NE(fault(folder_ / "a"), "none");
}

TEST_F(TrustOfAFolder, FollowsLinksAndLooksAtBothWays) {
  std::filesystem::create_directories(folder_ / "c");
  std::filesystem::create_symlink("../a/b", folder_ / "c/link");
  EXPECT_EQ(fault(folder_ / "c/link"), "none");
  set_mode("c", 0777);
  EXPECT_TRUE(fault(folder_ / "c/link").starts_with(folder_ / "c" + " is"));
  set_mode("c", 0755);
  set_mode("a", 0777);
  EXPECT_TRUE(fault(folder_ / "c/link").starts_with(folder_ / "a" + " is"));
  set_mode("a", 0755);
  std::filesystem::create_symlink(folder_ / "c", folder_ / "absolute");
  EXPECT_EQ(fault(folder_ / "absolute/link/."), "none");
}

TEST_F(TrustOfAFolder, IsNotLostInCircles) {
  std::filesystem::create_symlink("y", folder_ / "x");
  std::filesystem::create_symlink("x", folder_ / "y");
  EXPECT_NE(fault(folder_ / "x").find("circles"), std::string::npos);
}

TEST_F(TrustOfAFolder, SaysNothingOfWhatDoesNotExist) { EXPECT_EQ(fault(folder_ / "a/none/b"), "none"); }

}  // namespace
}  // namespace ballot
