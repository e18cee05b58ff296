#include "bench/burst.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>

#include "bench/machine.hpp"

namespace ballot::bench {
namespace {

constexpr std::uintmax_t line_size = 21;
constexpr std::chrono::seconds longest{60};
constexpr int at_a_time = 16;  // of the floor's children

std::uintmax_t lines_in(const std::string& path) {
  std::error_code missing;
  const auto size = std::filesystem::file_size(path, missing);
  return missing ? 0 : size / line_size;
}

/// Whole seconds and the rest: together a double has not enough digits.
void for_each_launch(const std::string& path, const std::function<void(double second, double rest)>& began) {
  std::ifstream lines(path);
  for (std::string line; std::getline(lines, line);) began(std::stod(line.substr(0, 10)), std::stod(line.substr(10)));
}

/// Every job's one row of the slot: claimed under the term, and succeeded.
bool all_recorded(const std::vector<Row>& rows, int jobs) {
  std::set<std::string> seen;
  for (const Row& row : rows)
    if (row.run && row.epoch > 0 && row.fence > 0 && row.status == Status::succeeded) seen.insert(row.job);
  return std::ssize(rows) == jobs && std::ssize(seen) == jobs;
}

}  // namespace

Launches launches_of(const std::string& path, WallTime instant, int wanted) {
  Launches launches;
  const double due = static_cast<double>(instant.time_since_epoch().count());
  for_each_launch(path, [&](double second, double rest) { launches.late.push_back(second * 1e3 - due + rest * 1e3); });
  std::sort(launches.late.begin(), launches.late.end());
  const auto early = std::count_if(launches.late.begin(), launches.late.end(), [](double late) { return late < 0; });
  if (early > 0 || std::ssize(launches.late) != wanted)
    throw Disturbed(std::to_string(launches.late.size()) + " children began where " + std::to_string(wanted) +
                    " were due, " + std::to_string(early) + " of them before the instant: two instants ran together");
  return launches;
}

std::vector<Launches> launches_by_instant(const std::string& path, std::chrono::seconds period) {
  std::map<double, Launches> instants;
  const double length = static_cast<double>(period.count());
  for_each_launch(path, [&](double second, double rest) {
    const double since = std::fmod(second, length);
    instants[second - since].late.push_back((since + rest) * 1e3);
  });
  std::vector<Launches> all;
  for (auto& [instant, launches] : instants) {
    std::sort(launches.late.begin(), launches.late.end());
    all.push_back(std::move(launches));
  }
  return all;
}

Launches floor_burst(const std::string& child, const std::string& out, int count) {
  std::filesystem::remove(out);
  const WallTime instant = next_multiple(std::chrono::seconds(1), wall_now() + Millis(100));
  std::string program = child, file = out;
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

Burst::Burst(int jobs, std::chrono::seconds period, const std::string& configuration, const std::string& program,
             std::chrono::seconds phase)
    : jobs_(jobs), period_(period), phase_(phase), daemon_(Disk::real, configuration) {
  std::string seconds;
  for (auto second = phase.count(); second < 60; second += period.count())
    seconds += (seconds.empty() ? "" : ",") + std::to_string(second);
  for (int i = 0; i < jobs; ++i)
    daemon_.job("burst-" + std::to_string(i),
                "schedule = \"" + seconds + " * * * * *\"\ncommand = [\"" + program + "\", \"" + out_ + "\"]");
  daemon_.start();
}

Launches Burst::next() {
  const WallTime instant = next_multiple(period_, wall_now() + Millis(500) - phase_) + phase_;
  sleep_until(instant - Millis(250));
  std::filesystem::remove(out_);  // with what an instant since the last one has written
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

}  // namespace ballot::bench
