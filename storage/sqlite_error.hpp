// SqliteError: what SQLite said, thrown inside this room only; Ledger and Reader turn it into states and Results.
#pragma once

#include <stdexcept>
#include <string>

namespace ballot::storage {

/// What the writer does about an error.
enum class Fault {
  broken,   // the file is no database, or a damaged one: set it aside
  refused,  // the file belongs to a newer ballot or to another program: leave it alone
  passing   // disk full, read-only, locked, input/output error: spool, and try again
};

class SqliteError : public std::runtime_error {
 public:
  SqliteError(Fault fault, const std::string& what) : std::runtime_error(what), fault_(fault) {}

  Fault fault() const noexcept { return fault_; }

 private:
  Fault fault_;
};

}  // namespace ballot::storage
