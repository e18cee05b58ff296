// What is believed of rows that other nodes answer with: those that were asked for, and no claim of a node that this
// node's own ledger knows to be false; and of what they say that an attempt has printed.
//
// Pure functions and values.
//
//   const AskedRows asked(keys);
//   std::erase_if(accounts, [&](const Account& one) { return !asked.have(one.row); });
//   drop_false_claims(accounts, "host-1");
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "library/history/ledger_view.hpp"
#include "storage/merge.hpp"

namespace ballot::library {

/// Which rows a question asks for: by their attempts, or by the slots of their jobs.
class AskedRows {
 public:
  explicit AskedRows(const std::vector<RowKey>& keys);
  bool have(const Row& row) const;

 private:
  std::set<std::pair<RunId, int>> attempts_;
  std::map<std::string, std::vector<std::pair<WallTime, WallTime>>> slots_;  // first and last, by job
};

/// Of which of the rows that are here others may have the row that counts: not of those that the node's own row is here
/// of which has executed them, and nobody says that it was another one.
class Doubts {
 public:
  void add(const Row& row) { rows_.insert(key_of(row)); }
  /// `node` has executed it, as it says itself, or this node's ledger.
  void note_certain(const Row& row, const std::string& node) { executed_by_[key_of(row)].insert(node); }
  std::vector<RowKey> keys() const;

 private:
  std::set<RowKey> rows_;
  std::map<RowKey, std::set<std::string>> executed_by_;
};

/// A node that says that it has executed itself what another one has, as the ledger of node `own` knows, is not
/// believed.
void drop_false_claims(std::vector<storage::Account>& accounts, const std::string& own);

inline constexpr int as_executed = 3;  // the worth of the executing node's own word
/// What an answer says of an attempt's output, by whether it can be believed; below 0: it cannot. `executing`: the node
/// that the attempt's row names; "": there is no row, or none that names a node.
int worth(const ShownOutput& shown, const std::string& ledger, bool is_own, const std::string& executing);

}  // namespace ballot::library
