// PriorRuns: what is known of runs that this core has not begun: what the runner had when the daemon connected to it,
// what the ledger shows as open, and as ended a while ago, from a daemon before, and, while registers are taken up, the
// ends that others have published.
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
  /// True where it is not the first: the runner was lost in between.
  bool on_inventory(const Inventory& inventory);
  bool is_known() const { return is_loaded_ && is_inventoried_; }

  /// Of this node: registers may show them as open.
  bool has_runs() const {
    return !inventory_.running.empty() || !inventory_.ended.empty() || !open_rows_.empty() || !recorded_.empty();
  }
  const Inventory& inventory() const { return inventory_; }
  /// It runs no more; where its job is not known yet, the end is kept with the inventory.
  void on_gone(const runner::AttemptId& id);
  void keep_end(const runner::Ended& ended) { inventory_.ended.push_back(ended); }
  /// Ends that nobody needs are taken out of the inventory: those that `is_settled` says of.
  template <class IsSettled>
  void forget_ends(IsSettled is_settled) {
    std::erase_if(inventory_.ended, is_settled);
  }

  /// Of the rows that are open: those of runs without a claim, which no register shows.
  std::vector<Row> take_unclaimed_rows();
  std::vector<Row> take_open_rows();
  void keep_open_row(const Row& row) { open_rows_.push_back(row); }
  bool has_open_rows() const { return !open_rows_.empty(); }

  /// How runs ended that registers may still show as open; forgotten once they were taken up.
  const std::map<runner::AttemptId, Row>& recorded() const { return recorded_; }
  void forget_recorded() { recorded_.clear(); }

  /// What is listed under o/ of runs that nobody here knows; forgotten once the registers that show them are taken up.
  const std::map<runner::AttemptId, Row>& outcomes() const { return outcomes_; }
  void learn_outcomes(const std::vector<Register>& records);
  /// This node's own record of an end has arrived, and its job forgets the run: a read that was under way meanwhile may
  /// not have found it. The last thousand are kept; a hundred thousand while all jobs' registers are `listed`.
  void keep_outcome(const ballot::Record& record, bool listed);
  void forget_outcomes();

 private:
  bool is_loaded_ = false, is_inventoried_ = false;
  Inventory inventory_;
  std::vector<Row> open_rows_;
  std::map<runner::AttemptId, Row> recorded_, outcomes_;
  std::vector<runner::AttemptId> learnt_;  // of the outcomes, those that are to be forgotten,
  std::deque<runner::AttemptId> kept_;     // and those that are not
};

}  // namespace ballot::core
