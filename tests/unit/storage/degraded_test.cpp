// What the ledger does when its disk, its file or its folder does not.
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "storage/database.hpp"
#include "storage/transaction.hpp"
#include "storage_test_support.hpp"

namespace ballot::storage {
namespace {

/// A folder on a disk that can be filled: a small tmpfs where this may be mounted, else files that cannot grow.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& folder) : ballast_(folder + "/ballast") {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    mounted_ = ::unshare(CLONE_NEWNS) == 0 && ::mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
               ::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=8m") == 0;
  }
  ~SmallDisk() { make_room(); }

  void fill() {
    if (!mounted_) {
      const rlimit none{0, before_.rlim_max};
      ::setrlimit(RLIMIT_FSIZE, &none);
      return;
    }
    const int fd = ::open(ballast_.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    const std::string page(4096, 'x');
    while (::write(fd, page.data(), page.size()) > 0) continue;
    ::close(fd);
  }
  void make_room() {
    ::unlink(ballast_.c_str());
    ::setrlimit(RLIMIT_FSIZE, &before_);
  }
  bool mounted() const { return mounted_; }

 private:
  std::string ballast_;
  rlimit before_{};
  bool mounted_ = false;
};

/// Makes permissions count for a test that runs as root too.
class Nobody {
 public:
  explicit Nobody(const std::string& folder) {
    if (::getuid() != 0) return;
    EXPECT_EQ(::chown(folder.c_str(), 65534, 65534), 0);
    EXPECT_EQ(::setegid(65534), 0);
    EXPECT_EQ(::seteuid(65534), 0);
  }
  Nobody(const Nobody&) = delete;
  Nobody& operator=(const Nobody&) = delete;
  ~Nobody() {
    if (::getuid() != 0) return;
    EXPECT_EQ(::seteuid(0), 0);
    EXPECT_EQ(::setegid(0), 0);
    ::prctl(PR_SET_DUMPABLE, 1);  // for the leak check at the end
  }
};

class Degraded : public ::testing::Test {
 protected:
  Ledger& open() { return open(quick(path_)); }
  Ledger& open(const LedgerOptions& options) {
    ledger_.reset();
    ledger_ = std::make_unique<Ledger>(options, watch_.hooks());
    return *ledger_;
  }
  void record(std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t i = from; i < to; ++i) ledger_->record(ran(i));
  }
  std::vector<std::string> set_aside() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      if (entry.path().filename().string().find(".corrupt-") != std::string::npos)
        names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  void remove_file() {
    for (const char* part : {"", "-wal", "-shm"}) std::filesystem::remove(path_ + part);
  }
  /// Rows of before may be missing; none: all are there.
  std::optional<WallTime> kept_since() {
    auto reader = Reader::open(path_);
    if (!reader) return WallTime{};
    const auto kept = reader->kept_since("backup");
    return kept ? *kept : WallTime{};
  }

  TempFolder folder_;
  std::string path_ = folder_ / "history.db";
  Watch watch_;
  std::unique_ptr<Ledger> ledger_;
};

TEST_F(Degraded, HoldsRowsInMemoryWhileTheDiskIsFullAndStoresThemLater) {
  SmallDisk disk(folder_.path());
  Ledger& ledger = open();
  record(0, 10);
  flush(ledger);
  disk.fill();
  record(10, 2000);
  const LedgerState state = watch_.wait_for([](const LedgerState& s) { return s.degraded && s.in_memory > 0; });
  EXPECT_NE(state.reason.find(path_), std::string::npos) << state.reason;
  EXPECT_NE(state.reason.find("spool"), std::string::npos) << state.reason;
  disk.make_room();
  flush(ledger);
  EXPECT_EQ(watch_.wait_for_ok().dropped, Dropped{});
  EXPECT_EQ(rows_in(path_).size(), 2000u);
}

