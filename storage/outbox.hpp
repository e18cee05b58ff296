// Outbox: what a ledger has recorded after a change, in the order in which it was recorded, so that it can be handed
// on: rows, and what its marks say of everything else. Of something that was recorded several times there is the last
// state only, where it was recorded last. Knows nothing of who takes it.
//
// Thread: the one that uses it.
//
//   auto outbox = Outbox::open(path);
//   for (std::int64_t sent = acknowledged;;) {
//     auto part = outbox->read(sent);      // send(part->batch), then sent = part->batch.last
//   }
#pragma once

#include <memory>
#include <string>

#include "ballot/error.hpp"
#include "ballot/history_rows.hpp"
#include "ballot/time.hpp"

namespace ballot::storage {

/// Changes of a ledger, and whether these are all.
struct OutboxPart {
  LedgerBatch batch;        // without changes: `last` is `after`, unless more is to come
  bool is_all = false;      // the ledger has no more
  std::int64_t newest = 0;  // the number of its last change, whatever that was
};

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
  /// The ledger has become what it is from what a history has of it: it is no older copy that was put back, nor one
  /// that somebody else has gone on with. Errors: as read().
  Result<bool> goes_on_from(const LedgerLine& line);

  /// The changes after that one, as many as the bounds allow. Errors: unavailable: the ledger is not marked, or not
  /// yet, as its writer has not opened it since marks are kept.
  Result<OutboxPart> read(std::int64_t after, const Bounds& bounds);
  Result<OutboxPart> read(std::int64_t after) { return read(after, Bounds()); }

 private:
  class Session;
  explicit Outbox(std::unique_ptr<Session> session);

  std::unique_ptr<Session> session_;
};

/// From now on the file is another ledger, of which nothing has been sent: its numbers go on. Beside its writer, which
/// is waited for as long as that. Errors: io (it was kept busy), refused, corrupt.
Result<void> renew_identity(const std::string& path, Millis lock_wait);

}  // namespace ballot::storage
