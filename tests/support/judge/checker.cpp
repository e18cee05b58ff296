#include "support/judge/checker.hpp"

#include <algorithm>

#include "base/wall_text.hpp"
#include "support/judge/case.hpp"

namespace ballot::testing {

Case::Case(const Evidence& all) : evidence(all), ledger(all.ledgers), deeds(all.deeds) {
  for (const InForce& version : all.jobs) versions[version.definition->job.name].push_back(&version);
  for (const Report& report : all.reports) {
    reports[report.job].push_back(&report);
    reports_of[{report.run, report.attempt}].push_back(&report);
  }
  for (auto& [name, of_job] : reports)
    std::stable_sort(of_job.begin(), of_job.end(),
                     [](const Report* a, const Report* b) { return a->started.boot < b->started.boot; });
  for (const auto& [key, entry] : ledger.attempts()) attempts[entry.row.job].push_back(&entry);
  find_terms();
  find_lives();
}

void Case::find_terms() {
  std::map<std::pair<std::string, std::uint64_t>, WallTime> ended;
  for (const NodeLedger& of_node : evidence.ledgers)
    for (const TermRow& term : of_node.terms) {
      terms[term.group][term.epoch] = {term.node, term.elected_at, term.elected_at};
      ended[{term.group, term.epoch}] = term.ended_at.value_or(WallTime::max());
    }
  for (const Report& report : evidence.reports) {
    const Entry* entry = report.fence > 0 ? ledger.find(report.run, report.attempt) : nullptr;
    if (!entry) continue;
    const WallTime at = report.started.wall;
    const auto [led, fresh] = terms[entry->row.group].try_emplace(report.epoch, Led{report.node, at, at});
    led->second.until = std::max(led->second.until, at);
  }
  for (auto& [group, of_group] : terms)
    for (auto led = of_group.begin(); led != of_group.end(); ++led) {
      const auto row = ended.find({group, led->first});
      if (row == ended.end()) continue;
      const WallTime next = std::next(led) == of_group.end() ? evidence.asked : std::next(led)->second.began;
      led->second.until = std::min({row->second, next, deeds.first_fault(led->second.node, led->second.began)});
    }
}

void Case::find_lives() {
  for (const auto& [key, entry] : ledger.attempts()) {
    const Row& row = entry.row;
    WallTime from = row.started_at.value_or(row.slot), until = row.ended_at.value_or(WallTime::max());
    if (const auto found = reports_of.find(key); found != reports_of.end()) {
      const auto over = found->second.front()->over();
      from = found->second.front()->started.wall;
      until = over ? over->wall : WallTime::max();
    }
    if (!row.started_at && (row.status == Status::skipped || row.status == Status::missed)) continue;
    // One that finishes after its term was handed over is known to go on; if its host dies, nobody knows at once.
    const Job* of = job(row.job);
    const bool finishes = of != nullptr && of->on_leadership_lost == OnLeadershipLost::finish;
    const bool unknown = finishes && row.status == Status::lost && row.ended_at;
    const WallTime believed = unknown ? std::max(until, *row.ended_at) : until;
    const auto [life, fresh] = lives[row.job].try_emplace(
        key.first, Life{row.epoch, is_scheduled(row.trigger), row.slot, from, until, believed});
    life->second.from = std::min(life->second.from, from);
    life->second.until = std::max(life->second.until, until);
    life->second.believed = std::max(life->second.believed, believed);
  }
}

Slots Case::slots_of(const Entry& entry) const {
  Slots best;
  const auto of_job = versions.find(entry.row.job);
  if (of_job == versions.end()) return best;
  for (const InForce* version : of_job->second) {
    Slots slots = slots_between(version->definition->plan, version->anchors, entry.row.slot,
                                entry.row.slot_until.value_or(entry.row.slot));
    if (slots.size() == static_cast<std::size_t>(entry.row.slots)) return slots;
    if (slots.size() > best.size()) best = std::move(slots);
  }
  return best;
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

void Case::report(const std::string& job, const Discrepancy& discrepancy) {
  findings_.insert(job + " " + discrepancy.text());
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
                           check_fences, check_terms, check_reasons, check_outcomes, check_launched, check_lateness})
    judge(c);
  return c.take();
}

}  // namespace ballot::testing
