#include "audit/chain_audit.hpp"

#include <algorithm>
#include <utility>

namespace ballot::audit {
namespace {

bool was_repaired(const std::vector<InForce>& definitions) {
  return std::any_of(definitions.begin(), definitions.end(),
                     [](const InForce& one) { return one.row.basis == Basis::repaired; });
}

/// Attempts that another node has executed, whose rows are not here.
bool may_have_more(const std::vector<InForce>& definitions) {
  return std::any_of(definitions.begin(), definitions.end(), [](const InForce& one) {
    return one.row.retries > 0 || one.row.at_least_once || one.row.digest.empty();
  });
}

bool is_as_asked(const Row& row, AfterStatus asked) {
  if (asked == AfterStatus::ended) return true;
  return (row.status == Status::succeeded) == (asked == AfterStatus::succeeded);
}

/// One that is lost may have ended otherwise for the term that has closed it; and one without a claim is no slot's.
bool says_nothing(const Row& row) {
  return row.run && (row.fence == 0 || row.status == Status::lost || !is_final(row.status) || !row.ended_at);
}

}  // namespace

ChainAudit::ChainAudit(const Definitions& definitions, Report report)
    : definitions_(definitions), report_(std::move(report)) {
  for (const auto& [job, all] : definitions_)
    for (const InForce& one : all)
      if (const auto after = schedule::find_after(one.row.schedule)) {
        jobs_.insert(job);
        jobs_.insert(after->jobs.begin(), after->jobs.end());
      }
}

void ChainAudit::add(const Row& row) {
  if (jobs_.empty() || row.trigger == Trigger::reboot || row.trigger == Trigger::rerun) return;
  if (!at_slot_.empty() && at_slot_.front().slot != row.slot) judge_slot();
  if (jobs_.contains(row.job)) at_slot_.push_back(row);
}

void ChainAudit::finish() { judge_slot(); }

/// By the definition that was in force when the slot was due.
std::optional<schedule::After> ChainAudit::after(const Row& row) const {
  const auto found = definitions_.find(row.job);
  if (found == definitions_.end() || was_repaired(found->second)) return std::nullopt;
  const InForce* in_force = nullptr;
  for (const InForce& one : found->second)
    if (one.row.from < row.slot) in_force = &one;
  return in_force ? schedule::find_after(in_force->row.schedule) : std::nullopt;
}

void ChainAudit::judge_slot() {
  for (const Row& row : at_slot_) {
    if (!row.run || row.fence == 0 || row.attempt != 1 || !row.started_at) continue;
    const auto after = this->after(row);
    if (!after) continue;
    if (row.trigger == Trigger::chain)
      for (const std::string& parent : after->jobs) judge(row, parent, after->status);
    else if (is_scheduled(row.trigger) && after->has_slots_of_first)
      judge(row, after->jobs.front(), after->status);
  }
  at_slot_.clear();
}

void ChainAudit::judge(const Row& row, const std::string& parent, AfterStatus asked) {
  const auto definitions = definitions_.find(parent);
  if (definitions == definitions_.end() || was_repaired(definitions->second)) return;
  const Row* last = nullptr;
  for (const Row& one : at_slot_) {
    // Of a trigger the jobs of its chain have one slot, which the schedule of another one may have too.
    if (one.job != parent || is_scheduled(one.trigger) != is_scheduled(row.trigger)) continue;
    if (says_nothing(one)) return;
    if (!last || last->attempt < one.attempt) last = &one;
  }
  if (!last || last->slot_until) return;
  if (!last->run)
    return report(row, *last,
                  "was begun, and that slot of job " + parent + ", after which it comes, was " +
                      std::string(to_string(last->status)) + ": " + std::string(to_string(last->reason)));
  if (!may_have_more(definitions->second) && !is_as_asked(*last, asked))
    report(row, *last, "was begun, and that slot of job " + parent + ", after which it comes, had ended otherwise");
}

void ChainAudit::report(const Row& row, const Row& parent, std::string what) const {
  Finding finding;
  finding.kind = Kind::early;
  finding.job = row.job;
  finding.slot = row.slot;
  finding.what = std::move(what);
  finding.rows = {parent, row};
  report_(std::move(finding));
}

}  // namespace ballot::audit