TEST_F(Degraded, SpoolsIntoTheRoomItReservedWhileTheDiskIsFull) {
  TempFolder elsewhere;
  SmallDisk disk(folder_.path());
  LedgerOptions options = quick(path_);
  options.spool_reserve = 1 << 20;
  if (!disk.mounted()) options.spool_folder = elsewhere / "spool";
  Ledger& ledger = open(options);
  flush(ledger);
  if (disk.mounted()) {
    disk.fill();
  } else {  // no disk to fill: the file's folder goes, the spool's stays
    std::filesystem::rename(folder_.path(), folder_.path() + "-away");
  }
  record(0, 2000);
  flush(ledger);
  const LedgerState state = watch_.wait_for_degraded();
  EXPECT_NE(state.reason.find(path_), std::string::npos);
  if (disk.mounted())
    disk.make_room();
  else
    std::filesystem::rename(folder_.path() + "-away", folder_.path());
  watch_.wait_for_ok();
  EXPECT_EQ(rows_in(path_).size(), 2000u);
}

TEST_F(Degraded, SpoolsWhileItsFolderIsMissingAndCatchesUp) {
  TempFolder elsewhere;
  path_ = folder_ / "gone/history.db";
  LedgerOptions options = quick(path_);
  options.spool_folder = elsewhere / "spool";
  Ledger& ledger = open(options);
  record(0, 100);
  ledger.record(run_id(1), 1, {"said", "", 4});
  ledger.record(TermRow{"nightly", "host-1", 1, noon, {}, Cause::none});
  flush(ledger);
  EXPECT_EQ(ledger.spooled().records, 102);
  EXPECT_EQ(ledger.spooled().since, noon);
  const LedgerState state = watch_.wait_for_degraded();
  EXPECT_NE(state.reason.find("No such file or directory"), std::string::npos) << state.reason;
  std::filesystem::create_directory(folder_ / "gone");
  watch_.wait_for_ok();
  EXPECT_EQ(ledger.spooled().records, 0);
  EXPECT_FALSE(ledger.spooled().since);
  EXPECT_EQ(rows_in(path_).size(), 100u);
  EXPECT_EQ(Reader::open(path_)->output(run_id(1))->head, "said");
  EXPECT_EQ(Reader::open(path_)->terms("nightly")->size(), 1u);
}

TEST_F(Degraded, KeepsTheSpoolOverARestartAndReplaysItFirst) {
  TempFolder elsewhere;
  path_ = folder_ / "gone/history.db";
  LedgerOptions options = quick(path_);
  options.spool_folder = elsewhere / "spool";
  Row running = ran(1);
  running.status = Status::running;
  open(options).record(running);
  flush(*ledger_);
  ledger_.reset();
  std::filesystem::create_directory(folder_ / "gone");
  open(options).record(ran(1));
  flush(*ledger_);
  const std::vector<Row> rows = rows_in(path_);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].status, Status::succeeded);
  EXPECT_EQ(std::filesystem::file_size(elsewhere / "spool/history.db.rows"), 0u);
}

TEST_F(Degraded, SpoolsWhileItsFileIsReadOnly) {
  TempFolder elsewhere;
  std::filesystem::permissions(elsewhere.path(), std::filesystem::perms::all);
  const Nobody nobody(folder_.path());
  LedgerOptions options = quick(path_);
  options.spool_folder = elsewhere / "spool";
  open(options);
  record(0, 5);
  ledger_.reset();
  ASSERT_EQ(::chmod(path_.c_str(), 0440), 0);
  Ledger& ledger = open(options);
  record(5, 10);
  flush(ledger);
  EXPECT_NE(watch_.wait_for_degraded().reason.find("writable"), std::string::npos);
  EXPECT_EQ(rows_in(path_).size(), 5u);
  ASSERT_EQ(::chmod(path_.c_str(), 0640), 0);
  watch_.wait_for_ok();
  EXPECT_EQ(rows_in(path_).size(), 10u);
}

