#include "library/metrics/scrape.hpp"

#include <algorithm>
#include <utility>

namespace ballot::library {
namespace {

web::JobFigures figures_of(const core::JobView& job) {
  web::JobFigures figures;
  figures.last_success = job.last_success.value_or(WallTime{});
  figures.previous_slot = job.previous.value_or(WallTime{});
  figures.next_slot = job.next.value_or(WallTime{});
  figures.missed = job.missed;
  figures.failing = job.failing;
  figures.paused = job.state == core::JobState::paused;
  using Expected = web::JobFigures::Expected;
  if (job.expects_success) figures.overdue = job.overdue_since ? Expected::unmet : Expected::kept;
  if (job.expects_end || job.is_slow) figures.slow = job.is_slow ? Expected::unmet : Expected::kept;
  return figures;
}

}  // namespace

void Scrape::take(std::function<void()> done) {
  waiting_.push_back(std::move(done));
  if (waiting_.size() > 1) return;
  figures_ = {};
  figures_.by_job = options_.by_job;
  StateViews::Beside beside{[this](const core::GroupView& group) { add(group); }, {}};
  if (options_.by_job) {
    figures_.jobs.reserve(node_.core().views().known_jobs());
    beside.job = [this](const core::JobView& job) { add(job); };
  }
  options_.status([this](const NodeStatus& status) { finish(status); }, beside);
}

void Scrape::add(const core::GroupView& group) {
  const bool leads = group.state == "leading";
  if (group.wanted)
    figures_.groups.push_back({std::string(group.name), leads, leads && node_.core().session().in_doubt()});
}

void Scrape::add(const core::JobView& job) {
  if (!job.leader.empty() && job.state != core::JobState::disabled)
    figures_.jobs.add(job.name, job.group, figures_of(job));
}

void Scrape::finish(const NodeStatus& status) {
  for (const std::string& reason : status.degraded) figures_.degraded.push_back(reason.substr(0, reason.find(':')));
  const storage::Spooled spooled = node_.spooled();
  figures_.history_waits_since = spooled.since;
  figures_.spooled_rows = spooled.records;
  figures_.dropped_rows = node_.dropped().rows;
  if (const auto feed = node_.feed_state()) {
    auto& since = figures_.history_waits_since;
    if (feed->unsent_since) since = std::min(since.value_or(*feed->unsent_since), *feed->unsent_since);
    figures_.dropped_rows += feed->too_old + feed->dropped;
  }
  figures_.requests = options_.requests();
  metrics_.publish(std::exchange(figures_, {}));
  for (const auto& done : std::exchange(waiting_, {})) done();
}

}  // namespace ballot::library
