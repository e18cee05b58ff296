#include "bench/bench_daemon.hpp"
#include "bench/benches.hpp"
#include "bench/job_files.hpp"
#include "bench/machine.hpp"

namespace ballot::bench {
namespace {

/// Resident once it leads, has written every register and is quiet: so long that caches have been given back, which the
/// local backend does when it renews its session.
double megabytes_with(int jobs) {
  BenchDaemon daemon(Disk::in_memory);
  write_job_files(daemon.jobs_dir(), jobs);
  forget_cached(BALLOT_PROGRAM);
  daemon.start();
  daemon.wait_until_quiet();
  sleep_until(wall_now() + Millis(8000));
  return resident_megabytes(daemon.pid());
}

/// What grows while a daemon runs.
struct Held {
  double daemon_megabytes, runner_megabytes;
  int daemon_files, runner_files;
};

Held held_by(const BenchDaemon& daemon) {
  return {resident_megabytes(daemon.pid()), resident_megabytes(daemon.runner()), open_descriptors(daemon.pid()),
          open_descriptors(daemon.runner())};
}

/// The whole seconds from `first` on whose every job has run, as the ledger has it.
int seconds_recorded(const BenchDaemon& daemon, WallTime first, int jobs, int count) {
  int complete = 0;
  for (int i = 0; i < count; ++i) {
    int ran = 0;
    for (const Row& row : daemon.rows_of(first + std::chrono::seconds(i))) ran += row.status == Status::succeeded;
    complete += ran == jobs;
  }
  return complete;
}

}  // namespace

void measure_memory(const Scale& scale, Figures& figures) {
  figures.add({.name = "memory: no job", .unit = "MB", .value = megabytes_with(0), .target = at_most(15)});
  for (const int jobs : {scale.count(10'000, 500), scale.count(100'000, 2'000)}) {
    const double all = megabytes_with(jobs);
    const std::string name = "memory: " + std::to_string(jobs) + " jobs";
    figures.add({.name = name, .unit = "MB", .value = all});
    figures.add(
        {.name = name + ", a job over 15 MB", .unit = "B", .value = (all - 15) * 1e6 / jobs, .target = at_most(1200)});
  }
}

/// The first third of the runs fills the caches (of the ledger: 8 MB); what is held must not grow after it.
void measure_flatness(const Scale& scale, Figures& figures) {
  const int jobs = scale.count(500, 50), warm = scale.count(100, 3), measured = scale.count(200, 4);
  BenchDaemon daemon;
  for (int i = 0; i < jobs; ++i)
    daemon.job("flat-" + std::to_string(i),
               "schedule = \"* * * * * *\"\nconcurrency = \"skip\"\ncommand = [\"" BALLOT_STAMP "\", \"" +
                   (daemon.folder / "out") + "\"]");
  daemon.start();
  const WallTime begin = next_multiple(std::chrono::seconds(1), wall_now() + Millis(2000));
  const auto after = [&](int seconds) { return begin + std::chrono::seconds(seconds); };
  sleep_until(after(warm) + Millis(800));
  const Held first = held_by(daemon);
  sleep_until(after(warm + measured) + Millis(800));
  const Held last = held_by(daemon);
  sleep_until(wall_now() + Millis(2000));
  const std::string name = "flat over " + std::to_string(jobs * measured) + " runs: ";
  figures.add({.name = name + "daemon's growth",
               .unit = "MB",
               .value = last.daemon_megabytes - first.daemon_megabytes,
               .target = at_most(2)});
  figures.add({.name = name + "runner's growth",
               .unit = "MB",
               .value = last.runner_megabytes - first.runner_megabytes,
               .target = at_most(1)});
  figures.add(
      {.name = name + "descriptors' growth",
       .unit = "",
       .value = static_cast<double>(last.daemon_files + last.runner_files - first.daemon_files - first.runner_files),
       .target = at_most(jobs)});
  const int complete = seconds_recorded(daemon, begin, jobs, warm + measured);
  figures.add({.name = name + "slots not run",
               .unit = "",
               .value = static_cast<double>((warm + measured - complete) * jobs),
               .note = "of seconds with one that was late or skipped"});
}

void measure_idle(const Scale& scale, Figures& figures) {
  const int jobs = scale.count(10'000, 500), seconds = scale.count(30, 3);
  BenchDaemon daemon;
  write_job_files(daemon.jobs_dir(), jobs);
  daemon.start();
  daemon.wait_until_quiet();
  const double before = cpu_seconds(daemon.pid()) + cpu_seconds(daemon.runner());
  sleep_until(wall_now() + std::chrono::seconds(seconds));
  const double used = cpu_seconds(daemon.pid()) + cpu_seconds(daemon.runner()) - before;
  figures.add({.name = "idle with " + std::to_string(jobs) + " jobs: of one core",
               .unit = "%",
               .value = used / seconds * 100,
               .target = at_most(0.1),
               .note = "over " + std::to_string(seconds) + " s"});
}

}  // namespace ballot::bench
