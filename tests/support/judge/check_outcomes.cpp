// Why runs ended as they did, against what was done to their nodes: lost, killed, not repeated; and what was started in
// a pause.
#include <algorithm>

#include "support/judge/case.hpp"

namespace ballot::testing {
namespace {

constexpr Millis lag{500};

WallTime begun(const Case& c, const Entry& entry) {
  const auto found = c.reports_of.find({*entry.row.run, entry.row.attempt});
  if (found != c.reports_of.end()) return found->second.front()->started.wall - lag;
  return entry.row.started_at.value_or(entry.row.slot) - lag;
}

/// A node or a store that was not well; or somebody who says so.
std::string why_not_lost(const Case& c, const Entry& entry) {
  const Row& row = entry.row;
  if (row.reason == Reason::forgotten)
    return c.deeds.asked("forget", *row.run, row.job) ? "" : "nobody said to forget it";
  if (row.reason == Reason::evidence_lost) return c.evidence.lost_disks.empty() ? "no disk is lost" : "";
  if (c.deeds.fault(row.node, begun(c, entry), WallTime::max())) return "";
  return c.on_lost_disk(row.node, begun(c, entry)) ? "" : "its node was well";
}

std::string why_not_killed(const Case& c, const Entry& entry) {
  const Row& row = entry.row;
  const Job* job = c.job(row.job);
  switch (row.reason) {
    case Reason::operator_: return c.deeds.asked("kill", *row.run, row.job) ? "" : "nobody asked to kill it";
    case Reason::replaced:
      return job->concurrency == Concurrency::replace || c.deeds.edited(row.job, WallTime::min(), WallTime::max())
                 ? ""
                 : "its job replaces nothing";
    case Reason::shutdown:
      return c.deeds.was_asked_to_stop(row.node, begun(c, entry)) ? "" : "nobody asked its node to stop";
    case Reason::leadership_lost:
      return c.deeds.fault(row.node, begun(c, entry) - c.evidence.timeout, WallTime::max()) ? ""
                                                                                            : "its term was not over";
    default: return "";
  }
}

bool is_lost_limit_reached(const Case& c, const Entry& entry) {
  int lost = 0;
  for (int attempt = 1; attempt <= entry.row.attempt; ++attempt)
    if (const Entry* one = c.ledger.find(*entry.row.run, attempt))
      lost += one->taken_for_lost || one->row.status == Status::lost || one->row.reason == Reason::lost_limit ? 1 : 0;
  return lost >= c.job(entry.row.job)->details->lost_limit;
}

/// At-least-once, a lost run has another attempt, but for one that a later slot takes the place of; and one without a
/// claim, of which no other node knows: its slot is the next leader's to run, or to pass as its misfire policy says.
bool owes_another(const Case& c, const Entry& entry) {
  const Row& row = entry.row;
  const Job* job = c.job(row.job);
  return row.status == Status::lost && row.reason != Reason::forgotten && row.reason != Reason::evidence_lost &&
         job->guarantee == Guarantee::at_least_once && row.fence > 0 && job->concurrency != Concurrency::replace &&
         row.ended_at.value_or(row.slot) <= c.evidence.until && !c.ledger.find(*row.run, row.attempt + 1) &&
         !is_lost_limit_reached(c, entry);
}

void check_outcome(Case& c, const Entry& entry) {
  const Row& row = entry.row;
  std::string why;
  if (row.status == Status::lost) why = why_not_lost(c, entry);
  if (row.status == Status::killed) why = why_not_killed(c, entry);
  if (row.status == Status::missed && row.reason == Reason::stale &&
      !c.deeds.fault("", row.slot - c.evidence.timeout - lag, WallTime::max()))
    why = "nothing delayed its start";
  if (row.reason == Reason::lost_limit && !is_lost_limit_reached(c, entry)) why = "it was not lost so often";
  if (!why.empty())
    c.report(row.job, row.slot, "is " + std::string(to_string(row.status)) + ", and " + why, {entry.text()});
  if (owes_another(c, entry)) c.report(row.job, row.slot, "was lost, and is not repeated", {entry.text()});
}

}  // namespace

void check_outcomes(Case& c) {
  for (const auto& [key, entry] : c.ledger.attempts())
    if (c.job(entry.row.job)) check_outcome(c, entry);
  for (const auto& [name, starts] : c.reports)
    for (const Report* start : starts) {
      const Entry* entry = c.ledger.find(start->run, start->attempt);
      const std::string group = entry ? entry->row.group : "";
      if (is_scheduled(start->trigger) && start->attempt == 1 &&
          c.deeds.is_paused(name, group, start->started.wall - lag) &&
          c.deeds.is_paused(name, group, start->started.wall))
        c.report(name, start->slot, "was started within a pause", {start->text()});
    }
}

}  // namespace ballot::testing
