// The oracle's STARTs and ENDs: against each other, and against the rows.
#include <algorithm>
#include <tuple>

#include "support/judge/case.hpp"

namespace ballot::testing {
namespace {

// The oracle sees a killed process gone a little late.
constexpr Millis notice{1000};

void report(Case& c, const std::string& what, const Report& one, const std::string& other) {
  c.report(one.job, one.slot, what, {one.text(), other});
}

void check_row_of(Case& c, const Report& start) {
  const Entry* entry = c.ledger.find(start.run, start.attempt);
  if (!entry) {
    if (!c.on_lost_disk(start.node, start.started.wall)) c.report(start.job, start.slot, "has no row", {start.text()});
    return;
  }
  const Row& row = entry->row;
  const Job* job = c.job(start.job);  // one without a claim may be entered later, and has a fence then
  const bool may_lack = start.fence == 0 && job && job->guarantee == Guarantee::at_least_once;
  if (row.job != start.job || row.slot != start.slot || row.node != start.node || row.epoch != start.epoch ||
      (row.fence != start.fence && !may_lack))
    return report(c, "started as its row does not say", start, entry->text());
  if (row.status == Status::skipped || row.status == Status::missed)
    return report(c, "was started, though its row says that it never was", start, entry->text());
  if (entry->own() && row.ended_at && start.started.wall > *row.ended_at)
    report(c, "was started after its row had ended", start, entry->text());
}

/// A run without a claim, launched in an outage, may be of a slot that another run claimed.
void check_slot_started_once(Case& c, const std::vector<const Report*>& starts) {
  std::map<std::pair<WallTime, int>, const Report*> by_slot;
  for (const Report* start : starts) {
    if (!is_scheduled(start->trigger) || start->fence == 0) continue;
    const auto [other, fresh] = by_slot.emplace(std::pair(start->slot, start->attempt), start);
    if (!fresh && other->second->run != start->run) report(c, "was started by two runs", *other->second, start->text());
  }
}

bool ran(const Row& row) {
  return row.status == Status::succeeded ||
         (row.status == Status::failed &&
          (row.reason == Reason::exit_code || row.reason == Reason::signal || row.reason == Reason::oom));
}

void check_end_of(Case& c, const Entry& entry) {
  const Row& row = entry.row;
  const auto found = c.reports_of.find({*row.run, row.attempt});
  if (found == c.reports_of.end()) return c.report(row.job, row.slot, "ended without a START", {entry.text()});
  const Report& report = *found->second.front();
  if (row.exit_code && !report.ended)
    return c.report(row.job, row.slot, "ended without an END", {entry.text(), report.text()});
  std::string said = row.exit_code ? "exit " + std::to_string(*row.exit_code) : "";
  if (row.signal) said = "signal " + std::to_string(*row.signal);
  if (report.ended && report.how != said)
    c.report(row.job, row.slot, "ended otherwise than its row says", {entry.text(), report.text()});
}

/// No process of a run is alive after its row has ended.
void check_outlived(Case& c, const Entry& entry, const Job& job, const Report& report) {
  const Row& row = entry.row;
  const bool ends_with_term = job.on_leadership_lost == OnLeadershipLost::terminate;
  if (!row.ended_at || row.leftover != Leftover::none || !(entry.own() || ends_with_term)) return;
  const auto over = report.over();
  const Millis slack = report.ended ? Millis(0) : notice;
  if (!over || over->wall > *row.ended_at + slack)
    c.report(row.job, row.slot, "outlived its row", {entry.text(), report.text()});
}

void check_disjoint(Case& c, const std::vector<const Report*>& starts) {
  const Report* longest = nullptr;
  for (const Report* next : starts) {
    if (longest && (!longest->over() || longest->over()->boot > next->started.boot))
      report(c, "ran beside another run", *longest, next->text());
    if (!longest || (longest->over() && (!next->over() || next->over()->boot > longest->over()->boot))) longest = next;
  }
}

}  // namespace

void check_launches(Case& c) {
  for (const auto& [key, starts] : c.reports_of) {
    for (std::size_t i = 1; i < starts.size(); ++i) report(c, "was started twice", *starts[0], starts[i]->text());
    check_row_of(c, *starts[0]);
  }
  for (const auto& [job, starts] : c.reports) check_slot_started_once(c, starts);
}

void check_ends(Case& c) {
  for (const auto& [key, entry] : c.ledger.attempts())
    if (c.probed(entry.row.job) && ran(entry.row)) check_end_of(c, entry);
}

void check_lives(Case& c) {
  for (const auto& [key, entry] : c.ledger.attempts()) {
    const auto found = c.reports_of.find(key);
    const Job* job = c.job(entry.row.job);
    if (found == c.reports_of.end() || !job) continue;
    for (const Report* report : found->second) check_outlived(c, entry, *job, *report);
  }
  for (const auto& [name, starts] : c.reports) {
    const Job* job = c.job(name);
    if (job && c.evidence.exclusive && job->concurrency != Concurrency::allow &&
        job->on_leadership_lost == OnLeadershipLost::terminate)
      check_disjoint(c, starts);
  }
}

}  // namespace ballot::testing
