// Outbox: what a ledger has recorded after a change, in the order in which it was recorded, so that it can be handed
// on: rows, and what its marks say of everything else. Of something that was recorded several times there is the last
// state only, where it was recorded last. Knows nothing of who takes it.
//
// Thread: the one that uses it.
//
//   auto outbox = Outbox::open(path);
//   for (std::int64_t sent = acknowledged;;) {
//     auto batch = outbox->read(sent);      // send(*batch), then sent = batch->last
//   }
#pragma once

#include <memory>
#include <string>

#include "ballot/error.hpp"
#include "ballot/history_rows.hpp"
#include "ballot/time.hpp"

namespace ballot::storage {

class Outbox {
 public:
  struct Bounds {
    std::int64_t changes = 1'000;
    std::int64_t output_bytes = std::int64_t{4} << 20;  // one output alone may be larger
  };

  /// `node`: whose ledger it is. Errors: io (there is no such file), refused, corrupt.
  static Result<Outbox> open(const std::string& path, const std::string& node);

  Outbox(Outbox&&) noexcept;
  Outbox& operator=(Outbox&&) noexcept;
  ~Outbox();

  /// The ledger's identity. Errors: as read().
  Result<RunId> identity();

  /// The changes after that one, as many as the bounds allow; `last` is the ledger's last change where that is all.
  /// Errors: unavailable: the ledger is not marked, or not yet, as its writer has not opened it since marks are kept.
  Result<LedgerBatch> read(std::int64_t after, const Bounds& bounds);
  Result<LedgerBatch> read(std::int64_t after) { return read(after, Bounds()); }
  /// The ledger's last change when it was read last.
  std::int64_t newest() const;

 private:
  class Session;
  explicit Outbox(std::unique_ptr<Session> session);

  std::unique_ptr<Session> session_;
};

/// From now on the file is another ledger, of which nothing has been sent: its numbers go on. Beside its writer, which
/// is waited for as long as that. Errors: io (it was kept busy), refused, corrupt.
Result<void> renew_identity(const std::string& path, Millis lock_wait);

}  // namespace ballot::storage
