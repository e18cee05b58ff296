#include "store.hpp"

#include <algorithm>
#include <utility>

#include "support/clock.hpp"

namespace ballot::local {

using namespace std::chrono_literals;

std::string Store::describe(const DbError& error, const std::string& path) {
  switch (error.fault) {
    case DbFault::full: return "there is no space for " + path + ": free some on its disk";
    case DbFault::busy: return path + " is held by another process: try again";
    case DbFault::denied:
      return path + " cannot be written (" + error.what() +
             "): nothing is claimed or launched meanwhile. Raise this process's limits (open files, memory), or "
             "check who may write to it";
    case DbFault::damaged:
      return path + " is damaged (" + error.what() +
             "): nothing is claimed or launched. Stop every daemon that uses it and restore it from a backup; removing "
             "its folder begins anew and forgets every claim";
    case DbFault::broken: break;
  }
  return "cannot use " + path + ": " + error.what();
}

Millis granted_timeout(Millis asked) { return asked <= 0ms ? default_timeout : std::clamp<Millis>(asked, 1s, 1h); }

Store::Store(const Opening& opening, LockFile lock)
    : folder_(opening.folder),
      path_(path_in(folder_)),
      timeout_(granted_timeout(opening.request.timeout)),
      wait_(opening.wait),
      stuck_(*opening.stuck),
      lock_(std::move(lock)),
      liveness_(lock_, opening.request.boot_id),
      db_(path_, wait_),
      file_(file_id(path_)) {}

/// A log that is removed while it is in use takes along what was acknowledged last.
bool Store::log_in_place() const { return log_ == FileId{} || file_id(path_ + "-wal") == log_; }

std::string Store::misplaced() const {
  if (!lock_.in_place()) return "the lock file beside " + path_ + " was removed or replaced while in use";
  if (file_id(path_) != file_) return path_ + " was removed or replaced while in use: restore it from a backup";
  if (log_in_place()) return {};
  return path_ +
         "-wal was removed or replaced while in use: what was acknowledged last was in it alone. Restore "
         "registers.db from a backup";
}

void Store::read(const std::function<void()>& work) {
  db_.begin(Access::read);
  try {
    work();
  } catch (...) {
    db_.roll_back();
    throw;
  }
  db_.roll_back();
}

void Store::under_write_lock(const std::function<void()>& work) {
  const WriteLock lock(lock_, process_, wait_);
  if (!lock) throw DbError(DbFault::busy, "the write lock is held");
  work();
}

std::string Store::write(const std::function<bool()>& work) {
  std::string problem;
  under_write_lock([&] { problem = commit(work); });
  return problem;
}

std::string Store::commit(const std::function<bool()>& work) {
  db_.begin(Access::write);
  try {
    if (!work()) return db_.roll_back(), std::string();
    db_.commit();
  } catch (...) {
    db_.roll_back();
    throw;
  }
  written_at_ = boot_now();
  if (log_ == FileId{}) log_ = file_id(path_ + "-wal");
  try {
    db_.checkpoint_if_due();
  } catch (const DbError& error) {
    return "the log of " + path_ + " is not written back: " + describe(error, path_);
  }
  return {};
}

std::string Store::examine_writer() { return stuck_.examine(lock_, liveness_.leases(), liveness_.boot_id(), timeout_); }

void Store::rest() noexcept {
  constexpr Millis quiet{2000};
  if (boot_now() >= written_at_ + quiet) db_.release_memory();
}

void Store::write_back() noexcept {
  if (lock_.holder({LockFile::life(1), LockFile::writer(0).first - 1})) return;
  const WriteLock lock(lock_, process_, [](int) { return false; });
  if (!lock) return;
  try {
    db_.empty_log();
  } catch (const DbError&) {
    // The log has it.
  }
}

}  // namespace ballot::local
