#include "library/history/believed_rows.hpp"

#include <algorithm>

namespace ballot::library {

using storage::Account;

AskedRows::AskedRows(const std::vector<RowKey>& keys) {
  for (const RowKey& key : keys)
    if (key.run)
      attempts_.emplace(*key.run, key.attempt);
    else
      slots_[key.job].emplace_back(key.slot, key.until);
}

bool AskedRows::have(const Row& row) const {
  if (row.run && attempts_.contains({*row.run, row.attempt})) return true;
  const auto of_job = slots_.find(row.job);
  const WallTime last = row.slot_until.value_or(row.slot);
  return of_job != slots_.end() && std::any_of(of_job->second.begin(), of_job->second.end(), [&](const auto& asked) {
           return row.slot <= asked.second && last >= asked.first;
         });
}

std::vector<RowKey> Doubts::keys() const {
  std::vector<RowKey> keys;
  for (const RowKey& key : rows_) {
    const auto nodes = executed_by_.find(key);
    if (nodes == executed_by_.end() || nodes->second.size() > 1) keys.push_back(key);
  }
  return keys;
}

void drop_false_claims(std::vector<Account>& accounts, const std::string& own) {
  std::map<std::pair<RunId, int>, std::string> executed_by;
  for (const Account& one : accounts) {
    const bool is_guess = one.row.status == Status::lost || one.row.reason == Reason::halted;
    if (one.row.run && !one.is_evidence && one.ledger == own && !is_guess)
      executed_by[{*one.row.run, one.row.attempt}] = one.row.node;
  }
  std::erase_if(accounts, [&](const Account& one) {
    if (!one.row.run || one.is_evidence || one.row.node != one.ledger) return false;
    const auto known = executed_by.find({*one.row.run, one.row.attempt});
    return known != executed_by.end() && known->second != one.row.node;
  });
}

int worth(const ShownOutput& shown, const std::string& ledger, bool is_own, const std::string& executing) {
  if (!executing.empty() && shown.node != executing) return -1;
  if (shown.place == ShownOutput::Place::elsewhere) return 1;
  if (shown.node == ledger || (is_own && shown.total > 0)) return as_executed;
  if (executing.empty()) return shown.node.empty() ? 0 : -1;
  return shown.total > 0 ? 2 : 0;
}

}  // namespace ballot::library
