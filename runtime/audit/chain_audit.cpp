#include "audit/chain_audit.hpp"

#include <algorithm>
#include <utility>

#include "audit/decided.hpp"

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

/// The ids of all runs of a trigger begin with its time.
bool may_be_of_one_trigger(const Row& one, const Row& other) {
  constexpr std::size_t time_bytes = 6;
  return one.run && other.run &&
         std::equal(one.run->bytes.begin(), one.run->bytes.begin() + time_bytes, other.run->bytes.begin());
}

/// A slot of the job's schedule is behind the row.
bool is_of_slot(const Row& row) { return is_scheduled(row.trigger) || row.trigger == Trigger::reboot; }

std::string how_ended(const Row& parent) {
  if (parent.run) return "had ended otherwise";
  return "was " + std::string(to_string(parent.status)) + ": " + std::string(to_string(parent.reason));
}

}  // namespace

ChainAudit::ChainAudit(const Definitions& definitions, const Terms& terms, Report report)
    : definitions_(definitions), terms_(terms), report_(std::move(report)) {
  for (const auto& [job, all] : definitions_)
    for (const InForce& one : all)
      if (const auto after = schedule::find_after(one.row.schedule)) {
        jobs_.insert(job);
        jobs_.insert(after->jobs.begin(), after->jobs.end());
      }
}

void ChainAudit::add(const Row& row) {
  if (row.trigger == Trigger::rerun || !jobs_.contains(row.job)) return;
  if (!at_slot_.empty() && at_slot_.front().slot != row.slot) judge_slot();
  at_slot_.push_back(row);
}

void ChainAudit::finish() { judge_slot(); }

/// By the definition that was in force when the slot was due. None also where another one was when it was decided on.
std::optional<schedule::After> ChainAudit::after(const Row& row) const {
  const auto found = definitions_.find(row.job);
  if (found == definitions_.end() || was_repaired(found->second)) return std::nullopt;
  const InForce *in_force = nullptr, *then = nullptr;
  for (const InForce& one : found->second) {
    if (one.row.from < row.slot) in_force = &one;
    if (one.row.from < std::max(row.slot, decided_at(*row.run).value_or(row.slot))) then = &one;
  }
  return in_force && in_force == then ? schedule::find_after(in_force->row.schedule) : std::nullopt;
}

void ChainAudit::judge_slot() {
  for (const Row& row : at_slot_)
    if (is_of_slot(row)) latest_[row.job] = row;
  for (const Row& row : at_slot_) {
    if (!row.run || row.fence == 0 || row.attempt != 1 || !row.started_at) continue;
    const auto after = this->after(row);
    if (!after) continue;
    for (const std::string& parent : after->jobs) {
      const bool has_its_slots = after->has_slots_of_first && parent == after->jobs.front();
      if (row.trigger == Trigger::chain || (is_scheduled(row.trigger) && has_its_slots))
        judge_by_slot(row, parent, after->status);
      else if (is_scheduled(row.trigger))
        judge_by_latest(row, parent, after->status);
    }
  }
  at_slot_.clear();
}

/// What has begun it knew how the parent's latest slot had ended. That is in this ledger where its term has settled
/// that slot, too; another term may have had another end of it, or have settled a later slot.
void ChainAudit::judge_by_latest(const Row& row, const std::string& parent, AfterStatus asked) {
  const auto definitions = definitions_.find(parent);
  const auto latest = latest_.find(parent);
  if (latest == latest_.end() || latest->second.epoch != row.epoch) return;
  if (definitions == definitions_.end() || was_repaired(definitions->second)) return;
  const Row& last = latest->second;
  if (says_nothing(last) || !is_final(last.status) || (last.run && is_as_asked(last, asked))) return;
  report(row, last,
         "was begun, and the last slot of job " + parent + " before it, after which it comes, " + how_ended(last));
}

void ChainAudit::judge_by_slot(const Row& row, const std::string& parent, AfterStatus asked) {
  const auto definitions = definitions_.find(parent);
  if (definitions == definitions_.end() || was_repaired(definitions->second)) return;
  const Row* last = nullptr;
  for (const Row& one : at_slot_) {
    // Of a trigger the jobs of its chain have one slot, which the schedule of another one may have too.
    if (one.job != parent || one.trigger == Trigger::reboot) continue;
    if (one.trigger == Trigger::manual && !one.run) continue;  // refused, at the time of another one's trigger
    if (is_scheduled(one.trigger) != is_scheduled(row.trigger)) continue;
    if (!is_scheduled(row.trigger) && !may_be_of_one_trigger(one, row)) continue;  // both jobs were, at one instant
    if (says_nothing(one) || (last && last->run != one.run)) return;
    if (!last || last->attempt < one.attempt) last = &one;
  }
  if (!last || last->slot_until) return;
  const std::optional<WallTime> over = over_by(terms_, last->group, last->epoch);
  if (!last->run && last->epoch < row.epoch && over && *over < last->slot) return;
  if (last->run && (may_have_more(definitions->second) || is_as_asked(*last, asked))) return;
  // A term before the row's may have taken it for lost.
  if (last->run && last->status == Status::succeeded && last->epoch != row.epoch) return;
  report(row, *last, "was begun, and that slot of job " + parent + ", after which it comes, " + how_ended(*last));
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
