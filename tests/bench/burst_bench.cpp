#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "bench/bench_daemon.hpp"
#include "bench/benches.hpp"
#include "bench/machine.hpp"
#include "support/process/run_program.hpp"

namespace ballot::bench {
namespace {

constexpr int at_a_time = 16;  // of the floor's children
constexpr std::uintmax_t line_size = 21;
constexpr std::chrono::seconds longest{60};

/// When each child began, in ms after the instant.
struct Launches {
  std::vector<double> late;
  double per_second() const { return static_cast<double>(late.size() - 1) / (late.back() - late.front()) * 1e3; }
};

std::uintmax_t lines_in(const std::string& path) {
  std::error_code missing;
  const auto size = std::filesystem::file_size(path, missing);
  return missing ? 0 : size / line_size;
}

Launches launches_of(const std::string& path, WallTime instant, int wanted) {
  Launches launches;
  std::ifstream lines(path);
  const double due = static_cast<double>(instant.time_since_epoch().count());
  for (std::string line; std::getline(lines, line);)
    launches.late.push_back(std::stod(line.substr(0, 10)) * 1e3 - due + std::stod(line.substr(10)) * 1e3);
  std::sort(launches.late.begin(), launches.late.end());
  const auto early = std::count_if(launches.late.begin(), launches.late.end(), [](double late) { return late < 0; });
  if (early > 0 || std::ssize(launches.late) != wanted)
    throw Disturbed(std::to_string(launches.late.size()) + " children began where " + std::to_string(wanted) +
                    " were due, " + std::to_string(early) + " of them before the instant: two instants ran together");
  return launches;
}

Launches floor_burst(const std::string& out, int count) {
  std::filesystem::remove(out);
  const WallTime instant = next_multiple(std::chrono::seconds(1), wall_now() + Millis(100));
  std::string program = BALLOT_STAMP, file = out;
  char* arguments[] = {program.data(), file.data(), nullptr};
  sleep_until(instant);
  for (int live = 0, started = 0, done = 0; done < count; ++done, --live) {
    for (; live < at_a_time && started < count; ++live, ++started)
      if (::posix_spawn(nullptr, program.c_str(), nullptr, nullptr, arguments, environ) != 0) fail("cannot spawn");
    int status = 0;
    if (::wait(&status) < 0 || status != 0) fail("the floor's child failed");
  }
  return launches_of(out, instant, count);
}

/// Every job's one row of the slot: claimed under the term, and succeeded.
bool all_recorded(const std::vector<Row>& rows, int jobs) {
  std::set<std::string> seen;
  for (const Row& row : rows)
    if (row.run && row.epoch > 0 && row.fence > 0 && row.status == Status::succeeded) seen.insert(row.job);
  return std::ssize(rows) == jobs && std::ssize(seen) == jobs;
}

class Burst {
 public:
  Burst(int jobs, std::chrono::seconds period) : jobs_(jobs), period_(period) {
    for (int i = 0; i < jobs; ++i)
      daemon_.job("burst-" + std::to_string(i), "schedule = \"*/" + std::to_string(period.count()) +
                                                    " * * * * *\"\ncommand = [\"" BALLOT_STAMP "\", \"" + out_ + "\"]");
    daemon_.start();
  }

  Launches next() {
    std::filesystem::remove(out_);
    const WallTime instant = next_multiple(period_, wall_now() + Millis(500));
    sleep_until(instant);
    const double before = cpu_seconds(daemon_.pid());
    const double runner_before = cpu_seconds(daemon_.runner());
    wait_until("every job is launched", longest, [&] { return lines_in(out_) >= static_cast<unsigned>(jobs_); });
    Launches launches = launches_of(out_, instant, jobs_);  // before the next instant's come
    wait_until("every run is recorded", longest, [&] { return all_recorded(daemon_.rows_of(instant), jobs_); });
    recorded.push_back(jobs_ / std::chrono::duration<double>(wall_now() - instant).count());
    daemon_cpu.push_back((cpu_seconds(daemon_.pid()) - before) / jobs_ * 1e6);
    runner_cpu.push_back((cpu_seconds(daemon_.runner()) - runner_before) / jobs_ * 1e6);
    return launches;
  }

  std::string floor_file() const { return daemon_.folder / "floor"; }
  std::vector<double> recorded, daemon_cpu, runner_cpu;

 private:
  const int jobs_;
  const std::chrono::seconds period_;
  BenchDaemon daemon_;
  const std::string out_ = daemon_.folder / "out";
};

}  // namespace

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
