// PriorRuns: what is known of runs that this core has not begun. It comes from the runner's inventory when the daemon
// connected to it, from the ledger's rows of a daemon before (open runs, and those that ended last), and, while
// registers are taken up, from the ends that other nodes have published.
//
//   prior.on_load(rows); prior.on_inventory(inventory);
//   if (prior.is_known()) ...  // the first session may be opened
//
// Pure values; used by Core only.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "core/event.hpp"

namespace ballot::core {

class PriorRuns {
 public:
  /// Rows of this node's ledger that a daemon before has left. Those of the first load count.
  void on_load(const std::vector<Row>& rows, const std::string& node);
  /// True where the inventory is not the first one: the runner was lost in between.
  bool on_inventory(const Inventory& inventory);
  bool is_known() const { return is_loaded_ && is_inventoried_; }

  /// This node has run something that registers may show as open.
  bool has_runs() const {
    return !inventory_.running.empty() || !inventory_.ended.empty() || !open_rows_.empty() || !recorded_.empty();
  }
  const Inventory& inventory() const { return inventory_; }
  /// The attempt runs no more. Where its job is not known yet, keep_end() keeps the end with the inventory.
  void on_gone(const runner::AttemptId& id);
  void keep_end(const runner::Ended& ended) { inventory_.ended.push_back(ended); }
  /// Takes the ends out of the inventory of which `is_settled` says so: no register needs them.
  template <class IsSettled>
  void forget_ends(IsSettled is_settled) {
    std::erase_if(inventory_.ended, is_settled);
  }

  /// The open rows of runs without a claim, which no register shows.
  std::vector<Row> take_unclaimed_rows();
  std::vector<Row> take_open_rows();
  void keep_open_row(const Row& row) { open_rows_.push_back(row); }
  bool has_open_rows() const { return !open_rows_.empty(); }

  /// The ends of runs that registers may still show as open; forgotten once the registers were taken up.
  const std::map<runner::AttemptId, Row>& recorded() const { return recorded_; }
  void forget_recorded() { recorded_.clear(); }

  /// The published ends (o/) of runs that this node does not know; forgotten once the registers that show those runs
  /// are taken up.
  const std::map<runner::AttemptId, Row>& outcomes() const { return outcomes_; }
  void learn_outcomes(const std::vector<Register>& records);
  /// This node's own record of an end is in the store, and the job forgets the run. A read that was sent before may not
  /// have found the record, so the last thousand are kept; a hundred thousand while all registers are `listed`.
  void keep_outcome(const ballot::Record& record, bool listed);
  void forget_outcomes();

 private:
  bool is_loaded_ = false, is_inventoried_ = false;
  Inventory inventory_;
  std::vector<Row> open_rows_;
  std::map<runner::AttemptId, Row> recorded_, outcomes_;
  std::vector<runner::AttemptId> learnt_;  // outcomes that are to be forgotten,
  std::deque<runner::AttemptId> kept_;     // and outcomes of this node's own runs
};

}  // namespace ballot::core
