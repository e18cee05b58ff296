// The parts of the local plugin that have no store to speak of: its lock file and its folder.
#include <gtest/gtest.h>
#include <sys/vfs.h>

#include <fstream>

#include "conformance/local_cluster.hpp"
#include "local/folder.hpp"
#include "local/lock_file.hpp"

namespace ballot::local {
namespace {

using conformance::TemporaryFolder;

class LockFileTest : public testing::Test {
 protected:
  LockFile open() {
    auto file = LockFile::open(path());
    EXPECT_TRUE(file) << (file ? "" : file.error().what);
    return std::move(*file);
  }
  std::string path() const { return (folder_.path() / "lock").string(); }

  TemporaryFolder folder_;
};

TEST_F(LockFileTest, GivesAByteToOneHolder) {
  LockFile a = open(), b = open();
  EXPECT_TRUE(a.take(LockFile::group(1)));
  EXPECT_FALSE(b.take(LockFile::group(1)));
  EXPECT_TRUE(b.held(LockFile::group(1)));
  EXPECT_FALSE(a.held(LockFile::group(1))) << "held means by another";
  a.give(LockFile::group(1));
  EXPECT_TRUE(b.take(LockFile::group(1)));
}

TEST_F(LockFileTest, AClosedFileElsewhereInTheProcessDropsNothing) {
  LockFile a = open(), b = open();
  ASSERT_TRUE(a.take(LockFile::life(7)));
  { std::ifstream other(path()); }
  EXPECT_TRUE(b.held(LockFile::life(7)));
}

TEST_F(LockFileTest, ShowsTheRangesOfAllOthersInOrder) {
  LockFile a = open(), b = open(), c = open();
  for (const int id : {1, 2, 3, 7, 20}) ASSERT_TRUE(a.take(LockFile::group(id)));
  for (const int id : {4, 9, 30}) ASSERT_TRUE(b.take(LockFile::group(id)));
  ASSERT_TRUE(c.take(LockFile::group(5)));
  std::string seen;
  for (const auto& range : c.held({LockFile::group(2), LockFile::group(29)}))
    seen +=
        std::to_string(range.first - LockFile::group(0)) + "-" + std::to_string(range.last - LockFile::group(0)) + " ";
  EXPECT_EQ(seen, "2-3 4-4 7-7 9-9 20-20 ");
}

TEST_F(LockFileTest, NoticesThatItsNameLeadsElsewhere) {
  LockFile a = open();
  EXPECT_TRUE(a.in_place());
  std::filesystem::remove(path());
  EXPECT_FALSE(a.in_place());
  LockFile b = open();
  EXPECT_FALSE(a.in_place());
  EXPECT_TRUE(b.in_place());
}

TEST_F(LockFileTest, RefusesALinkAndAFolder) {
  std::filesystem::create_symlink(folder_.path() / "elsewhere", folder_.path() / "link");
  EXPECT_FALSE(LockFile::open((folder_.path() / "link").string()));
  std::filesystem::create_directory(folder_.path() / "folder");
  EXPECT_FALSE(LockFile::open((folder_.path() / "folder").string()));
}

TEST(LocalFolder, LiesUnderTheStateFolderUnlessThePathIsAbsolute) {
  EXPECT_EQ(folder_of({"ns", "/var/lib/ballot", false, {}}), "/var/lib/ballot/local/ns");
  EXPECT_EQ(folder_of({"ns", "/var/lib/ballot", false, {{"path", std::string("x")}}}), "/var/lib/ballot/x/ns");
  EXPECT_EQ(folder_of({"ns", "/var/lib/ballot", false, {{"path", std::string("/srv/x")}}}), "/srv/x/ns");
}

TEST(LocalFolder, KnowsNetworkFileSystemsByTheirNumbers) {
  EXPECT_EQ(network_file_system(0x6969), "NFS");
  EXPECT_EQ(network_file_system(0x65735546), "FUSE");
  EXPECT_EQ(network_file_system(static_cast<int>(0xff534d42)), "CIFS") << "a number that is negative on some systems";
  EXPECT_EQ(network_file_system(0xef53), "") << "ext4";
  EXPECT_EQ(network_file_system(0x01021994), "") << "tmpfs";
}

TEST(LocalFolder, SaysWhyItCannotBeMade) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "file") << "in the way";
  const auto made = make_folder((folder.path() / "file" / "ns").string());
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().what.find("cannot make the folder"), std::string::npos);
  EXPECT_TRUE(make_folder((folder.path() / "a" / "b" / "ns").string()));
}

}  // namespace
}  // namespace ballot::local
