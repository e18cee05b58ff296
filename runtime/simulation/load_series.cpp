#include "simulation/load_series.hpp"

#include <algorithm>
#include <tuple>

namespace ballot::simulation {
namespace {

using std::chrono::ceil;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::minutes;

/// So many parts of that length, from the one of `from` to that of the last instant before `until`.
template <class Part>
std::size_t parts(WallTime from, WallTime until) {
  return static_cast<std::size_t>(std::max<std::int64_t>((ceil<Part>(until) - floor<Part>(from)) / Part(1), 0));
}

}  // namespace

LoadSeries::LoadSeries(WallTime from, WallTime until, std::size_t nodes)
    : from_(from), until_(until), running_since_(from) {
  hours_.resize(parts<hours>(from, until));
  for (std::size_t i = 0; i < hours_.size(); ++i) {
    hours_[i].hour = floor<hours>(from) + hours(i);
    hours_[i].by_node.resize(nodes);
  }
  minutes_.resize(parts<minutes>(from, until));
}

HourReport* LoadSeries::hour_of(WallTime at) {
  return holds(at) ? &hours_[static_cast<std::size_t>((at - floor<hours>(from_)) / hours(1))] : nullptr;
}

LoadSeries::Minute* LoadSeries::minute_of(WallTime at) {
  return holds(at) ? &minutes_[static_cast<std::size_t>((at - floor<minutes>(from_)) / minutes(1))] : nullptr;
}

/// As many run up to now as did before.
void LoadSeries::run_on(WallTime now) {
  for (WallTime at = std::max(running_since_, from_); at < std::min(now, until_); at = floor<hours>(at) + hours(1)) {
    HourReport& hour = *hour_of(at);
    hour.most_running = std::max(hour.most_running, running_);
    most_running_.see(running_, at);
  }
  running_since_ = now;
}

void LoadSeries::start(std::size_t node, WallTime now) {
  run_on(now);
  ++running_;
  HourReport* const hour = hour_of(now);
  if (hour == nullptr) return;
  ++hour->starts;
  ++hour->by_node[node];
  hour->most_running = std::max(hour->most_running, running_);
  most_running_.see(running_, now);
  ++minute_of(now)->starts;
}

void LoadSeries::end(WallTime now) {
  run_on(now);
  --running_;
}

void LoadSeries::due(WallTime due) {
  if (Minute* const minute = minute_of(due)) ++minute->due;
}

void LoadSeries::late(WallTime due, Millis wait) {
  if (Minute* const minute = minute_of(due)) minute->longest_wait = std::max(minute->longest_wait, wait);
}

void LoadSeries::not_run(WallTime due) {
  if (HourReport* const hour = hour_of(due)) ++hour->not_run;
}

void LoadSeries::write(Report& report) {
  run_on(until_);
  report.running = most_running_;
  write_waiting(report);
  write_busiest(report);
  report.hours = hours_;
}

void LoadSeries::write_waiting(Report& report) {
  report.waiting = most_at_once(waits_, [this](WallTime from, WallTime until, std::int64_t many) {
    for (WallTime at = std::max(from, from_); at < std::min(until, until_); at = floor<hours>(at) + hours(1))
      hour_of(at)->most_waiting = std::max(hour_of(at)->most_waiting, many);
  });
}

void LoadSeries::write_busiest(Report& report) const {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < minutes_.size(); ++i)
    if (minutes_[i].due > 0) order.push_back(i);
  const std::size_t count = std::min(order.size(), most_busy);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [this](std::size_t a, std::size_t b) {
                      return std::tuple(-minutes_[a].due, a) < std::tuple(-minutes_[b].due, b);
                    });
  order.resize(count);
  for (const std::size_t i : order) {
    const Minute& one = minutes_[i];
    report.busiest.push_back({floor<minutes>(from_) + minutes(i), one.due, one.starts, one.longest_wait});
  }
}

Peak most_at_once(const std::vector<std::pair<WallTime, WallTime>>& spans,
                  const std::function<void(WallTime, WallTime, std::int64_t)>& see) {
  std::vector<std::pair<WallTime, int>> edges;
  edges.reserve(2 * spans.size());
  for (const auto& [from, until] : spans) {
    if (until <= from) continue;
    edges.emplace_back(from, 1);
    edges.emplace_back(until, -1);
  }
  std::sort(edges.begin(), edges.end());  // an end before a beginning
  Peak peak;
  std::int64_t many = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    many += edges[i].second;
    peak.see(many, edges[i].first);
    if (i + 1 < edges.size() && many > 0) see(edges[i].first, edges[i + 1].first, many);
  }
  return peak;
}

}  // namespace ballot::simulation
