// WriteLock: the exclusive right to write to the store of a folder, among all its processes. It falls with its process;
// whoever waits for it can see who has it, and StuckWriter what is to be done about that. Knows nothing of the store.
//
//   const WriteLock lock(file, this_process(), wait);
//   if (!lock) return stuck.examine(file, leases, boot_id, timeout);     // for people
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "support/machine/leases.hpp"
#include "support/machine/lock_file.hpp"
#include "support/machine/process.hpp"

namespace ballot::support {

class WriteLock {
 public:
  /// `own`: this process. `wait`: asked, with the number of times before, whether to try again; sleeps by itself.
  WriteLock(LockFile& file, const Process& own, const std::function<bool(int)>& wait);
  ~WriteLock() {
    if (held_) file_.give(range_);
  }
  WriteLock(const WriteLock&) = delete;
  WriteLock& operator=(const WriteLock&) = delete;

  /// False: it was not to be had.
  explicit operator bool() const noexcept { return held_; }

  /// The process that has the lock, without its start time; none: no other process has it.
  static std::optional<Process> holder(const LockFile& file);

 private:
  LockFile& file_;
  const LockFile::Range range_;
  bool held_ = false;
};

/// A process that has the write lock and does not give it back. One that is stopped past its session's deadline is
/// killed, as nobody could write, nor lead, until it goes on. Remembers whom it saw, so it outlives sessions. One
/// thread.
class StuckWriter {
 public:
  /// Called when the lock could not be had. `timeout`: T of the caller. Returns what to say about it, "" for nothing.
  std::string examine(const LockFile& file, Leases& leases, const std::string& boot_id, Millis timeout);

 private:
  struct Owner {
    std::int64_t slot = 0;
    Lease lease;
  };

  static std::optional<Owner> find_owner(const Leases& leases, const Process& holder, std::uint64_t boot);
  std::string end(const LockFile& file, Leases& leases, const Process& holder, const std::optional<Owner>& owner,
                  bool overdue) const;

  std::optional<Process> seen_;
  SteadyTime since_{};
};

}  // namespace ballot::support
