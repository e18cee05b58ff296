#include "library/metrics/scrape.hpp"

#include <span>
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
  return figures;
}

}  // namespace

void Scrape::take(std::function<void()> done) {
  waiting_.push_back(std::move(done));
  if (waiting_.size() > 1) return;
  figures_ = {};
  figures_.by_job = options_.by_job;
  options_.status([this](const NodeStatus& status) {
    for (const std::string& reason : status.degraded) figures_.degraded.push_back(reason.substr(0, reason.find(':')));
    take_groups();
  });
}

void Scrape::take_groups() {
  const auto page = [this](std::span<const core::GroupView> groups) {
    const bool in_doubt = node_.core().session().in_doubt();
    for (const core::GroupView& group : groups) {
      const bool leads = group.state == "leading";
      if (group.wanted) figures_.groups.push_back({std::string(group.name), leads, leads && in_doubt});
    }
    return true;
  };
  views_.groups(page, [this] { options_.by_job ? take_jobs() : finish(); });
}

void Scrape::take_jobs() {
  const auto page = [this](std::span<const core::JobView> jobs) {
    for (const core::JobView& job : jobs)
      if (job.state != core::JobState::disabled) figures_.jobs.add(job.name, job.group, figures_of(job));
    return true;
  };
  views_.led_jobs(page, [this] { finish(); });
}

void Scrape::finish() {
  const storage::Spooled spooled = node_.spooled();
  figures_.history_waits_since = spooled.since;
  figures_.spooled_rows = spooled.records;
  figures_.dropped_rows = node_.dropped().rows;
  figures_.requests = options_.requests();
  metrics_.publish(std::exchange(figures_, {}));
  for (const auto& done : std::exchange(waiting_, {})) done();
}

}  // namespace ballot::library
