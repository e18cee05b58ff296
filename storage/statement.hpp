// Statement: a prepared statement; Cursor: one execution of it, which ends (reset, nothing bound) with its scope.
// A statement left open holds its read transaction and stops checkpoints, so a Cursor never outlives its block.
//
//   Statement find(db, "SELECT id FROM name WHERE text = ?1");
//   Cursor found = find.start(std::string_view("nightly"));
//   if (found.step()) use(found.number(0));
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "ballot/time.hpp"

struct sqlite3_stmt;

namespace ballot::storage {

class Database;

/// Bytes, where a string_view would be text.
struct Blob {
  std::string_view bytes;
};

class Cursor {
 public:
  Cursor(const Database& db, sqlite3_stmt* statement) noexcept : db_(db), statement_(statement) {}
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;
  ~Cursor();

  /// True: a row is there. False: the end, now and from now on. Throws SqliteError.
  bool step();

  // Columns of the present row, from 0; texts and blobs are valid until the next step.
  std::int64_t number(int column) const;
  std::string_view text(int column) const;
  std::string_view blob(int column) const;
  bool null(int column) const;
  WallTime time(int column) const { return WallTime(Millis(number(column))); }

 private:
  const Database& db_;
  sqlite3_stmt* statement_;
  bool ended_ = false;
};

class Statement {
 public:
  /// Throws SqliteError. The database outlives it.
  Statement(const Database& db, std::string_view sql);

  /// Binds the values to ?1, ?2, ... and starts. What text and blobs point to must outlive the Cursor.
  template <class... Values>
  [[nodiscard]] Cursor start(const Values&... values) {
    int position = 0;
    (bind(++position, values), ...);
    return Cursor(db_, statement_.get());
  }

  /// Binds the values and steps to the end.
  template <class... Values>
  void run(const Values&... values) {
    Cursor cursor = start(values...);
    while (cursor.step()) continue;
  }

 private:
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };

  void bind(int position, std::int64_t value);
  void bind(int position, std::string_view text);
  void bind(int position, Blob blob);
  void bind(int position, std::nullopt_t);
  void bind(int position, int value) { bind(position, std::int64_t{value}); }
  void bind(int position, WallTime time) { bind(position, std::int64_t{time.time_since_epoch().count()}); }
  void bind(int position, Millis duration) { bind(position, std::int64_t{duration.count()}); }
  template <class T>
  void bind(int position, const std::optional<T>& value) {
    value ? bind(position, *value) : bind(position, std::nullopt);
  }
  void check(int code) const;

  const Database& db_;
  std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
};

}  // namespace ballot::storage
