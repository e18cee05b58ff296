#include "storage/spool.hpp"

#include <fcntl.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include "storage_test_support.hpp"

namespace ballot::storage {
namespace {

class SpoolTest : public ::testing::Test {
 protected:
  Spool make() { return Spool(folder_ / "spool", "rows", 0); }
  std::string file() const { return folder_ / "spool/rows"; }
  static void append(Spool& spool, std::uint32_t from, std::uint32_t to) {
    std::vector<Record> records;
    for (std::uint32_t i = from; i < to; ++i) records.emplace_back(ran(i));
    const auto appended = spool.append(records);
    ASSERT_TRUE(appended) << appended.error().what;
  }
  /// The tails of the run ids, in the order of replay.
  static std::vector<int> replayed(Spool& spool) {
    std::vector<int> tails;
    const auto result = spool.replay([&](const std::vector<Record>& records) {
      for (const Record& record : records) tails.push_back(std::get<Row>(record).run->bytes[15]);
    });
    EXPECT_TRUE(result) << result.error().what;
    return tails;
  }

  TempFolder folder_;
};

TEST_F(SpoolTest, GivesBackItsRecordsInOrderAfterARestart) {
  {
    Spool spool = make();
    ASSERT_TRUE(spool.open(".aside"));
    append(spool, 1, 3);
    append(spool, 3, 4);
  }
  Spool spool = make();
  ASSERT_TRUE(spool.open(".aside"));
  EXPECT_EQ(spool.records(), 3);
  EXPECT_EQ(replayed(spool), (std::vector{1, 2, 3}));
  EXPECT_EQ(replayed(spool), (std::vector{1, 2, 3}));
  ASSERT_TRUE(spool.clear());
  EXPECT_EQ(spool.records(), 0);
  append(spool, 9, 10);
  EXPECT_EQ(replayed(spool), (std::vector{9}));
}

TEST_F(SpoolTest, KeepsTheUnreadableEndBesideItAndSaysSo) {
  {
    Spool spool = make();
    ASSERT_TRUE(spool.open(".aside"));
    append(spool, 1, 4);
  }
  std::filesystem::resize_file(file(), std::filesystem::file_size(file()) - 1);
  Spool spool = make();
  const auto opened = spool.open(".aside");
  ASSERT_TRUE(opened);
  EXPECT_NE(opened->find("rows.aside"), std::string::npos) << *opened;
  EXPECT_GT(std::filesystem::file_size(file() + ".aside"), 100u);
  append(spool, 5, 6);
  EXPECT_EQ(replayed(spool), (std::vector{1, 2, 5}));
}

TEST_F(SpoolTest, FindsAFlippedBit) {
  {
    Spool spool = make();
    ASSERT_TRUE(spool.open(".aside"));
    append(spool, 1, 2);
  }
  {
    std::fstream bytes(file(), std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(40);
    bytes.put('~');
  }
  Spool spool = make();
  const auto opened = spool.open(".aside");
  ASSERT_TRUE(opened);
  EXPECT_FALSE(opened->empty());
  EXPECT_EQ(spool.records(), 0);
}

TEST_F(SpoolTest, KeepsWhatItHadWhenAWriteFails) {
  Spool spool = make();
  ASSERT_TRUE(spool.open(".aside"));
  append(spool, 1, 3);
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{std::filesystem::file_size(file()) + 10, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const std::vector<Record> more = {ran(3)};
  const auto failed = spool.append(more);
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_FALSE(failed);
  append(spool, 4, 5);
  EXPECT_EQ(replayed(spool), (std::vector{1, 2, 4}));
}

TEST_F(SpoolTest, ReservesRoomOnTheDisk) {
  Spool spool(folder_ / "spool", "rows", 1 << 20);
  ASSERT_TRUE(spool.open(".aside"));
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(spool.keep_room());
    struct stat file_stat {};
    ASSERT_EQ(::stat(file().c_str(), &file_stat), 0);
    EXPECT_EQ(file_stat.st_size, 0);
    EXPECT_GE(file_stat.st_blocks * 512, 1 << 20);
    ASSERT_TRUE(spool.clear()) << "and then again";
  }
}

TEST_F(SpoolTest, SaysThatThereIsNoRoomToReserve) {
  Spool spool(folder_ / "spool", "rows", std::int64_t{1} << 52);
  ASSERT_TRUE(spool.open(".aside"));
  const auto kept = spool.keep_room();
  ASSERT_FALSE(kept);
  EXPECT_NE(kept.error().what.find(file() + ": cannot keep 4294967296 MiB"), std::string::npos) << kept.error().what;
}

TEST_F(SpoolTest, NeedsItsParentFolder) {
  Spool spool(folder_ / "gone/spool", "rows", 0);
  const auto opened = spool.open(".aside");
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().what.find("No such file"), std::string::npos) << opened.error().what;
}

}  // namespace
}  // namespace ballot::storage
