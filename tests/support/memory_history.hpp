// MemoryHistory: a history in memory, for tests of who sends to one and reads it. Several objects share a store, as
// nodes share a database; the store can fail calls before or after they took effect, forget what it took last, go back
// to an older copy of itself, and refuse.
//
// Knows nothing of SQL: what it answers is what ballot/history.hpp says, by looking at everything that it has.
// Threads: any; the store has a lock.
//
//   const auto store = std::make_shared<MemoryHistoryStore>([&] { return world.wall(); });
//   MemoryHistory history(store);
//   store->fail_next(MemoryHistoryStore::Effect::kept);   // the next call is done, and says `unavailable`
//   store->forget_last(3);                                // a failover to a replica that lagged by three batches
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ballot/history.hpp"

namespace ballot::testing {

/// What a history has of its ledgers.
struct MemoryHistoryState {
  using What = decltype(LedgerChange::what);

  /// Of one thing of a ledger, by the key that its kind has.
  struct Key {
    RunId ledger;
    std::size_t kind = 0;  // of What
    std::string job, group;
    RunId id;
    std::int64_t number = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Entry {
    std::int64_t change = 0;
    What what;
    bool at_once = false;  // a row of a run that succeeded at once
    bool is_partial = false;
    WallTime stored_at{};
  };
  /// How it was before a batch.
  struct Undo {
    RunId ledger;
    LedgerLine line;
    std::vector<std::pair<Key, std::optional<Entry>>> entries;
  };

  std::map<RunId, LedgerLine> ledgers;
  std::map<Key, Entry> entries;
  std::vector<Undo> batches;  // that were put, in their order
};

class MemoryHistoryStore {
 public:
  /// Whether a call that fails has done what it was to do.
  enum class Effect { none, kept };

  /// `clock`: of the history; this machine's where there is none.
  explicit MemoryHistoryStore(std::function<WallTime()> clock = {});

  /// The next calls, of any kind and by any object.
  void fail_next(Effect effect, std::size_t calls = 1, Error error = {Errc::unavailable, "the history is away"});
  /// Every call, until it is told otherwise: none.
  void refuse(std::optional<Error> error);
  /// What is older is left out of batches from now on; what is there already is dropped.
  void keep_from(WallTime slot);

  /// Batches that were put, by whoever: as where a failover has lost them. All, where there are no more.
  void forget_last(std::size_t batches);
  MemoryHistoryState save() const;
  void restore(MemoryHistoryState state);
  std::size_t batches() const;

 private:
  friend class MemoryHistory;

  mutable std::mutex mutex_;
  const std::function<WallTime()> clock_;
  MemoryHistoryState state_;
  std::optional<Error> refusal_;
  Error failure_;
  Effect effect_ = Effect::none;
  std::size_t failures_ = 0;  // to come
  WallTime kept_from_ = WallTime::min();
};

class MemoryHistory : public History {
 public:
  explicit MemoryHistory(std::shared_ptr<MemoryHistoryStore> store) : store_(std::move(store)) {}

  void set_goes_on(std::function<bool()> goes_on) noexcept override { goes_on_ = std::move(goes_on); }

  Result<LedgerLine> line_of(const RunId& ledger, const std::string& node) noexcept override;
  Result<PutResult> put(const LedgerBatch& batch) noexcept override;

  Result<std::vector<LedgerLine>> ledgers() noexcept override;
  Result<std::vector<KeptRow>> rows(const HistoryFilter& filter) noexcept override;
  Result<std::vector<KeptRow>> rows_of(const std::vector<RowKey>& keys) noexcept override;
  Result<std::vector<KeptRow>> last_rows(const std::vector<std::string>& jobs) noexcept override;
  Result<RunCounts> counts(const HistoryFilter& filter, CountPer per, const std::vector<RunId>& but) noexcept override;
  Result<std::vector<KeptRow>> rows_left(const HistoryFilter& filter,
                                         const std::optional<std::vector<RunId>>& left) noexcept override;
  Result<std::vector<RequestRow>> requests(const RequestFilter& filter) noexcept override;
  Result<std::vector<RunId>> find_run(const std::string& digits) noexcept override;
  Result<std::optional<StoredOutput>> output(const RunId& run, int attempt) noexcept override;
  Result<std::vector<TermRow>> terms(const std::string& group, std::int64_t limit) noexcept override;
  Result<std::vector<std::string>> known_jobs(const std::vector<std::string>& names) noexcept override;
  Result<std::vector<std::string>> known_groups(const std::vector<std::string>& names) noexcept override;
  Result<std::vector<std::string>> instances_of(const std::string& name) noexcept override;
  Result<std::vector<std::string>> jobs_of(const std::vector<std::string>& groups) noexcept override;
  Result<LedgerBatch> changes(const RunId& ledger, std::int64_t after, std::int64_t most) noexcept override;
  Result<std::vector<std::string>> migrate() noexcept override;

 private:
  /// `ask` of the state, under the lock, with the failures that are due.
  template <class Ask>
  auto ask(const Ask& ask) -> decltype(ask(std::declval<MemoryHistoryState&>()));
  WallTime now() const;

  const std::shared_ptr<MemoryHistoryStore> store_;
  std::function<bool()> goes_on_;
};

}  // namespace ballot::testing
