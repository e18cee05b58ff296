#include "core/group/handover_planner.hpp"

namespace ballot::core {
namespace {

constexpr Millis scan_delay{1000};    // from a takeover to the scan: many come together
constexpr Millis scan_pause{10'000};  // between scans
constexpr Millis busy_pause{730};     // not in step with what is due each second
constexpr Millis move_pause{20};      // between two hand-overs: 50 a second

}  // namespace

void HandoverPlanner::on_taken_over(SteadyTime now) {
  if (!scan_at_) scan_at_ = now + scan_delay;
}

void HandoverPlanner::clear() {
  groups_.clear();
  scan_at_.reset();
  move_at_.reset();
}

void HandoverPlanner::begin_scan() {
  scan_at_.reset();
  groups_.clear();
}

void HandoverPlanner::consider(GroupEntry& group, const Peers::Best& best, SteadyTime now, SteadyTime steady_since) {
  if (best.again) scan_by(*best.again);  // one move, not two
  if (best.again || best.session.empty()) return;
  const SteadyTime steady = steady_since + fit_delay;
  scan_by(now < steady ? steady : now + scan_pause);
  if (now >= steady) groups_.push_back(&group);
}

void HandoverPlanner::end_scan(SteadyTime now) {
  if (!groups_.empty()) move_at_ = now;
}

GroupEntry* HandoverPlanner::next() {
  if (groups_.empty()) return nullptr;
  GroupEntry* const group = groups_.front();
  groups_.pop_front();
  return group;
}

void HandoverPlanner::on_busy(SteadyTime now) { scan_at_ = now + busy_pause; }

void HandoverPlanner::on_moved(SteadyTime now) {
  if (!groups_.empty()) move_at_ = now + move_pause;
}

void HandoverPlanner::scan_by(SteadyTime at) {
  if (!scan_at_ || at < *scan_at_) scan_at_ = at;
}

}  // namespace ballot::core
