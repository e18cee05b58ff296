// The little of SQLite that registers.db needs: a connection, prepared statements, one kind of transaction. Throws
// DbError. Knows nothing of ballot. One thread at a time.
//
//   Connection db(path, busy);
//   db.begin(Access::write);
//   db.run("UPDATE r SET v = ? WHERE k = ?", v, k);
//   db.commit();                                     // or roll_back()
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace ballot::local {

enum class DbFault {
  full,     // no space: nothing has happened
  busy,     // another process holds the file: nothing has happened
  denied,   // no descriptor or memory for it, or no right to write: nothing has happened
  damaged,  // the file is not what was written
  broken    // the disk or the file system failed: what has happened is not known
};

struct DbError : std::runtime_error {
  DbError(DbFault which, const std::string& text) : std::runtime_error(text), fault(which) {}
  DbFault fault;
};

/// A prepared statement in use; reset when it goes.
class Statement {
 public:
  Statement(sqlite3* db, sqlite3_stmt* handle) : db_(db), handle_(handle) {}

  /// Parameters in order. Text must live until the statement goes.
  Statement& bind(std::int64_t value);
  Statement& bind(std::string_view text);

  /// True: there is a row, whose columns may be read until the next step.
  bool step();
  /// Steps to the end.
  void run();
  std::int64_t integer(int column) const;
  std::string text(int column) const;

 private:
  struct Reset {
    void operator()(sqlite3_stmt* handle) const noexcept;
  };
  sqlite3* db_;
  std::unique_ptr<sqlite3_stmt, Reset> handle_;
  int parameter_ = 0;
};

enum class Access { read, write };

class Connection {
 public:
  /// Opens `path`, creating it where it is not there. Nothing is written back from the log to the file (a checkpoint)
  /// but by checkpoint(). `wait`: asked, with the number of times before, whether to try again for a file that
  /// another process holds; sleeps by itself.
  Connection(const std::string& path, std::function<bool(int)> wait);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void execute(const char* sql);
  /// Prepared once for each text, by address: `sql` is a literal.
  Statement statement(const char* sql);
  /// The same, with its parameters in order; and run to the end.
  template <class... Values>
  Statement query(const char* sql, const Values&... values) {
    Statement made = statement(sql);
    (made.bind(values), ...);
    return made;
  }
  template <class... Values>
  void run(const char* sql, const Values&... values) {
    query(sql, values...).run();
  }
  std::int64_t integer(const char* sql);
  /// Of the last statement: rows that it changed.
  int changes() const;
  /// A transaction that writes keeps others from writing. Requires: none is open.
  void begin(Access access);
  void commit();
  /// Nothing where none is open.
  void roll_back() noexcept;
  /// Pages in the write-ahead log after the last commit.
  int logged_pages() const noexcept { return logged_pages_; }
  /// Writes back what no reader needs in the log any more. Requires: nobody else does at the same time.
  void checkpoint();
  /// All of it, and empties the log. Requires: nobody else uses the file.
  void empty_log();
  /// Gives the memory of the cache back, where it is more than a little: what is needed again is read again.
  void release_memory() noexcept;
  /// Rows written and removed since it was opened.
  std::int64_t all_changes() const noexcept;
  /// Sets space of the disk aside for the write-ahead log, as far as there is any: a disk that is full by and by then
  /// stops no commit.
  void reserve_log(std::int64_t bytes) const;

 private:
  void checkpoint(int mode);

  sqlite3* db_ = nullptr;
  std::function<bool(int)> wait_;
  int logged_pages_ = 0;
  std::map<const char*, sqlite3_stmt*> prepared_;
};

}  // namespace ballot::local
