#include "bench/benches.hpp"
#include "bench/burst.hpp"
#include "bench/machine.hpp"

namespace ballot::bench {
void measure_burst(const Scale& scale, Figures& figures) {
  const int jobs = scale.count(1000, 100);
  const std::chrono::seconds period(scale.count(10, 5));
  Burst burst(jobs, period);
  Pairs rate, late, first;
  const auto take_pair = [&] {
    const Launches ballot = burst.next();
    sleep_until(wall_now() + Millis(2000));  // the daemon closes what ended
    const Launches floor = floor_burst(burst.floor_file(), jobs);
    rate.add(floor.per_second(), ballot.per_second());
    first.add(floor.late.front(), ballot.late.front());
    late.add(quantile(floor.late, 0.5), quantile(ballot.late, 0.5));
  };
  for (int i = 0; i < scale.pairs; ++i) until_undisturbed(take_pair);
  const std::string name = "burst of " + std::to_string(jobs) + ": ";
  figures.add(rate.figure(name + "launches", "1/s", at_least_of_floor(0.85)));
  figures.add(late.figure(name + "lateness p50", "ms", at_most_of_floor(1.2)));
  figures.add(first.figure(name + "lateness of the first", "ms", std::nullopt));
  figures.add({.name = name + "recorded, from the instant due", .unit = "1/s", .value = median(burst.recorded)});
  figures.add({.name = name + "CPU of the daemon a run", .unit = "us", .value = median(burst.daemon_cpu)});
  figures.add({.name = name + "CPU of the runner a run", .unit = "us", .value = median(burst.runner_cpu)});
}

}  // namespace ballot::bench
