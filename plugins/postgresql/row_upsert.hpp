// RowUpsert: the rows of a batch as one statement, with an array for each column. Of rows with the same key the last
// counts.
//
//   RowUpsert rows(ledger_id, names);
//   rows.add(one, change, node);
//   if (!rows.is_empty()) queries.push_back(rows.query());
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "ballot/history_rows.hpp"
#include "connection.hpp"
#include "name_ids.hpp"

namespace ballot::postgresql {

/// The last eight hexadecimal digits of a run in reverse, so that runs whose ids end alike are next to each other.
std::int32_t tail_of(const RunId& run);

/// The ledger's node has executed it, at the first attempt, and it has ended well.
bool is_at_once(const Row& row, const std::string& ledger_node);

class RowUpsert {
 public:
  /// The names outlive it.
  RowUpsert(std::int32_t ledger, const NameIds& names) : ledger_(ledger), names_(names) {}

  /// What is given outlives it.
  void add(const LedgerRow& row, std::int64_t change, const std::string& node);
  bool is_empty() const { return rows_.empty(); }
  Query query() const;

 private:
  struct One {
    const LedgerRow* row;
    std::int64_t change;
    bool at_once;
  };
  using Key = std::tuple<RunId, int, std::string, WallTime>;

  std::int32_t ledger_;
  const NameIds& names_;
  std::map<Key, One> rows_;
};

}  // namespace ballot::postgresql
