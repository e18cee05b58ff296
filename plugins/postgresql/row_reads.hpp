// RowReads: rows of all ledgers, in the pages and by the keys that ballot/history.hpp has, with whom people are named
// that asked. Failures are as those of Connection.
//
// A page is found by an index that has its order, with all rows that tie with its last one; only these are put into the
// order of the ledgers' nodes. Of few jobs or groups each is looked up by itself: one with few rows would else cost a
// walk through everybody's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ballot/history_rows.hpp"
#include "connection.hpp"

namespace ballot::postgresql {

class RowReads {
 public:
  /// The connection outlives it.
  explicit RowReads(Connection& connection) : connection_(connection) {}

  std::vector<KeptRow> page(const HistoryFilter& filter);
  /// What RunCountReads has not counted.
  std::vector<KeptRow> page_left(const HistoryFilter& filter, const std::optional<std::vector<RunId>>& left);
  std::vector<KeptRow> rows_of(const std::vector<RowKey>& keys);
  std::vector<KeptRow> last_rows(const std::vector<std::string>& jobs);
  std::vector<std::string> jobs_of(const std::vector<std::string>& groups);

 private:
  std::vector<KeptRow> read(const Query& query);

  Connection& connection_;
};

}  // namespace ballot::postgresql
