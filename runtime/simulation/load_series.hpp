// LoadSeries: how much a simulated fleet is asked over time: starts by hour and node, slots by minute, how many runs go
// on and how many slots wait at once. What is outside of its span is not counted. One thread.
//
//   LoadSeries load(from, until, nodes);
//   load.start(0, now); ... load.end(now);      // in the order of time
//   load.wait(since, now);                      // in any order
//   load.write(report);
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "simulation/report.hpp"

namespace ballot::simulation {

class LoadSeries {
 public:
  LoadSeries(WallTime from, WallTime until, std::size_t nodes);

  bool holds(WallTime at) const { return from_ <= at && at < until_; }
  WallTime from() const { return from_; }
  WallTime until() const { return until_; }

  void start(std::size_t node, WallTime now);
  void end(WallTime now);
  /// A slot of its minute.
  void due(WallTime due);
  /// The slot that was due at `due` has waited for so long in all.
  void late(WallTime due, Millis wait);
  /// A slot that is never run, of its hour.
  void not_run(WallTime due);
  /// A slot waited for a run of its own job, or for a place.
  void wait(WallTime since, WallTime until) { waits_.emplace_back(since, until); }

  /// Hours, the busiest minutes, and the most that ran and that waited at once.
  void write(Report& report);

 private:
  static constexpr std::size_t most_busy = 20;
  struct Minute {
    std::int64_t due = 0, starts = 0;
    Millis longest_wait{0};
  };

  HourReport* hour_of(WallTime at);
  Minute* minute_of(WallTime at);
  void run_on(WallTime now);
  void write_busiest(Report& report) const;
  void write_waiting(Report& report);

  const WallTime from_, until_;
  std::vector<HourReport> hours_;
  std::vector<Minute> minutes_;
  std::int64_t running_ = 0;
  WallTime running_since_;
  Peak most_running_;
  std::vector<std::pair<WallTime, WallTime>> waits_;
};

/// Of spans of time, the most that there are at once; `see` is called for each span of time with so many of them.
Peak most_at_once(const std::vector<std::pair<WallTime, WallTime>>& spans,
                  const std::function<void(WallTime from, WallTime until, std::int64_t many)>& see);

}  // namespace ballot::simulation
