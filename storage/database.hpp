// Database: owns one connection to one SQLite file. Knows nothing of the file's content.
//
// Thread: the one that uses it; a connection is never shared and never carried over a fork. No other code of this
// process may open the file by itself: closing any descriptor of it drops SQLite's locks.
//
//   Database db("/var/lib/ballot/history.db", Open::write);
//   db.run("PRAGMA user_version = 1");
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "ballot/time.hpp"

struct sqlite3;

namespace ballot::storage {

enum class Open {
  write,     // made if it is not there, readable by owner and group
  read,      // fails if it is not there; works beside a living writer and on what a killed one left behind
  immutable  // as read, on a file that nobody writes, in a folder where no -shm file can be made
};

enum class WalOnClose { stays, is_folded_in };

class Database {
 public:
  /// Opens lazily, as SQLite does: that the file is no database shows at the first statement. Throws SqliteError.
  Database(const std::string& path, Open mode);

  const std::string& path() const noexcept { return path_; }
  sqlite3* handle() const noexcept { return handle_.get(); }

  /// Runs one or more statements without parameters; rows are thrown away.
  void run(const char* sql);
  /// The first column of the first row, 0 if there is none.
  std::int64_t number(const char* sql);

  /// How long a statement waits for another process's lock before it fails.
  void wait_for_locks(Millis longest);
  /// Asks it every few milliseconds of a statement's work; false interrupts the statement, which fails.
  void ask_whether_to_go_on(std::function<bool()> goes_on);
  /// Whether the path no longer leads to the open file.
  bool moved() const;
  /// What becomes of the write-ahead log when the last connection is closed. At first it stays, as evidence.
  void on_close(WalOnClose what);

  /// Throws what SQLite's result code says, with its text, the path and what to do about it.
  [[noreturn]] void fail(int code) const;

 private:
  struct Closer {
    void operator()(sqlite3* handle) const noexcept;
  };
  void refuse_what_is_no_file() const;

  std::string path_;
  std::unique_ptr<std::function<bool()>> goes_on_;  // at one address, which the connection knows
  std::unique_ptr<sqlite3, Closer> handle_;
};

}  // namespace ballot::storage
