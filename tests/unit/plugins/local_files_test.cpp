// The parts of the local plugin that have no store to speak of: its lock file and its folder.
#include <gtest/gtest.h>
#include <sys/vfs.h>

#include <fstream>

#include "conformance/local_cluster.hpp"
#include "support/machine/leases.hpp"
#include "support/machine/lock_file.hpp"
#include "support/machine/store_folder.hpp"

namespace ballot::support {
namespace {

using conformance::TemporaryFolder;

class LockFileTest : public ::testing::Test {
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
  EXPECT_TRUE(a.take(LockFile::life(1)));
  EXPECT_FALSE(b.take(LockFile::life(1)));
  EXPECT_TRUE(b.held(LockFile::life(1)));
  EXPECT_FALSE(a.held(LockFile::life(1))) << "held means by another";
  a.give(LockFile::life(1));
  EXPECT_TRUE(b.take(LockFile::life(1)));
}

TEST_F(LockFileTest, AClosedFileElsewhereInTheProcessDropsNothing) {
  LockFile a = open(), b = open();
  ASSERT_TRUE(a.take(LockFile::life(7)));
  { std::ifstream other(path()); }
  EXPECT_TRUE(b.held(LockFile::life(7)));
}

TEST_F(LockFileTest, AWriterExcludesEveryOtherAndIsNamedByItsLock) {
  LockFile a = open(), b = open();
  EXPECT_FALSE(a.holder(LockFile::writer(LockFile::max_token)));
  ASSERT_TRUE(a.take(LockFile::writer(70'000)));
  for (const std::int64_t token : {1L, 70'000L, 80'000L}) EXPECT_FALSE(b.take(LockFile::writer(token))) << token;
  EXPECT_EQ(b.holder(LockFile::writer(LockFile::max_token)), LockFile::writer(70'000));
  a.give(LockFile::writer(70'000));
  EXPECT_TRUE(b.take(LockFile::writer(1)));
}

TEST_F(LockFileTest, ItsTextEndsBeforeTheLeases) {
  LockFile file = open();
  ASSERT_TRUE(file.set_text("0123"));
  ASSERT_EQ(Leases(file).grow(), 0);
  EXPECT_EQ(file.text(), "0123");
  EXPECT_EQ(file.size(), 4096);
}

constexpr SteadyTime at(int seconds) { return SteadyTime(std::chrono::seconds(seconds)); }

TEST_F(LockFileTest, ALeaseIsSeenByOthersAsItWasRenewedLast) {
  LockFile a = open(), b = open();
  Leases own(a), others(b);
  ASSERT_EQ(own.grow(), 0);
  EXPECT_FALSE(others.read(1)) << "empty";
  ASSERT_EQ(own.put(1, {7, at(100), {}, Leases::boot_mark("boot"), {12, 34, 56}}), 0);
  ASSERT_EQ(own.renew(1, 7, at(115), WallTime(Millis(9))), 0);
  const auto seen = others.read(1);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->session, 7);
  EXPECT_EQ(seen->deadline, at(115));
  EXPECT_EQ(seen->renewed, WallTime(Millis(9)));
  EXPECT_EQ(seen->process, (Process{12, 34, 56}));
  EXPECT_FALSE(others.read(2));
  EXPECT_FALSE(others.read(0));
  EXPECT_FALSE(others.read(1000));
}

TEST_F(LockFileTest, ABarredSessionSeesItAndTheNextOneOfItsSlotDoesNot) {
  LockFile a = open(), b = open();
  Leases own(a), others(b);
  ASSERT_EQ(own.grow(), 0);
  ASSERT_EQ(own.put(1, {7, at(100), {}, 0, {}}), 0);
  EXPECT_FALSE(own.barred(1, 7));
  others.bar(1, 7);
  EXPECT_TRUE(own.barred(1, 7));
  EXPECT_TRUE(others.read(1)) << "its deadline counts on";
  ASSERT_EQ(own.put(1, {8, at(200), {}, 0, {}}), 0);
  EXPECT_FALSE(own.barred(1, 8));
  EXPECT_TRUE(own.barred(1, 7)) << "the slot is another's";
}

TEST_F(LockFileTest, ALeaseThatWasNotWrittenWholeIsNone) {
  LockFile file = open();
  Leases leases(file);
  ASSERT_EQ(leases.grow(), 0);
  ASSERT_EQ(leases.put(3, {7, at(100), {}, 0, {}}), 0);
  const std::int64_t garbage = 4711;
  ASSERT_EQ(file.write(LockFile::text_size + 2 * 128 + 8, &garbage, sizeof garbage), 0);
  EXPECT_FALSE(leases.read(3));
}

TEST_F(LockFileTest, MakesRoomForMoreLeasesByWholePages) {
  LockFile file = open();
  Leases leases(file);
  ASSERT_EQ(leases.grow(), 0);
  const std::int64_t before = leases.count();
  ASSERT_EQ(leases.grow(), 0);
  EXPECT_EQ(leases.count(), before + 32);
  ASSERT_EQ(leases.put(leases.count(), {7, at(100), {}, 0, {}}), 0);
  EXPECT_EQ(file.size(), 2 * 4096) << "nothing is written behind the last one";
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
  EXPECT_EQ(folder_of({"ns", "/var/lib/ballot", false, {}}, "local"), "/var/lib/ballot/local/ns");
  EXPECT_EQ(folder_of({"ns", "/var/lib/ballot", false, {{"path", std::string("x")}}}, "local"), "/var/lib/ballot/x/ns");
  EXPECT_EQ(folder_of({"ns", "/var/lib/ballot", false, {{"path", std::string("/srv/x")}}}, "local"), "/srv/x/ns");
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
}  // namespace ballot::support
