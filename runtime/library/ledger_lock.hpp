// LedgerLock: one runtime at a time writes a ledger, whatever its run directory is. An exclusive lock on a file beside
// the ledger, which the kernel releases with its holder; the file stays. Readers of a ledger do not need the lock.
//
//   LedgerLock lock("/var/lib/ballot/history.db");
//   if (auto taken = lock.take(); !taken && taken.error().code == Errc::conflict) return taken;
//
// The descriptor is closed by exec; a fork shares the lock. Threads: one.
#pragma once

#include <string>
#include <utility>

#include "ballot/error.hpp"
#include "base/unique_fd.hpp"

namespace ballot::library {

class LedgerLock {
 public:
  /// `keys`: what sets the ledger's place, for who reads an error.
  LedgerLock(const std::string& ledger, std::string keys)
      : ledger_(ledger), path_(ledger + ".lock"), keys_(std::move(keys)) {}

  /// Waits for a second, as a process that is ending lets its files go one by one. Errors: conflict; refused, where no
  /// regular file lies in the lock's place; io and not_found, where the file cannot be made.
  Result<void> take();
  void release() { file_.reset(); }

 private:
  const std::string ledger_, path_, keys_;
  UniqueFd file_;
};

}  // namespace ballot::library
