// FailingVfs: SQLite's file system in this process, whose calls fail when a test says so. While it exists it is the one
// that every connection gets which is opened then, here and in plugins; connections must not outlive it.
//
//   FailingVfs vfs;
//   vfs.fail(FileCall::sync, 3);                       // the third fsync from now on, once
//   vfs.fail(FileCall::write, 1, 5, SQLITE_FULL);      // the first to the fifth write
//   ... vfs.count(FileCall::write) ...
//   vfs.lose_power(folder / "after");                  // what a disk has that lost all that nobody had synced
//
// Threads: fail and reset while nothing is open or between uses; the calls themselves from any.
#pragma once

#include <sqlite3.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace ballot::testing {

enum class FileCall { open, read, write, truncate, sync, lock, remove };
inline constexpr int file_calls = 7;

class FailingVfs {
 public:
  FailingVfs();
  ~FailingVfs();
  FailingVfs(const FailingVfs&) = delete;
  FailingVfs& operator=(const FailingVfs&) = delete;

  /// The n-th call of the kind from now on fails, and those up to the m-th; with the code that is usual for it, or
  /// `code`.
  void fail(FileCall call, std::int64_t n, std::int64_t m = 0, int code = 0);
  /// Calls of the kind wait until go_on(), as on a disk that does not answer.
  void hang(FileCall call);
  /// False: none does within `limit`.
  bool wait_hanging(std::chrono::milliseconds limit);
  void go_on();
  /// Nothing fails, and counting begins again.
  void reset();
  /// Calls since the last fail() of the kind, or reset().
  std::int64_t count(FileCall call) const;

  /// Into `folder`, each file as it was when it was last synced, and none that never was: what the disk has after a
  /// loss of power at this moment, where it had written nothing of its own accord.
  void lose_power(const std::string& folder);
  /// Of the VFS itself: a file was synced, or removed.
  void keep(const std::string& path);
  void forget(const std::string& path);

  /// SQLITE_OK, or what the call is to fail with now. For the VFS itself.
  int pass(FileCall call);

 private:
  struct Rule {
    std::atomic<std::int64_t> count{0}, first{0}, last{0};
    std::atomic<int> code{0};
  };
  Rule& rule(FileCall call) { return rules_[static_cast<std::size_t>(call)]; }

  std::array<Rule, file_calls> rules_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<FileCall> hung_;               // under mutex_
  int hanging_ = 0;                            // calls; under mutex_
  std::map<std::string, std::string> synced_;  // path to content; under mutex_
  sqlite3_vfs vfs_{};
  sqlite3_vfs* before_;
};

}  // namespace ballot::testing
