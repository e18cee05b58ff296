#include "bench/bench_daemon.hpp"
#include "bench/benches.hpp"
#include "bench/machine.hpp"
#include "core/settlement.hpp"

namespace ballot::bench {
namespace {

constexpr int settling = 5;  // seconds before the first that counts

std::string name_of(int job) { return "each-" + std::to_string(job); }

}  // namespace

/// 1,000 jobs due each second, spread over it by their jitter: how late each started, counted from its share of it, and
/// which slots were not run.
void measure_sustained(const Scale& scale, Figures& figures) {
  const int jobs = scale.count(1'000, 50), seconds = scale.count(600, 4);
  BenchDaemon daemon;
  for (int i = 0; i < jobs; ++i)
    daemon.job(name_of(i), "schedule = \"* * * * * *\"\njitter = \"1s\"\ncommand = [\"" BALLOT_STAMP "\", \"" +
                               (daemon.folder / "out") + "\"]");
  daemon.start();
  const WallTime begin = next_multiple(std::chrono::seconds(1), wall_now() + std::chrono::seconds(settling));
  sleep_until(begin);
  const double cpu = cpu_seconds(daemon.pid()), runner_cpu = cpu_seconds(daemon.runner());
  sleep_until(begin + std::chrono::seconds(seconds));
  const double used = cpu_seconds(daemon.pid()) - cpu, runner_used = cpu_seconds(daemon.runner()) - runner_cpu;
  sleep_until(wall_now() + std::chrono::seconds(settling));  // what began last ends and is recorded

  std::vector<double> late;
  std::int64_t not_run = 0;
  Job job;
  job.jitter = std::chrono::seconds(1);
  for (int i = 0; i < seconds; ++i) {
    std::int64_t ran = 0;
    for (const Row& row : daemon.rows_of(begin + std::chrono::seconds(i))) {
      if (row.status != Status::succeeded || !row.started_at) continue;
      job.name = row.job;
      late.push_back(static_cast<double>((*row.started_at - core::due_at(job, row.slot)).count()));
      ++ran;
    }
    not_run += jobs - ran;
  }
  if (late.empty()) fail("no job has run");
  const std::string name = std::to_string(jobs) + " runs a second for " + std::to_string(seconds) + " s: ";
  figures.add(
      {.name = name + "slots not run", .unit = "", .value = static_cast<double>(not_run), .target = at_most(0)});
  for (const auto& [word, share, target] :
       {std::tuple{"p50", 0.5, std::optional<Target>()}, std::tuple{"p99", 0.99, std::optional(at_most(20))},
        std::tuple{"p99.9", 0.999, std::optional<Target>()}, std::tuple{"most", 1.0, std::optional<Target>()}})
    figures.add({.name = name + "lateness " + word, .unit = "ms", .value = quantile(late, share), .target = target});
  figures.add({.name = name + "CPU of daemon and runner, of one core",
               .unit = "%",
               .value = (used + runner_used) / seconds * 100,
               .note = "daemon " + std::to_string(used / seconds * 100).substr(0, 4) + " %"});
}

}  // namespace ballot::bench