TEST_F(Degraded, SpoolsWhileAnotherProcessKeepsItLocked) {
  LedgerOptions options = quick(path_);
  options.lock_wait = Millis(10);
  Ledger& ledger = open(options);
  flush(ledger);
  Database other(path_, Open::write);
  other.wait_for_locks(patience);
  {
    const Transaction locked(other);
    record(0, 50);
    flush(ledger);
    EXPECT_NE(watch_.wait_for_degraded().reason.find("locked"), std::string::npos);
    EXPECT_EQ(rows_in(path_).size(), 0u);
  }
  watch_.wait_for_ok();
  EXPECT_EQ(rows_in(path_).size(), 50u);
}

/// Beside a writer that tries the file again and again, so it waits for its locks.
void set_version(const std::string& path, const char* sql) {
  Database db(path, Open::write);
  db.wait_for_locks(patience);
  db.run(sql);
}

TEST_F(Degraded, SpoolsWhatANewerFileCannotTake) {
  open();
  record(0, 1);
  ledger_.reset();
  set_version(path_, "PRAGMA user_version = 9");
  Ledger& ledger = open();
  record(1, 2);
  flush(ledger);
  EXPECT_NE(watch_.wait_for_degraded().reason.find("newer ballot"), std::string::npos);
  set_version(path_, "PRAGMA user_version = 1");
  watch_.wait_for_ok();
  EXPECT_EQ(rows_in(path_).size(), 2u);
}

