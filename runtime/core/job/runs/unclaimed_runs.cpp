#include "core/job/runs/unclaimed_runs.hpp"

#include <algorithm>
#include <utility>

namespace ballot::core {
namespace {

constexpr std::size_t given_up_limit = 16;

}  // namespace

void UnclaimedRuns::add(std::vector<Disposition> passed, std::optional<runner::AttemptId> run) {
  if (!passed.empty() || run) ahead_.push_back({std::move(passed), run});
}

void UnclaimedRuns::drop_entered(const JobRegister& stored, const RunList& runs) {
  while (!ahead_.empty()) {
    Ahead& first = ahead_.front();
    std::erase_if(first.passed, [&](const Disposition& d) { return d.to <= stored.cursor; });
    const LiveRun* run = first.run ? runs.find(*first.run) : nullptr;
    if (!first.passed.empty() || (run && run->unclaimed)) return;
    ahead_.erase(ahead_.begin());
  }
}

WallTime UnclaimedRuns::settled_until(const JobRegister& stored, const RunList& runs) const {
  WallTime until = std::max(stored.cursor, stored.since);
  for (const Ahead& one : ahead_) {
    if (!one.passed.empty()) until = std::max(until, one.until());
    if (const LiveRun* run = one.run ? runs.find(*one.run) : nullptr) until = std::max(until, run->open.slot);
  }
  return until;
}

bool UnclaimedRuns::is_full(const std::vector<OpenRun>& open) const {
  const auto to_enter = std::count_if(ahead_.begin(), ahead_.end(), [&](const Ahead& one) {
    return one.run &&
           std::none_of(open.begin(), open.end(), [&](const OpenRun& run) { return run.id == one.run->run; });
  });
  return open.size() + static_cast<std::size_t>(to_enter) >= open_run_limit;
}

void UnclaimedRuns::note_given_up(const RunId& run) {
  if (given_up_.size() == given_up_limit) given_up_.erase(given_up_.begin());
  given_up_.push_back(run);
}

bool UnclaimedRuns::is_superseded(const OpenRun& open, const RunList& runs) const {
  const bool given_up = std::find(given_up_.begin(), given_up_.end(), open.id) != given_up_.end();
  return given_up && std::any_of(ahead_.begin(), ahead_.end(), [&](const Ahead& one) {
           return one.run && runs.any([&](const LiveRun& run) {
             return run.id() == *one.run && run.open.slot == open.slot && run.open.id != open.id;
           });
         });
}

std::vector<RunId> UnclaimedRuns::superseded(const JobRegister& stored, const RunList& runs) const {
  std::vector<RunId> superseded;
  for (const OpenRun& open : stored.runs)
    if (is_superseded(open, runs)) superseded.push_back(open.id);
  return superseded;
}

}  // namespace ballot::core
