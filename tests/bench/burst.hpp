// Burst: jobs of a real daemon that are all due at one instant, again and again; and when the children of one began.
//
//   Burst burst(1000, 10s);
//   const Launches launches = burst.next();         // launches.per_second(), launches.late
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "bench/bench_daemon.hpp"

namespace ballot::bench {

/// When each child began, in ms after the instant.
struct Launches {
  std::vector<double> late;
  double per_second() const { return static_cast<double>(late.size() - 1) / (late.back() - late.front()) * 1e3; }
};

/// What `stamp` has written to the file. Throws Disturbed where they are not `wanted`.
Launches launches_of(const std::string& path, WallTime instant, int wanted);

/// What `stamp` has written to the file, by the instants of a schedule with this period.
std::vector<Launches> launches_by_instant(const std::string& path, std::chrono::seconds period);

/// The floor: a bare loop of posix_spawn and wait that launches `count` of `child` at the next second, with `out`.
Launches floor_burst(const std::string& child, const std::string& out, int count);

class Burst {
 public:
  /// `configuration`: of ballot.toml, where it is not the default. `program`: the child, called with the file. `phase`:
  /// they are due so long after whole multiples of the period, which divides a minute; so that two daemons take turns.
  Burst(int jobs, std::chrono::seconds period, const std::string& configuration = "",
        const std::string& program = BALLOT_STAMP, std::chrono::seconds phase = std::chrono::seconds(0));

  /// Until every run of it is recorded.
  Launches next();

  std::string floor_file() const { return daemon_.folder / "floor"; }
  std::vector<double> recorded, daemon_cpu, runner_cpu;  // of each

 private:
  const int jobs_;
  const std::chrono::seconds period_, phase_;
  BenchDaemon daemon_;
  const std::string out_ = daemon_.folder / "out";
};

}  // namespace ballot::bench
