#include "support/checker.hpp"

#include <algorithm>

#include "base/wall_text.hpp"
#include "support/case.hpp"

namespace ballot::testing {

Case::Case(const Evidence& all) : evidence(all), ledger(all.ledgers) {
  for (const InForce& version : all.jobs) versions[version.definition->job.name].push_back(&version);
  for (const Report& report : all.reports) {
    reports[report.job].push_back(&report);
    reports_of[{report.run, report.attempt}].push_back(&report);
  }
  for (auto& [name, of_job] : reports)
    std::stable_sort(of_job.begin(), of_job.end(),
                     [](const Report* a, const Report* b) { return a->started.boot < b->started.boot; });
  for (const auto& [key, entry] : ledger.attempts()) attempts[entry.row.job].push_back(&entry);
}

const Job* Case::job(const std::string& name) const {
  const auto found = versions.find(name);
  return found == versions.end() ? nullptr : &found->second.back()->definition->job;
}

bool Case::probed(const std::string& job) const {
  const auto found = versions.find(job);
  return found != versions.end() &&
         std::all_of(found->second.begin(), found->second.end(), [](const InForce* v) { return v->probed; });
}

bool Case::on_lost_disk(const std::string& node, WallTime recorded) const {
  return std::any_of(evidence.lost_disks.begin(), evidence.lost_disks.end(),
                     [&](const LostDisk& disk) { return disk.node == node && recorded <= disk.until; });
}

void Case::report(const std::string& job, WallTime slot, const std::string& what,
                  std::initializer_list<std::string> concerned) {
  std::string text = job + " " + format_slot(slot) + " " + what;
  for (const std::string& one : concerned) text += " | " + one;
  findings_.insert(std::move(text));
}

void Case::report(const std::string& what) { findings_.insert(what); }

Findings check(const Evidence& evidence) {
  Case c(evidence);
  for (const NodeLedger& ledger : evidence.ledgers)
    for (const std::string& damage : ledger.damage) c.report("the ledger of " + ledger.node + " is damaged: " + damage);
  for (const std::string& damage : evidence.damage) c.report("a database is damaged: " + damage);
  for (const RunId& run : evidence.triggered)
    if (!c.ledger.find(run, 1)) c.report("run " + run.text() + " was acknowledged and has no row");
  for (const auto judge : {check_slots, check_open_rows, check_launches, check_attempts, check_ends, check_lives,
                           check_fences, check_terms})
    judge(c);
  return c.take();
}

}  // namespace ballot::testing
