// LedgerSink: where the shell puts what the core decided. Implemented by storage; never blocks the loop.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "ballot/job.hpp"
#include "ballot/ledger.hpp"

namespace ballot {

class LedgerSink {
 public:
  virtual ~LedgerSink() = default;

  /// A row, by its key: a later one replaces an earlier one, but `lost` never replaces a row that has ended.
  virtual void record(Row row) = 0;
  /// Only if nothing is there of the row's job and slot: evidence that a register keeps of what was recorded before. Of
  /// a range, what follows the slots that are known.
  /// Requires: a row without a run.
  virtual void record_if_absent(Row row) = 0;
  virtual void record(TermRow term) = 0;
  /// `job`: as the definition has it, for the row's keys; null: no file of this node says it.
  virtual void record(DefinitionRow definition, std::shared_ptr<const Job> job) = 0;
  /// A later one replaces an earlier one of the same key.
  virtual void record(KnownRow known) = 0;
  virtual void record(PauseRow pause) = 0;
  virtual void record(RequestRow request) = 0;
  virtual void record(AnswerRow answer) = 0;
  /// What an attempt printed. Recorded with or after its row.
  virtual void record(const RunId& run, int attempt, Output output) = 0;

  /// Calls `done` once everything recorded before is durable (or spooled), from the writer's thread.
  virtual void flush(std::function<void()> done) = 0;

  /// The ledger can store nothing at present, nor spool it: a flush waits until it can.
  virtual bool is_stuck() const { return false; }
  /// So many records of another kind have been read and freed: what the heap keeps of them can be given back.
  virtual void on_freed(std::size_t /*records*/) {}
};

}  // namespace ballot
