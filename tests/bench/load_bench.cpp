#include <toml++/toml.h>

#include "bench/bench_daemon.hpp"
#include "bench/benches.hpp"
#include "bench/job_files.hpp"
#include "bench/machine.hpp"
#include "config/jobs_dir.hpp"

namespace ballot::bench {
namespace {

using config::JobsDir;

double microseconds_to_parse(const std::string& folder, int files) {
  std::size_t keys = 0;
  const double before = own_cpu_seconds();
  for (int i = 0; i < files; ++i) keys += toml::parse_file(folder + "/" + job_name(i) + ".toml").size();
  const double taken = own_cpu_seconds() - before;
  if (keys != static_cast<std::size_t>(files)) fail("toml::parse_file has not read every file");
  return taken / files * 1e6;
}

double microseconds_to_load(const std::string& folder, int files) {
  JobsDir jobs(folder, {});
  const double before = own_cpu_seconds();
  jobs.reload();
  const double taken = own_cpu_seconds() - before;
  if (jobs.set().definitions.size() != static_cast<std::size_t>(files)) fail("the loader has not loaded every file");
  return taken / files * 1e6;
}

/// The loader's part of a reload that a watch reports, in ms.
double loader_reload(const std::string& folder, int files, int times) {
  JobsDir jobs(folder, {});
  jobs.reload();
  std::vector<double> taken;
  for (int i = 0; i < times; ++i) {
    write_job_file(folder, files / 2, i % 2 == 0 ? "2h" : "1h");
    const std::string names[] = {job_name(files / 2) + ".toml"};
    taken.push_back(1e3 * seconds_of([&] {
                      if (jobs.reload(names).changed.size() != 1) fail("the loader has not seen the change");
                    }));
  }
  return median(taken);
}

/// All that a daemon does about it until the new definition is in its register, in ms of its CPU: it does nothing else.
double daemon_reload(BenchDaemon& daemon, int files, int times) {
  daemon.start();
  daemon.wait_until_quiet();
  std::vector<double> used;
  for (int i = 0; i < times; ++i) {
    const double before = cpu_seconds(daemon.pid());
    write_job_file(daemon.jobs_dir(), files / 2, i % 2 == 0 ? "4h" : "3h");
    sleep_until(wall_now() + Millis(2500));
    used.push_back(1e3 * (cpu_seconds(daemon.pid()) - before));
  }
  return median(used);
}

}  // namespace

void measure_load(const Scale& scale, Figures& figures) {
  const int files = scale.count(100'000, 2'000);
  BenchDaemon daemon(Disk::in_memory);
  write_job_files(daemon.jobs_dir(), files);
  const std::string count = std::to_string(files);
  Pairs load;
  for (int i = 0; i < scale.pairs; ++i) {
    const double floor = microseconds_to_parse(daemon.jobs_dir(), files);
    load.add(floor, microseconds_to_load(daemon.jobs_dir(), files));
  }
  figures.add(load.figure("load of " + count + " files, each", "us", at_most_of_floor(1.5)));
  figures.add({.name = "reload of one of " + count + ": the loader",
               .unit = "ms",
               .value = loader_reload(daemon.jobs_dir(), files, 5),
               .target = at_most(10)});
  figures.add({.name = "reload of one of " + count + ": the daemon",
               .unit = "ms",
               .value = daemon_reload(daemon, files, scale.count(5, 1)),
               .target = at_most(10),
               .note = "of CPU, from the watch to the register"});
}

}  // namespace ballot::bench