TEST_F(Degraded, SetsAsideWhatIsNoDatabaseAndBeginsAnew) {
  const std::string garbage(20'000, '?');
  std::ofstream(path_) << garbage;
  Ledger& ledger = open();
  record(0, 7);
  flush(ledger);
  EXPECT_EQ(rows_in(path_).size(), 7u);
  ASSERT_EQ(set_aside(), std::vector<std::string>{"history.db.corrupt-20250309T120000Z"});
  EXPECT_EQ(std::filesystem::file_size(folder_ / set_aside()[0]), garbage.size());
  ASSERT_EQ(watch_.alarms().size(), 1u);
  EXPECT_NE(watch_.alarms()[0].find("set aside as " + (folder_ / set_aside()[0])), std::string::npos);
}

/// Whoever asks what has succeeded before then is not to take a missing row for an answer.
TEST_F(Degraded, ALedgerInPlaceOfABrokenOneSaysSinceWhenItHasAllRows) {
  flush(open());
  EXPECT_EQ(kept_since(), std::nullopt) << "the first one";
  ledger_.reset();
  std::ofstream(path_) << std::string(20'000, '?');
  flush(open());
  ASSERT_EQ(set_aside().size(), 1U);
  EXPECT_EQ(kept_since(), noon);
}

TEST_F(Degraded, ALedgerInPlaceOfADeletedOneSaysSinceWhenItHasAllRows) {
  flush(open());
  remove_file();
  record(0, 1);
  flush(*ledger_);
  EXPECT_EQ(kept_since(), noon) << "under its daemon";
}

TEST_F(Degraded, ALedgerThatWasDeletedBeforeTheStartSaysSinceWhenItHasAllRows) {
  flush(open());
  ledger_.reset();
  flush(open());
  EXPECT_EQ(kept_since(), std::nullopt) << "it is the same one";
  ledger_.reset();
  remove_file();
  flush(open());
  EXPECT_EQ(kept_since(), noon) << "its spool is there";
}

TEST_F(Degraded, SetsAsideADamagedDatabaseWithItsLog) {
  open();
  record(0, 3000);
  ledger_.reset();
  {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    const std::string garbage(4096, '?');
    for (std::uint64_t page = 3; page < 40; ++page) {
      file.seekp(static_cast<std::streamoff>(page * 4096));
      file << garbage;
    }
  }
  Ledger& ledger = open();
  record(3000, 3100);
  flush(ledger);
  EXPECT_EQ(rows_in(path_).size(), 100u);
  EXPECT_FALSE(set_aside().empty());
  ASSERT_FALSE(watch_.alarms().empty());
  EXPECT_NE(watch_.alarms()[0].find("malformed"), std::string::npos) << watch_.alarms()[0];
}

TEST_F(Degraded, CountsWhatNeitherDiskNorMemoryCanTake) {
  path_ = folder_ / "gone/history.db";
  LedgerOptions options = quick(path_);
  options.bounds = {.records = 10, .output_bytes = 100};
  Ledger& ledger = open(options);
  watch_.wait_for_degraded();
  record(0, 1);
  watch_.wait_for([](const LedgerState& state) { return state.reason.find("spool") != std::string::npos; });
  record(1, 41);
  for (std::uint32_t i = 0; i < 5; ++i) ledger.record(run_id(i), 1, {std::string(50, 'x'), "", 50});
  const LedgerState full = watch_.wait_for([](const LedgerState& state) { return state.dropped.outputs > 0; });
  EXPECT_EQ(full.dropped.outputs, 5);
  EXPECT_GE(full.dropped.rows, 29);
  std::filesystem::create_directory(folder_ / "gone");
  flush(ledger);
  const LedgerState ok = watch_.wait_for_ok();
  EXPECT_EQ(static_cast<std::int64_t>(rows_in(path_).size()) + ok.dropped.rows, 41);
}

TEST_F(Degraded, SaysWhatIsLostAtItsEnd) {
  path_ = folder_ / "gone/history.db";
  open();
  record(0, 3);
  bool flushed = false;
  ledger_->flush([&] { flushed = true; });
  EXPECT_EQ(ledger_->close(), 3);
  EXPECT_FALSE(flushed);
  ASSERT_FALSE(watch_.alarms().empty());
  EXPECT_NE(watch_.alarms().back().find("3 records of the ledger are lost"), std::string::npos);
}

TEST_F(Degraded, SaysNothingAtItsEndWhereNothingIsLost) {
  path_ = folder_ / "gone/history.db";
  Ledger& ledger = open();
  EXPECT_FALSE(ledger.is_stuck());
  ledger.flush([] {});
  watch_.wait_for_degraded();
  EXPECT_EQ(ledger_->close(), 0);
  for (const std::string& alarm : watch_.alarms()) EXPECT_EQ(alarm.find("lost"), std::string::npos) << alarm;
}

TEST_F(Degraded, WarnsOnceWhereNoRoomCanBeKeptForItsSpool) {
  LedgerOptions options = quick(path_);
  options.spool_reserve = std::int64_t{1} << 52;
  options.sweep_every = Millis(1);
  flush(open(options));
  record(0, 3);
  EXPECT_EQ(ledger_->close(), 0);
  ASSERT_EQ(watch_.warnings().size(), 1u);
  EXPECT_NE(watch_.warnings()[0].find("cannot keep"), std::string::npos) << watch_.warnings()[0];
  EXPECT_TRUE(watch_.states().empty()) << "it is no reason to be degraded";
}

TEST_F(Degraded, SaysThatItIsStuckWhileItCanStoreNothing) {
  path_ = folder_ / "gone/history.db";
  Ledger& ledger = open();
  record(0, 3);
  watch_.wait_for([](const LedgerState& state) { return state.reason.find("; ") != std::string::npos; });
  EXPECT_TRUE(ledger.is_stuck());
  std::filesystem::create_directory(folder_ / "gone");
  flush(ledger);
  watch_.wait_for_ok();
  EXPECT_FALSE(ledger.is_stuck());
}

TEST_F(Degraded, TellsEachStateOnce) {
  path_ = folder_ / "gone/history.db";
  Ledger& ledger = open();
  record(0, 3);
  watch_.wait_for([](const LedgerState& state) { return state.in_memory > 0; });
  std::filesystem::create_directory(folder_ / "gone");
  flush(ledger);
  watch_.wait_for_ok();
  for (std::size_t i = 1; i < watch_.states().size(); ++i)
    EXPECT_TRUE(watch_.states()[i].reason != watch_.states()[i - 1].reason);
  EXPECT_EQ(watch_.states().back().reason, "");
}

}  // namespace
}  // namespace ballot::storage
