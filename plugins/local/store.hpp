// Store: the files of one namespace in their folder, while they are in use: the lock file with its leases, and
// registers.db. Changes are made one at a time, under the write lock of all processes (SQLite 3.40's log is not safe
// where several write it back). Knows nothing of elections. Throws DbError. One thread.
//
//   Store store(opening, std::move(lock));
//   store.read([&] { shown = store.db().list("j/"); });
//   store.write([&] { store.db().write(one, session);  return true; });       // true: commit it
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "register_db.hpp"
#include "support/machine/file_id.hpp"
#include "support/machine/liveness.hpp"
#include "support/machine/write_lock.hpp"

namespace ballot::local {

struct Opening {
  std::string folder;
  SessionRequest request;
  SteadyTime asked{};             // when: T counts from here
  std::set<std::int64_t> spent;   // sessions of this process that ended with all their terms: never resumed
  std::function<bool(int)> wait;  // for others that write: see Connection and WriteLock
  StuckWriter* stuck = nullptr;   // required; outlives the session
};

inline constexpr Millis default_timeout{15'000};

/// T as asked for, or the default, within 1 s and 1 h.
Millis granted_timeout(Millis asked);

class Store {
 public:
  static std::string path_in(const std::string& folder) { return folder + "/registers.db"; }
  /// For people: what has happened to the file `path`, and what to do about it.
  static std::string describe(const DbError& error, const std::string& path);

  /// `opening.folder` contains no links. Makes registers.db where it is not there.
  Store(const Opening& opening, LockFile lock);

  const std::string& folder() const noexcept { return folder_; }
  const std::string& path() const noexcept { return path_; }
  LockFile& lock() noexcept { return lock_; }
  Liveness& liveness() noexcept { return liveness_; }
  RegisterDb& db() noexcept { return db_; }
  const Process& process() const noexcept { return process_; }
  bool wait(int tries) const { return wait_(tries); }

  /// "", or what has become of a file while it was in use.
  std::string misplaced() const;

  void read(const std::function<void()>& work);
  /// Under the write lock. Nothing has happened where `work` throws or returns false. Returns what is to be said about
  /// it, "" for nothing.
  std::string write(const std::function<bool()>& work);
  /// The same in two steps, where something precedes the transaction. Throws where the lock is not to be had.
  void under_write_lock(const std::function<void()>& work);
  std::string commit(const std::function<bool()>& work);
  /// Another process does not let go of the store: what is to be said about that, "" for nothing.
  std::string examine_writer();
  /// To be called now and then: once little is written any more, the memory of the cache is given back.
  void rest() noexcept;
  /// The last daemon leaves all in registers.db itself; where others live, they see to it.
  void write_back() noexcept;

 private:
  bool log_in_place() const;

  const std::string folder_;
  const std::string path_;  // of registers.db
  const Millis timeout_;    // T
  const std::function<bool(int)> wait_;
  StuckWriter& stuck_;
  const Process process_ = this_process();
  LockFile lock_;
  Liveness liveness_;
  RegisterDb db_;
  std::int64_t changes_ = 0;  // of the database at the last rest,
  SteadyTime busy_at_{};      // and when there were many since the one before
  const FileId file_;
  FileId log_;  // none, until it is written to
};

}  // namespace ballot::local
