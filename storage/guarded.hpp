// What reads a ledger has in common: a call that may throw SqliteError becomes a Result, and a transaction lets it read
// one moment.
#pragma once

#include "ballot/error.hpp"
#include "storage/database.hpp"
#include "storage/sqlite_error.hpp"

namespace ballot::storage {

inline Errc errc_of(Fault fault) {
  switch (fault) {
    case Fault::broken: return Errc::corrupt;
    case Fault::refused: return Errc::refused;
    case Fault::passing: return Errc::io;
  }
  return Errc::io;
}

/// Runs what may throw, and returns what it returns.
template <class Function>
auto guarded(Function function) -> Result<decltype(function())> {
  try {
    return function();
  } catch (const SqliteError& error) {
    return Error{errc_of(error.fault()), error.what()};
  }
}

/// What is read while it lives is of one moment.
class Snapshot {
 public:
  explicit Snapshot(Database& db) : db_(db) { db_.run("BEGIN"); }
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  ~Snapshot() {
    try {
      db_.run("COMMIT");
    } catch (const SqliteError&) {  // it ends with the connection then
    }
  }

 private:
  Database& db_;
};

}  // namespace ballot::storage
