// MemoryReads: what MemoryHistory answers, by looking at everything that it has.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "support/memory_history.hpp"

namespace ballot::testing {

class MemoryReads {
 public:
  /// The state outlives it.
  explicit MemoryReads(const MemoryHistoryState& state) : state_(state) {}

  std::vector<KeptRow> rows(const HistoryFilter& filter) const;
  std::vector<KeptRow> rows_left(const HistoryFilter& filter, const std::optional<std::vector<RunId>>& left) const;
  RunCounts counts(const HistoryFilter& filter, CountPer per, const std::vector<RunId>& but) const;
  std::vector<KeptRow> rows_of(const std::vector<RowKey>& keys) const;
  std::vector<KeptRow> last_rows(const std::vector<std::string>& jobs) const;
  std::vector<RequestRow> requests(const RequestFilter& filter) const;
  std::vector<RunId> find_run(const std::string& digits) const;
  std::optional<StoredOutput> output(const RunId& run, int attempt) const;
  std::vector<TermRow> terms(const std::string& group, std::int64_t limit) const;
  std::vector<std::string> known_jobs(const std::vector<std::string>& names) const;
  std::vector<std::string> known_groups(const std::vector<std::string>& names) const;
  std::vector<std::string> instances_of(const std::string& name) const;
  std::vector<std::string> jobs_of(const std::vector<std::string>& groups) const;
  std::set<std::string> groups_of(const std::vector<std::string>& jobs) const;
  LedgerBatch changes(const LedgerLine& line, std::int64_t after, std::int64_t most) const;

 private:
  using Entry = MemoryHistoryState::Entry;

  /// `visit(thing, key, entry)` of all of one kind.
  template <class What, class Visit>
  void each(const Visit& visit) const;
  bool is_certain(const Row& row, const RunId& ledger) const;
  template <class Keep>
  std::vector<KeptRow> page(const HistoryFilter& filter, const Keep& keep) const;
  std::vector<RequestRow> merged_requests() const;
  std::set<std::string> names_of_jobs(const std::vector<std::string>& groups) const;
  std::set<std::string> names_of_groups() const;
  void name_askers(std::vector<KeptRow>& rows) const;
  void name_pause(Row& row, const std::vector<RequestRow>& asked) const;
  const std::string& node_of(const RunId& ledger) const { return state_.ledgers.at(ledger).node; }

  const MemoryHistoryState& state_;
};

}  // namespace ballot::testing
