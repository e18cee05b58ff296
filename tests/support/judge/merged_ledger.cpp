#include "support/judge/merged_ledger.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "base/wall_text.hpp"
#include "storage/merge.hpp"

namespace ballot::testing {
namespace {

storage::Account account_of(const Entry& entry) { return {entry.row, entry.ledger}; }

std::string words_of(const Row& row) {
  std::string text(to_string(row.status));
  if (row.reason != Reason::none) text += ": " + std::string(to_string(row.reason));
  if (row.exit_code) text += " " + std::to_string(*row.exit_code);
  if (row.signal) text += " " + std::to_string(*row.signal);
  return text;
}

}  // namespace

std::string Entry::text() const {
  std::string text = words_of(row);
  if (row.slot_until)
    text += " from " + format_slot(row.slot) + " to " + format_slot(*row.slot_until) + " (" +
            std::to_string(row.slots) + " slots)";
  if (row.run) text += ", run " + row.run->text() + " attempt " + std::to_string(row.attempt) + " on " + row.node;
  text += ", epoch " + std::to_string(row.epoch);
  if (row.run) text += " fence " + std::to_string(row.fence);
  if (row.ended_at) text += ", ended at " + format_millis(*row.ended_at);
  return text + " in the ledger of " + ledger;
}

MergedLedger::MergedLedger(const std::vector<NodeLedger>& ledgers) {
  for (const NodeLedger& ledger : ledgers)
    for (const Row& row : ledger.rows) {
      Entry entry{row, ledger.node, row.status == Status::lost};
      if (!row.run) {
        without_run_.push_back(std::move(entry));
        continue;
      }
      const auto [known, fresh] = attempts_.try_emplace({*row.run, row.attempt}, entry);
      if (fresh) continue;
      entry.taken_for_lost = known->second.taken_for_lost = known->second.taken_for_lost || entry.taken_for_lost;
      // Its node may never have heard that its claim was stored.
      const std::uint64_t fence = std::max(known->second.row.fence, entry.row.fence);
      if (storage::beats(account_of(entry), account_of(known->second))) known->second = std::move(entry);
      known->second.row.fence = fence;
    }
}

const Entry* MergedLedger::find(const RunId& run, int attempt) const {
  const auto found = attempts_.find({run, attempt});
  return found == attempts_.end() ? nullptr : &found->second;
}

const Entry& MergedLedger::last(const RunId& run) const {
  return std::prev(attempts_.upper_bound({run, std::numeric_limits<int>::max()}))->second;
}

std::vector<const Entry*> MergedLedger::entries() const {
  std::vector<const Entry*> all;
  for (const auto& [key, entry] : attempts_) all.push_back(&entry);
  for (const Entry& entry : without_run_) all.push_back(&entry);
  return all;
}

std::vector<Row> MergedLedger::rows() const {
  std::vector<storage::Account> accounts;
  for (const Entry* entry : entries()) accounts.push_back(account_of(*entry));
  std::vector<Row> all;
  for (storage::Account& account : storage::merge(std::move(accounts))) all.push_back(std::move(account.row));
  std::stable_sort(all.begin(), all.end(), [](const Row& a, const Row& b) {
    const bool has_run = a.run.has_value();
    if (has_run != b.run.has_value()) return has_run;
    return has_run ? std::tie(a.run, a.attempt) < std::tie(b.run, b.attempt)
                   : std::tie(a.job, a.slot) < std::tie(b.job, b.slot);
  });
  return all;
}

}  // namespace ballot::testing
