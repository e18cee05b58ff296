// A loss of power: what is said to be stored is on the disk, and not only in the memory of the system.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "storage/database.hpp"
#include "storage/ledger_file.hpp"
#include "storage_test_support.hpp"
#include "support/failing_vfs.hpp"

namespace {

/// What this process has synced by itself, and whether a copy had its name by then; SQLite's own calls go by the VFS.
struct Synced {
  std::string path;
  bool has_its_name = false;
};
std::vector<Synced>* watched = nullptr;
std::string awaited;  // the name of the copy

}  // namespace

/// In the place of the C library's, which does the work.
extern "C" int fsync(int fd) {
  static const auto real = reinterpret_cast<int (*)(int)>(::dlsym(RTLD_NEXT, "fsync"));
  if (watched) {
    std::error_code failed;
    const auto path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), failed);
    watched->push_back({path.string(), std::filesystem::exists(awaited)});
  }
  return real(fd);
}

namespace ballot::storage {
namespace {

using ballot::testing::FailingVfs;

struct PowerLoss : ::testing::Test {
  /// What there is after it.
  std::vector<Row> rows_left() {
    static int times = 0;
    const std::string after = folder / ("after-" + std::to_string(++times));
    vfs.lose_power(after);
    const std::string path = after + "/history.db";
    if (!std::filesystem::exists(path)) return {};
    {
      Database db(path, Open::write);
      EXPECT_EQ(db.number("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"), 0);
    }
    return rows_in(path);
  }

  TempFolder folder;
  FailingVfs vfs;
  const std::string path = folder / "history.db";
};

TEST_F(PowerLoss, TakesNothingThatWasFlushed) {
  Watch watch;
  Ledger ledger(quick(path), watch.hooks());
  for (std::uint32_t i = 0; i < 3; ++i) {
    ledger.record(ran(i, noon + Millis(60'000) * i));
    flush(ledger);
    EXPECT_EQ(rows_left().size(), i + 1);
  }
}

TEST_F(PowerLoss, LeavesASoundFileWithoutWhatWasNotFlushed) {
  LedgerFile ledger(path, Millis(100));
  ledger.write(std::vector<Record>{ran(1)}, Sync::now);
  ledger.write(std::vector<Record>{ran(2, noon + Millis(60'000))}, Sync::later);
  EXPECT_EQ(rows_left().size(), 1u) << "or this test sees nothing";
  ledger.write({}, Sync::now);
  EXPECT_EQ(rows_left().size(), 2u) << "a flush counts for what was written before it";
}

TEST_F(PowerLoss, TakesNoCopyThatHasItsName) {
  LedgerFile ledger(path, Millis(100));
  ledger.write(std::vector<Record>{ran(1)}, Sync::now);
  awaited = folder / "copy.db";
  std::vector<Synced> all;
  watched = &all;
  const auto done = Reader::open(path)->back_up(awaited);
  watched = nullptr;
  ASSERT_TRUE(done) << done.error().what;
  const auto of_copy = std::find_if(all.begin(), all.end(), [&](const Synced& one) {
    return one.path.starts_with(awaited + ".unfinished") && !one.has_its_name;
  });
  const auto of_folder = std::find_if(all.begin(), all.end(),
                                      [&](const Synced& one) { return one.path == folder.path() && one.has_its_name; });
  EXPECT_NE(of_copy, all.end()) << "its content is on the disk before it is called a copy";
  EXPECT_NE(of_folder, all.end()) << "and then its name is";
  std::filesystem::remove(awaited);
}

}  // namespace
}  // namespace ballot::storage
