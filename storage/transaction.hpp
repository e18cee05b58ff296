// Transaction: every write goes through one, and each is IMMEDIATE: a deferred one that reads first and writes later
// fails at once when another process wrote in between, whatever the time to wait says.
#pragma once

#include <sqlite3.h>

#include "storage/database.hpp"

namespace ballot::storage {

class Transaction {
 public:
  explicit Transaction(Database& db) : db_(db) { db_.run("BEGIN IMMEDIATE"); }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  /// Rolls back what was not committed.
  ~Transaction() {
    if (!committed_) sqlite3_exec(db_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }

  void commit() {
    db_.run("COMMIT");
    committed_ = true;
  }

 private:
  Database& db_;
  bool committed_ = false;
};

}  // namespace ballot::storage
