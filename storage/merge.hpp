// Merge: rows of several nodes' ledgers as one history, by the rule of the semantics: rows with a run are keyed by run
// and attempt, rows without one by job and slot. Of the rows of one key the best counts:
//
//   a row that has ended    | before | one that is still open
//   any other row           | before | `lost` and `halted`: those say that their writer did not know
//   the executing node's    | before | evidence in the store, before any other node's in other words; evidence in the
//                           |        | words of a ledger's row is no news, and that row counts
//   who found out first     | before | who did later, of runs that are `lost`
//   a later term's          | before | an earlier one's, of a run; of a slot without a run the reverse: who settles it
//                           |        | first has settled it
//
// Of a run that is `lost` the row that counts says when the run had started, where any account of the attempt does.
// The order in which rows come decides nothing, and a late row corrects an earlier one by being there.
//
// Pure values. Knows nothing of files and nodes: used by whoever has rows of several ledgers, the tests' judges too.
//
//   for (const Account& one : merge(accounts)) print(one.row, one.ledger);
#pragma once

#include <string>
#include <vector>

#include "ballot/ledger.hpp"

namespace ballot::storage {

/// A row as one ledger has it, or as the store is evidence of it.
struct Account {
  Row row;
  std::string ledger;        // the node whose ledger has the row, or that has read the store
  bool is_evidence = false;  // a register or an outcome in the store says so, and no ledger that was asked
};

/// Whether `a` counts, and not `b`. Requires: both are of the same attempt, or of the same slots of a job.
bool beats(const Account& a, const Account& b);

/// The accounts that count, newest slot first, then the last attempt. Of rows without a run:
/// - a row of many slots stands for those of its slots that another row tells in the same words; one in other words
///   stands beside it, and takes its slots away from the count of the longer one;
/// - `halted`, and evidence of a claim, yield to every row of their slot.
std::vector<Account> merge(std::vector<Account> accounts);

}  // namespace ballot::storage
