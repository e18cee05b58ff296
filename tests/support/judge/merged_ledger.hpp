// MergedLedger: the ledgers of several nodes as one, by the rules of the semantics: of the rows of a run's attempt the
// one that its executing node wrote when it ended counts, then any other that has ended, `lost` after the rest, then
// one that is still open. Rows without a run are kept as they are, with the node whose ledger has them.
#pragma once

#include <map>
#include <utility>

#include "support/judge/evidence.hpp"

namespace ballot::testing {

struct Entry {
  Row row;
  std::string ledger;           // whose
  bool taken_for_lost = false;  // by some node that was not told of its end

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

 private:
  std::map<Key, Entry> attempts_;
  std::vector<Entry> without_run_;
};

}  // namespace ballot::testing
