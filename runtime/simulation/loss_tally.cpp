#include "simulation/loss_tally.hpp"

#include <algorithm>
#include <utility>

#include "simulation/outcomes.hpp"

namespace ballot::simulation {

void LossTally::lose(const std::string& node, WallTime now, const std::vector<std::string>& groups,
                     const std::vector<Run>& runs) {
  const std::size_t place = losses_.size();
  LossReport& loss = losses_.emplace_back(LossReport{node, now});
  for (const std::string& group : groups) {
    loss.groups.push_back({group});
    gaps_[group].push_back({place, now, {}});
  }
  loss.lost_run_count = std::ssize(runs);
  for (const Run& run : runs) {
    Lost lost{place, {}, run.job, run.slot};
    if (loss.lost_runs.size() < most_named) {
      lost.named = loss.lost_runs.size();
      loss.lost_runs.push_back({run.job, run.slot, run.started_at, {}});
    }
    lost_.insert_or_assign(run.id.run, std::move(lost));
    doubts_[run.job].push_back({place, now, {}});
  }
}

void LossTally::come_back(const std::string& node, WallTime now) {
  for (LossReport& loss : losses_)
    if (loss.node == node && !loss.back_at) loss.back_at = now;
}

void LossTally::led_again(const std::string& group, const std::string& node, WallTime now) {
  const auto gaps = gaps_.find(group);
  if (gaps == gaps_.end() || gaps->second.back().until) return;
  Span& gap = gaps->second.back();
  gap.until = now;
  for (LedAgain& one : losses_[gap.loss].groups)
    if (one.group == group) one.at = now, one.node = node;
}

void LossTally::settle(const runner::AttemptId& id, const std::string& job, WallTime now) {
  if (!lost_.contains(id.run)) return;
  for (Span& doubt : doubts_[job])
    if (!doubt.until) doubt.until = now;
}

void LossTally::retried(const RunId& run, WallTime now) {
  const auto lost = lost_.find(run);
  if (lost == lost_.end()) return;
  LossReport& loss = losses_[lost->second.loss];
  if (lost->second.named && !loss.lost_runs[*lost->second.named].again_at)
    loss.lost_runs[*lost->second.named].again_at = now;
}

std::optional<std::size_t> LossTally::cause_of(const std::string& job, const std::string& group, WallTime due) const {
  for (const auto& [spans, name] : {std::pair(&gaps_, &group), std::pair(&doubts_, &job)}) {
    const auto found = spans->find(*name);
    if (found == spans->end()) continue;
    for (const Span& span : found->second)
      if (span.holds(due)) return span.loss;
  }
  return std::nullopt;
}

void LossTally::late(const std::string& group, const LateSlot& slot, WallTime due) {
  const auto cause = cause_of(slot.job, group, due);
  if (!cause) return;
  LossReport& loss = losses_[*cause];
  ++loss.late_slot_count;
  loss.latest = std::max(loss.latest, slot.late);
  if (loss.late_slots.size() < most_named) loss.late_slots.push_back(slot);
}

/// A slot that comes after a lost run is skipped by it.
void LossTally::not_run(const Row& row, WallTime due, const std::vector<Parent>& parents) {
  std::optional<std::size_t> cause;
  if (row.reason == Reason::upstream) {
    for (const auto& [run, lost] : lost_)
      for (const Parent& parent : parents)
        if (parent.job == lost.job && (lost.slot == row.slot || lost.slot == parent.last)) cause = lost.loss;
  } else {
    cause = cause_of(row.job, row.group, due);
  }
  if (cause) add_outcome(losses_[*cause].not_run, row.status, row.reason, 1);
}

void LossTally::undecided(const std::string& job, const std::string& group, WallTime due) {
  if (const auto cause = cause_of(job, group, due))
    add_outcome(losses_[*cause].not_run, Status::queued, Reason::none, 1);
}

}  // namespace ballot::simulation
