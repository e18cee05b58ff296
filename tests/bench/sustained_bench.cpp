// 1,000 runs a second. A child of the C library costs a machine that emulates CPUID a whole core of its own at this
// rate (bare_start.cpp), and then all starts wait for a core: the daemon has the priority that the packaged unit gives
// it, and what it comes to without it, and with a child that costs less, is shown beside.
#include <spawn.h>
#include <sys/wait.h>

#include <set>

#include "base/random.hpp"
#include "bench/bench_daemon.hpp"
#include "bench/benches.hpp"
#include "bench/machine.hpp"
#include "core/job/slots/settlement.hpp"

namespace ballot::bench {
namespace {

constexpr int settling = 5;        // seconds before the first that counts
constexpr int nice_of_unit = -10;  // packaging/systemd/ballot.service

std::string name_of(int job) { return "each-" + std::to_string(job); }

struct Load {
  std::string name, program;
  int nice, jobs, seconds;
  std::optional<Target> p99;
};

/// How late a bare loop of posix_spawn is which starts as many of the same children at random moments, and records
/// nothing, in ms.
std::vector<double> floor_lateness(const std::string& program, int count, int seconds) {
  const TempFolder folder;
  const std::string out = folder / "out";
  char* const arguments[] = {const_cast<char*>(program.c_str()), const_cast<char*>(out.c_str()), nullptr};
  Random random(1);
  const WallTime begin = wall_now() + Millis(100);
  std::vector<WallTime> due;
  for (int i = 0; i < count * seconds; ++i)
    due.push_back(begin + Millis(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(seconds) * 1'000))));
  std::sort(due.begin(), due.end());
  std::vector<double> late;
  for (const WallTime at : due) {
    sleep_until(at);
    late.push_back(static_cast<double>((wall_now() - at).count()));
    if (::posix_spawn(nullptr, program.c_str(), nullptr, nullptr, arguments, environ) != 0) fail("cannot spawn");
    while (::waitpid(-1, nullptr, WNOHANG) > 0) continue;
  }
  while (::wait(nullptr) > 0) continue;
  return late;
}

/// How late each run started, counted from its share of the second, and which slots were not run, or have no row at
/// all. Beside the bare loop, which ran for a tenth of the time before.
void measure(const Load& load, Figures& figures) {
  const int jobs = load.jobs, seconds = load.seconds;
  const std::vector<double> floor = floor_lateness(load.program, jobs, std::max(seconds / 10, 2));
  BenchDaemon daemon;
  for (int i = 0; i < jobs; ++i)
    daemon.job(name_of(i), "schedule = \"* * * * * *\"\njitter = \"1s\"\ncommand = [\"" + load.program + "\", \"" +
                               (daemon.folder / "out") + "\"]");
  daemon.start(load.nice);
  const WallTime begin = next_multiple(std::chrono::seconds(1), wall_now() + std::chrono::seconds(settling));
  sleep_until(begin);
  const double cpu = cpu_seconds(daemon.pid()), runner_cpu = cpu_seconds(daemon.runner());
  sleep_until(begin + std::chrono::seconds(seconds));
  const double used = cpu_seconds(daemon.pid()) - cpu, runner_used = cpu_seconds(daemon.runner()) - runner_cpu;
  sleep_until(wall_now() + std::chrono::seconds(settling));  // what began last ends and is recorded

  std::vector<double> late;
  std::int64_t not_run = 0, without_row = 0;
  Job job;
  job.jitter = std::chrono::seconds(1);
  for (int i = 0; i < seconds; ++i) {
    std::int64_t ran = 0;
    std::set<std::string> accounted;
    for (const Row& row : daemon.rows_of(begin + std::chrono::seconds(i))) {
      accounted.insert(row.job);
      if (row.status != Status::succeeded || !row.started_at) continue;
      job.name = row.job;
      late.push_back(static_cast<double>((*row.started_at - core::due_at(job, row.slot)).count()));
      ++ran;
    }
    not_run += jobs - ran;
    without_row += jobs - static_cast<std::int64_t>(accounted.size());
  }
  if (late.empty()) fail("no job has run");
  const std::string name =
      std::to_string(jobs) + " runs a second of " + load.name + ", " + std::to_string(seconds) + " s: ";
  const auto add = [&](const char* word, double share, std::optional<Target> target) {
    const double least = quantile(floor, share), value = quantile(late, share);
    figures.add({.name = name + "lateness " + word,
                 .unit = "ms",
                 .floor = least,
                 .value = value,
                 .ratio = least > 0 ? std::optional(value / least) : std::nullopt,
                 .target = target});
  };
  figures.add({.name = name + "slots without a row",
               .unit = "",
               .value = static_cast<double>(without_row),
               .target = at_most(0)});
  figures.add({.name = name + "slots not run",
               .unit = "",
               .value = static_cast<double>(not_run),
               .note = "their rows say why"});
  add("p50", 0.5, {});
  add("p99", 0.99, load.p99);
  add("p99.9", 0.999, {});
  add("most", 1.0, {});
  figures.add({.name = name + "CPU of daemon and runner, of one core",
               .unit = "%",
               .value = (used + runner_used) / seconds * 100,
               .note = "daemon " + std::to_string(used / seconds * 100).substr(0, 4) + " %"});
}

}  // namespace

void measure_sustained(const Scale& scale, Figures& figures) {
  const int jobs = scale.count(1'000, 50);
  const int minute = scale.count(60, 4);
  measure({"a child of libc", BALLOT_STAMP, nice_of_unit, jobs, scale.count(600, 4), at_most_of_floor(3)}, figures);
  measure({"a child of libc, nice 0", BALLOT_STAMP, 0, jobs, minute, std::nullopt}, figures);
  measure({"a bare child", BALLOT_BARE_STAMP, nice_of_unit, jobs, minute, at_most(20)}, figures);
}

}  // namespace ballot::bench
