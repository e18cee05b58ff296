#include "support/judge/merged_ledger.hpp"

#include <limits>

#include "base/wall_text.hpp"

namespace ballot::testing {
namespace {

/// `lost` is what somebody takes it for, be it its own node after a reboot; `halted`, what a repair does.
int rank(const Entry& entry) {
  const bool is_guess = entry.row.status == Status::lost || entry.row.reason == Reason::halted;
  return (is_final(entry.row.status) ? 4 : 0) + (is_guess ? 0 : 2) + (entry.own() ? 1 : 0);
}

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
      if (rank(entry) > rank(known->second)) known->second = std::move(entry);
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
  std::map<std::pair<std::string, WallTime>, Row> slots;
  for (const Entry& entry : without_run_) {
    const auto [known, fresh] = slots.try_emplace({entry.row.job, entry.row.slot}, entry.row);
    if (!fresh && known->second.reason == Reason::halted) known->second = entry.row;
  }
  std::vector<Row> all;
  for (const auto& [key, entry] : attempts_) {
    const auto known = slots.find({entry.row.job, entry.row.slot});
    if (known != slots.end() && known->second.reason == Reason::halted && known->second.slots == 1) slots.erase(known);
    all.push_back(entry.row);
  }
  for (const auto& [key, row] : slots) all.push_back(row);
  return all;
}

}  // namespace ballot::testing
