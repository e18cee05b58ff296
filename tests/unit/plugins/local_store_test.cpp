// The local backend's registers.db and the disk that it lies on: full, written back, and used by an older version.
#include <gtest/gtest.h>
#include <sched.h>
#include <sqlite3.h>
#include <sys/mount.h>

#include <fstream>

#include "local_daemon.hpp"
#include "support/machine/lock_file.hpp"

namespace ballot {
namespace {

using namespace ballot::conformance;
namespace fs = std::filesystem;

class LocalStore : public ::testing::Test {
 protected:
  fs::path state() const { return folder_.path(); }
  fs::path file(const std::string& name) const { return state() / "local/ns" / name; }
  void sql(const char* text) const {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(file("registers.db").c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, text, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
  }
  static bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

  TemporaryFolder folder_;
};

#define EXPECT_SAYS(text, part) EXPECT_TRUE(says(text, part)) << (text)

/// A file system of one megabyte, for this test's process alone.
bool mount_small(const fs::path& at) {
  return ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("none", at.c_str(), "tmpfs", 0, "size=1m,mode=0700") == 0;
}

TEST_F(LocalStore, AFullDiskFailsWritesAndLosesNothing) {
  if (!mount_small(state())) GTEST_SKIP() << "only root can mount a small file system";
  Daemon a(state(), "a");
  ASSERT_EQ(a.open(), "");
  const std::uint64_t epoch = *a.lead("g");
  const WriteAnswer first = a.write({"g", epoch, "j/first", "kept", 0});
  ASSERT_EQ(first.outcome, StoreResult::done);
  WriteAnswer last;
  for (int i = 0; i < 400 && last.outcome != StoreResult::failed; ++i)
    last = a.write({"g", epoch, "j/" + std::to_string(i), std::string(8000, 'x'), 0});
  ASSERT_EQ(last.outcome, StoreResult::failed) << last.text;
  EXPECT_SAYS(last.text, "no space");
  EXPECT_FALSE(a.closed().has_value()) << a.closed()->text;
  a.backend().read(9999, {"j/first"});
  ASSERT_TRUE(a.wait([&] { return a.events.answer<backend::ReadDone>(1, 9999).has_value(); }, 5s));
  EXPECT_EQ(a.events.answer<backend::ReadDone>(1, 9999)->registers.at(0).value, "kept");
  a.backend().resign("g");
  EXPECT_TRUE(a.wait([&] { return !a.events.leads(1, "g"); }, 5s)) << "who resigns is let go, full disk or not";
  a.close(false);
  ::umount2(state().c_str(), MNT_DETACH);
}

TEST_F(LocalStore, AFullDiskStopsNoRenewal) {
  if (!mount_small(state())) GTEST_SKIP() << "only root can mount a small file system";
  Daemon a(state(), "a");
  ASSERT_EQ(a.open(2s), "");
  const std::uint64_t epoch = *a.lead("g");
  {
    std::ofstream ballast(state() / "ballast", std::ios::binary);
    for (const std::string page(4096, 'x'); ballast << page << std::flush;) continue;
  }
  WriteAnswer last;
  for (int i = 0; i < 400 && last.outcome != StoreResult::failed; ++i)
    last = a.write({"g", epoch, "j/" + std::to_string(i), std::string(8000, 'x'), 0});
  ASSERT_EQ(last.outcome, StoreResult::failed) << "nothing is claimed";
  const auto began = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - began < 5s) {
    const backend::Renewed renewed = a.renew();
    ASSERT_EQ(renewed.outcome, StoreResult::done) << renewed.text;
    a.wait([] { return false; }, 200ms);
  }
  EXPECT_EQ(a.events.leads(1, "g"), epoch);
  EXPECT_FALSE(a.closed().has_value()) << a.closed()->text;
  fs::remove(state() / "ballast");
  EXPECT_EQ(a.write({"g", epoch, "j/last", "1", 0}).outcome, StoreResult::done);
  ::umount2(state().c_str(), MNT_DETACH);
}

TEST_F(LocalStore, ItsLogIsWrittenBackWhileItIsUsedAndIsEmptyAfterwards) {
  {
    Daemon a(state(), "a"), b(state(), "b");
    ASSERT_EQ(a.open(), "");
    ASSERT_EQ(b.open(), "");
    const std::uint64_t led[] = {*a.lead("g"), *b.lead("h")};
    for (int round = 0; round < 100; ++round) {
      Daemon& daemon = round % 2 == 0 ? a : b;
      std::vector<RegisterWrite> batch;
      for (int i = 0; i < 50; ++i)
        batch.push_back({round % 2 == 0 ? "g" : "h", led[round % 2], "j/" + std::to_string(round * 50 + i),
                         std::string(4000, 'x'), 0});
      for (const WriteAnswer& answer : daemon.write(std::move(batch))) ASSERT_EQ(answer.outcome, StoreResult::done);
      EXPECT_LT(fs::file_size(file("registers.db-wal")), 8u << 20) << "20 MB were written";
    }
  }
  EXPECT_EQ(fs::file_size(file("registers.db-wal")), 0u) << "the last one leaves all in the file";
  Daemon later(state(), "later");
  ASSERT_EQ(later.open(), "");
  later.backend().list(1, "j/");
  ASSERT_TRUE(later.wait([&] { return later.events.answer<backend::ReadDone>(1, 1).has_value(); }, 5s));
  EXPECT_EQ(later.events.answer<backend::ReadDone>(1, 1)->registers.size(), 5000u);
}

TEST_F(LocalStore, GivesBackWhatItsCacheHasTakenThoughARegisterIsWrittenNowAndThen) {
  Daemon a(state(), "a");
  ASSERT_EQ(a.open(), "");
  const std::uint64_t epoch = *a.lead("g");
  for (int round = 0; round < 20; ++round) {
    std::vector<RegisterWrite> batch;
    for (int i = 0; i < 200; ++i)
      batch.push_back({"g", epoch, "j/" + std::to_string(round * 200 + i), std::string(4000, 'x'), 0});
    for (const WriteAnswer& answer : a.write(std::move(batch))) ASSERT_EQ(answer.outcome, StoreResult::done);
  }
  const auto full = sqlite3_memory_used();
  ASSERT_GT(full, 4 << 20) << "16 MB were written";
  const auto end = std::chrono::steady_clock::now() + 20s;
  for (int i = 0; sqlite3_memory_used() > full / 2; ++i) {
    ASSERT_LT(std::chrono::steady_clock::now(), end);
    ASSERT_EQ(a.write({"g", epoch, "j/now-and-then-" + std::to_string(i), "x", 0}).outcome, StoreResult::done);
    a.renew();
    a.wait([] { return false; }, 200ms);
  }
}

TEST_F(LocalStore, WaitsForDaemonsOfAnOlderVersionToEnd) {
  { ASSERT_EQ(Daemon(state(), "a").open(), ""); }
  sql("PRAGMA user_version = 3; INSERT INTO session (id, node, boot_id, machine_id, host, pid, version, deadline,"
      " renewed) VALUES (77, 'old', 'boot', 'm', 'h', 5, '0.0.9', 1, 1); ALTER TABLE session DROP COLUMN slot;"
      "DROP INDEX term_open; DROP INDEX term_of; DROP INDEX term_ended");
  {
    auto older = support::LockFile::find(file("lock"));
    ASSERT_TRUE(older && older->take(support::LockFile::life(77)));
    EXPECT_SAYS(Daemon(state(), "a").open(), "in use by a daemon of an older version");
  }
  EXPECT_EQ(Daemon(state(), "a").open(), "");
}

}  // namespace
}  // namespace ballot
