// Ledger: the history that this node writes. Rows are taken at once and stored by one writer thread, many in a
// transaction. No row is lost because the file is full, broken, locked or gone: it waits in the spool, or in memory
// when that cannot be written either. Knows nothing of jobs and schedules. Reading is Reader's.
//
// Threads: record and flush from any thread, never waiting for a disk. The hooks are called on the writer's thread, and
// none after the destructor returned.
//
//   Ledger ledger({.path = "/var/lib/ballot/history.db"}, {.now = clock, .on_state = show, .alarm = log});
//   ledger.record(row);
//   ledger.flush([] { /* row is on the disk */ });
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "base/ledger_sink.hpp"
#include "storage/backlog.hpp"
#include "storage/retention.hpp"

namespace ballot::storage {

struct LedgerOptions {
  std::string path = {};
  std::string spool_folder = {};          // "": `spool` beside the file
  std::int64_t spool_reserve = 16 << 20;  // bytes of disk kept for the spool
  Limits limits = {};
  Bounds bounds = {};         // of what waits in memory
  Marks marks = Marks::none;  // kept where an Outbox reads it; then retention waits for set_sent()
  bool trims_heap = false;    // of the process, in a quiet moment after much was stored, or freed elsewhere
  std::string (*keys_of)(const Job&) = nullptr;  // see DefinitionRow::keys; null: they are not recorded
  Millis lock_wait = std::chrono::seconds(5);    // for another process's transaction
  Millis retry_first = std::chrono::seconds(1), retry_most = std::chrono::seconds(60);  // doubling in between
  Millis sweep_every = std::chrono::minutes(1);                                         // between passes of retention
  Millis slow_write = std::chrono::seconds(2);  // longer than this its disk is slow, which is said
};

/// The state of the ledger.
struct LedgerState {
  bool degraded = false;
  std::string reason = {};     // what is wrong, and what to do about it; "" when nothing is
  std::int64_t spooled = 0;    // records that wait in the spool
  std::int64_t in_memory = 0;  // records that wait in memory
  Dropped dropped = {};        // since the start, where memory was full too
};

/// The reason of a ledger whose disk is slow.
std::string slow_disk(const LedgerOptions& options);

/// What the ledger and whoever sends its changes on tell each other; of a ledger that keeps marks.
struct Sending {
  std::atomic<std::int64_t> sent{0};            // all changes up to this one have been sent
  std::atomic<std::int64_t> unsent_dropped{0};  // rows that had to go for the size before
};

struct LedgerHooks {
  std::function<WallTime()> now = {};  // required
  std::function<void(const LedgerState&)> on_state =
      {};                                // `degraded`, `reason` or `dropped` has changed; it begins as ok
  std::function<void()> on_opened = {};  // once: the file is made and of this schema, or cannot be for now
  std::function<void()> on_stored = {};  // the file has something new
  std::function<void(std::string_view text)> alarm = {};    // a file was set aside, or rows are gone
  std::function<void(std::string_view text)> warning = {};  // no room on the disk can be kept for the spool
};

class Ledger final : public LedgerSink {
 public:
  /// Never fails: a file that cannot be opened is a state. Limits that are already past take effect at once.
  Ledger(LedgerOptions options, LedgerHooks hooks);
  ~Ledger() override;
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  /// Stores what was recorded. Returns how many records could be neither stored nor spooled, and are lost, which is an
  /// alarm too. The destructor does the same.
  std::int64_t close();

  void record(Row row) override;
  void record_if_absent(Row row) override;
  void record(TermRow term) override;
  void record(DefinitionRow definition, std::shared_ptr<const Job> job = nullptr) override;
  void record(KnownRow known) override;
  void record(PauseRow pause) override;
  void record(RequestRow request) override;
  void record(AnswerRow answer) override;
  void record(const RunId& run, int attempt, Output output) override;
  /// `done` is not called for what can be neither stored nor spooled before the ledger's end.
  void flush(std::function<void()> done) override;
  bool is_stuck() const override { return backlog_.stuck(); }
  void on_freed(std::size_t records) override { backlog_.note_freed(records); }
  /// A write takes longer than `slow_write` so far: its writer waits for the disk, and can report no state.
  bool is_slow() const { return backlog_.busy_for() > slow_write_; }

  /// All changes up to that one have been sent on: retention may remove them. From any thread.
  void set_sent(std::int64_t change) { sending_.sent = change; }
  /// Rows that had to go for the size before they were sent on. From any thread.
  std::int64_t unsent_dropped() const { return sending_.unsent_dropped; }

  /// As it is now. From any thread.
  Spooled spooled() const { return backlog_.spooled(); }
  Dropped dropped() const { return backlog_.dropped(); }

 private:
  const Millis slow_write_;
  Sending sending_;
  Backlog backlog_;
  std::int64_t lost_ = 0;  // the writer's until it has ended
  std::thread writer_;
};

}  // namespace ballot::storage
