#include "storage/merge.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace ballot::storage {
namespace {

int rank(const Account& account) {
  const Row& row = account.row;
  // After a repair nobody knows whether the run was begun; who takes it for lost knows that it was.
  const int knows = row.reason == Reason::halted ? 0 : row.status == Status::lost ? 1 : 2;
  // A node that guesses what became of its own run, as it was dead meanwhile, knows no more than others.
  const bool is_own = !account.is_evidence && row.node == account.ledger && knows == 2;
  return (is_final(row.status) ? 12 : 0) + 4 * knows + (is_own ? 2 : account.is_evidence ? 1 : 0);
}

WallTime last_slot(const Row& row) { return row.slot_until.value_or(row.slot); }

/// The row says only that nothing better is known of its slot.
bool yields(const Row& row) { return row.reason == Reason::halted || !is_final(row.status); }

bool has_same_words(const Row& a, const Row& b) { return a.status == b.status && a.reason == b.reason; }

bool is_within(const Row& inner, const Row& outer) {
  return inner.slot >= outer.slot && last_slot(inner) <= last_slot(outer) &&
         (inner.slots < outer.slots || last_slot(inner) - inner.slot < last_slot(outer) - outer.slot);
}

bool is_of_schedule(const Row& row) { return row.trigger == Trigger::schedule || row.trigger == Trigger::catch_up; }

using Best = std::map<std::pair<WallTime, WallTime>, Account>;  // by the first and the last slot

void keep_best(Best& best, Account account) {
  const auto [known, fresh] = best.try_emplace({account.row.slot, last_slot(account.row)}, account);
  if (!fresh && beats(account, known->second)) known->second = std::move(account);
}

/// Takes out of the rows of one job those that longer ones stand for, and slots that other rows tell out of longer
/// ones. `taken`: slots of the job that a run has, in order.
void settle(Best& best, const std::vector<WallTime>& taken) {
  for (auto& [slots, outer] : best) {
    if (outer.row.slots == 1) continue;
    const Row whole = outer.row;
    const auto [first, last] = slots;
    // What is within it begins within it.
    for (auto one = best.lower_bound({first, first}); one != best.end() && one->first.first <= last;) {
      const Row& inner = one->second.row;
      const bool says_less = yields(inner) && !yields(whole);
      const bool is_part = &inner != &outer.row && is_within(inner, whole);
      if (is_part && !says_less && !has_same_words(inner, whole)) outer.row.slots -= inner.slots;
      one = is_part && (says_less || has_same_words(inner, whole)) ? best.erase(one) : std::next(one);
    }
    if (yields(whole))
      outer.row.slots -=
          std::upper_bound(taken.begin(), taken.end(), last) - std::lower_bound(taken.begin(), taken.end(), first);
  }
  std::erase_if(best, [&](const auto& one) {
    const Row& row = one.second.row;
    const bool has_run = std::binary_search(taken.begin(), taken.end(), row.slot);
    return row.slots < 1 || (row.slot == last_slot(row) && yields(row) && has_run);
  });
}

using Attempts = std::map<std::pair<RunId, int>, Account>;

/// Where evidence counts, and a ledger has a row in the same words, that row is what is known.
void prefer_ledgers(Attempts& counting, const std::vector<Account>& accounts) {
  Attempts preferred;
  for (const Account& account : accounts) {
    if (!account.row.run || account.is_evidence) continue;
    const auto counts = counting.find({*account.row.run, account.row.attempt});
    if (!counts->second.is_evidence || !has_same_words(account.row, counts->second.row)) continue;
    const auto [known, fresh] = preferred.try_emplace(counts->first, account);
    if (!fresh && beats(account, known->second)) known->second = account;
  }
  for (auto& [attempt, account] : preferred) counting[attempt] = std::move(account);
}

/// The node that finds a run lost need not know when the run had started; another account of the attempt does.
void fill_starts(Attempts& counting, const std::vector<Account>& accounts) {
  std::map<std::pair<RunId, int>, const Account*> known;
  for (const Account& account : accounts) {
    if (!account.row.run || !account.row.started_at) continue;
    const auto counts = counting.find({*account.row.run, account.row.attempt});
    if (counts->second.row.status != Status::lost || counts->second.row.started_at) continue;
    const auto [best, fresh] = known.try_emplace(counts->first, &account);
    if (!fresh && beats(account, *best->second)) best->second = &account;
  }
  for (const auto& [attempt, account] : known) counting.at(attempt).row.started_at = account->row.started_at;
}

bool comes_first(const Account& a, const Account& b) {
  return std::tie(b.row.slot, b.row.attempt, a.row.job, b.row.run) <
         std::tie(a.row.slot, a.row.attempt, b.row.job, a.row.run);
}

}  // namespace

bool beats(const Account& a, const Account& b) {
  if (const int of_a = rank(a), of_b = rank(b); of_a != of_b) return of_a > of_b;
  if (a.row.status == Status::lost && b.row.status == Status::lost && a.row.ended_at != b.row.ended_at)
    return a.row.ended_at && (!b.row.ended_at || *a.row.ended_at < *b.row.ended_at);  // who found out first
  if (a.row.epoch != b.row.epoch) return (a.row.epoch > b.row.epoch) == a.row.run.has_value();
  return a.ledger < b.ledger;
}

std::vector<Account> merge(std::vector<Account> accounts) {
  Attempts attempts;
  std::map<std::string, Best> without_run;
  std::map<std::string, std::vector<WallTime>> taken;
  for (Account& account : accounts) {
    if (!account.row.run) {
      Best& of_job = without_run[account.row.job];
      keep_best(of_job, std::move(account));
      continue;
    }
    if (is_of_schedule(account.row)) taken[account.row.job].push_back(account.row.slot);
    const auto [known, fresh] = attempts.try_emplace({*account.row.run, account.row.attempt}, account);
    if (!fresh && beats(account, known->second)) known->second = account;
  }
  prefer_ledgers(attempts, accounts);
  fill_starts(attempts, accounts);
  std::vector<Account> all;
  for (auto& [job, best] : without_run) {
    std::vector<WallTime>& slots = taken[job];
    std::sort(slots.begin(), slots.end());
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
    settle(best, slots);
    for (auto& [key, account] : best) all.push_back(std::move(account));
  }
  for (auto& [key, account] : attempts) all.push_back(std::move(account));
  std::stable_sort(all.begin(), all.end(), comes_first);
  return all;
}

}  // namespace ballot::storage
