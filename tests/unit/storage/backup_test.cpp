#include "storage/backup.hpp"

#include <sys/stat.h>

#include <filesystem>

#include "storage/ledger_file.hpp"
#include "storage/schema.hpp"
#include "storage/sqlite_error.hpp"
#include "storage_test_support.hpp"
#include "support/process/small_disk.hpp"

namespace ballot::storage {
namespace {

class Backup : public ::testing::Test {
 protected:
  void SetUp() override { ledger_.write(std::vector<Record>{ran(1), ran(2, noon + Millis(60'000))}, Sync::later); }
  Result<std::int64_t> back_up(const std::string& to) { return Reader::open(path_)->back_up(to); }
  std::string refusal(const std::string& to) {
    const auto done = back_up(to);
    return done ? "" : done.error().what;
  }
  std::ptrdiff_t files() const {
    return std::distance(std::filesystem::directory_iterator(place_), std::filesystem::directory_iterator());
  }

  TempFolder folder_;
  const std::string path_ = folder_ / "history.db", place_ = folder_ / "backup", copy_ = place_ + "/copy.db";
  const bool made_ = std::filesystem::create_directory(place_);
  LedgerFile ledger_{path_, Millis(100)};  // open all the time, its rows in the write-ahead log
};

TEST_F(Backup, HasEveryRowOfALedgerThatIsOpen) {
  const auto bytes = back_up(copy_);
  ASSERT_TRUE(bytes) << bytes.error().what;
  EXPECT_EQ(*bytes, static_cast<std::int64_t>(std::filesystem::file_size(copy_)));
  struct stat about {};
  ASSERT_EQ(::stat(copy_.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777, 0600u);
  EXPECT_EQ(files(), 1);
  EXPECT_EQ(rows_in(copy_).size(), 2u);
  EXPECT_NO_THROW(open_ledger(copy_, Millis(100)));
}

TEST_F(Backup, LeavesTheLedgerToItsWriterMeanwhile) {
  auto reader = Reader::open(path_);
  ASSERT_TRUE(reader->back_up(copy_));
  EXPECT_NO_THROW(ledger_.write(std::vector<Record>{ran(3, noon + Millis(120'000))}, Sync::now));
  EXPECT_EQ(rows_of(*reader).size(), 3u);
  EXPECT_EQ(rows_in(copy_).size(), 2u);
}

TEST_F(Backup, OverwritesNothing) {
  folder_.write("backup/copy.db", "mine");
  EXPECT_NE(refusal(copy_).find("copy.db: is there already"), std::string::npos) << refusal(copy_);
  EXPECT_EQ(std::filesystem::file_size(copy_), 4u);
  EXPECT_EQ(files(), 1);
}

TEST_F(Backup, SaysWhichFolderIsMissing) {
  EXPECT_NE(refusal(place_ + "/none/copy.db").find("No such file or directory"), std::string::npos);
}

TEST_F(Backup, LeavesNothingOnADiskThatIsFull) {
  const testing::SmallDisk disk(place_, "64k");
  if (!disk.mounted()) GTEST_SKIP() << "only root can mount a small disk";
  const std::string why = refusal(copy_);
  EXPECT_NE(why.find("full"), std::string::npos) << why;
  EXPECT_NE(why.find("free space on its disk"), std::string::npos) << why;
  EXPECT_EQ(files(), 0);
}

}  // namespace
}  // namespace ballot::storage
