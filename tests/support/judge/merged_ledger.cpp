#include "support/judge/merged_ledger.hpp"

#include <limits>

#include "base/wall_text.hpp"

namespace ballot::testing {
namespace {

int rank(const Entry& entry) {
  if (!is_final(entry.row.status)) return entry.own() ? 1 : 0;
  if (entry.row.reason == Reason::halted) return 2;  // it may have run where nobody remembers
  if (entry.own()) return 4;
  return entry.row.status == Status::lost ? 2 : 3;
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

}  // namespace ballot::testing
