// Loading a folder of job files against toml::parse_file over the same files, in turn; and the reload of one of them.
//   config_bench [FILES = 100000]
#include <sys/stat.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "config/jobs_dir.hpp"

namespace {

namespace fs = std::filesystem;
using ballot::config::JobsDir;

constexpr int pairs = 5;

std::string name_of(int number) {
  char name[32];
  std::snprintf(name, sizeof name, "job-%06d", number);
  return name;
}

void write_job(const fs::path& folder, int number, const char* deadline) {
  const std::string name = name_of(number);
  std::ofstream(folder / (name + ".toml")) << "[job." << name << "]\nschedule = \"" << number % 60 << " 2 * * *\"\n"
                                           << "timezone = \"Europe/Paris\"\n"
                                           << "command  = [\"/usr/local/bin/backup\", \"--all\"]\n"
                                           << "group    = \"nightly\"\ndeadline = \"" << deadline << "\"\n";
}

template <class Work>
double seconds(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

long resident_kib() {
  long size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * (::sysconf(_SC_PAGESIZE) / 1024);
}

std::size_t parse_all(const fs::path& folder, int files) {
  std::size_t keys = 0;
  for (int i = 0; i < files; ++i) keys += toml::parse_file((folder / (name_of(i) + ".toml")).string()).size();
  return keys;
}

void print_memory(const fs::path& folder, int files) {
  const long before = resident_kib();
  JobsDir jobs(folder, {});
  jobs.reload();
  std::printf("memory: %.0f bytes a job (sizeof Job %zu, Definition %zu)\n",
              static_cast<double>(resident_kib() - before) * 1024 / files, sizeof(ballot::Job),
              sizeof(ballot::schedule::Definition));
}

void print_load(const fs::path& folder, int files) {
  std::vector<double> floor, load, ratio;
  for (int i = 0; i < pairs; ++i) {
    floor.push_back(seconds([&] { parse_all(folder, files); }));
    JobsDir jobs(folder, {});
    load.push_back(seconds([&] { jobs.reload(); }));
    ratio.push_back(load.back() / floor.back());
    if (jobs.set().definitions.size() != static_cast<std::size_t>(files)) std::exit(1);
  }
  std::printf("load of %d files: parse_file %.2f us each, ballot %.2f us each, ratio %.2f (target 1.5)\n", files,
              median(floor) * 1e6 / files, median(load) * 1e6 / files, median(ratio));
}

void print_reload(const fs::path& folder, int files) {
  JobsDir jobs(folder, {});
  jobs.reload();
  std::vector<double> one, all;
  for (int i = 0; i < pairs; ++i) {
    write_job(folder, files / 2, i % 2 == 0 ? "2h" : "1h");
    const std::string names[] = {name_of(files / 2) + ".toml"};
    one.push_back(seconds([&] {
      if (jobs.reload(names).changed.size() != 1) std::exit(1);
    }));
    all.push_back(seconds([&] { jobs.reload(); }));
  }
  std::printf("reload of one changed file: %.3f ms when named (target 10), %.1f ms with a look at all\n",
              median(one) * 1e3, median(all) * 1e3);
}

}  // namespace

int main(int argc, char** argv) {
  const int files = argc > 1 ? std::atoi(argv[1]) : 100'000;
  char name[] = "/tmp/ballot-config-bench-XXXXXX";
  const fs::path folder = ::mkdtemp(name);
  ::umask(022);
  for (int i = 0; i < files; ++i) write_job(folder, i, "1h");
  print_memory(folder, files);
  print_load(folder, files);
  print_reload(folder, files);
  fs::remove_all(folder);
}
