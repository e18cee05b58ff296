// Writer: takes from the backlog and stores: in the file, else in the spool, else it keeps what it has. Retention and
// checkpoints fill its quiet moments.
//
// Thread: the ledger's own; everything here runs in work().
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "storage/ledger.hpp"
#include "storage/ledger_file.hpp"
#include "storage/memory_release.hpp"
#include "storage/retention.hpp"
#include "storage/spool.hpp"
#include "storage/sqlite_error.hpp"

namespace ballot::storage {

class Writer {
 public:
  /// All of them outlive it.
  Writer(const LedgerOptions& options, const LedgerHooks& hooks, Backlog& backlog, Sending& sending);

  /// Until the backlog is stopped and empty, or what is left of it can be stored nowhere: returns how many records that
  /// are.
  std::int64_t work();

 private:
  using Clock = Backlog::Clock;

  // | state | records go to | leaves it when |
  // | --- | --- | --- |
  // | writing | the file | the file fails (spooling) |
  // | spooling | the spool | a retry opened the file and the spool is in it (writing); the spool fails (holding) |
  // | holding | the batch in hand stays there, the rest in the backlog | a retry: as above, or the spool works
  // (spooling) |
  enum class State { writing, spooling, holding };

  void take();
  void store();
  bool write_to_file();
  bool write_to_spool();
  void recover();
  void replay();
  bool tidy();
  bool remove_some();
  void release_memory();
  void rest();
  void close();

  void fail(const SqliteError& error);
  void degrade(std::string reason);
  void set_aside(const std::string& why);
  void leave_moved_file();
  void open_file();
  void open_spool();
  void keep_room();
  std::int64_t give_up();
  void note_spooled();
  void report();
  void alarm(const std::string& text) const;
  Clock::time_point wake_at() const;

  const LedgerOptions& options_;
  const LedgerHooks& hooks_;
  Backlog& backlog_;
  Sending& sending_;
  State state_ = State::spooling;
  bool stopping_ = false;
  bool is_slow_ = false;  // the last sync took longer than it may
  Batch hand_;
  MemoryRelease release_;
  Spool spool_;
  std::unique_ptr<LedgerFile> file_;
  std::unique_ptr<Retention> retention_;
  std::string reason_, spool_reason_, room_reason_;
  LedgerState reported_;
  std::optional<WallTime> waits_since_;
  std::optional<WallTime> begun_anew_;  // the next file lacks what was written before: the one of then is gone
  Millis retry_after_;
  Clock::time_point retry_at_, sweep_at_, quiet_at_;
};

}  // namespace ballot::storage
