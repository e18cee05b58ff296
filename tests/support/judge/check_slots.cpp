// The rows against the schedule.
#include <algorithm>

#include "support/judge/case.hpp"

namespace ballot::testing {
namespace {

/// What the definitions asked for, each as long as it was in force.
SlotAccounts due(const Case& c, const std::vector<const InForce*>& versions) {
  SlotAccounts accounts;
  for (const InForce* version : versions)
    accounts.due(slots_between(version->definition->plan, version->anchors, std::max(version->from, c.evidence.from),
                               std::min(version->until, c.evidence.until)));
  return accounts;
}

void add(Case& c, SlotAccounts& accounts, const Entry& entry) {
  if (!is_scheduled(entry.row.trigger)) return;
  const Slots slots = c.slots_of(entry);
  if (const std::string wrong = miscounted(entry.row, slots); !wrong.empty())
    c.report(entry.row.job, entry.row.slot, wrong, {entry.text()});
  accounts.add(entry, slots);
}

bool may_be_lost(const Case& c, WallTime slot) {
  return std::any_of(c.evidence.lost_disks.begin(), c.evidence.lost_disks.end(),
                     [&](const LostDisk& disk) { return slot <= disk.until; });
}

}  // namespace

void check_slots(Case& c) {
  std::map<std::string, SlotAccounts> jobs;
  for (const auto& [name, versions] : c.versions) jobs.emplace(name, due(c, versions));
  for (const Entry* entry : c.ledger.entries()) {
    const auto job = jobs.find(entry->row.job);
    if (job == jobs.end())
      c.report(entry->row.job, entry->row.slot, "is of a job that nobody defined", {entry->text()});
    else
      add(c, job->second, *entry);
  }
  for (const auto& [name, accounts] : jobs)
    for (const Discrepancy& one : accounts.discrepancies())
      if (!one.entries.empty() || !may_be_lost(c, one.slot)) c.report(name, one);
}

/// A run that outlasts its term goes on when its daemon stops, and is killed with its runner at the end of the test.
bool went_on(const Case& c, const Entry& entry) {
  const Job* job = c.job(entry.row.job);
  const auto started = c.reports_of.find({*entry.row.run, entry.row.attempt});
  return job && job->on_leadership_lost == OnLeadershipLost::finish && started != c.reports_of.end() &&
         !started->second.front()->ended;
}

void check_open_rows(Case& c) {
  for (const auto& [key, entry] : c.ledger.attempts())
    if (!is_final(entry.row.status) && entry.row.slot <= c.evidence.until && !went_on(c, entry))
      c.report(entry.row.job, entry.row.slot, "is still open", {entry.text()});
}

}  // namespace ballot::testing
