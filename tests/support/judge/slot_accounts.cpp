#include "support/judge/slot_accounts.hpp"

#include <algorithm>
#include <utility>

#include "base/wall_text.hpp"

namespace ballot::testing {

std::string Discrepancy::text() const {
  std::string text = format_slot(slot) + " " + what;
  for (const Entry* entry : entries) text += " | " + entry->text();
  return text;
}

Fate SlotAccounts::Account::fate() const {
  if (!claimed.empty()) return Fate::claimed_run;
  if (!without_run.empty()) return Fate::without_run;
  return unclaimed.empty() ? Fate::nothing : Fate::unclaimed_run;
}

SlotAccounts::Account SlotAccounts::Account::settled() const {
  const auto halted = [](const Entry* entry) { return entry->row.reason == Reason::halted; };
  Account account = *this;
  if (!claimed.empty() || !std::all_of(without_run.begin(), without_run.end(), halted))
    std::erase_if(account.without_run, halted);
  return account;
}

void SlotAccounts::due(const Slots& slots) {
  for (const WallTime slot : slots) accounts_[slot].due = true;
}

void SlotAccounts::add(const Entry& entry, const Slots& slots) {
  if (!is_scheduled(entry.row.trigger)) return;
  for (const WallTime slot : slots) {
    Account& account = accounts_[slot];
    if (!entry.row.run)
      account.without_run.push_back(&entry);
    else
      (entry.row.fence > 0 ? account.claimed : account.unclaimed)[*entry.row.run] = &entry;
  }
}

Fate SlotAccounts::fate(WallTime slot) const {
  const auto account = accounts_.find(slot);
  return account == accounts_.end() ? Fate::nothing : account->second.settled().fate();
}

Slots SlotAccounts::due_between(WallTime from, WallTime until) const {
  Slots slots;
  for (auto it = accounts_.lower_bound(from); it != accounts_.end() && it->first <= until; ++it)
    if (it->second.due) slots.push_back(it->first);
  return slots;
}

std::vector<Discrepancy> SlotAccounts::discrepancies() const {
  std::vector<Discrepancy> all;
  for (const auto& [slot, account] : accounts_)
    if (auto one = wrong(slot, account.settled())) all.push_back(std::move(*one));
  return all;
}

std::optional<Discrepancy> SlotAccounts::wrong(WallTime slot, const Account& account) {
  const auto first_two = [](const std::map<RunId, const Entry*>& runs) {
    return std::vector{runs.begin()->second, std::next(runs.begin())->second};
  };
  const auto& [due, claimed, unclaimed, without_run] = account;
  switch (account.fate()) {
    case Fate::claimed_run:
      if (claimed.size() > 1) return Discrepancy{slot, "was claimed by two runs", first_two(claimed)};
      if (without_run.empty()) return std::nullopt;
      return Discrepancy{
          slot, "was claimed and has another disposition too", {claimed.begin()->second, without_run.front()}};
    case Fate::unclaimed_run:
      if (unclaimed.size() == 1) return std::nullopt;
      return Discrepancy{slot, "has two runs without a claim", first_two(unclaimed)};
    case Fate::without_run: return wrong_without_run(slot, account);
    case Fate::nothing: break;
  }
  return due ? std::optional(Discrepancy{slot, "has no disposition", {}}) : std::nullopt;
}

/// One row in each ledger that has one, and all of them say the same.
std::optional<Discrepancy> SlotAccounts::wrong_without_run(WallTime slot, const Account& account) {
  std::map<std::string, const Entry*> by_ledger;
  const Entry* first = account.without_run.front();
  for (const Entry* entry : account.without_run) {
    const auto [other, fresh] = by_ledger.emplace(entry->ledger, entry);
    if (!fresh) return Discrepancy{slot, "has two dispositions", {other->second, entry}};
    if (entry->row.status != first->row.status || entry->row.reason != first->row.reason)
      return Discrepancy{slot, "has two dispositions", {first, entry}};
  }
  return std::nullopt;
}

std::string miscounted(const Row& row, const Slots& slots) {
  if (slots.size() == static_cast<std::size_t>(row.slots)) return "";
  if (slots.empty()) return "is not in the schedule";
  return "stands for " + std::to_string(row.slots) + " slots, the schedule has " + std::to_string(slots.size());
}

Slots slots_between(const schedule::Plan& plan, const std::vector<WallTime>& anchors, WallTime from, WallTime until) {
  Slots slots;
  for (auto slot = plan.next(from - Millis(1), anchors); slot && slot->at <= until; slot = plan.next(slot->at, anchors))
    slots.push_back(slot->at);
  return slots;
}

}  // namespace ballot::testing
