// The rows against the schedule.
#include <algorithm>
#include <optional>

#include "base/wall_text.hpp"
#include "support/judge/case.hpp"

namespace ballot::testing {
namespace {

using Slots = std::vector<WallTime>;

/// What the ledgers say of one slot.
struct Standing {
  bool wanted = false;
  std::map<RunId, const Entry*> claimed, unclaimed;  // by run, one attempt of each
  std::vector<const Entry*> without_run;
};

class JobSlots {
 public:
  JobSlots(Case& c, const std::string& job) : case_(c), job_(job), versions_(c.versions.at(job)) {
    for (const InForce* version : versions_)
      for (const WallTime slot : Case::slots_between(*version, std::max(version->from, c.evidence.from),
                                                     std::min(version->until, c.evidence.until)))
        slots_[slot].wanted = true;
  }

  void add(const Entry& entry) {
    if (!is_scheduled(entry.row.trigger)) return;
    const Slots covered = case_.slots_of(entry);
    for (const WallTime slot : covered) {
      Standing& standing = slots_[slot];
      if (!entry.row.run)
        standing.without_run.push_back(&entry);
      else
        (entry.row.fence > 0 ? standing.claimed : standing.unclaimed)[*entry.row.run] = &entry;
    }
    const auto stands_for = static_cast<std::size_t>(entry.row.slots);
    if (covered.empty())
      case_.report(job_, entry.row.slot, "is not in the schedule", {entry.text()});
    else if (covered.size() != stands_for)
      case_.report(
          job_, entry.row.slot,
          "stands for " + std::to_string(stands_for) + " slots, the schedule has " + std::to_string(covered.size()),
          {entry.text()});
  }

  void judge() const {
    for (const auto& [slot, standing] : slots_) judge(slot, standing);
  }

 private:
  /// `halted` is what a repair says of slots that it knows nothing of: it yields to whoever does.
  void judge(WallTime slot, Standing standing) const {
    const auto halted = [](const Entry* entry) { return entry->row.reason == Reason::halted; };
    const auto& without = standing.without_run;
    if (!standing.claimed.empty() || !std::all_of(without.begin(), without.end(), halted))
      std::erase_if(standing.without_run, halted);
    if (standing.claimed.size() > 1)
      return two(slot, "was claimed by two runs", *standing.claimed.begin()->second,
                 *std::next(standing.claimed.begin())->second);
    if (!standing.claimed.empty() && !standing.without_run.empty())
      return two(slot, "was claimed and has another disposition too", *standing.claimed.begin()->second,
                 *standing.without_run.front());
    if (!standing.claimed.empty()) return;
    if (standing.unclaimed.size() > 1)
      return two(slot, "has two runs without a claim", *standing.unclaimed.begin()->second,
                 *std::next(standing.unclaimed.begin())->second);
    if (!standing.unclaimed.empty()) return;
    judge_without_run(slot, standing);
  }

  void judge_without_run(WallTime slot, const Standing& standing) const {
    if (standing.wanted && standing.without_run.empty() && !may_be_lost(slot))
      case_.report(job_, slot, "has no disposition", {});
    std::map<std::string, const Entry*> by_ledger;
    for (const Entry* entry : standing.without_run) {
      const auto [other, fresh] = by_ledger.emplace(entry->ledger, entry);
      if (!fresh) return two(slot, "has two dispositions", *other->second, *entry);
      const Row& first = standing.without_run.front()->row;
      if (entry->row.status != first.status || entry->row.reason != first.reason)
        return two(slot, "has two dispositions", *standing.without_run.front(), *entry);
    }
  }

  void two(WallTime slot, const std::string& what, const Entry& one, const Entry& other) const {
    case_.report(job_, slot, what, {one.text(), other.text()});
  }

  bool may_be_lost(WallTime slot) const {
    return std::any_of(case_.evidence.lost_disks.begin(), case_.evidence.lost_disks.end(),
                       [&](const LostDisk& disk) { return slot <= disk.until; });
  }

  Case& case_;
  const std::string& job_;
  const std::vector<const InForce*>& versions_;
  std::map<WallTime, Standing> slots_;
};

}  // namespace

void check_slots(Case& c) {
  std::map<std::string, JobSlots> jobs;
  for (const auto& [name, versions] : c.versions) jobs.try_emplace(name, c, name);
  const auto add = [&](const Entry& entry) {
    const auto job = jobs.find(entry.row.job);
    if (job == jobs.end())
      c.report(entry.row.job, entry.row.slot, "is of a job that nobody defined", {entry.text()});
    else
      job->second.add(entry);
  };
  for (const auto& [key, entry] : c.ledger.attempts()) add(entry);
  for (const Entry& entry : c.ledger.without_run()) add(entry);
  for (const auto& [name, job] : jobs) job.judge();
}

void check_open_rows(Case& c) {
  for (const auto& [key, entry] : c.ledger.attempts())
    if (!is_final(entry.row.status) && entry.row.slot <= c.evidence.until)
      c.report(entry.row.job, entry.row.slot, "is still open", {entry.text()});
}

}  // namespace ballot::testing
