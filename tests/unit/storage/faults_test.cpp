// The ledger on a disk of which the n-th call fails, for every n and each kind of call: every row is there in the end,
// the file passes its integrity check, and nothing is set aside that is sound.
#include <cstdlib>

#include "base/failpoint.hpp"
#include "storage/database.hpp"
#include "storage_test_support.hpp"
#include "support/failing_vfs.hpp"

namespace ballot::storage {
namespace {

using ballot::testing::FailingVfs;
using ballot::testing::FileCall;

constexpr std::uint32_t rows_a_batch = 40;

/// Two ledgers one after the other on one file, each with two batches, the last flushed.
void write_history(const std::string& path, Watch& watch) {
  std::uint32_t next = 0;
  for (int daemon = 0; daemon < 2; ++daemon) {
    Ledger ledger(quick(path), watch.hooks());
    for (int batch = 0; batch < 2; ++batch) {
      for (std::uint32_t i = 0; i < rows_a_batch; ++i) ledger.record(ran(next++));
      flush(ledger);
    }
    if (!watch.states().empty()) watch.wait_for_ok();  // it begins as ok, without saying so
  }
}

/// What still waits in the spool is written where nothing fails any more.
void replay(const std::string& path, Watch& watch) {
  Ledger ledger(quick(path), watch.hooks());
  flush(ledger);
}

void expect_all_there(const std::string& path, Watch& watch) {
  replay(path, watch);
  EXPECT_EQ(rows_in(path).size(), 4 * rows_a_batch);
  Database db(path, Open::read);
  EXPECT_EQ(db.number("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"), 0);
  for (const std::string& alarm : watch.alarms()) {
    EXPECT_EQ(alarm.find("set aside"), std::string::npos) << alarm;
    EXPECT_EQ(alarm.find("lost"), std::string::npos) << alarm;
  }
}

/// One call in so many is tried; BALLOT_FAULTS=all tries each.
std::int64_t stride(std::int64_t calls) {
  const char* all = std::getenv("BALLOT_FAULTS");
  return all ? 1 : std::max<std::int64_t>(1, calls / 4);
}

struct Kind {
  const char* name;
  FileCall call;
  int code;  // 0: the usual one
};
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class LedgerFaults : public ::testing::TestWithParam<Kind> {};

TEST_P(LedgerFaults, AreMadeUpForAtWhicheverCall) {
  const Kind kind = GetParam();
  std::int64_t calls = 0;
  {
    TempFolder folder;
    FailingVfs vfs;
    Watch watch;
    write_history(folder / "history.db", watch);
    calls = vfs.count(kind.call);
  }
  ASSERT_GT(calls, 0) << "the scenario makes no such call";
  for (std::int64_t n = 1; n <= calls; n += stride(calls))
    for (const std::int64_t length : {1, 4}) {
      SCOPED_TRACE("calls " + std::to_string(n) + " to " + std::to_string(n + length - 1) + " of " +
                   std::to_string(calls));
      TempFolder folder;
      Watch watch;
      {
        FailingVfs vfs;
        vfs.fail(kind.call, n, n + length - 1, kind.code);
        write_history(folder / "history.db", watch);
      }
      expect_all_there(folder / "history.db", watch);
    }
}

INSTANTIATE_TEST_SUITE_P(Of, LedgerFaults,
                         ::testing::Values(Kind{"Open", FileCall::open, 0}, Kind{"Read", FileCall::read, 0},
                                           Kind{"Write", FileCall::write, 0},
                                           Kind{"WriteOnAFullDisk", FileCall::write, SQLITE_FULL},
                                           Kind{"Truncate", FileCall::truncate, 0}, Kind{"Sync", FileCall::sync, 0},
                                           Kind{"Lock", FileCall::lock, 0}, Kind{"Busy", FileCall::lock, SQLITE_BUSY},
                                           Kind{"Remove", FileCall::remove, 0}),
                         [](const auto& kind) { return std::string(kind.param.name); });

TEST(SlowDisk, IsSaidWhileItsLedgerWaitsForItAndUntilAWriteIsQuickAgain) {
  TempFolder folder;
  FailingVfs vfs;
  Watch watch;
  LedgerOptions options = quick(folder / "history.db");
  options.slow_write = Millis(200);
  Ledger ledger(options, watch.hooks());
  int rows = 0;
  const auto within_patience = [](const std::function<bool()>& is_true) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!is_true()) {
      if (std::chrono::steady_clock::now() >= until) return false;
      std::this_thread::yield();
    }
    return true;  // not asked again: the next write may be slow anew
  };
  const auto is_degraded = [&] {
    const auto states = watch.states();
    return !states.empty() && states.back().degraded;
  };
  // The disk of a busy machine may be slow by itself. What is said of a write is said before the next one.
  const auto write_until_quick = [&] {
    return within_patience([&] {
      for (int i = 0; i < 2; ++i) ledger.record(ran(++rows)), flush(ledger);
      return !is_degraded();
    });
  };
  ASSERT_TRUE(write_until_quick());
  vfs.hang(FileCall::sync);
  ledger.record(ran(++rows));
  std::promise<void> stored;
  ledger.flush([&] { stored.set_value(); });
  ASSERT_TRUE(vfs.wait_hanging(patience));
  const std::size_t said = watch.states().size();
  EXPECT_TRUE(within_patience([&] { return ledger.is_slow(); }));
  EXPECT_EQ(watch.states().size(), said) << "who waits reports nothing";
  vfs.go_on();
  stored.get_future().wait();
  EXPECT_EQ(watch.wait_for_degraded().reason, slow_disk(options));
  EXPECT_EQ(slow_disk(options),
            options.path + ": a write takes longer than 200ms: its disk is slow, or others keep it busy");
  EXPECT_TRUE(within_patience([&] { return !ledger.is_slow(); }));
  EXPECT_TRUE(write_until_quick());
  EXPECT_EQ(rows_in(options.path).size(), static_cast<std::size_t>(rows));
}

#ifdef BALLOT_FAILPOINTS
TEST(SpoolFaults, AreMadeUpForAtWhicheverCall) {
  for (const char* point : {"storage.spool_open", "storage.spool_write", "storage.spool_sync", "storage.spool_clear"})
    for (int n = 1; n <= 3; ++n) {
      SCOPED_TRACE(std::string(point) + " fails at call " + std::to_string(n));
      set_failpoints("storage.write=fail(ENOSPC)@2-4;storage.open=fail(EMFILE)@2-3;" + std::string(point) +
                     "=fail(ENOSPC)@" + std::to_string(n));
      TempFolder folder;
      Watch watch;
      write_history(folder / "history.db", watch);
      set_failpoints("");
      expect_all_there(folder / "history.db", watch);
    }
}
#endif

}  // namespace
}  // namespace ballot::storage
