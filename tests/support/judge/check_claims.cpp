// Attempts, fences and terms.
#include <algorithm>

#include "support/judge/case.hpp"

namespace ballot::testing {
namespace {

using Entries = std::vector<const Entry*>;

void report_shrunk(Case& c, const Entry& before, const Entry& after) {
  c.report(after.row.job, after.row.slot, "has a fence that did not grow", {before.text(), after.text()});
}

/// It is repeated where its job is at-least-once, and takes none of the run's retries.
bool is_lost(const Entry& entry) {
  const bool stale = entry.row.status == Status::missed && entry.row.reason == Reason::stale;
  return stale || entry.taken_for_lost || entry.row.status == Status::lost;
}

/// So many attempts of a run that failed are tried again as its job has retries; and at-least-once, each that was lost.
bool may_follow(const Case& c, const Job& job, const Row& row, const Entry& before) {
  const bool again = before.row.status == Status::failed || before.row.status == Status::timed_out;
  if (job.guarantee == Guarantee::at_most_once) return again && row.attempt <= 1 + job.retries;
  int lost = 0;
  for (int attempt = 1; attempt < row.attempt; ++attempt)
    if (const Entry* one = c.ledger.find(*row.run, attempt); one && is_lost(*one)) ++lost;
  return (again || is_lost(before)) && row.attempt <= 1 + job.retries + lost;
}

Entries claimed(const Entries& all) {
  Entries some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some), [](const Entry* e) { return e->row.fence > 0; });
  return some;
}

void check_unique_fences(Case& c, const Entries& entries) {
  std::map<std::uint64_t, const Entry*> seen;
  for (const Entry* entry : entries) {
    const auto [other, fresh] = seen.emplace(entry->row.fence, entry);
    if (!fresh) report_shrunk(c, *other->second, *entry);
  }
}

/// Scheduled slots are claimed in order.
void check_fences_by_slot(Case& c, Entries entries) {
  std::erase_if(entries, [](const Entry* e) { return e->row.attempt > 1 || !is_scheduled(e->row.trigger); });
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry* a, const Entry* b) { return a->row.slot < b->row.slot; });
  for (std::size_t i = 1; i < entries.size(); ++i)
    if (entries[i]->row.fence < entries[i - 1]->row.fence) report_shrunk(c, *entries[i - 1], *entries[i]);
}

WallTime claimed_about(const Row& row) { return row.started_at.value_or(row.slot); }

/// Every claim of a term comes after all claims of the terms before; a store that was put back, and repaired, may count
/// its epochs anew (docs/backends/README.md), and keeps its fences.
void check_fences_by_term(Case& c, const Entries& entries) {
  using Term = std::pair<std::ptrdiff_t, std::uint64_t>;   // halts of the group before, epoch
  std::map<std::string, std::map<Term, Entries>> by_term;  // by group
  for (const Entry* entry : entries) {
    const Row& row = entry->row;
    by_term[row.group][{c.deeds.halts(row.group, claimed_about(row)), row.epoch}].push_back(entry);
  }
  const auto lower = [](const Entry* a, const Entry* b) { return a->row.fence < b->row.fence; };
  for (auto& [group, terms] : by_term) {
    const Entry* highest = nullptr;
    for (auto& [term, of_term] : terms) {
      std::sort(of_term.begin(), of_term.end(), lower);
      if (highest && of_term.front()->row.fence < highest->row.fence) report_shrunk(c, *highest, *of_term.front());
      if (!highest || lower(highest, of_term.back())) highest = of_term.back();
    }
  }
}

void check_fences_by_start(Case& c, const std::vector<const Report*>& starts) {
  const Report* highest = nullptr;
  for (const Report* start : starts) {
    if (start->fence == 0) continue;
    if (highest && start->fence < highest->fence)
      c.report(start->job, start->slot, "was started after a later claim", {highest->text(), start->text()});
    if (!highest || start->fence > highest->fence) highest = start;
  }
}

}  // namespace

void check_attempts(Case& c) {
  for (const auto& [key, entry] : c.ledger.attempts()) {
    const Job* job = c.job(entry.row.job);
    if (!job || entry.row.attempt <= 1) continue;
    const Entry* before = c.ledger.find(key.first, entry.row.attempt - 1);
    if (!before)
      c.report(entry.row.job, entry.row.slot, "has an attempt without the one before", {entry.text()});
    else if (!may_follow(c, *job, entry.row, *before))
      c.report(entry.row.job, entry.row.slot, "was attempted again without a reason", {before->text(), entry.text()});
  }
}

void check_fences(Case& c) {
  for (const auto& [name, all] : c.attempts) {
    const Entries entries = claimed(all);
    check_unique_fences(c, entries);
    check_fences_by_slot(c, entries);
    check_fences_by_term(c, entries);
  }
  for (const auto& [name, starts] : c.reports)
    if (const Job* job = c.job(name); job && c.evidence.exclusive && job->concurrency != Concurrency::allow)
      check_fences_by_start(c, starts);
}

/// A store that was put back, and repaired, may count its epochs anew (docs/backends/README.md).
void check_terms(Case& c) {
  struct Epoch {
    std::string group;
    std::uint64_t number = 0;
    std::ptrdiff_t halts = 0;  // of the group, before
    auto operator<=>(const Epoch&) const = default;
  };
  std::map<Epoch, std::set<std::string>> nodes;
  const auto note = [&](const std::string& group, std::uint64_t number, const std::string& node, WallTime at) {
    nodes[{group, number, c.deeds.halts(group, at)}].insert(node);
  };
  for (const NodeLedger& ledger : c.evidence.ledgers)
    for (const TermRow& term : ledger.terms) note(term.group, term.epoch, term.node, term.elected_at);
  for (const auto& [key, entry] : c.ledger.attempts())
    if (entry.row.fence > 0) note(entry.row.group, entry.row.epoch, entry.row.node, claimed_about(entry.row));
  for (const auto& [epoch, of_epoch] : nodes) {
    if (of_epoch.size() == 1) continue;
    std::string text = "epoch " + std::to_string(epoch.number) + " of group " + epoch.group + " is shared by";
    for (const std::string& node : of_epoch) text += " " + node;
    c.report(text);
  }
}

}  // namespace ballot::testing
