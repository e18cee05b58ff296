// DurableRows: tells once rows that were recorded are durable. One flush of the ledger at a time, for all that was
// recorded in a while: each costs a sync of the disk. A ledger that can store nothing, not even in its spool, stops no
// job: after 10 s the rows count as durable, which is logged; a crash would lose them.
//
//   state    | event                     | next
//   idle     | await()                   | flushing, 100 ms later
//   flushing | done                      | told; idle, or flushing what was awaited meanwhile
//   flushing | 10 s have passed; in a stop, with a ledger that can store nothing, 0.5 s | told all the same
//
// Thread: the loop's. No callback comes after the destructor.
#pragma once

#include <functional>
#include <memory>

#include "ballot/log.hpp"
#include "base/ledger_sink.hpp"
#include "core/event.hpp"
#include "io/main_loop.hpp"
#include "io/wall_timer.hpp"

namespace ballot::io {

class DurableRows {
 public:
  DurableRows(MainLoop& loop, LedgerSink& ledger, Log log, std::function<void(core::RowsDurable)> tell);
  ~DurableRows();

  void await(const runner::AttemptId& id);
  void await(core::Settled settled);
  /// A stop has begun, or is to be quicker.
  void hurry();
  /// Calls `done` once, when all that was recorded is stored or cannot be. Nothing is told after it.
  void finish(std::function<void()> done);

 private:
  void begin_flush();
  void flush();
  void on_flushed();
  void arm_patience();
  bool may_wait();
  void wait_no_longer();
  void end();

  MainLoop& loop_;
  LedgerSink& ledger_;
  const Log log_;
  const std::function<void(core::RowsDurable)> tell_;
  std::shared_ptr<DurableRows*> self_;  // null once it is gone: what the ledger's thread posts comes later
  BootTimer flush_timer_, patience_timer_;
  core::RowsDurable awaited_, flushed_;    // to be flushed, and being flushed
  bool flushing_ = false, waits_ = false;  // flushing, or about to; patience runs
  bool stopping_ = false;
  SteadyTime until_{};  // while it waits
  std::function<void()> done_;
};

}  // namespace ballot::io
