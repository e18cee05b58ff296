// MergedLedger: the ledgers of several nodes as one, by the product's rule (storage/merge.hpp). Rows without a run are
// kept as they are, with the node whose ledger has them, until rows() merges those too.
//
//   const MergedLedger merged({{.node = "n1", .rows = one}, {.node = "n2", .rows = two}});
//   if (const Entry* entry = merged.find(run, 1)) ... entry->row, entry->ledger
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ballot/ledger.hpp"

namespace ballot::testing {

/// One node's ledger, as it was at the end.
struct NodeLedger {
  std::string node;
  std::vector<Row> rows;
  std::vector<TermRow> terms{};
  std::vector<std::string> damage{};  // what the integrity check says, or why it cannot be read
};

struct Entry {
  Row row;
  std::string ledger;           // whose
  bool taken_for_lost = false;  // by some node that did not know of its end

  bool own() const { return row.node == ledger; }
  /// One line that names all of it.
  std::string text() const;
};

class MergedLedger {
 public:
  explicit MergedLedger(const std::vector<NodeLedger>& ledgers);

  using Key = std::pair<RunId, int>;
  const std::map<Key, Entry>& attempts() const { return attempts_; }
  const std::vector<Entry>& without_run() const { return without_run_; }
  const Entry* find(const RunId& run, int attempt) const;
  /// The highest attempt of a run. Requires: the run is known.
  const Entry& last(const RunId& run) const;
  /// All of it.
  std::vector<const Entry*> entries() const;
  /// Merged: runs by id and attempt, then slots without a run by job.
  std::vector<Row> rows() const;

 private:
  std::map<Key, Entry> attempts_;
  std::vector<Entry> without_run_;
};

}  // namespace ballot::testing
